/* SPDX-License-Identifier: MIT
 *
 * director.c - see director.h.
 */
#include "direct/director.h"

#include <assert.h>

/* How far the known run is replayed first. */
enum beginning { FROM_START, TO_STEP, TO_SECTION };

/* Steps of a pattern that may come in any order: none is given, or one in which the first two of them are turned, or the others. */
enum order { AS_WRITTEN = 0, FIRST_TURNED = 1, SECOND_TURNED = 2, TURNED = 3, ANY_ORDER, EACH_IN_TURN };

struct way {
    unsigned insist; /* GOAL_TASK … */
    uint32_t flags;  /* GOAL_SECOND_FIRST … */
    enum beginning beginning;
    enum order order;
};

#define EXACTLY (GOAL_TASK | GOAL_OCCURRENCE | GOAL_SECTION_ENTRY)

static const struct way ways[DIRECTOR_WAYS] = {
    {EXACTLY, 0, FROM_START, AS_WRITTEN}, /* no other task does more than it must: what happens is what was meant */
    {EXACTLY, 0, TO_SECTION, SECOND_TURNED},
    {EXACTLY, GOAL_SECOND_FIRST, TO_SECTION, FIRST_TURNED},
    {GOAL_TASK | GOAL_SECTION_ENTRY, GOAL_OTHERS_FIRST, FROM_START, AS_WRITTEN},
    {GOAL_TASK, 0, FROM_START, TURNED},
    {EXACTLY | GOAL_CONTEXT, GOAL_SECOND_FIRST, TO_STEP, AS_WRITTEN},
    {0, 0, FROM_START, ANY_ORDER}, /* Maple's two complementary schedules */
    {0, GOAL_NEWEST_FIRST, FROM_START, ANY_ORDER},
    {GOAL_TASK, GOAL_AT_RANDOM, FROM_START, EACH_IN_TURN},
    {0, GOAL_AT_RANDOM, FROM_START, ANY_ORDER},
    {GOAL_TASK | GOAL_SECTION_ENTRY, GOAL_AT_RANDOM, TO_SECTION, TURNED},
};
enum { FIRST_WITHOUT = 6, FIRST_AT_RANDOM = 8 };

/* Steps of units of work are known by their calling contexts: what comes before them in a run may be other calls of the same functions. */
static unsigned insistence(const struct pattern *pattern, const struct way *way)
{
    bool units = pattern->family != NULL && (pattern->family->flags & FAMILY_SET);
    return units && way->insist == EXACTLY ? (way->insist & ~(unsigned)GOAL_OCCURRENCE) | GOAL_CONTEXTS : way->insist;
}

/* Without a run to begin with, only the last ones make sense. */
static const struct way *choose_way(const struct director_source *source, uint32_t attempt)
{
    if (source->witnesses == NULL)
        return &ways[attempt < FIRST_AT_RANDOM - FIRST_WITHOUT ? FIRST_AT_RANDOM - 1 - attempt : FIRST_AT_RANDOM + 1];
    if (attempt < DIRECTOR_WAYS)
        return &ways[attempt];
    return &ways[FIRST_AT_RANDOM +
                 attempt % 2]; /* those that need no run to begin with: none of the known ones led there */
}

bool director_plan(struct wire_plan *plan, goal_steps *prefix, const struct pattern *pattern, uint32_t window,
                   const struct director_source *source, uint32_t attempt, goal_pcs *pcs, void *context,
                   unsigned *missing)
{
    assert(source->steps != NULL || source->step_count == 0);
    const struct way *way = choose_way(source, attempt);
    vector_clear(prefix);
    if (!goal_make(&plan->goal, pattern, window, source->witnesses, insistence(pattern, way), pcs, context, missing))
        return false;
    plan->strategy = STRATEGY_DIRECT;
    plan->early_timeouts = 0; /* time passes when no other task can run: what must wait for it shall */
    plan->goal.flags |= way->flags;
    if (way->order != ANY_ORDER)
        goal_order(&plan->goal, way->order == EACH_IN_TURN ? attempt / 2 % 4 : (unsigned)way->order);
    if (way->beginning != FROM_START && source->steps != NULL)
        goal_prefix(source->steps, source->step_count, source->witnesses, pattern->count, way->beginning == TO_SECTION,
                    prefix);
    if (prefix->count > WIRE_PREFIX)
        vector_clear(prefix);
    plan->plan_step_count = (uint32_t)prefix->count;
    if (prefix->count > 0)
        plan->flags |= PLAN_PREFIX;
    return true;
}

const char *director_verdict_name(enum attempt_verdict verdict)
{
    static const char *const names[] = {"exposed", "not reached", "blocked", "gave up"};
    assert((size_t)verdict < sizeof names / sizeof *names);
    return names[verdict];
}

enum attempt_verdict director_judge(const struct wire_goal *goal, const struct wire_directed *directed, bool occurred)
{
    if (occurred)
        return ATTEMPT_EXPOSED;
    uint32_t all = (1u << goal->count) - 1;
    if ((directed->reached & all) != all && directed->hindrance != HINDRANCE_BROKEN)
        return ATTEMPT_NOT_REACHED;
    return directed->hindrance == HINDRANCE_BROKEN || directed->hindrance == HINDRANCE_ALONE ? ATTEMPT_BLOCKED
                                                                                             : ATTEMPT_GAVE_UP;
}
