/* SPDX-License-Identifier: MIT
 *
 * order_steps.h - an order of events of an execution: is it possible (rules.h), and how is it run.
 */
#ifndef RADDLE_SOLVE_ORDER_STEPS_H
#define RADDLE_SOLVE_ORDER_STEPS_H

#include "direct/goal.h"
#include "solve/question.h"

/* Goes through the order event by event.  False: the program cannot do it, or one of the tasks would do something else; *where is the place
   of the event in the order.  `changed` comes out otherwise than it did (EVENT_NONE: none). */
bool order_is_possible(const struct rules *rules, const event_list *order, uint32_t changed, size_t *where);

/* Adds events that find what they found to an order that is possible, in the order of the execution. */
void answer_extend(const struct rules *rules, struct answer *answer, uint32_t changed);

/* What comes before the event `end` stays, but `last`, which may be `end` itself, comes after all of it. */
void answer_cut(struct answer *answer, uint32_t end, uint32_t last);

/* The order as a schedule, to be followed as far as possible (PLAN_BEST_EFFORT); replaces what was in `steps`.  Where a signal could wake
   several tasks, it wakes the one that goes on first; other choices are those of the execution. */
void answer_write_steps(const struct rules *rules, const struct answer *answer, goal_steps *steps);
/* The same after a schedule that has done the first `done` events of the execution. */
void answer_append_steps(const struct rules *rules, const struct answer *answer, uint32_t done, goal_steps *steps);

#endif
