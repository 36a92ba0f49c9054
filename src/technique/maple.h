/* SPDX-License-Identifier: MIT
 *
 * maple.h - coverage-driven testing: make those instances of patterns happen that no run has shown yet.
 *
 * J. Yu, S. Narayanasamy, C. Pereira, G. Pokam, "Maple: A Coverage-Driven Testing Tool for Multithreaded Programs", OOPSLA 2012.
 *
 * DESIGN
 *   Coverage (coverage.h) knows what is open; the director (direct/) makes a plan for one of them; the observer says whether
 *   it happened.  This is the part in between: which one is next.
 *
 *   Where we differ: every run is observed, so a directed run is also a profile run: predictions are made from what it newly
 *   covers.  There is no profiling phase that has to end first.  A few random runs are made between the others, more and more rarely, and
 *   more of them when nothing is left to try.  All targets get their first attempt before any gets its second.  Among equals
 *   those come first that tend to be bugs: orders that were never seen, steps of other threads between two that belong together,
 *   the program's own code before libraries, rare sites before common ones, new code before old.
 *
 *   After a while (SETTLED) what has succeeded decides.  Targets are taken by the success of others that have the same dependencies
 *   in them, and of the director's ways the one is taken that has exposed most.  From then on a run goes on at random after its
 *   goal, so that it covers more than it was for.  If no other technique has turns, random runs get the turns in which they cover more
 *   than attempts.  Some of them begin at the start, some after the beginning of a run from which something open was predicted: where
 *   one rare thing is about to happen, others are near.
 *
 *   And from then on every run is looked at for other orders of its events in which something open happens, although the threads
 *   take the same paths (ready_schedules.h).  Such a schedule is worth more than all others: it mostly shows what it is for.
 *
 *   Of what attempts have not made happen a solver is asked (second_way.h): it finds a schedule, or shows that there is none in the runs seen.
 *
 *   One turn in four, later one in sixteen, and half of them when nothing is open, makes something happen once more that has been
 *   covered: a pattern may do harm only while the other threads are elsewhere.
 *
 *   A target is given up after `give_up` attempts (targets.h).  What a memo knows from other campaigns counts as if it had been here.
 */
#ifndef RADDLE_TECHNIQUE_MAPLE_H
#define RADDLE_TECHNIQUE_MAPLE_H

#include "direct/orderer.h"
#include "technique/second_way.h"
#include "technique/technique.h"

struct maple;

struct maple_counts {
    uint64_t profiles, attempts; /* runs */
    uint64_t again;              /* runs for what was covered already */
    uint64_t targets;            /* that were ever tried */
    uint64_t exposed;            /* of these, made to happen */
    uint64_t reordered;          /* attempts that were another order of a known run */
    uint64_t reordered_exposed;  /* of these, those that showed what they were for */
    uint64_t given_up;
    uint64_t known; /* not tried because the memo says that they were covered, or given up */
    struct second_way_counts solver;
};

/* The setup has coverage and targets. */
struct maple *maple_new(const struct technique_setup *setup);
void maple_free(struct maple *maple);
struct maple_counts maple_counts(const struct maple *maple);
/* Nothing is left to try just now. */
bool maple_is_idle(const struct maple *maple);

/* What one run is for. */
#define MAPLE_READY  UINT32_MAX
#define MAPLE_SOLVED (UINT32_MAX - 1)
struct maple_run {
    size_t target;            /* number of an instance; SIZE_MAX: a profile run */
    bool again;               /* it was covered before */
    uint32_t attempt;         /* of the director; MAPLE_READY: by a schedule that was ready;
                                 MAPLE_SOLVED: by one that the solver has found */
    uint32_t uncertain_reads; /* of that schedule */
    uint8_t arm;              /* enum arm */
};

/* Plans the next run in a process with these modules; `steps` are the plan's.  For a profile run the plan is left as it was, or is
   one of another random strategy. */
void maple_plan(struct maple *maple, struct maple_run *run, goal_steps *steps, const struct wire_modules *modules,
                struct wire_plan *plan);
/* A run of any kind that coverage has just observed. */
void maple_look_at(struct maple *maple, const struct execution *execution);
/* What the attempts that come next as things are would begin with, those that have a beginning.  They may not come. */
void maple_look_ahead(struct maple *maple, const struct wire_modules *modules, struct technique_ahead *ahead);
/* It has ended.  If coverage did not look at all of it, the account of the program decides whether it showed what it was for. */
void maple_observe(struct maple *maple, const struct maple_run *run, const struct wire_plan *plan,
                   const struct technique_seen *seen);
/* It came to nothing, and not because of the plan. */
void maple_abandon(struct maple *maple, const struct maple_run *run);

#endif
