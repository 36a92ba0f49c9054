/* SPDX-License-Identifier: MIT
 *
 * maple_private.h - what the files of maple share: maple.c (runs), maple_rank.c (which target is next) and ready_schedules.c
 * (schedules that are ready).
 */
#ifndef RADDLE_TECHNIQUE_MAPLE_PRIVATE_H
#define RADDLE_TECHNIQUE_MAPLE_PRIVATE_H

#include "technique/maple.h"

/* What is known about an instance, by number. */
struct target {
    uint32_t attempts, failed, exposed;
    uint32_t earlier; /* attempts of other campaigns that failed */
    uint32_t rank;    /* of its first listing: small ones first */
    bool known;       /* not worth an attempt: the memo says so */
    bool is_new_code; /* earlier builds did not have it */
    uint32_t again;   /* times that it was made to happen once more */
    uint32_t ways;    /* of the director that were tried: bits */
    bool running;
    uint8_t verdict; /* enum attempt_verdict, of the last attempt */
};

/* What a run is for: what it newly covers decides how often its kind has a turn. */
enum arm { ARM_ATTEMPT, ARM_NEAR, ARM_SLICES, ARM_LOTS, ARMS };

enum {
    SETTLED = 64, /* turns after which what has succeeded so far says what is done next */
    RANK_LIBRARIES = UINT32_MAX / 2,
    READY_KINDS =
        8, /* of schedules that are ready: by how many uncertain_reads there are; the last is for all that have more */
};

struct entry {
    uint64_t order; /* small ones first */
    size_t number;
};

/* A schedule, to be followed loosely, in which an open instance occurs. */
struct maple_ready {
    size_t number;
    uint32_t uncertain_reads; /* orderer.h */
    goal_steps steps;
};

struct maple {
    struct maple_options options;
    VECTOR(struct target) targets;
    VECTOR(struct entry) queue; /* what is to be tried, from `next` on */
    size_t next;
    uint64_t queued;              /* turn in which the queue was made */
    VECTOR(struct entry) covered; /* what is to be made to happen once more, from `next_covered` on */
    size_t next_covered;
    size_t listed;      /* instances below this number have been looked at */
    uint8_t single_row; /* of idiom.1 */
    uint64_t turns;
    uint64_t next_profile; /* run number */
    double gain[ARMS];     /* newly covered per run, of late */
    uint32_t way_tried[DIRECTOR_WAYS], way_won[DIRECTOR_WAYS];
    const struct orderer *orderer;
    void *order_state; /* of the orderer */
    VECTOR(struct maple_ready) stock;
    uint32_t ready_tried[READY_KINDS], ready_won[READY_KINDS];
    uint64_t earned;   /* work that may be spent on looking */
    size_t looked_for; /* instances, since the beginning: where the next look begins */
    struct maple_counts counts;
};

struct target *maple_target(struct maple *maple, size_t number);
int maple_compare_entries(const void *left, const void *right);

static inline uint32_t maple_tried(const struct target *target)
{
    return target->earlier + target->attempts;
}

/* ---- maple_rank.c ------------------------------------------------------------------------------------------------------- */

/* The most suspicious kind is 0. */
unsigned maple_suspicion(const struct maple *maple, const struct instance *instance);
/* If it is open. */
bool maple_may_try(const struct maple *maple, const struct target *target);
/* What one dependency could not be made to do, two together cannot. */
bool maple_is_hopeless(const struct maple *maple, const struct instance *instance);
/* Makes the queue anew. */
void maple_make_queue(struct maple *maple);

/* ---- ready_schedules.c ------------------------------------------------------------------------------------------------------ */

/* Fills in target, prefix and uncertain_reads of the run.  False: there is none. */
bool maple_take_ready(struct maple *maple, struct maple_run *run);
/* What came of one. */
void maple_judge_ready(struct maple *maple, uint32_t uncertain_reads, bool occurred);
void ready_schedules_free(struct maple *maple);

#endif
