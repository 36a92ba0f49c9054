// SPDX-License-Identifier: MIT
// attributes_read.c - pthread_getattr_np tells a thread where its stack is: its local variables lie in it.
//
// expect: none
#include "correct.h"

static void *work(void *size)
{
    pthread_attr_t attributes;
    void *stack;
    size_t length, guard;
    int state;
    char local;
    CHECK(pthread_getattr_np(pthread_self(), &attributes) == 0);
    CHECK(pthread_attr_getstack(&attributes, &stack, &length) == 0);
    CHECK(pthread_attr_getguardsize(&attributes, &guard) == 0);
    CHECK(pthread_attr_getdetachstate(&attributes, &state) == 0 && state == PTHREAD_CREATE_JOINABLE);
    CHECK(length >= *(size_t *)size);
    CHECK((uintptr_t)&local - (uintptr_t)stack < length);
    CHECK(pthread_attr_destroy(&attributes) == 0);
    return NULL;
}

int main(void)
{
    size_t sizes[2] = {128 << 10, 1 << 20};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        CHECK(pthread_attr_setstacksize(&attributes, sizes[i]) == 0);
        CHECK(pthread_create(&threads[i], &attributes, work, &sizes[i]) == 0);
        pthread_attr_destroy(&attributes);
    }
    for (int i = 0; i < 2; i++)
        join(threads[i]);
    return 0;
}
