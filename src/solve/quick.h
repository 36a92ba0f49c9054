/* SPDX-License-Identifier: MIT
 *
 * quick.h - answers most questions about other orders of an execution without a search: by a cycle in what must come before what
 * (precedence.h), or by an order that is made event by event (greedy.h).
 */
#ifndef RADDLE_SOLVE_QUICK_H
#define RADDLE_SOLVE_QUICK_H

#include "solve/precedence.h"

struct quick { /* all zero to begin with; used for one question after another */
    struct precedence precedence;
};
void quick_free(struct quick *quick);

/* True: ANSWER_FOUND, or ANSWER_IMPOSSIBLE, which is proven if `certain`.  False: a search is needed to know. */
bool quick_ask(struct quick *quick, const struct rules *rules, const struct question *question, struct answer *answer);

#endif
