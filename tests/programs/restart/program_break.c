// SPDX-License-Identifier: MIT
// program_break.c - memory from brk
#include "frame.h"

static char *first;

static __attribute__((constructor)) void note(void)
{
    first = sbrk(0);
}

static void before(void)
{
    printf("%ld\n", (long)((char *)sbrk(0) - first));
}

static void after(void)
{
    char *memory = sbrk(10000);
    memset(memory, 1, 10000);
}
