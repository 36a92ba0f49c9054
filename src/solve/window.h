/* SPDX-License-Identifier: MIT
 *
 * window.h - a part of an execution that is asked about by itself: what comes before it stays as it was.
 *
 * DESIGN
 *   A question about a late event needs all that comes before it, so what an answer takes grows with the length of the run.  A window is an
 *   execution of its own: some thousand events, after those earlier ones that still matter where it begins - the last write to each location
 *   that it accesses, locks that are held, waits for condition variables that last, barriers that not all have come to.  These are *carried*: they
 *   come first, in their order (rules_make_after).  A schedule of the window begins with that of the execution, up to there.
 *
 *   What is lost: nothing before the window can come later than anything in it, and what is done after it is not known.  So that there
 *   is no order of a window proves nothing (edges that are not certain), and two events further apart than a window are not asked about.
 */
#ifndef RADDLE_SOLVE_WINDOW_H
#define RADDLE_SOLVE_WINDOW_H

#include "solve/order_steps.h"

struct window { /* all zero to begin with; used again */
    struct execution execution;
    uint32_t carried;    /* so many of its events, the first ones, come from before the window */
    event_list original; /* by event: which one it is of the whole execution */
    goal_steps before;   /* the schedule up to the window */
};

/* The events [from, to) of the whole execution.  All of them: nothing is carried. */
void window_make(struct window *window, const struct execution *whole, uint32_t from, uint32_t to);
void window_free(struct window *window);

/* As answer_write_steps, of rules that were made by rules_make_after with what the window carries. */
void window_write_steps(const struct window *window, const struct rules *rules, const struct answer *answer,
                        goal_steps *steps);

#endif
