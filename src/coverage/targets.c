/* SPDX-License-Identifier: MIT
 *
 * targets.c - see targets.h.
 */
#include "coverage/targets.h"

#include <assert.h>

void targets_free(struct targets *targets)
{
    vector_free(&targets->all);
}

struct target *targets_at(struct targets *targets, size_t number)
{
    assert(number != SIZE_MAX);
    while (targets->all.count <= number)
        vector_push(&targets->all, ((struct target){0}));
    return &targets->all.data[number];
}

const struct target *targets_find(const struct targets *targets, size_t number)
{
    return number < targets->all.count ? &targets->all.data[number] : NULL;
}

bool targets_is_given_up(const struct targets *targets, const struct target *target)
{
    return target != NULL && target_tried(target) >= targets->give_up;
}

bool targets_may_try(const struct targets *targets, const struct target *target)
{
    return target == NULL || (!target->known && !target->running && target_tried(target) < targets->give_up);
}

bool targets_begin(struct targets *targets, size_t number)
{
    struct target *target = targets_at(targets, number);
    assert(!target->running);
    target->running = true;
    return target->attempts == 0;
}

bool targets_finish(struct targets *targets, size_t number, bool occurred, enum attempt_verdict verdict)
{
    struct target *target = targets_at(targets, number);
    target->running = false;
    target->attempts++;
    target->verdict = (uint8_t)verdict;
    target->exposed += occurred;
    target->failed += !occurred;
    assert(target->exposed + target->failed == target->attempts);
    return !occurred && target_tried(target) == targets->give_up;
}

void targets_abandon(struct targets *targets, size_t number)
{
    targets_at(targets, number)->running = false;
}

void targets_know(struct targets *targets, size_t number, bool covered, uint64_t failed, bool impossible)
{
    struct target *target = targets_at(targets, number);
    bool known = covered || failed >= targets->give_up;
    target->earlier = failed < targets->give_up ? (uint32_t)failed : targets->give_up;
    targets->known += known && !target->known;
    target->known |= known;
    target->impossible = impossible && !covered;
}
