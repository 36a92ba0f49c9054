/* SPDX-License-Identifier: MIT
 *
 * maple.c - see maple.h.
 */
#include "technique/maple_private.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/hash.h"
#include "util/memory.h"
#include "util/text.h"

enum {
    AGAIN_FROM = 16, /* from this turn on, one in so many goes to what has been covered already */
    AGAIN = 4,
    AGAIN_SETTLED = 16,
    QUEUE_TURNS = 32, /* so long an order of targets is good */
};
#define FORGETTING 0.125 /* bandit.h */

struct maple *maple_new(const struct technique_setup *setup)
{
    assert(setup->coverage != NULL && setup->targets != NULL);
    struct maple *maple = memory_allocate(1, sizeof *maple);
    maple->setup = *setup;
    maple->targets = setup->targets;
    maple->next_profile = 1;
    ready_schedules_open(&maple->ready, &orderer_reorder, setup->coverage, setup->targets);
    second_way_open(&maple->second_way, setup->coverage, setup->targets, setup->alone);
    while (strcmp(families[maple->single_row].name, "idiom.1") != 0)
        maple->single_row++;
    return maple;
}

void maple_free(struct maple *maple)
{
    if (maple == NULL)
        return;
    vector_free(&maple->own);
    vector_free(&maple->queue);
    vector_free(&maple->covered);
    ready_schedules_close(&maple->ready);
    second_way_close(&maple->second_way);
    free(maple);
}

struct maple_counts maple_counts(const struct maple *maple)
{
    struct maple_counts counts = maple->counts;
    counts.known = maple->targets->known;
    counts.solver = maple->second_way.counts;
    return counts;
}

struct maple_target *maple_target(struct maple *maple, size_t number)
{
    while (maple->own.count <= number)
        vector_push(&maple->own, ((struct maple_target){0}));
    return &maple->own.data[number];
}

int maple_compare_entries(const void *a, const void *b)
{
    const struct queued_target *left = a, *right = b;
    if (left->order != right->order)
        return left->order < right->order ? -1 : 1;
    return left->number < right->number ? -1 : left->number > right->number;
}

/* ---- choosing ----------------------------------------------------------------------------------------------------- */

static bool is_worth_trying(struct maple *maple, size_t number)
{
    const struct target *target = targets_find(maple->targets, number);
    bool exposed = target != NULL && target->exposed > 0; /* in a run that coverage did not look at */
    return !exposed && coverage_seen(maple->setup.coverage, number) == 0 &&
           !coverage_is_impossible(maple->setup.coverage, number) && targets_may_try(maple->targets, target) &&
           !maple_is_hopeless(maple, coverage_instance(maple->setup.coverage, number));
}

/* SIZE_MAX: nothing is left.  The queue is made again when it is used up, or when runs have opened much that is not in it. */
static size_t next_target(struct maple *maple)
{
    size_t fresh = coverage_instance_count(maple->setup.coverage) - maple->listed;
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
    const struct coverage *coverage = maple->setup.coverage;
    if (maple->next_covered == maple->covered.count) {
        vector_clear(&maple->covered);
        maple->next_covered = 0;
        for (size_t i = 0; i < coverage_instance_count(coverage); i++) {
            uint64_t seen = coverage_seen(coverage, i);
            if (seen == 0)
                continue;
            uint64_t suspicion = maple_suspicion(maple, coverage_instance(coverage, i));
            uint64_t order = suspicion << 32 | (seen < UINT32_MAX ? seen : UINT32_MAX);
            vector_push(&maple->covered, ((struct queued_target){order, i}));
        }
        if (maple->covered.count > 0)
            qsort(maple->covered.data, maple->covered.count, sizeof *maple->covered.data, maple_compare_entries);
    }
    return maple->next_covered < maple->covered.count ? maple->covered.data[maple->next_covered++].number : SIZE_MAX;
}

bool maple_is_idle(const struct maple *maple)
{
    struct coverage_open open;
    for (size_t cursor = 0; coverage_next_open(maple->setup.coverage, &cursor, &open);)
        if (targets_find(maple->targets, open.number) == NULL ||
            (targets_may_try(maple->targets, targets_find(maple->targets, open.number)) &&
             !maple_is_hopeless(maple, open.instance)))
            return false;
    return true;
}

/* ---- plans -------------------------------------------------------------------------------------------------------- */

/* Of the ways that it has not been tried in, the one that has succeeded most often. */
static uint32_t choose_way(struct maple *maple, size_t number)
{
    uint32_t best = target_tried(targets_at(maple->targets, number)), ways = maple_target(maple, number)->ways;
    double most = 0;
    for (uint32_t way = 0; way < DIRECTOR_WAYS; way++) {
        double rate = bandit_mean(&maple->ways[way], 1, 4);
        if (!(ways >> way & 1) && rate > most) {
            most = rate;
            best = way;
        }
    }
    return best;
}

static bool plan_attempt(struct maple *maple, struct maple_run *run, goal_steps *steps,
                         const struct wire_modules *modules, struct wire_plan *plan)
{
    struct coverage_open open;
    uint32_t tried = target_tried(targets_at(maple->targets, run->target));
    if (!coverage_open_at(maple->setup.coverage, run->target, &open))
        return false;
    struct pattern pattern = instance_pattern(open.instance);
    /* The latest one first; later rounds of attempts take the others. */
    struct director_source source = coverage_source_of(&open, open.count - 1 + tried / 3);
    struct technique_process context = {maple->setup.coverage, modules};
    unsigned missing;
    bool settled = maple->turns >= SETTLED;
    run->attempt = settled && open.count > 0 ? choose_way(maple, run->target) : tried;
    if (!director_plan(plan, steps, &pattern, coverage_window(maple->setup.coverage), &source, run->attempt,
                       technique_pcs, &context, &missing))
        return false;
    plan->seed = hash_combine(maple->setup.seed, hash_combine(run->target, run->attempt));
    if (settled) /* at first, what is made to happen is not disturbed by what comes after */
        plan->goal.flags |= GOAL_RANDOM_AFTER;
    return true;
}

/* A random run that begins as the one from which an open instance was predicted, up to where its first step was: other things
   that are rare may happen there too.  False: there is none. */
static bool plan_near(struct maple *maple, goal_steps *steps, struct wire_plan *plan)
{
    struct coverage_open open;
    if (maple->queue.count == 0)
        return false;
    uint64_t random = hash_combine(maple->setup.seed, maple->turns);
    size_t likely = maple->queue.count / 4 + 1; /* the first ones */
    size_t number = maple->queue.data[random % likely].number;
    if (!coverage_open_at(maple->setup.coverage, number, &open) || open.count == 0)
        return false;
    struct director_source source = coverage_source_of(&open, (uint32_t)(random >> 32));
    goal_prefix(source.steps, source.step_count, source.witnesses, family_shape(open.instance->row)->count, true,
                steps);
    if (steps->count == 0 || steps->count > WIRE_PREFIX)
        return false;
    plan->plan_step_count = (uint32_t)steps->count;
    plan->flags |= PLAN_PREFIX;
    plan->strategy = maple->turns % 2 == 0 ? STRATEGY_PCTLARGE : STRATEGY_POS;
    return true;
}

void maple_look_ahead(struct maple *maple, const struct wire_modules *modules, struct technique_ahead *ahead)
{
    struct wire_plan *plan = memory_allocate(1, sizeof *plan);
    size_t last = maple->next + (size_t)2 * TECHNIQUE_AHEAD;
    for (size_t i = maple->next; i < maple->queue.count && i < last && ahead->count < TECHNIQUE_AHEAD; i++) {
        struct maple_run run = {.target = maple->queue.data[i].number};
        goal_steps steps = {0};
        if (is_worth_trying(maple, run.target) && plan_attempt(maple, &run, &steps, modules, plan) && steps.count > 0)
            ahead->prefixes[ahead->count++] = steps;
        else
            vector_free(&steps);
    }
    free(plan);
}

/* What happened once, in surroundings that do not depend on how it was seen: the same pattern may do harm only when the
   threads that have no part in it are elsewhere. */
static bool plan_again(struct maple *maple, struct maple_run *run, goal_steps *steps,
                       const struct wire_modules *modules, struct wire_plan *plan)
{
    run->target = next_covered(maple);
    if (run->target == SIZE_MAX)
        return false;
    struct maple_target *target = maple_target(maple, run->target);
    struct pattern pattern = instance_pattern(coverage_instance(maple->setup.coverage, run->target));
    struct technique_process context = {maple->setup.coverage, modules};
    const struct director_source nothing = {0};
    unsigned missing;
    run->again = true;
    run->attempt = target->again++;
    if (!director_plan(plan, steps, &pattern, coverage_window(maple->setup.coverage), &nothing, run->attempt,
                       technique_pcs, &context, &missing))
        return false;
    plan->seed = hash_combine(maple->setup.seed, hash_combine(run->target, run->attempt));
    maple->counts.again++;
    return true;
}

/* ---- shares -------------------------------------------------------------------------------------------------------- */

/* At first attempts have all turns that are not set apart.  Then the kind that has covered most recently has most of them, as long as
   it covers enough, and every kind has one now and then.  Beside other techniques all turns are for attempts. */
static enum arm choose_arm(const struct maple *maple)
{
    enum { NOW_AND_THEN = 8, EACH = 4 };
    const double worth_it = 0.1;
    if (maple->turns < SETTLED || !maple->setup.alone)
        return ARM_ATTEMPT;
    if (maple->turns < SETTLED + EACH * ARMS)
        return (enum arm)(maple->turns % ARMS);
    if (maple->turns % NOW_AND_THEN == 1) /* not where AGAIN has its turn */
        return (enum arm)(maple->turns / NOW_AND_THEN % ARMS);
    enum arm best = ARM_ATTEMPT;
    for (enum arm arm = ARM_ATTEMPT + 1; arm < ARMS; arm++)
        if (maple->arms[arm].gain >= worth_it && maple->arms[arm].gain > maple->arms[best].gain)
            best = arm;
    return best;
}

static void plan_profile(struct maple *maple, struct maple_run *run, enum arm arm, goal_steps *steps,
                         struct wire_plan *plan)
{
    maple->counts.profiles++;
    run->arm = (uint8_t)arm;
    if (arm == ARM_NEAR && !plan_near(maple, steps, plan))
        vector_clear(steps);
    if (arm == ARM_POS)
        plan->strategy = STRATEGY_POS;
}

static void begin_attempt(struct maple *maple, size_t number)
{
    maple->counts.targets += targets_begin(maple->targets, number);
    maple->counts.attempts++;
}

/* A known run in another order, then the random strategy that has covered most recently. */
static bool plan_ready(struct maple *maple, struct maple_run *run, goal_steps *steps, struct wire_plan *plan)
{
    struct ready_schedule schedule = {.steps = *steps};
    bool solved = second_way_take(&maple->second_way, &schedule);
    if (!solved && !ready_schedules_take(&maple->ready, &schedule))
        return false;
    *steps = schedule.steps;
    run->target = schedule.number;
    run->uncertain_reads = schedule.uncertain_reads;
    run->attempt = solved ? MAPLE_SOLVED : MAPLE_READY;
    plan->strategy = maple->arms[ARM_PCTLARGE].gain > maple->arms[ARM_POS].gain ? STRATEGY_PCTLARGE : STRATEGY_POS;
    plan->seed = hash_combine(maple->setup.seed, hash_combine(run->target, maple->turns));
    plan->flags |= PLAN_BEST_EFFORT;
    plan->plan_step_count = (uint32_t)steps->count;
    begin_attempt(maple, run->target);
    return true;
}

/* False: nothing is left to try. */
static bool plan_next_target(struct maple *maple, struct maple_run *run, goal_steps *steps,
                             const struct wire_modules *modules, struct wire_plan *plan)
{
    while ((run->target = next_target(maple)) != SIZE_MAX) {
        if (plan_attempt(maple, run, steps, modules, plan)) {
            begin_attempt(maple, run->target);
            return true;
        }
        /* Cannot be planned in this process. */
        maple->counts.given_up += targets_finish(maple->targets, run->target, false, ATTEMPT_NOT_REACHED);
    }
    return false;
}

/* Every observed run is as good as a profile run: 1, 3, 6, 11, 18, 29, … */
static bool is_profile_turn(struct maple *maple)
{
    uint64_t seen = coverage_observed(maple->setup.coverage);
    while (maple->next_profile <= seen)
        maple->next_profile += 2 + maple->next_profile / 2;
    if (maple->next_profile != seen + 1)
        return false;
    maple->next_profile += 2 + maple->next_profile / 2;
    return true;
}

void maple_plan(struct maple *maple, struct maple_run *run, goal_steps *steps, const struct wire_modules *modules,
                struct wire_plan *plan)
{
    *run = (struct maple_run){.target = SIZE_MAX, .arm = ARM_ATTEMPT};
    vector_clear(steps);
    maple->turns++;
    enum arm arm = choose_arm(maple);
    if (is_profile_turn(maple)) {
        plan_profile(maple, run, arm == ARM_ATTEMPT ? ARM_PCTLARGE : arm, steps, plan);
        return;
    }
    if (plan_ready(maple, run, steps, plan))
        return;
    unsigned again = maple->turns < SETTLED || !maple->setup.alone ? AGAIN : AGAIN_SETTLED;
    if (maple->turns >= AGAIN_FROM && maple->turns % again == 0 && plan_again(maple, run, steps, modules, plan))
        return;
    if (arm != ARM_ATTEMPT) {
        plan_profile(maple, run, arm, steps, plan);
        return;
    }
    run->again = false;
    if (plan_next_target(maple, run, steps, modules, plan) ||
        (maple->turns % 2 == 0 && plan_again(maple, run, steps, modules, plan)))
        return;
    run->target = SIZE_MAX;
    plan_profile(maple, run, maple->turns % 4 < 2 ? ARM_PCTLARGE : ARM_POS, steps, plan);
}

static void note_way(struct maple *maple, size_t number, uint32_t attempt, bool occurred)
{
    if (attempt >= DIRECTOR_WAYS)
        return;
    maple_target(maple, number)->ways |= 1u << attempt;
    bandit_reward(&maple->ways[attempt], occurred, FORGETTING);
}

void maple_observe(struct maple *maple, const struct maple_run *run, const struct wire_plan *plan,
                   const struct technique_seen *seen)
{
    const struct wire_directed *directed = &seen->copy->result.directed;
    bool solved = run->target != SIZE_MAX && run->attempt == MAPLE_SOLVED;
    bool ready = run->target != SIZE_MAX && (run->attempt == MAPLE_READY || solved);
    bool whole = seen->observed && seen->execution->left_out == 0;
    if (!ready && (seen->observed || seen->limited))
        bandit_reward(&maple->arms[run->arm], technique_gain(seen), FORGETTING);
    if (run->target == SIZE_MAX || run->again)
        return;
    if (!seen->observed && ready) { /* nothing says what came of it */
        targets_abandon(maple->targets, run->target);
        return;
    }
    /* Where coverage did not look, what the program says about its goal has to do. */
    bool occurred = coverage_seen(maple->setup.coverage, run->target) > 0 || (!whole && !ready && directed->done == 1);
    maple->counts.reordered += ready && !solved;
    maple->counts.reordered_exposed += ready && !solved && occurred;
    if (solved)
        second_way_judge(&maple->second_way, occurred);
    else if (ready)
        ready_schedules_judge(&maple->ready, run->uncertain_reads, occurred);
    else
        note_way(maple, run->target, run->attempt, occurred);
    enum attempt_verdict verdict = !ready     ? director_judge(&plan->goal, directed, occurred)
                                   : occurred ? ATTEMPT_EXPOSED
                                              : ATTEMPT_NOT_REACHED;
    maple->counts.exposed += occurred;
    maple->counts.given_up += targets_finish(maple->targets, run->target, occurred, verdict);
}

void maple_look_at(struct maple *maple, const struct execution *execution)
{
    if (maple->setup.alone) /* beside other techniques there are not enough turns for it */
        ready_schedules_observe(&maple->ready, execution, maple->turns >= SETTLED, maple->turns);
}

void maple_abandon(struct maple *maple, const struct maple_run *run)
{
    if (run->target != SIZE_MAX && !run->again)
        targets_abandon(maple->targets, run->target);
}

/* ---- the technique -------------------------------------------------------------------------------------------------------- */

static void *open_maple(const struct technique_setup *setup, struct error *error)
{
    (void)error;
    return maple_new(setup);
}

static void close_maple(void *state)
{
    maple_free(state);
}

static void plan_turn(void *state, struct technique_run *run)
{
    struct maple *maple = state;
    technique_plan_profile(run);
    run->worth_observing = true;
    maple_plan(maple, run->own, &run->steps, run->modules, run->plan);
    run->aimed = run->plan->strategy == STRATEGY_DIRECT || (run->plan->flags & PLAN_BEST_EFFORT) != 0;
}

static void look_ahead(void *state, const struct wire_modules *modules, struct technique_ahead *ahead)
{
    maple_look_ahead(state, modules, ahead);
}

static bool observe_run(void *state, const struct technique_run *run, const struct technique_seen *seen)
{
    if (run != NULL)
        maple_observe(state, run->own, run->plan, seen);
    if (seen->observed && seen->execution->left_out == 0) /* what was left out cannot be put into another order */
        maple_look_at(state, seen->execution);
    if (seen->observed)
        second_way_observe(&((struct maple *)state)->second_way, seen->execution,
                           ((struct maple *)state)->turns >= SETTLED);
    return false;
}

static void abandon_run(void *state, const struct technique_run *run)
{
    maple_abandon(state, run->own);
}

static const char *const counters[] = {"profiles",
                                       "attempts",
                                       "again",
                                       "targets",
                                       "exposed",
                                       "rearranged",
                                       "rearranged_exposed",
                                       "given_up",
                                       "known",
                                       "excluded",
                                       "excluded_kept",
                                       "excluded_memo",
                                       "solver_asked",
                                       "solver_found",
                                       "solver_impossible",
                                       "solver_unknown",
                                       NULL};

static void count(const void *state, uint64_t *values)
{
    struct maple_counts counts = state != NULL ? maple_counts(state) : (struct maple_counts){0};
    const struct second_way_counts *solver = &counts.solver;
    const uint64_t all[] = {
        counts.profiles,  counts.attempts,          counts.again,    counts.targets, counts.exposed,
        counts.reordered, counts.reordered_exposed, counts.given_up, counts.known,   solver->excluded,
        solver->kept,     solver->remembered,       solver->asked,   solver->found,  solver->impossible,
        solver->unknown};
    static_assert(sizeof all / sizeof all[0] + 1 == sizeof counters / sizeof counters[0], "a value for each name");
    memcpy(values, all, sizeof all);
}

static void summarise(const void *state, struct buffer *out)
{
    struct maple_counts counts = maple_counts(state);
    if (counts.attempts > 0 || counts.known > 0)
        buffer_printf(out,
                      "%" PRIu64 " attempt%s at %" PRIu64 " pattern%s: %" PRIu64 " exposed, %" PRIu64
                      " given up; %" PRIu64 " profile run%s%s",
                      counts.attempts, text_plural(counts.attempts), counts.targets, text_plural(counts.targets),
                      counts.exposed, counts.given_up, counts.profiles, text_plural(counts.profiles),
                      counts.known > 0 ? "; others are known from the memo" : "");
}

const struct technique technique_maple = {
    .name = "maple",
    .help = "makes patterns happen that no run has shown yet, and learns from every run",
    .flags = TECHNIQUE_IN_ALL | TECHNIQUE_COVERAGE | TECHNIQUE_AIMS,
    .strategy = STRATEGY_PCTLARGE,
    .run_size = sizeof(struct maple_run),
    .counters = counters,
    .open = open_maple,
    .plan = plan_turn,
    .ahead = look_ahead,
    .observe = observe_run,
    .abandon = abandon_run,
    .counts = count,
    .summary = summarise,
    .close = close_maple,
};
