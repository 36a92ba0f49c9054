/* SPDX-License-Identifier: MIT
 *
 * shrink_steps.h - how simple a schedule is, and what is left of one without some of its steps.  No program is run here.
 */
#ifndef RADDLE_EXPLAIN_SHRINK_STEPS_H
#define RADDLE_EXPLAIN_SHRINK_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/vector.h"
#include "wire/wire.h"

struct steps { /* all zero is empty */
    VECTOR(struct wire_step) list;
};

struct steps_cost {
    uint32_t preemptions;
    uint32_t switches; /* from one thread to another */
    uint32_t threads;  /* that do an operation */
    uint32_t choices;  /* that are not the first way */
};

struct steps_cost steps_cost(const struct wire_step *steps, size_t count);
/* Below 0: `a` is simpler than `b`.  By preemptions, switches, threads, choices; of equals the one is simpler that lets
   a thread run longer, or the older one first, where they begin to differ. */
int steps_compare(const struct wire_step *a, size_t a_count, const struct wire_step *b, size_t b_count);

/* Each of the two threads gets the other's steps. */
void steps_exchange_tasks(struct wire_step *steps, size_t count, uint16_t a, uint16_t b);

/* What is to become of a step. */
enum steps_fate {
    STEP_KEPT,
    STEP_RELAXED, /* a preemption becomes: as far as the thread goes */
    STEP_DROPPED,
};

/* How the steps are to be understood. */
enum {
    STEPS_EXACT = 1, /* a thread stops where its step ended; else only at preemptions, and goes on until it cannot */
    STEPS_EARLY = 2, /* a wait within a step ends before its time; else that ends the step */
};

/* A plan to be followed loosely (PLAN_BEST_EFFORT). */
void steps_plan(const struct wire_step *steps, size_t count, const unsigned char *fates, unsigned how,
                struct steps *plan);
/* A plan with one preemption: the main thread runs until it cannot, then the task to the operation at which it is interrupted, then all
   others as far as they can: the next younger ones first, or the next older ones, and so on around. */
void steps_plan_one(uint16_t task, uint64_t until, uint32_t tasks, bool older_first, struct steps *plan);
/* The steps that mean something in a plan: segments, and choices of another way than the first.  Indices, ascending. */
struct steps_indices {
    VECTOR(size_t) list;
};
void steps_meaningful(const struct wire_step *steps, size_t count, struct steps_indices *indices);

#endif
