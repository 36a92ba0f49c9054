// SPDX-License-Identifier: MIT
// stack_own_memory.c - threads on stacks that the program allocated itself.
//
// expect: none
// tsan: no (it needs larger stacks)
#include "correct.h"

enum { SIZE = 256 << 10 };

static int depth(int n)
{
    volatile char frame[512];
    frame[n % 512] = (char)n;
    return n == 0 ? 0 : 1 + depth(n - 1) + (frame[n % 512] - (char)n);
}

static int finished;

static void *work(void *stack)
{
    char local;
    CHECK((uintptr_t)&local - (uintptr_t)stack < SIZE);
    CHECK(depth(50) == 50);
    __atomic_fetch_add(&finished, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    void *stacks[2];
    for (int i = 0; i < 2; i++) {
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        CHECK(posix_memalign(&stacks[i], 4096, SIZE) == 0);
        CHECK(pthread_attr_setstack(&attributes, stacks[i], SIZE) == 0);
        CHECK(pthread_create(&threads[i], &attributes, work, stacks[i]) == 0);
        pthread_attr_destroy(&attributes);
    }
    for (int i = 0; i < 2; i++) {
        join(threads[i]);
        free(stacks[i]);
    }
    CHECK(finished == 2);
    return 0;
}
