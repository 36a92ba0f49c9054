/* SPDX-License-Identifier: MIT
 *
 * greedy.h - an order that answers a question, made event by event without going back.
 *
 * What must be done (precedence.h) is done as soon as it may be, in the order of the execution; of a pattern first all that need not come after
 * one of its steps.  If a lock is needed, its section is ended first.  It fails where a choice would have to be taken back.
 */
#ifndef RADDLE_SOLVE_GREEDY_H
#define RADDLE_SOLVE_GREEDY_H

#include "solve/precedence.h"

/* Of what precedence_exclude was asked last, which did not exclude it.  True: the order is in the answer, and is possible (order_is_possible).
   False: none was found. */
bool greedy_find(const struct precedence *precedence, struct answer *answer);

#endif
