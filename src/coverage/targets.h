/* SPDX-License-Identifier: MIT
 *
 * targets.h - what was tried to make open instances happen: attempts, their outcome, and what a memo knows from other campaigns.
 *
 * All techniques that aim share it: what one has given up, another need not try.  Targets have the numbers of the coverage's instances.
 */
#ifndef RADDLE_COVERAGE_TARGETS_H
#define RADDLE_COVERAGE_TARGETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "direct/director.h"
#include "util/vector.h"

struct target {
    uint32_t attempts, failed, exposed; /* of this campaign */
    uint32_t earlier;                   /* attempts of other campaigns that failed */
    bool known;                         /* the memo says that it was covered, or given up: no attempt is made */
    bool impossible; /* the memo says that the runs of another campaign could not show it in any order */
    bool running;    /* an attempt is under way */
    uint8_t verdict; /* enum attempt_verdict, of the last attempt */
};

struct targets { /* all zero but give_up is the beginning */
    VECTOR(struct target) all;
    uint32_t give_up; /* attempts at one target */
    uint64_t known;   /* targets that are known from the memo */
};

void targets_free(struct targets *targets);

/* The target, which is made if nothing was known about it.  Valid until the next one is made. */
struct target *targets_at(struct targets *targets, size_t number);
/* NULL: nothing is known about it. */
const struct target *targets_find(const struct targets *targets, size_t number);
/* Attempts that did not succeed so far, of this campaign and of others. */
static inline uint32_t target_tried(const struct target *target)
{
    return target->earlier + target->attempts;
}
/* If it is open: it is neither known, nor under way, nor given up.  `target` may be NULL. */
bool targets_may_try(const struct targets *targets, const struct target *target);
/* It was tried as often as is allowed.  `target` may be NULL. */
bool targets_is_given_up(const struct targets *targets, const struct target *target);

/* An attempt begins.  Returns whether it is the first of this campaign. */
bool targets_begin(struct targets *targets, size_t number);
/* It has ended.  Returns whether the target is given up with it. */
bool targets_finish(struct targets *targets, size_t number, bool occurred, enum attempt_verdict verdict);
/* It came to nothing, and not because of its plan: it does not count. */
void targets_abandon(struct targets *targets, size_t number);
/* The memo knows it: covered in another campaign, so many attempts that failed, or shown to be impossible for the runs of another one. */
void targets_know(struct targets *targets, size_t number, bool covered, uint64_t failed, bool impossible);

#endif
