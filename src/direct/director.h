/* SPDX-License-Identifier: MIT
 *
 * director.h - how to make one pattern happen, attempt after attempt, and what became of it.
 *
 * DESIGN
 *   The program under test does the steering (runtime/strategy/direct.c).  What is decided here is what it is told: which
 *   known run to begin with and how far, how much of what is known about the steps to insist on, and which task is brought forward
 *   first.  The first attempts insist on the same tasks at the same occurrences: from the start, with no other task doing more
 *   than it must; then after the beginning of the run from which the pattern was predicted, up to where the first of its
 *   threads enters the critical section of its step, so that all that led there holds again.  Later ones insist on less and
 *   less; the last are Maple's own, with complementary priorities, and then random ones.  Steps that may come in any order are asked
 *   for in each of their orders, since often only one of these is possible.
 *
 *   What is known about a step is the task that did it, at which occurrence, where the task entered the critical section around it (its
 *   section entry), and for the second step of a thread, how long after the first that was.  Of two steps of one thread the closest two
 *   executions are taken that accessed what the predicted ones did (witness.h): a pattern on two variables is lost if the first
 *   step is done at a place after which the second accesses another variable.
 *
 *   An attempt is judged by what its events show, not by what it meant to do.
 */
#ifndef RADDLE_DIRECT_DIRECTOR_H
#define RADDLE_DIRECT_DIRECTOR_H

#include "direct/goal.h"
#include "util/buffer.h"
#include "wire/wire.h"

enum { DIRECTOR_WAYS = 11 }; /* attempts that differ in more than the seed */

/* What is known about the pattern from a run. */
struct director_source {
    const struct witness *witnesses; /* by step; NULL: nothing is known */
    const struct wire_step *steps;   /* the run's schedule */
    size_t step_count;
};

/* Fills in strategy, flags, goal and plan_step_count; the steps to put into plan_steps are in `prefix`.  `attempt` counts
   from 0.  False: a site of the pattern is nowhere in the program (*missing tells which step); of the plan only the goal has
   been touched. */
bool director_plan(struct wire_plan *plan, goal_steps *prefix, const struct pattern *pattern, uint32_t window,
                   const struct director_source *source, uint32_t attempt, goal_pcs *pcs, void *context,
                   unsigned *missing);

enum attempt_verdict {
    ATTEMPT_EXPOSED,     /* it happened */
    ATTEMPT_NOT_REACHED, /* no task came to one of its steps */
    ATTEMPT_BLOCKED,     /* it began, and something stood in the way */
    ATTEMPT_GAVE_UP,     /* it began, and did not go on */
};
const char *director_verdict_name(enum attempt_verdict verdict);
enum attempt_verdict director_judge(const struct wire_goal *goal, const struct wire_directed *directed, bool occurred);

#endif
