/* SPDX-License-Identifier: MIT
 *
 * shrink_steps.h - compares schedules by simplicity, and makes plans from some of their steps.  No program is run here.
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
    uint32_t choices;  /* other than the first alternative */
};

struct steps_cost steps_cost(const struct wire_step *steps, size_t count);
/* Below 0: `a` is simpler than `b`.  By preemptions, switches, threads, choices; among equals, the schedule is simpler
   that lets a thread run longer, or the older thread run first, at the first difference. */
int steps_compare(const struct wire_step *a, size_t a_count, const struct wire_step *b, size_t b_count);

/* Exchanges the steps of the two threads. */
void steps_exchange_tasks(struct wire_step *steps, size_t count, uint16_t a, uint16_t b);

/* How a step is used in the plan. */
enum steps_fate {
    STEP_KEPT,
    STEP_RELAXED, /* a preemption is replaced by: run as far as possible */
    STEP_DROPPED,
};

/* Variants of a plan. */
enum {
    STEPS_EXACT = 1, /* a thread stops where its step ended; else only at preemptions or when it cannot run */
    STEPS_EARLY = 2, /* a wait inside a step ends early; else the wait ends the step */
};

/* A plan for PLAN_BEST_EFFORT. */
void steps_plan(const struct wire_step *steps, size_t count, const unsigned char *fates, unsigned how,
                struct steps *plan);
/* A plan with one preemption: the main thread runs as far as it can, then the task up to the operation at which it is
   interrupted, then all others as far as they can, in cyclic order: the next younger ones first, or the next older
   ones. */
void steps_plan_one(uint16_t task, uint64_t until, uint32_t tasks, bool older_first, struct steps *plan);
/* A plan with two preemptions: the main thread runs as far as it can, then the two tasks, each up to the operation at which it is interrupted,
   then the rest in one of these orders: the first task, the others, the second; or the others before both. */
enum { STEPS_ORDERS = 3 };
void steps_plan_two(const struct wire_step *first, const struct wire_step *second, uint32_t tasks, unsigned order,
                    struct steps *plan);
/* The significant steps of a plan: those that run, and choices other than the first alternative.  Indices, ascending. */
struct steps_indices {
    VECTOR(size_t) list;
};
void steps_meaningful(const struct wire_step *steps, size_t count, struct steps_indices *indices);

#endif
