// SPDX-License-Identifier: MIT
// stack_growth.c - a stack that grew is as empty as a new one
#include "frame.h"

enum { DEEP = 1 << 20 };

/* What lies so far below the stack pointer, before anything was there. */
static __attribute__((noinline)) int look_down(int write)
{
    volatile char room[DEEP]; /* not initialised, on purpose */
    int sum = 0;
    for (int i = 0; i < DEEP; i += 4096) {
        __asm__ volatile("" : : "r"(room) : "memory");
        if (write)
            room[i] = 7;
        sum += room[i] != 0;
    }
    return sum;
}

static void before(void)
{
    printf("%d\n", look_down(0));
}

static void after(void)
{
    look_down(1);
}
