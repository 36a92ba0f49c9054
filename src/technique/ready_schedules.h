/* SPDX-License-Identifier: MIT
 *
 * ready_schedules.h - schedules that an orderer (direct/orderer.h) has made for open instances, ready to be run.
 *
 * DESIGN
 *   To look for other orders of a run takes work.  Every run earns some, a fraction of what it took itself.  What has been earned is
 *   spent on the run that has just ended, as soon as it is enough to begin.  Where runs are long every one is looked at, for all
 *   that is open.  Where they take a fraction of a millisecond, one in ten is looked at, for a part of it: the next look goes on
 *   where this one stopped.  Instances whose dependencies have rarely been possible are passed over more often than others.
 *
 *   Schedules with fewer uncertain reads come first, as long as such schedules have shown what they were for.
 */
#ifndef RADDLE_TECHNIQUE_READY_SCHEDULES_H
#define RADDLE_TECHNIQUE_READY_SCHEDULES_H

#include "coverage/coverage.h"
#include "coverage/targets.h"
#include "direct/orderer.h"
#include "technique/bandit.h"

/* A schedule, to be followed as far as possible, in which an open instance occurs. */
struct ready_schedule {
    size_t number;            /* of the instance */
    uint32_t uncertain_reads; /* orderer.h */
    goal_steps steps;
};

enum { READY_KINDS = 8 }; /* of schedules: by their uncertain reads; the last is for all that have more */

struct ready_schedules {
    const struct coverage *coverage;
    const struct targets *targets;
    const struct orderer *orderer;
    void *order_state; /* of the orderer */
    VECTOR(struct ready_schedule) all;
    struct bandit_arm kinds[READY_KINDS]; /* how many showed what they were for */
    uint64_t earned;                      /* work that may be spent on looking */
    size_t looked_for;                    /* instances, since the beginning: where the next look begins */
};

/* Coverage and targets must outlive it. */
void ready_schedules_open(struct ready_schedules *ready, const struct orderer *orderer, const struct coverage *coverage,
                          const struct targets *targets);
void ready_schedules_close(struct ready_schedules *ready);

/* A run that coverage has just observed earns work, and is looked at if there is enough.  Without `look` it is only learned from.  `turn` is a
   number that differs from call to call. */
void ready_schedules_observe(struct ready_schedules *ready, const struct execution *execution, bool look,
                             uint64_t turn);
/* The best one; its steps replace those in schedule->steps.  False: there is none. */
bool ready_schedules_take(struct ready_schedules *ready, struct ready_schedule *schedule);
/* What a schedule with so many uncertain reads has shown. */
void ready_schedules_judge(struct ready_schedules *ready, uint32_t uncertain_reads, bool occurred);

#endif
