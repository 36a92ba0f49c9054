/* SPDX-License-Identifier: MIT
 *
 * unseen.c - how likely it is that the next run shows something new; see unseen.h.
 */
#include "coverage/unseen.h"

uint64_t unseen_run(struct unseen *unseen)
{
    return ++unseen->runs;
}

void unseen_first(struct unseen *unseen)
{
    unseen->discoverers += ++*table_put(&unseen->own, unseen->runs) == 1;
}

void unseen_again(struct unseen *unseen, uint64_t first)
{
    uint64_t *own = table_get(&unseen->own, first);
    if (own != NULL && *own > 0)
        unseen->discoverers -= --*own == 0;
}

void unseen_free(struct unseen *unseen)
{
    table_free(&unseen->own);
}

double unseen_chance(const struct unseen *unseen)
{
    return unseen->runs > 0 ? (double)unseen->discoverers / (double)unseen->runs : 1;
}

bool unseen_is_below(const struct unseen *unseen, double bound)
{
    /* The number of discoverers is roughly Poisson: its variance is itself.  One more is for the case that there is none. */
    double found = (double)unseen->discoverers;
    double spare = bound * (double)unseen->runs - (found + 1);
    return unseen->runs >= UNSEEN_RUNS && spare > 0 && spare * spare >= found;
}
