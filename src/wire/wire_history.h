/* SPDX-License-Identifier: MIT
 *
 * wire_history.h - whether an order of calls explains what they gave back: linearizability of one run of a test.
 *
 * Herlihy and Wing, Linearizability: a correctness condition for concurrent objects (TOPLAS 1990).  A history is explained if there is an order of
 * its calls that gives the same results when they run one after another, and in which no call comes after one that began when it had ended.  The
 * orders, with their results, are rows: the module itself has made them.
 */
#ifndef RADDLE_WIRE_HISTORY_H
#define RADDLE_WIRE_HISTORY_H

#include <stdbool.h>

#include "wire/wire_generate.h"

/* A call of a run. */
struct history_call {
    uint8_t compared; /* bit per slot */
    int64_t slots[GEN_SLOTS];
    uint64_t began, ended; /* moments, all different */
};

/* `calls`: first those that the order is about, `ordered` of them, then the observers. */
static inline bool history_has_results(const struct history_call *calls, unsigned count, const struct gen_row *row)
{
    for (unsigned i = 0; i < count; i++)
        for (int k = 0; k < GEN_SLOTS; k++)
            if ((calls[i].compared >> k & 1) != 0 && calls[i].slots[k] != row->slots[i][k])
                return false;
    return true;
}

static inline bool history_respects_time(const struct history_call *calls, unsigned ordered, const struct gen_row *row)
{
    for (unsigned i = 0; i < ordered; i++)
        for (unsigned k = i + 1; k < ordered; k++)
            if (calls[row->order[k]].ended < calls[row->order[i]].began)
                return false;
    return true;
}

static inline bool history_is_explained(const struct history_call *calls, unsigned ordered, unsigned count,
                                        const struct gen_row *rows, unsigned row_count)
{
    for (unsigned i = 0; i < row_count; i++)
        if (history_has_results(calls, count, &rows[i]) && history_respects_time(calls, ordered, &rows[i]))
            return true;
    return false;
}

#endif
