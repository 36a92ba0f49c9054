/* SPDX-License-Identifier: MIT
 *
 * maple_private.h - what the files of maple share: maple.c (runs) and maple_rank.c (which target is next).
 */
#ifndef RADDLE_TECHNIQUE_MAPLE_PRIVATE_H
#define RADDLE_TECHNIQUE_MAPLE_PRIVATE_H

#include "technique/bandit.h"
#include "technique/maple.h"
#include "technique/ready_schedules.h"
#include "technique/second_way.h"

/* What maple knows about a target beside targets.h, by number. */
struct maple_target {
    uint32_t rank;    /* of its first listing: small ones first */
    bool is_new_code; /* earlier builds did not have it */
    uint32_t again;   /* times that it was made to happen once more */
    uint32_t ways;    /* of the director that were tried: bits */
};

/* What a run is for: what it newly covers decides how often its kind has a turn. */
enum arm { ARM_ATTEMPT, ARM_NEAR, ARM_PCTLARGE, ARM_POS, ARMS };

enum {
    SETTLED = 64, /* turns after which what has succeeded so far says what is done next */
    RANK_LIBRARIES = UINT32_MAX / 2,
};

struct queued_target {
    uint64_t order; /* small ones first */
    size_t number;
};

struct maple {
    struct technique_setup setup;
    struct targets *targets;            /* the setup's */
    VECTOR(struct maple_target) own;    /* by number of the target */
    VECTOR(struct queued_target) queue; /* what is to be tried, from `next` on */
    size_t next;
    uint64_t queued;                      /* turn in which the queue was made */
    VECTOR(struct queued_target) covered; /* what is to be made to happen once more, from `next_covered` on */
    size_t next_covered;
    size_t listed;      /* instances below this number have been looked at */
    uint8_t single_row; /* of idiom.1 */
    uint64_t turns;
    uint64_t next_profile;                 /* run number */
    struct bandit_arm arms[ARMS];          /* newly covered by each kind of run */
    struct bandit_arm ways[DIRECTOR_WAYS]; /* exposed by each way of the director */
    struct ready_schedules ready;          /* other orders of known runs */
    struct second_way second_way;
    struct maple_counts counts;
};

struct maple_target *maple_target(struct maple *maple, size_t number);
int maple_compare_entries(const void *left, const void *right);

/* ---- maple_rank.c ------------------------------------------------------------------------------------------------------- */

/* The most suspicious kind is 0. */
unsigned maple_suspicion(const struct maple *maple, const struct instance *instance);
/* What one dependency could not be made to do, two together cannot. */
bool maple_is_hopeless(const struct maple *maple, const struct instance *instance);
/* Makes the queue again. */
void maple_make_queue(struct maple *maple);

#endif
