/* SPDX-License-Identifier: MIT
 *
 * maple.c - see maple.h.
 */
#include "technique/maple_private.h"

#include <stdlib.h>
#include <string.h>

#include "util/hash.h"
#include "util/memory.h"

enum {
    AGAIN_FROM = 16, /* from this turn on, one in so many goes to what has been covered already */
    AGAIN = 4,
    AGAIN_SETTLED = 16,
    QUEUE_TURNS = 32, /* so long an order of targets is good */
};

struct maple *maple_new(const struct maple_options *options)
{
    struct maple *maple = memory_allocate(1, sizeof *maple);
    maple->options = *options;
    maple->next_profile = 1;
    maple->reorderer = reorderer_new();
    while (strcmp(families[maple->single_row].name, "idiom.1") != 0)
        maple->single_row++;
    return maple;
}

void maple_free(struct maple *maple)
{
    if (maple == NULL)
        return;
    vector_free(&maple->targets);
    vector_free(&maple->queue);
    vector_free(&maple->covered);
    ready_schedules_free(maple);
    free(maple);
}

struct maple_counts maple_counts(const struct maple *maple)
{
    return maple->counts;
}

struct target *maple_target(struct maple *maple, size_t number)
{
    while (maple->targets.count <= number)
        vector_push(&maple->targets, ((struct target){0}));
    return &maple->targets.data[number];
}

int maple_compare_entries(const void *a, const void *b)
{
    const struct entry *left = a, *right = b;
    if (left->order != right->order)
        return left->order < right->order ? -1 : 1;
    return left->number < right->number ? -1 : left->number > right->number;
}

void maple_know(struct maple *maple, size_t number, bool covered, uint64_t failed)
{
    struct target *target = maple_target(maple, number);
    bool known = covered || failed >= maple->options.give_up;
    target->earlier = failed < maple->options.give_up ? (uint32_t)failed : maple->options.give_up;
    maple->counts.known += known && !target->known;
    target->known |= known;
}

/* ---- choosing ----------------------------------------------------------------------------------------------------- */

static bool is_worth_trying(struct maple *maple, size_t number)
{
    const struct target *target = maple_target(maple, number);
    return coverage_seen(maple->options.coverage, number) == 0 && maple_may_try(maple, target) &&
           !maple_is_hopeless(maple, coverage_instance(maple->options.coverage, number));
}

/* SIZE_MAX: nothing is left.  The queue is made anew when it is used up, or when runs have opened much that is not in it. */
static size_t next_target(struct maple *maple)
{
    size_t fresh = coverage_instance_count(maple->options.coverage) - maple->listed;
    bool is_old = maple->turns >= SETTLED && maple->turns - maple->queued >= QUEUE_TURNS;
    if (is_old || (fresh > 0 && (fresh > 16 || maple->queue.count - maple->next < 16)))
        maple_make_queue(maple);
    for (int twice = 0; twice < 2; twice++) {
        while (maple->next < maple->queue.count) {
            size_t number = maple->queue.data[maple->next++].number;
            if (is_worth_trying(maple, number))
                return number;
        }
        maple_make_queue(maple);
    }
    return SIZE_MAX;
}

/* What has been covered, the most suspicious and rarest first.  SIZE_MAX: nothing has. */
static size_t next_covered(struct maple *maple)
{
    const struct coverage *coverage = maple->options.coverage;
    if (maple->next_covered == maple->covered.count) {
        vector_clear(&maple->covered);
        maple->next_covered = 0;
        for (size_t i = 0; i < coverage_instance_count(coverage); i++) {
            uint64_t seen = coverage_seen(coverage, i);
            if (seen == 0)
                continue;
            uint64_t suspicion = maple_suspicion(maple, coverage_instance(coverage, i));
            uint64_t order = suspicion << 32 | (seen < UINT32_MAX ? seen : UINT32_MAX);
            vector_push(&maple->covered, ((struct entry){order, i}));
        }
        if (maple->covered.count > 0)
            qsort(maple->covered.data, maple->covered.count, sizeof *maple->covered.data, maple_compare_entries);
    }
    return maple->next_covered < maple->covered.count ? maple->covered.data[maple->next_covered++].number : SIZE_MAX;
}

bool maple_is_idle(const struct maple *maple)
{
    struct coverage_open open;
    for (size_t cursor = 0; coverage_next_open(maple->options.coverage, &cursor, &open);)
        if (open.number >= maple->targets.count ||
            (maple_may_try(maple, &maple->targets.data[open.number]) && !maple_is_hopeless(maple, open.instance)))
            return false;
    return true;
}

/* ---- plans -------------------------------------------------------------------------------------------------------- */

struct pcs_context {
    const struct coverage *coverage;
    const struct wire_modules *modules;
};

static size_t pcs_of(void *context, uint32_t site, uint64_t *pcs, size_t most)
{
    const struct pcs_context *own = context;
    return coverage_pcs(own->coverage, site, own->modules, pcs, most);
}

/* Of the ways that it has not been tried in, the one that has succeeded most often. */
static uint32_t choose_way(const struct maple *maple, const struct target *target)
{
    uint32_t best = maple_tried(target);
    double most = 0;
    for (uint32_t way = 0; way < DIRECTOR_WAYS; way++) {
        double rate = (maple->way_won[way] + 1.0) / (maple->way_tried[way] + 4.0);
        if (!(target->ways >> way & 1) && rate > most) {
            most = rate;
            best = way;
        }
    }
    return best;
}

static bool plan_attempt(struct maple *maple, struct maple_run *run, const struct wire_modules *modules,
                         struct wire_plan *plan)
{
    struct coverage_open open;
    struct target *target = maple_target(maple, run->target);
    if (!coverage_open_at(maple->options.coverage, run->target, &open))
        return false;
    struct pattern pattern = instance_pattern(open.instance);
    /* The latest one first; later rounds of attempts take the others. */
    struct director_source source = coverage_source_of(&open, open.count - 1 + maple_tried(target) / 3);
    struct pcs_context context = {maple->options.coverage, modules};
    unsigned missing;
    bool settled = maple->turns >= SETTLED;
    run->attempt = settled && open.count > 0 ? choose_way(maple, target) : maple_tried(target);
    if (!director_plan(plan, &run->prefix, &pattern, coverage_window(maple->options.coverage), &source, run->attempt,
                       pcs_of, &context, &missing))
        return false;
    plan->seed = hash_combine(maple->options.seed, hash_combine(run->target, run->attempt));
    if (settled) /* at first, what is made to happen is not disturbed by what comes after */
        plan->goal.flags |= GOAL_RANDOM_AFTER;
    return true;
}

/* A random run that begins as the one from which an open instance was predicted, up to where its first step was: other things
   that are rare may happen there too.  False: there is none. */
static bool plan_near(struct maple *maple, struct maple_run *run, struct wire_plan *plan)
{
    struct coverage_open open;
    if (maple->queue.count == 0)
        return false;
    uint64_t lot = hash_combine(maple->options.seed, maple->turns);
    size_t likely = maple->queue.count / 4 + 1; /* the first ones */
    size_t number = maple->queue.data[lot % likely].number;
    if (!coverage_open_at(maple->options.coverage, number, &open) || open.count == 0)
        return false;
    struct director_source source = coverage_source_of(&open, (uint32_t)(lot >> 32));
    goal_prefix(source.steps, source.step_count, source.witnesses, family_shape(open.instance->row)->count, true,
                &run->prefix);
    if (run->prefix.count == 0 || run->prefix.count > WIRE_STEPS)
        return false;
    plan->plan_step_count = (uint32_t)run->prefix.count;
    plan->flags |= PLAN_PREFIX;
    plan->strategy = maple->turns % 2 == 0 ? STRATEGY_PCTLARGE : STRATEGY_POS;
    return true;
}

void maple_look_ahead(struct maple *maple, const struct wire_modules *modules, struct maple_ahead *ahead)
{
    struct wire_plan *plan = memory_allocate(1, sizeof *plan);
    size_t last = maple->next + (size_t)2 * MAPLE_AHEAD;
    for (size_t i = maple->next; i < maple->queue.count && i < last && ahead->count < MAPLE_AHEAD; i++) {
        struct maple_run run = {.target = maple->queue.data[i].number};
        if (is_worth_trying(maple, run.target) && plan_attempt(maple, &run, modules, plan) && run.prefix.count > 0)
            ahead->prefixes[ahead->count++] = run.prefix;
        else
            vector_free(&run.prefix);
    }
    free(plan);
}

void maple_ahead_free(struct maple_ahead *ahead)
{
    for (size_t i = 0; i < ahead->count; i++)
        vector_free(&ahead->prefixes[i]);
    ahead->count = 0;
}

/* What happened once, in surroundings that do not depend on how it was seen: the same pattern may do harm only when the
   threads that have no part in it are elsewhere. */
static bool plan_again(struct maple *maple, struct maple_run *run, const struct wire_modules *modules,
                       struct wire_plan *plan)
{
    run->target = next_covered(maple);
    if (run->target == SIZE_MAX)
        return false;
    struct target *target = maple_target(maple, run->target);
    struct pattern pattern = instance_pattern(coverage_instance(maple->options.coverage, run->target));
    struct pcs_context context = {maple->options.coverage, modules};
    const struct director_source nothing = {0};
    unsigned missing;
    run->again = true;
    run->attempt = target->again++;
    if (!director_plan(plan, &run->prefix, &pattern, coverage_window(maple->options.coverage), &nothing, run->attempt,
                       pcs_of, &context, &missing))
        return false;
    plan->seed = hash_combine(maple->options.seed, hash_combine(run->target, run->attempt));
    maple->counts.again++;
    return true;
}

/* ---- shares -------------------------------------------------------------------------------------------------------- */

static void note_gain(struct maple *maple, uint8_t arm, uint32_t covered)
{
    const double fading = 1.0 / 8;
    maple->gain[arm] += fading * ((double)covered - maple->gain[arm]);
}

/* At first attempts have all turns that are not set apart.  Then whatever has covered most of late has most of them, as long as
   it is worth speaking of, and every kind has one now and then.  Beside other strategies attempts are what maple is there for. */
static enum arm choose_arm(const struct maple *maple)
{
    enum { NOW_AND_THEN = 8, EACH = 4 };
    const double worth_it = 0.1;
    if (maple->turns < SETTLED || !maple->options.alone)
        return ARM_ATTEMPT;
    if (maple->turns < SETTLED + EACH * ARMS)
        return (enum arm)(maple->turns % ARMS);
    if (maple->turns % NOW_AND_THEN == 1) /* not where AGAIN has its turn */
        return (enum arm)(maple->turns / NOW_AND_THEN % ARMS);
    enum arm best = ARM_ATTEMPT;
    for (enum arm arm = ARM_ATTEMPT + 1; arm < ARMS; arm++)
        if (maple->gain[arm] >= worth_it && maple->gain[arm] > maple->gain[best])
            best = arm;
    return best;
}

static void plan_profile(struct maple *maple, struct maple_run *run, enum arm arm, struct wire_plan *plan)
{
    maple->counts.profiles++;
    run->arm = (uint8_t)arm;
    if (arm == ARM_NEAR && !plan_near(maple, run, plan))
        vector_clear(&run->prefix);
    if (arm == ARM_LOTS)
        plan->strategy = STRATEGY_POS;
}

static void begin_attempt(struct maple *maple, size_t number)
{
    struct target *target = maple_target(maple, number);
    maple->counts.targets += target->attempts == 0;
    maple->counts.attempts++;
    target->running = true;
}

/* A known run in another order, then whatever random runs of late have covered most with. */
static bool plan_ready(struct maple *maple, struct maple_run *run, struct wire_plan *plan)
{
    if (!maple_take_ready(maple, run))
        return false;
    run->attempt = MAPLE_READY;
    plan->strategy = maple->gain[ARM_SLICES] > maple->gain[ARM_LOTS] ? STRATEGY_PCTLARGE : STRATEGY_POS;
    plan->seed = hash_combine(maple->options.seed, hash_combine(run->target, maple->turns));
    plan->flags |= PLAN_BEST_EFFORT;
    plan->plan_step_count = (uint32_t)run->prefix.count;
    begin_attempt(maple, run->target);
    return true;
}

void maple_plan(struct maple *maple, struct maple_run *run, const struct wire_modules *modules, struct wire_plan *plan)
{
    run->target = SIZE_MAX;
    run->again = false;
    vector_clear(&run->prefix);
    maple->turns++;
    enum arm arm = choose_arm(maple);
    run->arm = ARM_ATTEMPT;
    /* Every observed run is as good as a profile run. */
    uint64_t seen = coverage_observed(maple->options.coverage);
    while (maple->next_profile <= seen)
        maple->next_profile += 2 + maple->next_profile / 2; /* 1, 3, 6, 11, 18, 29, … */
    if (maple->next_profile == seen + 1) {
        maple->next_profile += 2 + maple->next_profile / 2;
        plan_profile(maple, run, arm == ARM_ATTEMPT ? ARM_SLICES : arm, plan);
        return;
    }
    if (plan_ready(maple, run, plan))
        return;
    unsigned again = maple->turns < SETTLED || !maple->options.alone ? AGAIN : AGAIN_SETTLED;
    if (maple->turns >= AGAIN_FROM && maple->turns % again == 0 && plan_again(maple, run, modules, plan))
        return;
    if (arm != ARM_ATTEMPT) {
        plan_profile(maple, run, arm, plan);
        return;
    }
    run->again = false;
    while ((run->target = next_target(maple)) != SIZE_MAX) {
        struct target *target = maple_target(maple, run->target);
        if (plan_attempt(maple, run, modules, plan)) {
            begin_attempt(maple, run->target);
            return;
        }
        target->attempts++; /* cannot be planned in this process */
        target->failed++;
        target->verdict = ATTEMPT_NOT_REACHED;
        maple->counts.given_up += maple_tried(target) == maple->options.give_up;
    }
    if (maple->turns % 2 == 0 && plan_again(maple, run, modules, plan))
        return;
    run->target = SIZE_MAX;
    plan_profile(maple, run, maple->turns % 4 < 2 ? ARM_SLICES : ARM_LOTS, plan);
}

static void note_way(struct maple *maple, struct target *target, uint32_t attempt, bool occurred)
{
    if (attempt >= DIRECTOR_WAYS)
        return;
    target->ways |= 1u << attempt;
    maple->way_tried[attempt]++;
    maple->way_won[attempt] += occurred;
}

void maple_observe(struct maple *maple, const struct maple_run *run, const struct wire_plan *plan,
                   const struct wire_directed *directed, uint32_t new_covered)
{
    bool ready = run->target != SIZE_MAX && run->attempt == MAPLE_READY;
    if (!ready)
        note_gain(maple, run->arm, new_covered);
    if (run->target == SIZE_MAX || run->again)
        return;
    struct target *target = maple_target(maple, run->target);
    bool occurred = coverage_seen(maple->options.coverage, run->target) > 0;
    target->running = false;
    maple->counts.rearranged += ready;
    maple->counts.rearranged_exposed += ready && occurred;
    if (ready)
        maple_judge_ready(maple, run->uncertain_reads, occurred);
    else
        note_way(maple, target, run->attempt, occurred);
    target->attempts++;
    target->verdict = (uint8_t)(!ready     ? director_judge(&plan->goal, directed, occurred)
                                : occurred ? ATTEMPT_EXPOSED
                                           : ATTEMPT_NOT_REACHED);
    target->exposed += occurred;
    target->failed += !occurred;
    maple->counts.exposed += occurred;
    maple->counts.given_up += !occurred && maple_tried(target) == maple->options.give_up;
}

void maple_abandon(struct maple *maple, const struct maple_run *run)
{
    if (run->target != SIZE_MAX && !run->again)
        maple_target(maple, run->target)->running = false;
}

bool maple_account(const struct maple *maple, size_t number, struct maple_account *account)
{
    if (number >= maple->targets.count || maple->targets.data[number].attempts == 0)
        return false;
    const struct target *target = &maple->targets.data[number];
    *account = (struct maple_account){.attempts = target->attempts,
                                      .failed = target->failed,
                                      .exposed = target->exposed,
                                      .verdict = director_verdict_name((enum attempt_verdict)target->verdict)};
    return true;
}
