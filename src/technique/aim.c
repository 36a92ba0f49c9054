/* SPDX-License-Identifier: MIT
 *
 * aim.c - see aim.h.
 */
#include "technique/aim.h"

#include <assert.h>
#include <inttypes.h>

#include "util/text.h"

void aim_close(struct aim *aim)
{
    vector_free(&aim->all);
    second_way_close(&aim->second_way);
}

void aim_open(struct aim *aim)
{
    if (aim->setup.alone)
        second_way_open(&aim->second_way, aim->setup.coverage, aim->setup.targets, true);
}

void aim_learn(struct aim *aim, const struct technique_seen *seen)
{
    if (aim->setup.alone && seen->observed)
        second_way_observe(&aim->second_way, seen->execution, true);
}

/* ---- choosing ----------------------------------------------------------------------------------------------------- */

static void list_new(struct aim *aim)
{
    const struct coverage *coverage = aim->setup.coverage;
    for (; aim->listed < coverage_instance_count(coverage); aim->listed++)
        if (aim->rows >> coverage_instance(coverage, aim->listed)->row & 1)
            vector_push(&aim->all, ((struct aim_instance){.number = aim->listed}));
}

/* What is known about an open instance is kept for the time after it has happened. */
static void keep_witnesses(struct aim_instance *instance, const struct director_source *source, uint32_t way)
{
    if (source->witnesses == NULL)
        return;
    memcpy(instance->witnesses, source->witnesses, sizeof instance->witnesses);
    instance->is_known = true;
    instance->way = way;
}

static void keep_open(struct aim *aim)
{
    for (; aim->kept < aim->all.count; aim->kept++) {
        struct aim_instance *instance = &aim->all.data[aim->kept];
        struct coverage_open open = {0};
        if (!coverage_open_at(aim->setup.coverage, instance->number, &open) || open.count == 0)
            continue;
        struct director_source source = coverage_source_of(&open, open.count - 1);
        keep_witnesses(instance, &source, 0);
    }
}

static bool is_wanted(const struct aim *aim, size_t number)
{
    return aim->wants == NULL || aim->wants(aim->context, coverage_instance(aim->setup.coverage, number));
}

static bool is_open(const struct aim *aim, size_t number)
{
    const struct target *target = targets_find(aim->setup.targets, number);
    bool exposed = target != NULL && target->exposed > 0; /* in a run that coverage did not look at */
    return !exposed && coverage_seen(aim->setup.coverage, number) == 0 &&
           !coverage_is_impossible(aim->setup.coverage, number) && targets_may_try(aim->setup.targets, target) &&
           is_wanted(aim, number);
}

static unsigned rank_of(const struct aim *aim, size_t number)
{
    return aim->rank != NULL ? aim->rank(aim->context, coverage_instance(aim->setup.coverage, number)) : 0;
}

/* The open instance that was tried least, and of these the one of the lowest rank; NULL: there is none. */
static struct aim_instance *next_open(struct aim *aim)
{
    struct aim_instance *best = NULL;
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < aim->all.count && least > 0; i++) {
        const struct target *target = targets_find(aim->setup.targets, aim->all.data[i].number);
        uint64_t order = (uint64_t)(target != NULL ? target_tried(target) : 0) << 32;
        if (order >= least || !is_open(aim, aim->all.data[i].number))
            continue;
        order |= rank_of(aim, aim->all.data[i].number);
        if (order < least) {
            best = &aim->all.data[i];
            least = order;
        }
    }
    return best;
}

/* What has happened, and was repeated least; NULL: nothing has. */
static struct aim_instance *next_again(struct aim *aim)
{
    struct aim_instance *best = NULL;
    for (size_t i = 0; i < aim->all.count; i++) {
        struct aim_instance *instance = &aim->all.data[i];
        if ((best == NULL || instance->repeated < best->repeated) &&
            coverage_seen(aim->setup.coverage, instance->number) > 0 && is_wanted(aim, instance->number))
            best = instance;
    }
    return best;
}

/* ---- runs --------------------------------------------------------------------------------------------------------- */

static bool direct(struct aim *aim, struct technique_run *run, size_t number, const struct director_source *source,
                   uint32_t attempt, uint32_t repeat)
{
    struct pattern pattern = instance_pattern(coverage_instance(aim->setup.coverage, number));
    struct technique_process process = {aim->setup.coverage, run->modules};
    unsigned missing;
    if (!director_plan(run->plan, &run->steps, &pattern, coverage_window(aim->setup.coverage), source, attempt,
                       technique_pcs, &process, &missing))
        return false;
    run->plan->seed = hash_combine(aim->setup.seed, hash_combine(number, (uint64_t)repeat << 32 | attempt));
    run->plan->goal.flags |= GOAL_RANDOM_AFTER | (aim->setup.suspend_at_once ? GOAL_AT_ONCE : 0);
    return true;
}

static bool plan_attempt(struct aim *aim, struct technique_run *run, struct aim_run *own)
{
    struct aim_instance *instance;
    while ((instance = next_open(aim)) != NULL) {
        struct coverage_open open = {0};
        struct target *target = targets_at(aim->setup.targets, instance->number);
        uint32_t tried = target_tried(target);
        struct director_source source = {0};
        if (coverage_open_at(aim->setup.coverage, instance->number, &open))
            source = coverage_source_of(&open, open.count - 1 + tried / 3); /* the latest run first */
        aim->targets += targets_begin(aim->setup.targets, instance->number);
        if (direct(aim, run, instance->number, &source, tried, 0)) {
            keep_witnesses(instance, &source, tried);
            *own = (struct aim_run){.target = instance->number, .has_target = true};
            aim->attempts++;
            return true;
        }
        aim->given_up += targets_finish(aim->setup.targets, instance->number, false, ATTEMPT_NOT_REACHED);
    }
    return false;
}

/* A schedule that the solver has found. */
static bool plan_solved(struct aim *aim, struct technique_run *run, struct aim_run *own)
{
    struct ready_schedule schedule = {.steps = run->steps};
    if (!second_way_take(&aim->second_way, &schedule))
        return false;
    run->steps = schedule.steps;
    run->plan->flags |= PLAN_BEST_EFFORT;
    run->plan->plan_step_count = (uint32_t)run->steps.count;
    *own = (struct aim_run){.target = schedule.number, .has_target = true, .solved = true};
    aim->targets += targets_begin(aim->setup.targets, schedule.number);
    aim->attempts++;
    return true;
}

static bool plan_again(struct aim *aim, struct technique_run *run, struct aim_run *own)
{
    struct aim_instance *instance = next_again(aim);
    if (instance == NULL)
        return false;
    uint32_t repeat = instance->repeated++;
    bool known = instance->is_known && aim->known_ways > 0 && repeat % (aim->known_ways + 1) < aim->known_ways;
    struct director_source source = {.witnesses = known ? instance->witnesses : NULL};
    if (!direct(aim, run, instance->number, &source, known ? instance->way : repeat, repeat))
        return false;
    *own = (struct aim_run){.target = instance->number,
                            .has_target = true,
                            .repeats = true,
                            .way = known ? instance->way + 1 : 0,
                            .seen = coverage_seen(aim->setup.coverage, instance->number)};
    aim->repeated++;
    return true;
}

void aim_plan(struct aim *aim, struct technique_run *run, struct aim_run *own)
{
    enum { RANDOM_TURN = 16, LONG = 1 << 14 }; /* one turn in so many is a random run; points of a long one */
    technique_plan_profile(run);
    run->worth_observing = true;
    run->observe = run->plan->expected_points <= LONG; /* what it led to is to be known */
    list_new(aim);
    keep_open(aim);
    aim->turns++;
    if (run->number == 1 || aim->turns % RANDOM_TURN == 0)
        return;
    run->aimed = plan_solved(aim, run, own) || plan_attempt(aim, run, own) || plan_again(aim, run, own);
}

/* A way that does not make it happen again leaves its place to the next one. */
static void judge_again(struct aim *aim, const struct aim_run *own)
{
    for (size_t i = 0; i < aim->all.count; i++) {
        struct aim_instance *instance = &aim->all.data[i];
        if (instance->number == own->target && instance->way + 1 == own->way &&
            coverage_seen(aim->setup.coverage, own->target) == own->seen)
            instance->way = (instance->way + 1) % DIRECTOR_WAYS;
    }
}

void aim_observe(struct aim *aim, const struct technique_run *run, const struct aim_run *own,
                 const struct technique_seen *seen)
{
    const struct wire_directed *directed = &seen->copy->result.directed;
    if (own->has_target && !own->solved)
        aim->broken += directed->broken > 0;
    if (own->has_target && own->repeats && own->way != 0 && seen->observed)
        judge_again(aim, own);
    if (!own->has_target || own->repeats)
        return;
    bool occurred = seen->observed ? coverage_seen(aim->setup.coverage, own->target) > 0 : directed->done == 1;
    aim->exposed += occurred;
    if (own->solved)
        second_way_judge(&aim->second_way, occurred);
    enum attempt_verdict verdict = !own->solved ? director_judge(&run->plan->goal, directed, occurred)
                                   : occurred   ? ATTEMPT_EXPOSED
                                                : ATTEMPT_GAVE_UP;
    aim->given_up += targets_finish(aim->setup.targets, own->target, occurred, verdict);
}

void aim_abandon(struct aim *aim, const struct aim_run *own)
{
    if (own->has_target && !own->repeats)
        targets_abandon(aim->setup.targets, own->target);
}

/* ---- numbers ------------------------------------------------------------------------------------------------------ */

void aim_counts(const struct aim *aim, uint64_t *values)
{
    static const struct aim nothing;
    const struct aim *of = aim != NULL ? aim : &nothing;
    const uint64_t all[] = {of->attempts, of->targets, of->exposed, of->given_up, of->repeated, of->broken};
    memcpy(values, all, sizeof all);
}

void aim_summarise(const struct aim *aim, const char *what, struct buffer *out)
{
    if (aim->attempts + aim->repeated > 0)
        buffer_printf(out,
                      "%" PRIu64 " attempt%s at %" PRIu64 " %s%s: %" PRIu64 " exposed, %" PRIu64 " given up; %" PRIu64
                      " run%s repeated one",
                      aim->attempts, text_plural(aim->attempts), aim->targets, what, text_plural(aim->targets),
                      aim->exposed, aim->given_up, aim->repeated, text_plural(aim->repeated));
}
