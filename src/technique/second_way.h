/* SPDX-License-Identifier: MIT
 *
 * second_way.h - asks about open instances which order of a known run shows one, or whether no order of any does.
 *
 * DESIGN
 *   The runs that differ from each other are kept (traces.h).  Each of them is asked about every open instance that attempts have not
 *   made happen (ASK_AFTER), that has waited for one for long (ASK_OLD), or that the memo calls impossible; trace after trace, so that those that were asked rarely come
 *   first.  Critical sections answer first, whatever values are read (core.h); then a solver (prover.h).  A schedule that is found is run.
 *
 *   An instance is marked as impossible (coverage_mark_impossible) in two cases:
 *     - critical sections exclude it on every path that a run has taken;
 *     - all kinds of runs are kept and were asked, and each answer is proven.  Kinds that are not kept do not matter if critical sections
 *       exclude it on their path.
 *   A run that does what no earlier one did is looked at for all that are marked: those that it could show are open again, until
 *   it has been asked, too.
 *
 *   Asking takes work.  Every run earns some, a small fraction of what it took itself, in a unit that does not depend on the machine:
 *   about a microsecond.
 */
#ifndef RADDLE_TECHNIQUE_SECOND_WAY_H
#define RADDLE_TECHNIQUE_SECOND_WAY_H

#include "coverage/coverage.h"
#include "coverage/targets.h"
#include "solve/core.h"
#include "solve/prover.h"
#include "solve/traces.h"
#include "technique/ready_schedules.h"

struct second_way_counts {
    uint64_t excluded;   /* by critical sections: instance and run, */
    uint64_t kept;       /* of these, by what was known of others, */
    uint64_t remembered; /* and of these by what a memo knew */
    uint64_t asked;      /* of the solver: instance and run; */
    uint64_t found;      /* schedules, */
    uint64_t impossible, unknown;
    uint64_t run, showed; /* of the schedules, those that were run, and showed what they were for */
    uint64_t traces;      /* that are kept */
};

typedef uint64_t trace_mask; /* of the first TRACES_KINDS traces */
_Static_assert(TRACES_KINDS <= 64, "a trace_mask has 64 bits");

/* What is known about one instance. */
struct second_way_instance {
    uint32_t excluded;      /* critical sections exclude it on so many paths from the first one on, */
    bool not_excluded;      /* and do not on the next one */
    trace_mask asked;       /* traces that need not be asked again, whatever they said */
    trace_mask impossible;  /* traces of which it is */
    trace_mask whole_paths; /* traces whose path excludes it */
    uint64_t since;         /* observed runs when it was first seen */
    struct core core;       /* why it is impossible; of the last trace that was asked */
};

struct second_way { /* all zero: it asks nothing */
    struct coverage *coverage;
    const struct targets *targets;
    uint32_t share;       /* what a run earns is multiplied by this */
    struct prover prover; /* of `trace` if is_read; its solver is NULL if there is none */
    struct core_view view, new_view;
    struct cores *cores; /* the coverage's */
    struct answer answer;
    struct traces traces;
    VECTOR(struct second_way_instance) all; /* by number of the instance */
    VECTOR(struct ready_schedule) ready;
    VECTOR(size_t) marked; /* instances, or those that were */
    int64_t earned; /* work that may be spent on critical sections; less than 0: it was spent before it was earned */
    int64_t solver_earned; /* the same, of the solver */
    uint64_t observed;
    uint64_t listed;        /* observed runs when `pending` was made */
    VECTOR(size_t) pending; /* instances that are to be asked about, of the trace from `next` on */
    size_t trace, next;
    bool is_viewed, is_read; /* the trace */
    struct second_way_counts counts;
};

/* Coverage and targets must outlive it.  Without a solver it does nothing. */
void second_way_open(struct second_way *way, struct coverage *coverage, const struct targets *targets, bool alone);
void second_way_close(struct second_way *way);

/* A run that coverage has just observed.  `look`: what it and earlier ones have earned is spent. */
void second_way_observe(struct second_way *way, const struct execution *execution, bool look);
/* A schedule, to be followed as far as possible; its steps replace those in schedule->steps.  False: there is none. */
bool second_way_take(struct second_way *way, struct ready_schedule *schedule);
/* It was run. */
void second_way_judge(struct second_way *way, bool occurred);

#endif
