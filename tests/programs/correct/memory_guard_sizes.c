// SPDX-License-Identifier: MIT
// memory_guard_sizes.c - threads with large stacks, without guard and with a large guard.
//
// expect: none
#include "correct.h"

static int finished;

static int use(int depth)
{
    volatile char frame[1024];
    frame[depth % 1024] = 1;
    return depth == 0 ? 0 : frame[depth % 1024] + use(depth - 1);
}

static void *work(void *depth)
{
    CHECK(use((int)(intptr_t)depth) == (int)(intptr_t)depth);
    __atomic_fetch_add(&finished, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

int main(void)
{
    size_t guards[2] = {0, 64 << 10};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        CHECK(pthread_attr_setguardsize(&attributes, guards[i]) == 0);
        CHECK(pthread_attr_setstacksize(&attributes, 4 << 20) == 0);
        CHECK(pthread_create(&threads[i], &attributes, work, (void *)1000) == 0);
        pthread_attr_destroy(&attributes);
    }
    join(threads[0]);
    join(threads[1]);
    CHECK(finished == 2);
    return 0;
}
