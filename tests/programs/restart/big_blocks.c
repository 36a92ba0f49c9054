// SPDX-License-Identifier: MIT
// big_blocks.c - big blocks from before the fork point are freed, moved and resized
#include "frame.h"

enum { BIG = 3 << 20 };
static char *freed, *grown, *shrunk;

static __attribute__((constructor)) void allocate(void)
{
    freed = calloc(1, BIG);
    grown = calloc(1, BIG);
    shrunk = calloc(1, BIG);
}

static void before(void)
{
    printf("%d %d %d\n", freed[BIG / 2], grown[BIG / 2], shrunk[BIG / 2]);
    freed[BIG / 2] = grown[BIG / 2] = shrunk[BIG / 2] = 1;
}

static void after(void)
{
    char *mine = malloc(2 * BIG);
    mine[BIG] = 1;
    free(freed);
    grown = realloc(grown, 4 * BIG);
    grown[3 * BIG] = 1;
    shrunk = realloc(shrunk, BIG / 2);
    mine = realloc(mine, 5 * BIG);
    mine[4 * BIG] = 1;
}
