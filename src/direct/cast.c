/* SPDX-License-Identifier: MIT
 *
 * cast.c - see cast.h.
 */
#include "direct/cast.h"

#include "pattern/family.h"

enum { PARTS = 64 }; /* of a thread that are looked at */

/* Executions of the one or two steps of a thread, by one task. */
struct part {
    uint32_t deeds[2];
    uint16_t task;
};

struct role { /* of a thread of the pattern */
    unsigned steps[PATTERN_STEPS], step_count;
    struct part parts[PARTS];
    unsigned part_count;
};

static bool can_be(const struct deeds *deeds, uint32_t deed, const struct pattern_step *step)
{
    return deeds->all.data[deed].site == step->site && deeds_access(deeds, deed, (enum access_kind)step->kind) != NULL;
}

/* The task's next execution of the step behind the deed; DEED_NONE. */
static uint32_t find_next(const struct deeds *deeds, uint32_t first, const struct pattern_step *step, uint32_t window)
{
    const struct deed *deed = &deeds->all.data[first];
    const deed_list *own = &deeds->tasks.data[deed->task];
    for (size_t i = deed->place + 1; i < own->count; i++) {
        if (deeds->all.data[own->data[i]].operation > deed->operation + window)
            break;
        if (can_be(deeds, own->data[i], step))
            return own->data[i];
    }
    return DEED_NONE;
}

static void find_parts(const struct deeds *deeds, const struct pattern *pattern, uint32_t window, struct role *role)
{
    if (role->step_count == 0)
        return;
    const struct pattern_step *first = &pattern->steps[role->steps[0]];
    const uint64_t *last = table_get(&deeds->sites, first->site);
    uint32_t deed = last != NULL ? (uint32_t)(*last - 1) : DEED_NONE;
    for (; deed != DEED_NONE && role->part_count < PARTS; deed = deeds->all.data[deed].alike) {
        struct part part = {{deed, DEED_NONE}, deeds->all.data[deed].task};
        if (!can_be(deeds, deed, first))
            continue;
        if (role->step_count > 1)
            part.deeds[1] = find_next(deeds, deed, &pattern->steps[role->steps[1]], window);
        if (role->step_count == 1 || part.deeds[1] != DEED_NONE)
            role->parts[role->part_count++] = part;
    }
}

static uint64_t difference(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

/* Between two steps of a task on one variable it does not access the variable. */
static bool is_uninterrupted(const struct deeds *deeds, const struct pattern *pattern, const struct cast *cast,
                             unsigned second)
{
    int first = pattern_previous_of_thread(pattern, second);
    if (first < 0 || pattern->steps[first].variable != pattern->steps[second].variable ||
        pattern->steps[second].thread != 0)
        return true;
    const struct access *access =
        deeds_access(deeds, cast->deeds[second], (enum access_kind)pattern->steps[second].kind);
    const deed_list *own = &deeds->tasks.data[deeds->all.data[cast->deeds[second]].task];
    uint32_t last = deeds->all.data[cast->deeds[second]].place;
    for (uint32_t place = deeds->all.data[cast->deeds[first]].place + 1; place < last; place++) {
        const struct deed *deed = &deeds->all.data[own->data[place]];
        for (uint32_t i = 0; i < deed->access_count; i++)
            if (access_overlap(&deeds->accesses.data[deed->access + i], access))
                return false;
    }
    return true;
}

/* Steps on one variable are, in fact, and those on two are on two. */
static bool fits(const struct deeds *deeds, const struct pattern *pattern, struct cast *cast)
{
    cast->distance = 0;
    for (unsigned i = 0; i < pattern->count; i++) {
        const struct access *access = deeds_access(deeds, cast->deeds[i], (enum access_kind)pattern->steps[i].kind);
        for (unsigned k = 0; k < i; k++) {
            const struct access *other = deeds_access(deeds, cast->deeds[k], (enum access_kind)pattern->steps[k].kind);
            if (access_overlap(access, other) != (pattern->steps[i].variable == pattern->steps[k].variable))
                return false;
        }
        bool together = pattern->family != NULL && (pattern->family->flags & FAMILY_UNINTERRUPTED);
        if (together && !is_uninterrupted(deeds, pattern, cast, i))
            return false;
        int before = pattern_previous_on_variable(pattern, i);
        if (before >= 0)
            cast->distance += difference(cast->deeds[before], cast->deeds[i]);
    }
    return true;
}

static unsigned add_cast(struct cast casts[CASTS], unsigned count, const struct cast *cast)
{
    unsigned at = count;
    if (count == CASTS && casts[--at].distance <= cast->distance)
        return count;
    for (; at > 0 && casts[at - 1].distance > cast->distance; at--)
        casts[at] = casts[at - 1];
    casts[at] = *cast;
    return count < CASTS ? count + 1 : count;
}

unsigned cast_find(const struct deeds *deeds, const struct pattern *pattern, uint32_t window, struct cast casts[CASTS])
{
    struct role roles[2];
    unsigned count = 0;
    for (unsigned thread = 0; thread < 2; thread++) {
        struct role *role = &roles[thread];
        role->step_count = role->part_count = 0;
        for (unsigned i = 0; i < pattern->count; i++)
            if (pattern->steps[i].thread == thread)
                role->steps[role->step_count++] = i;
        find_parts(deeds, pattern, window, role);
    }
    for (unsigned i = 0; i < roles[0].part_count; i++)
        for (unsigned k = 0; k < roles[1].part_count; k++) {
            const struct part *pair[2] = {&roles[0].parts[i], &roles[1].parts[k]};
            struct cast cast = {0};
            for (unsigned thread = 0; thread < 2; thread++)
                for (unsigned s = 0; s < roles[thread].step_count; s++)
                    cast.deeds[roles[thread].steps[s]] = pair[thread]->deeds[s];
            if (pair[0]->task != pair[1]->task && fits(deeds, pattern, &cast))
                count = add_cast(casts, count, &cast);
        }
    return count;
}
