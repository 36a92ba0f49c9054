/* SPDX-License-Identifier: MIT
 *
 * reduction.h - a search that runs every order of dependent transitions once.
 *
 * P. Abdulla, S. Aronis, B. Jonsson, K. Sagonas: "Source Sets: A Foundation for Optimal Dynamic Partial Order Reduction" (Journal of the ACM
 * 64(4), 2017; POPL 2014), the algorithm with wakeup trees.
 *
 * DESIGN
 *   A run is a sequence of transitions (wire_transition.h).  Those that depend on each other are ordered: happens-before.  Two neighbours in
 *   that order, of two tasks, are a *race* if the second could come first.  After each run, for each of its races, a sequence is made that
 *   begins as the run did, and then has the second before the first: all that does not come after the first, then the second.  If no explored
 *   sequence is equivalent, it goes into the *wakeup tree* of the level at which the first was.  The next run follows the deepest level
 *   that has something in its tree.  The *sleep set* of a level has the transitions that have been explored from there: what begins with one of them
 *   is not explored again.  For each equivalence class of complete runs there is one run, and none is given up half-way.
 *
 *   Where we differ from the paper: transitions may block.  A transition that could not be done before an unlock can be done before
 *   the lock that belongs to it; so the race is looked for further back (reduction_races.c).  A transition may contain a choice (which waiter a
 *   signal wakes): all values are explored one after the other.  What is about to be done when the program ends comes after that end, and races with it.
 *
 *   reduction_order.c   happens-before of a run
 *   reduction_races.c   races, and the sequences that reverse them
 *   reduction.c        levels, trees, what the next run does
 */
#ifndef RADDLE_TECHNIQUE_REDUCTION_H
#define RADDLE_TECHNIQUE_REDUCTION_H

#include "util/vector.h"
#include "wire/wire_check.h"

struct reduction_node {
    struct wire_transition transition;
    struct reduction_node *child, *next; /* what may come after it; what may come in its place, later */
};

struct reduction_level {
    struct wire_transition transition;    /* that was done here */
    VECTOR(struct wire_transition) sleep; /* explored from here, or from above and independent of what came since */
    struct reduction_node *tree;          /* to be explored from here */
    VECTOR(uint32_t)
    direct; /* earlier ones that it depends on, and that did not have to come before it; the last first */
};

/* A transition that was pending when the run ended. */
struct reduction_pending {
    struct wire_transition transition;
    VECTOR(uint32_t) direct;
    uint32_t *before; /* clock of what had to come before it */
};

struct reduction {
    VECTOR(struct reduction_level) levels; /* more than `count` are kept for later */
    size_t count;                          /* transitions of the last run, or planned */
    size_t branch;                         /* the first of these that was not in the run before */
    uint32_t patient;                      /* PLAN_PATIENT */
    /* happens-before of the last run */
    uint32_t width; /* tasks */
    uint32_t
        *clocks; /* of each level, for each task: 1 + its last transition that comes before, or is the level's own */
    uint32_t *befores;     /* the same without what the transition depends on directly: what had to come before it */
    size_t clock_capacity; /* levels */
    VECTOR(struct reduction_pending) pendings;
    struct reduction_index *index;
    /* the plan */
    VECTOR(struct wire_choice) plan; /* transitions, then `asleep` tasks */
    uint32_t asleep;
    uint64_t sites;
    bool finished;
    /* results */
    uint64_t runs;      /* since the search began, or began again */
    uint64_t failing;   /* of these */
    uint64_t redundant; /* of these, equivalent to another one */
    uint64_t restarts;
    bool moved;   /* a planned transition was another one: addresses depend on the order of tasks */
    bool bounded; /* a wait was not made to end early once more */
    bool lost;    /* a run had too many transitions */
    uint32_t waits, beyond;
    uint64_t ops[2];       /* operations that there were: bits */
    bool outside;          /* something outside of the program decided when an operation could be done */
    bool spun;             /* only spinning tasks could go on */
    bool timed_conditions; /* a condition wait could end by time */
    bool outlives;         /* main ended before other threads */
    uint64_t impossible;   /* planned runs that could not be made */
    uint64_t unfinished;   /* runs that were cut */
    VECTOR(struct wire_passed) passed;
};

/* The plan of the next run. */
void reduction_plan(const struct reduction *reduction, struct wire_plan *plan);
/* It has ended. */
void reduction_observe(struct reduction *reduction, const struct wire_copy *copy, bool failed);
/* Another run has ended: the search begins again if more is known to be shared. */
void reduction_look(struct reduction *reduction, const struct wire_copy *copy);
void reduction_free(struct reduction *reduction);

/* ---- between the files ---------------------------------------------------------------------------------------------- */

/* Happens-before of the levels from `branch` on and of pending transitions. */
void reduction_order(struct reduction *reduction, const struct wire_transition *pending, size_t pending_count);
void reduction_order_free(struct reduction *reduction);
static inline uint32_t *reduction_clock(const struct reduction *reduction, size_t level)
{
    return reduction->clocks + level * reduction->width;
}
static inline uint32_t *reduction_before(const struct reduction *reduction, size_t level)
{
    return reduction->befores + level * reduction->width;
}
/* Transition i comes before transition k, or is k. */
static inline bool reduction_is_before(const struct reduction *reduction, size_t i, size_t k)
{
    return reduction_clock(reduction, k)[reduction->levels.data[i].transition.task] > i;
}
/* Adds to the trees what reverses the races of the run. */
void reduction_races(struct reduction *reduction);
/* The same transition, with the same choice, as far as is known before it is done. */
bool reduction_same(const struct wire_transition *a, const struct wire_transition *b);
struct reduction_node *reduction_node_new(const struct wire_transition *transition);

#endif
