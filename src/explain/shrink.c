/* SPDX-License-Identifier: MIT
 *
 * shrink.c - simplifies a failing schedule.
 *
 * DESIGN
 *   Candidates that may be simpler are run.  If a run shows the same failure, the steps that it really did become the
 *   schedule.  Two methods alternate.
 *
 *   Leaving out: a schedule without some of its steps is followed as far as possible (runtime/sched/best_effort.c).
 *   Where it has no step, the current thread continues, and after it the oldest thread that can run.  So without the
 *   step of the interrupting thread, the interrupted one continues; without the step before, it runs later.  First all
 *   steps are left out, then halves, quarters, … single steps.  For short schedules also pairs, and neighbours are
 *   exchanged (after A. Zeller, R. Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002, and N.
 *   Jalbert, K. Sen, "A Trace Simplification Technique for Effective Debugging of Concurrent Programs", 2010).
 *
 *   Searching: all schedules with no preemption, with one, … (search.h), while that is fewer than the best schedule
 *   has.  When all of them were run, the best schedule is known to have the fewest.  Where there are too many, only some of each number
 *   are run, and others with few changes of priority (PCT): then the best schedule is known to be a good one only.
 */
#include "explain/shrink.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "explain/shrink_steps.h"
#include "technique/search.h"
#include "util/hash.h"
#include "util/table.h"

enum {
    PAIRS_UP_TO = 24,     /* most steps for which pairs are left out */
    EXCHANGE_UP_TO = 200, /* most steps for which neighbours are exchanged */
    HANG_STEPS = 200000,  /* of a run: a hang is detected after half of them (sched.c) */
    LEAST_STEPS = 20000,
    FEW_SCHEDULES = 100,
    POINTS_TRIED = 32, /* preemptions of the first schedule, each alone */
    PAIRS_TRIED = 10,  /* the same, two of them: each with each */
    LEAST_SHARE = 60,  /* schedules that are searched for each number of preemptions */
    SAMPLES = 60,      /* schedules with few changes of priority, for each number */
};

struct shrink {
    struct schedule *schedule; /* the best so far */
    struct trial *trial;
    struct judged_run run; /* the last one */
    struct table tried;    /* hashes of plans */
    struct steps plan;
    struct steps first;   /* of the first run */
    uint32_t tasks;       /* tasks in the first run */
    unsigned char *fates; /* of the steps of the best schedule */
    uint64_t max_steps;   /* of a try */
    uint64_t points;      /* scheduling points of the first run */
    uint32_t proven;      /* no schedule has fewer preemptions than this */
    bool waits;           /* in the first run a task slept, or a wait ended by time */
    uint32_t sampled;     /* numbers of preemptions for which schedules with few changes of priority were run */
    uint32_t early;       /* waits that end early in the best schedule */
    bool take_any;        /* every schedule that shows the failure becomes the best one */
    struct checkpoints checkpoints;
};

/* ---- one run -------------------------------------------------------------------------------------------------------------- */

static bool is_over(const struct shrink *shrink)
{
    return shrink->trial->over || shrink->trial->broken;
}

/* The common part of all plans.  After the steps the strategy is dfs: each task runs as far as it can. */
static void begin_plan(const struct shrink *shrink, struct wire_plan *plan)
{
    const struct schedule *schedule = shrink->schedule;
    plan_reset(plan);
    plan_strategy(plan, STRATEGY_DFS, schedule->seed);
    plan->flags = schedule->flags & ~(uint32_t)PLAN_THEN_RANDOM;
    plan->max_steps = shrink->max_steps;
}

/* Runs by the plan, from the checkpoint in a slot or from the beginning (-1).  True: it shows the failure. */
static bool run_plan(struct shrink *shrink, const struct wire_plan *plan, const struct wire_step *steps, int from)
{
    enum trial_verdict verdict = trial_continue(shrink->trial, plan, steps, from, &shrink->run);
    return verdict == TRIAL_FAILED && !(shrink->run.copy.result.lost & LOST_STEPS);
}

/* The steps of the run become the schedule. */
static void take_steps(struct shrink *shrink)
{
    assert(shrink->run.state == SERVER_ENDED || shrink->run.state == SERVER_HUNG);
    struct schedule *schedule = shrink->schedule;
    size_t count = shrink->run.copy.steps.count;
    vector_clear(&schedule->steps);
    vector_append(&schedule->steps, shrink->run.copy.steps.data, count);
    shrink->early = shrink->run.copy.result.early_count;
    shrink->fates = memory_resize(shrink->fates, count + 1, 1);
    memset(shrink->fates, STEP_KEPT, count + 1);
}

static bool take_if_simpler(struct shrink *shrink)
{
    const struct schedule *schedule = shrink->schedule;
    if (!shrink->take_any && steps_compare(shrink->run.copy.steps.data, shrink->run.copy.steps.count,
                                           schedule->steps.data, schedule->steps.count) >= 0)
        return false;
    take_steps(shrink);
    return true;
}

static uint32_t preemptions(const struct shrink *shrink)
{
    return schedule_preemptions(shrink->schedule->steps.data, shrink->schedule->steps.count);
}

/* ---- leaving out ------------------------------------------------------------------------------------------------------------ */

/* Runs shrink->plan, unless it was run before.  True: there is a new best schedule. */
static bool try_plan(struct shrink *shrink, unsigned how)
{
    uint64_t hash = schedule_hash(shrink->plan.list.data, shrink->plan.list.count);
    uint64_t *tried = table_put(&shrink->tried, hash_combine(hash, how & STEPS_EARLY));
    if (*tried != 0 || !trial_may_run(shrink->trial))
        return false;
    *tried = 1;
    struct wire_plan plan;
    begin_plan(shrink, &plan);
    plan_best_effort(&plan, shrink->plan.list.count);
    return run_plan(shrink, &plan, shrink->plan.list.data, -1) && take_if_simpler(shrink);
}

/* Runs the steps that the fates keep, in all variants (STEPS_*).  `steps` are the best schedule's, perhaps in another
   order. */
static bool try_steps(struct shrink *shrink, const struct wire_step *steps)
{
    for (unsigned how = 0; how <= (shrink->waits ? STEPS_EXACT | STEPS_EARLY : STEPS_EXACT); how++) {
        steps_plan(steps, shrink->schedule->steps.count, shrink->fates, how, &shrink->plan);
        if (try_plan(shrink, how))
            return true;
    }
    return false;
}

static bool try_fates(struct shrink *shrink)
{
    return try_steps(shrink, shrink->schedule->steps.data);
}

/* Runs the schedule without the significant steps from `begin` to `end`. */
static bool try_without(struct shrink *shrink, const struct steps_indices *indices, size_t begin, size_t end)
{
    assert(begin <= end && end <= indices->list.count);
    for (size_t i = begin; i < end; i++)
        shrink->fates[indices->list.data[i]] = STEP_DROPPED;
    if (try_fates(shrink))
        return true;
    for (size_t i = begin; i < end; i++)
        shrink->fates[indices->list.data[i]] = STEP_KEPT;
    return false;
}

/* Leaves out `chunk` steps at a time, the last ones first. */
static bool sweep(struct shrink *shrink, size_t chunk)
{
    assert(chunk >= 1);
    struct steps_indices indices = {0};
    bool any = false;
    steps_meaningful(shrink->schedule->steps.data, shrink->schedule->steps.count, &indices);
    for (size_t end = indices.list.count; end > 0 && !is_over(shrink);) {
        size_t begin = end > chunk ? end - chunk : 0;
        bool taken = try_without(shrink, &indices, begin, end);
        if (taken)
            steps_meaningful(shrink->schedule->steps.data, shrink->schedule->steps.count, &indices);
        any |= taken;
        end = taken && indices.list.count < begin ? indices.list.count : begin;
    }
    vector_free(&indices.list);
    return any;
}

/* Replaces preemptions by: run as far as possible. */
static bool relax(struct shrink *shrink)
{
    for (size_t i = shrink->schedule->steps.count; i-- > 0 && !is_over(shrink);) {
        const struct wire_step *step = &shrink->schedule->steps.data[i];
        if (step->type != STEP_RUN || step->value == 0)
            continue;
        shrink->fates[i] = STEP_RELAXED;
        if (try_fates(shrink))
            return true;
        shrink->fates[i] = STEP_KEPT;
    }
    return false;
}

static bool is_task_before(const struct schedule *schedule, size_t end, uint16_t task)
{
    for (size_t i = 0; i < end; i++)
        if (schedule->steps.data[i].task == task)
            return true;
    return false;
}

static bool exchange(struct shrink *shrink)
{
    size_t count = shrink->schedule->steps.count;
    struct steps order = {0};
    bool taken = false;
    vector_append(&order.list, shrink->schedule->steps.data, count);
    for (size_t i = 0; i + 1 < count && !taken && !is_over(shrink); i++) {
        struct wire_step *pair = &order.list.data[i], first = pair[0];
        if (pair[0].type != STEP_RUN || pair[1].type != STEP_RUN)
            continue;
        pair[0] = pair[1];
        pair[1] = first;
        taken = try_steps(shrink, order.list.data);
        if (!taken) {
            pair[1] = pair[0];
            pair[0] = first;
        }
    }
    vector_free(&order.list);
    return taken;
}

/* Exchanges two threads that do the same, so that the older one comes first. */
static bool exchange_threads(struct shrink *shrink)
{
    const struct schedule *schedule = shrink->schedule;
    struct steps order = {0};
    bool taken = false;
    for (size_t i = 0; i < schedule->steps.count && !taken && !is_over(shrink); i++) {
        uint16_t first = schedule->steps.data[i].task, other;
        if (first < 2 || is_task_before(schedule, i, first))
            continue;
        for (other = 1; other < first && !taken; other++) {
            if (is_task_before(schedule, i, other))
                continue;
            vector_clear(&order.list);
            vector_append(&order.list, schedule->steps.data, schedule->steps.count);
            steps_exchange_tasks(order.list.data, order.list.count, first, other);
            taken = try_steps(shrink, order.list.data);
        }
    }
    vector_free(&order.list);
    return taken;
}

static bool leave_out_pairs(struct shrink *shrink)
{
    struct steps_indices indices = {0};
    bool taken = false;
    steps_meaningful(shrink->schedule->steps.data, shrink->schedule->steps.count, &indices);
    for (size_t i = indices.list.count; i-- > 1 && !taken && !is_over(shrink);) {
        size_t other = indices.list.data[i];
        for (size_t k = i; k-- > 0 && !taken && !is_over(shrink);) {
            shrink->fates[other] = STEP_DROPPED;
            taken = try_without(shrink, &indices, k, k + 1);
        }
        if (!taken)
            shrink->fates[other] = STEP_KEPT;
    }
    vector_free(&indices.list);
    return taken;
}

static size_t meaningful_count(struct shrink *shrink)
{
    struct steps_indices indices = {0};
    steps_meaningful(shrink->schedule->steps.data, shrink->schedule->steps.count, &indices);
    size_t count = indices.list.count;
    vector_free(&indices.list);
    return count;
}

/* If several preemptions are left, one may be enough with another order of the threads: in a cycle of locks, one thread
   is interrupted and the others block one after the other.  Every preemption of the first schedule is tried. */
static bool try_one_preemption(struct shrink *shrink)
{
    bool taken = false;
    size_t points = 0;
    for (size_t i = 0; i < shrink->first.list.count && points < POINTS_TRIED && !taken; i++) {
        const struct wire_step *step = &shrink->first.list.data[i];
        if (step->type != STEP_RUN || step->value == 0)
            continue;
        points++;
        for (int older = 0; older <= 1 && !taken && !is_over(shrink); older++) {
            steps_plan_one(step->task, step->until, shrink->tasks, older, &shrink->plan);
            taken = try_plan(shrink, 0);
        }
    }
    return taken;
}

/* The preemptions of a schedule, the last ones first. */
static size_t find_points(const struct wire_step *steps, size_t count, struct wire_step *points, size_t most)
{
    size_t found = 0;
    for (size_t i = count; i-- > 0 && found < most;)
        if (steps[i].type == STEP_RUN && steps[i].value != 0)
            points[found++] = steps[i];
    return found;
}

/* Two of the preemptions of the best schedule, with all orders of what comes after them. */
static bool try_two_preemptions(struct shrink *shrink)
{
    struct wire_step points[PAIRS_TRIED];
    size_t count = find_points(shrink->schedule->steps.data, shrink->schedule->steps.count, points, PAIRS_TRIED);
    bool taken = false;
    for (size_t i = 0; i < count * count && !taken && !is_over(shrink); i++)
        for (unsigned order = 0; order < STEPS_ORDERS && i / count != i % count && !taken && !is_over(shrink);
             order++) {
            steps_plan_two(&points[i / count], &points[i % count], shrink->tasks, order, &shrink->plan);
            taken = try_plan(shrink, 0);
        }
    return taken;
}

/* Repeats until no change of this kind helps. */
static void leave_out(struct shrink *shrink)
{
    for (size_t chunk = meaningful_count(shrink); chunk > 1; chunk = (chunk + 1) / 2)
        sweep(shrink, chunk);
    if (preemptions(shrink) > 1)
        try_one_preemption(shrink);
    if (preemptions(shrink) > 2)
        try_two_preemptions(shrink);
    bool better = true;
    while (better && trial_may_run(shrink->trial)) {
        size_t count = meaningful_count(shrink);
        better = sweep(shrink, 1) || relax(shrink) ||
                 (count <= EXCHANGE_UP_TO && (exchange_threads(shrink) || exchange(shrink))) ||
                 (count <= PAIRS_UP_TO && leave_out_pairs(shrink));
    }
}

/* ---- searching -------------------------------------------------------------------------------------------------------- */

/* Whether there are far too many schedules without preemptions, estimated from the first one.  Then only a few are run.
   */
static bool is_hopeless(const struct shrink *shrink, const struct search *search, uint32_t bound)
{
    double schedules = 1;
    if (bound > 0 || shrink->trial->budget.runs == 0 || search->schedules < FEW_SCHEDULES)
        return false;
    for (size_t i = 0; i < search->path.count; i++)
        schedules *= search->path.data[i].count;
    return schedules > 10.0 * (double)shrink->trial->budget.runs;
}

/* Runs all schedules with at most `bound` preemptions, or the first `most` of them, until there is a new best one.  True: there is. */
static bool search_bound(struct shrink *shrink, uint32_t bound, uint64_t most)
{
    assert(bound < UINT32_MAX);
    struct search search = {.sites = shrink->run.copy.result.shared_sites};
    bool taken = false, sound = true, all = true;
    for (uint64_t runs = 0; runs < most && !taken && sound && !search.finished &&
                            !is_hopeless(shrink, &search, bound) && trial_may_run(shrink->trial);
         runs++) {
        struct wire_plan plan;
        begin_plan(shrink, &plan);
        plan.bound = bound;
        int64_t began = clock_now();
        int from = search_checkpoint(&search, &shrink->checkpoints, shrink->trial->server, &plan);
        plan_send_choices(&plan, search.path.data, search.path.count, shrink->trial->server->wire);
        taken = run_plan(shrink, &plan, NULL, from) && take_if_simpler(shrink);
        enum verdict verdict = shrink->run.judgement.verdict;
        all &= shrink->run.copy.result.taken_off == 0; /* else other tasks might have been runnable */
        sound = verdict == VERDICT_GOOD || verdict == VERDICT_FAILURE || verdict == VERDICT_UNFINISHED;
        if (sound)
            checkpoints_observe(&shrink->checkpoints, shrink->trial->server, &shrink->run.copy,
                                (double)(clock_now() - began) / 1e9);
        if (sound && !taken)
            search_observe(&search, &shrink->run.copy);
    }
    if (search.finished && !taken && all && bound >= shrink->proven)
        shrink->proven = bound + 1;
    for (uint32_t slot = 0; slot < WIRE_CHECKPOINTS; slot++)
        server_drop_holder(shrink->trial->server, slot);
    search_free(&search);
    return taken;
}

/* Schedules by priorities that change so many times: mostly they have no more preemptions. */
static bool sample(struct shrink *shrink, uint32_t changes)
{
    bool taken = false;
    uint64_t most = shrink->early > 0 ? 4 * SAMPLES : SAMPLES;
    for (uint64_t i = 0; i < most && !taken && trial_may_run(shrink->trial); i++) {
        struct wire_plan plan;
        begin_plan(shrink, &plan);
        plan_strategy(&plan, STRATEGY_PCT, hash_combine(hash_combine(shrink->schedule->seed, changes), i));
        plan.depth = changes + 1;
        plan.expected_points = shrink->points;
        plan.early_timeouts = shrink->schedule->early_timeouts;
        taken = run_plan(shrink, &plan, NULL, -1) && take_if_simpler(shrink);
    }
    return taken;
}

/* Without any preemption only where waits end early: of all others the search knows. */
static bool sample_all(struct shrink *shrink)
{
    if (shrink->early == 0 && shrink->sampled == 0)
        shrink->sampled = 1;
    while (shrink->sampled < preemptions(shrink) && trial_may_run(shrink->trial))
        if (sample(shrink, shrink->sampled++))
            return true;
    return false;
}

/* How many schedules may be run with `bound` preemptions, so that there are some left for the larger numbers. */
static uint64_t share(const struct shrink *shrink, uint32_t bound)
{
    const struct trial *trial = shrink->trial;
    if (trial->budget.runs == 0)
        return UINT64_MAX;
    uint64_t left = trial->budget.runs > trial->runs ? trial->budget.runs - trial->runs : 0;
    uint64_t part = left / (preemptions(shrink) - bound);
    return part > LEAST_SHARE ? part : LEAST_SHARE;
}

/* True: there is a new best schedule. */
static bool search(struct shrink *shrink)
{
    if (shrink->proven < preemptions(shrink) && sample_all(shrink))
        return true;
    for (uint32_t bound = shrink->proven; bound < preemptions(shrink) && trial_may_run(shrink->trial); bound++)
        if (search_bound(shrink, bound, share(shrink, bound)))
            return true;
    return false;
}

/* A failure in which no wait ends early is simpler than any other.  If one is found, no wait ends early in the
   following runs. */
static void become_patient(struct shrink *shrink)
{
    enum { RUNS = 200, MOST_PREEMPTIONS = 2 };
    struct schedule *schedule = shrink->schedule;
    struct trial *trial = shrink->trial;
    uint64_t all = trial->budget.runs, some = all != 0 && all / 4 < RUNS ? all / 4 : RUNS;
    if (shrink->run.copy.result.early_count == 0 || (schedule->flags & PLAN_PATIENT))
        return;
    trial->budget.runs = trial->runs + some;
    shrink->take_any = true;
    schedule->flags |= PLAN_PATIENT;
    bool taken = try_fates(shrink);
    for (uint32_t bound = 0; bound <= MOST_PREEMPTIONS && !taken && trial_may_run(shrink->trial); bound++)
        taken = search_bound(shrink, bound, UINT64_MAX);
    if (!taken)
        schedule->flags &= ~(uint32_t)PLAN_PATIENT;
    shrink->take_any = false;
    trial->budget.runs = all;
    trial->over = false;
    shrink->proven = 0;
    table_free(&shrink->tried);
    shrink->tried = (struct table){0};
}

/* ---- interface -------------------------------------------------------------------------------------------------------- */

/* Runs the schedule unchanged, to measure it and to see which steps are preemptions.  True: it shows the failure. */
static bool run_first(struct shrink *shrink)
{
    const struct schedule *schedule = shrink->schedule;
    struct wire_plan plan;
    rerun_plan(&plan, schedule);
    plan.flags &= ~(uint32_t)PLAN_KEEPS;
    if (!trial_may_run(shrink->trial) || !run_plan(shrink, &plan, schedule->steps.data, -1))
        return false;
    take_steps(shrink);
    vector_append(&shrink->first.list, shrink->run.copy.steps.data, shrink->run.copy.steps.count);
    shrink->tasks = shrink->run.copy.result.task_count;
    shrink->points = shrink->run.copy.result.points;
    shrink->waits = shrink->run.copy.result.virtual_time > 0 || (schedule->flags & PLAN_SPURIOUS);
    uint64_t points = shrink->run.copy.result.points;
    shrink->max_steps = points < UINT64_MAX / 8 && points * 8 > LEAST_STEPS ? points * 8 : LEAST_STEPS;
    if (shrink->run.judgement.finding.kind == KIND_HANG)
        shrink->max_steps = HANG_STEPS;
    if (schedule->max_steps != 0 && shrink->max_steps > schedule->max_steps)
        shrink->max_steps = schedule->max_steps;
    return true;
}

static void report_cost(const struct schedule *schedule, struct steps_cost *cost)
{
    *cost = steps_cost(schedule->steps.data, schedule->steps.count);
}

bool shrink_schedule(struct schedule *schedule, struct trial *trial, const struct trial_budget *budget,
                     struct shrink_report *report)
{
    assert(trial->key != NULL);
    struct shrink *shrink = memory_allocate(1, sizeof *shrink);
    *shrink = (struct shrink){.schedule = schedule, .trial = trial};
    trial_set_budget(trial, budget);
    struct steps_cost before, after;
    *report = (struct shrink_report){0};
    report_cost(schedule, &before);
    if (run_first(shrink)) {
        report_cost(schedule, &before);
        become_patient(shrink);
        do
            leave_out(shrink);
        while (search(shrink));
        /* the search knows no waits that end early */
        report->complete = !is_over(shrink) && shrink->proven >= preemptions(shrink) &&
                           (shrink->early == 0 || preemptions(shrink) == 0);
    }
    report_cost(schedule, &after);
    report->runs = trial->runs;
    report->preemptions_before = before.preemptions;
    report->preemptions_after = after.preemptions;
    report->switches_before = before.switches;
    report->switches_after = after.switches;
    report->threads_before = before.threads;
    report->threads_after = after.threads;
    judged_run_free(&shrink->run);
    table_free(&shrink->tried);
    vector_free(&shrink->plan.list);
    vector_free(&shrink->first.list);
    free(shrink->fates);
    checkpoints_free(&shrink->checkpoints);
    free(shrink);
    return !trial->broken;
}
