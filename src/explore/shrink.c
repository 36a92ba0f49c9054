/* SPDX-License-Identifier: MIT
 *
 * shrink.c - a failing schedule made simple.
 *
 * DESIGN
 *   What could be simpler is tried, and taken if it shows the same failure: the steps that the program then really did become the
 *   schedule.  Two ways of finding something simpler take turns.
 *
 *   Leaving out: a schedule without some of its steps is followed as well as it goes (runtime/sched/loose.c); where it says
 *   nothing a thread runs on, and then the oldest one that can.  So without the step of the thread that interrupted, the interrupted
 *   one runs on; without the step before, it comes later.  First all is left out, then halves, quarters, … one by one, and of short
 *   schedules two at a time and neighbours exchanged (after A. Zeller, R. Hildebrandt, "Simplifying and Isolating
 *   Failure-Inducing Input", 2002, and N. Jalbert, K. Sen, "A Trace Simplification Technique for Effective Debugging of
 *   Concurrent Programs", 2010).
 *
 *   Searching: all schedules with no preemption, with one, … (search.h), as long as that is fewer than the best one has.  When they have all
 *   been seen, the best one is known to have as few as possible.
 */
#include "explore/shrink.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "explore/search.h"
#include "explore/shrink_steps.h"
#include "trace/story.h"
#include "trace/table.h"
#include "util/hash.h"
#include "util/stop.h"

enum {
    DEATHS_ALLOWED = 3,
    PAIRS_UP_TO = 24,     /* steps: then two are left out at a time */
    EXCHANGE_UP_TO = 200, /* steps: then neighbours are exchanged */
    HANG_STEPS = 200000,  /* of a try: a hang shows after half of them (sched.c) */
    LEAST_STEPS = 20000,
    FEW_SCHEDULES = 100,
    POINTS_TRIED = 32, /* preemptions of the first schedule, each alone */
};

struct shrink {
    struct schedule *schedule; /* the best so far */
    struct server *server;
    struct server_symbols *symbols;
    const struct oracle *oracle;
    const char *key;
    const struct shrink_budget *budget, *whole_budget;
    struct shrink_report *report;
    struct error *error;
    struct wire_copy copy;
    struct judgement judgement;
    struct table tried; /* hashes of plans */
    struct steps plan;
    struct steps first;   /* of the first run */
    uint32_t tasks;       /* in it */
    unsigned char *fates; /* of the best one's steps */
    int64_t deadline;     /* 0: none */
    uint64_t max_steps;   /* of a try */
    uint64_t points;      /* scheduling points of all runs */
    uint32_t deaths;
    uint32_t proven; /* no schedule has fewer preemptions than this */
    bool waits;      /* in the first run somebody slept, or a wait ended by time */
    bool over;       /* the budget is used up, or somebody asked for the end */
    bool failed;     /* the server cannot be used any more */
    bool take_any;   /* whatever shows the failure becomes the best one */
    struct held held;
};

/* ---- one run -------------------------------------------------------------------------------------------------------------- */

static bool may_run(struct shrink *shrink)
{
    const struct shrink_budget *budget = shrink->budget;
    shrink->over |= stop_requested() || (budget->runs != 0 && shrink->report->runs >= budget->runs) ||
                    (budget->points != 0 && shrink->points >= budget->points) ||
                    (shrink->deadline != 0 && clock_now() >= shrink->deadline);
    return !shrink->over && !shrink->failed;
}

/* As server_finish_run, but not longer than there is time. */
static enum server_state finish_run(struct shrink *shrink)
{
    for (;;) {
        struct pollfd wait = {.fd = shrink->server->reply, .events = POLLIN};
        poll(&wait, 1, server_tick(shrink->server));
        enum server_state state = server_attend(shrink->server);
        if (state != SERVER_GOING)
            return state;
        if (stop_requested() || (shrink->deadline != 0 && clock_now() >= shrink->deadline)) {
            server_abandon_run(shrink->server);
            shrink->over = true;
            return SERVER_DIED;
        }
    }
}

static bool is_same_failure(struct shrink *shrink)
{
    if (shrink->judgement.verdict != VERDICT_FAILURE || (shrink->copy.result.lost & LOST_STEPS))
        return false;
    struct symbols *symbols = server_symbols_get(shrink->symbols, shrink->server);
    char *key = story_key(symbols, &shrink->copy.result, &shrink->judgement.finding);
    bool same = strcmp(key, shrink->key) == 0;
    free(key);
    return same;
}

/* What the plans of all tries have in common. */
static struct wire_plan *begin_plan(struct shrink *shrink, enum wire_strategy strategy, uint32_t flags)
{
    const struct schedule *schedule = shrink->schedule;
    struct wire_plan *plan = &shrink->server->wire->plan;
    plan->strategy = strategy;
    plan->flags = flags;
    plan->seed = schedule->seed;
    plan->max_steps = shrink->max_steps;
    plan->depth = 1;
    plan->early_timeouts = 0;
    plan->expected_points = 0;
    plan->interest_lo = plan->interest_hi = 0;
    plan->plan_step_count = plan->plan_choice_count = 0;
    plan->bound = 0;
    plan->checkpoint = CHECKPOINT_NOWHERE;
    plan->goal.count = 0;
    plan->task_count = 0;
    return plan;
}

static void put_steps(struct shrink *shrink, const struct wire_step *steps, size_t count)
{
    shrink->server->wire->plan.plan_step_count = (uint32_t)count;
    if (count > 0)
        memcpy(shrink->server->wire->plan_steps, steps, count * sizeof steps[0]);
}

/* Runs by the plan, from the holder in a slot or from the beginning (-1).  True: it shows the failure. */
static bool run_plan(struct shrink *shrink, int from)
{
    shrink->report->runs++;
    shrink->judgement.verdict = VERDICT_LOST;
    if (!(from >= 0 ? server_continue_run(shrink->server, (uint32_t)from, shrink->error)
                    : server_begin_run(shrink->server, shrink->error))) {
        shrink->failed = true;
        return false;
    }
    enum server_state state = finish_run(shrink);
    if (shrink->over && state == SERVER_DIED)
        return false;
    wire_check_result(shrink->server->wire, COPY_STEPS | COPY_CHOICES, &shrink->copy);
    shrink->points += shrink->copy.result.points;
    if (!oracle_judge(shrink->oracle, shrink->server, state, &shrink->copy, &shrink->judgement, shrink->error)) {
        shrink->failed = true;
        return false;
    }
    if (shrink->judgement.verdict == VERDICT_LOST) {
        shrink->failed = ++shrink->deaths > DEATHS_ALLOWED || !server_restart(shrink->server, shrink->error);
        return false;
    }
    return is_same_failure(shrink);
}

/* The run's own steps become the schedule. */
static void take_steps(struct shrink *shrink)
{
    struct schedule *schedule = shrink->schedule;
    size_t count = shrink->copy.steps.count;
    vector_clear(&schedule->steps);
    vector_append(&schedule->steps, shrink->copy.steps.data, count);
    shrink->fates = memory_resize(shrink->fates, count + 1, 1);
    memset(shrink->fates, STEP_KEPT, count + 1);
}

static bool take_if_simpler(struct shrink *shrink)
{
    const struct schedule *schedule = shrink->schedule;
    if (!shrink->take_any && steps_compare(shrink->copy.steps.data, shrink->copy.steps.count, schedule->steps.data,
                                           schedule->steps.count) >= 0)
        return false;
    take_steps(shrink);
    return true;
}

static uint32_t preemptions(const struct shrink *shrink)
{
    return schedule_preemptions(shrink->schedule->steps.data, shrink->schedule->steps.count);
}

/* ---- leaving out ------------------------------------------------------------------------------------------------------------ */

/* Runs what shrink->plan says, unless that has been done.  True: there is a new best. */
static bool try_plan(struct shrink *shrink, unsigned how)
{
    uint64_t hash = schedule_hash(shrink->plan.list.data, shrink->plan.list.count);
    uint64_t *tried = table_put(&shrink->tried, hash_combine(hash, how & STEPS_EARLY));
    if (*tried != 0 || !may_run(shrink))
        return false;
    *tried = 1;
    begin_plan(shrink, STRATEGY_DFS, (shrink->schedule->flags & ~(uint32_t)PLAN_THEN_RANDOM) | PLAN_LOOSE);
    put_steps(shrink, shrink->plan.list.data, shrink->plan.list.count);
    return run_plan(shrink, -1) && take_if_simpler(shrink);
}

/* What the fates leave of these steps, which are the best one's or an order of them; all ways of understanding it. */
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

/* Whatever is left out from `begin` to `end` of the steps that mean something. */
static bool try_without(struct shrink *shrink, const struct steps_indices *indices, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++)
        shrink->fates[indices->list.data[i]] = STEP_DROPPED;
    if (try_fates(shrink))
        return true;
    for (size_t i = begin; i < end; i++)
        shrink->fates[indices->list.data[i]] = STEP_KEPT;
    return false;
}

/* Leaves out so many steps at a time, the last ones first. */
static bool sweep(struct shrink *shrink, size_t chunk)
{
    struct steps_indices indices = {0};
    bool any = false;
    steps_meaningful(shrink->schedule->steps.data, shrink->schedule->steps.count, &indices);
    for (size_t end = indices.list.count; end > 0 && !shrink->over && !shrink->failed;) {
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

/* Preemptions become: as far as it goes. */
static bool relax(struct shrink *shrink)
{
    for (size_t i = shrink->schedule->steps.count; i-- > 0 && !shrink->over && !shrink->failed;) {
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
    for (size_t i = 0; i + 1 < count && !taken && !shrink->over && !shrink->failed; i++) {
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

/* Two threads that do the same may change their parts: the older one shall be the first. */
static bool exchange_threads(struct shrink *shrink)
{
    const struct schedule *schedule = shrink->schedule;
    struct steps order = {0};
    bool taken = false;
    for (size_t i = 0; i < schedule->steps.count && !taken && !shrink->over && !shrink->failed; i++) {
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
    for (size_t i = indices.list.count; i-- > 1 && !taken && !shrink->over && !shrink->failed;) {
        size_t other = indices.list.data[i];
        for (size_t k = i; k-- > 0 && !taken && !shrink->over && !shrink->failed;) {
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

/* Where several preemptions are left, one may do if the others come in another order: in a circle of locks one thread is
   interrupted, and all others run into each other from behind.  Tried with every preemption that there once was. */
static bool try_one_preemption(struct shrink *shrink)
{
    bool taken = false;
    size_t points = 0;
    for (size_t i = 0; i < shrink->first.list.count && points < POINTS_TRIED && !taken; i++) {
        const struct wire_step *step = &shrink->first.list.data[i];
        if (step->type != STEP_RUN || step->value == 0)
            continue;
        points++;
        for (int older = 0; older <= 1 && !taken && !shrink->over && !shrink->failed; older++) {
            steps_plan_one(step->task, step->until, shrink->tasks, older, &shrink->plan);
            taken = try_plan(shrink, 0);
        }
    }
    return taken;
}

/* Until nothing of its kind is left to try. */
static void leave_out(struct shrink *shrink)
{
    for (size_t chunk = meaningful_count(shrink); chunk > 1; chunk = (chunk + 1) / 2)
        sweep(shrink, chunk);
    if (preemptions(shrink) > 1)
        try_one_preemption(shrink);
    bool better = true;
    while (better && may_run(shrink)) {
        size_t count = meaningful_count(shrink);
        better = sweep(shrink, 1) || relax(shrink) ||
                 (count <= EXCHANGE_UP_TO && (exchange_threads(shrink) || exchange(shrink))) ||
                 (count <= PAIRS_UP_TO && leave_out_pairs(shrink));
    }
}

/* ---- searching ---------------------------------------------------------------------------------------------------------------- */

/* Whether all schedules without preemptions are far too many, as far as the first one tells.  Then a few are enough: they will not
   all be seen anyway. */
static bool is_hopeless(const struct shrink *shrink, const struct search *search, uint32_t bound)
{
    double schedules = 1;
    if (bound > 0 || shrink->budget->runs == 0 || search->schedules < FEW_SCHEDULES)
        return false;
    for (size_t i = 0; i < search->path.count; i++)
        schedules *= search->path.data[i].count;
    return schedules > 10.0 * (double)shrink->budget->runs;
}

/* All schedules with at most so many preemptions, until there is a new best.  True: there is. */
static bool search_bound(struct shrink *shrink, uint32_t bound)
{
    struct search search = {.sites = shrink->copy.result.shared_sites};
    bool taken = false, sound = true, all = true;
    while (!taken && sound && !search.finished && !is_hopeless(shrink, &search, bound) && may_run(shrink)) {
        struct wire_plan *plan =
            begin_plan(shrink, STRATEGY_DFS, shrink->schedule->flags & ~(uint32_t)PLAN_THEN_RANDOM);
        plan->bound = bound;
        int64_t began = clock_now();
        int from = search_plan(&search, &shrink->held, shrink->server, plan);
        taken = run_plan(shrink, from) && take_if_simpler(shrink);
        enum verdict verdict = shrink->judgement.verdict;
        all &= shrink->copy.result.taken_off == 0; /* else others might be there, at another time */
        sound = verdict == VERDICT_GOOD || verdict == VERDICT_FAILURE || verdict == VERDICT_UNFINISHED;
        if (sound)
            held_observe(&shrink->held, shrink->server, &shrink->copy, (double)(clock_now() - began) / 1e9);
        if (sound && !taken)
            search_observe(&search, &shrink->copy);
    }
    if (search.finished && !taken && all)
        shrink->proven = bound + 1;
    for (uint32_t slot = 0; slot < WIRE_CHECKPOINTS; slot++)
        server_drop_holder(shrink->server, slot);
    search_free(&search);
    return taken;
}

/* True: there is a new best. */
static bool search(struct shrink *shrink)
{
    while (shrink->proven < preemptions(shrink) && may_run(shrink)) {
        uint32_t bound = shrink->proven;
        if (search_bound(shrink, bound))
            return true;
        if (shrink->proven == bound)
            return false; /* it cannot be searched */
    }
    return false;
}

/* A failure in which no wait ends early is better than any other: everything from here on is patient if one is found. */
static void become_patient(struct shrink *shrink)
{
    enum { RUNS = 200, MOST_PREEMPTIONS = 2 };
    struct schedule *schedule = shrink->schedule;
    struct shrink_budget some = *shrink->budget;
    uint64_t runs = some.runs != 0 && some.runs / 4 < RUNS ? some.runs / 4 : RUNS;
    if (shrink->copy.result.early_count == 0 || (schedule->flags & PLAN_PATIENT))
        return;
    some.runs = shrink->report->runs + runs;
    shrink->budget = &some;
    shrink->take_any = true;
    schedule->flags |= PLAN_PATIENT;
    bool taken = try_fates(shrink);
    for (uint32_t bound = 0; bound <= MOST_PREEMPTIONS && !taken && may_run(shrink); bound++)
        taken = search_bound(shrink, bound);
    if (!taken)
        schedule->flags &= ~(uint32_t)PLAN_PATIENT;
    shrink->take_any = false;
    shrink->budget = shrink->whole_budget;
    shrink->over = false;
    shrink->proven = 0;
    table_free(&shrink->tried);
    shrink->tried = (struct table){0};
}

/* ---- interface ------------------------------------------------------------------------------------------------------------------ */

/* As it is, to see how long it takes and which steps are preemptions.  True: it shows the failure. */
static bool run_first(struct shrink *shrink)
{
    const struct schedule *schedule = shrink->schedule;
    struct wire_plan *plan = begin_plan(shrink, STRATEGY_REPLAY, schedule->flags);
    rerun_plan(shrink->server->wire, schedule);
    plan->flags &= ~(uint32_t)PLAN_RECORD;
    if (!may_run(shrink) || !run_plan(shrink, -1))
        return false;
    take_steps(shrink);
    vector_append(&shrink->first.list, shrink->copy.steps.data, shrink->copy.steps.count);
    shrink->tasks = shrink->copy.result.task_count;
    shrink->waits = shrink->copy.result.virtual_time > 0 || (schedule->flags & PLAN_SPURIOUS);
    uint64_t points = shrink->copy.result.points;
    shrink->max_steps = points < UINT64_MAX / 8 && points * 8 > LEAST_STEPS ? points * 8 : LEAST_STEPS;
    if (shrink->judgement.finding.kind == KIND_HANG)
        shrink->max_steps = HANG_STEPS;
    if (schedule->max_steps != 0 && shrink->max_steps > schedule->max_steps)
        shrink->max_steps = schedule->max_steps;
    return true;
}

static void report_cost(const struct schedule *schedule, struct steps_cost *cost)
{
    *cost = steps_cost(schedule->steps.data, schedule->steps.count);
}

bool shrink_schedule(struct schedule *schedule, struct server *server, struct server_symbols *symbols,
                     const struct oracle *oracle, const char *key, const struct shrink_budget *budget,
                     struct shrink_report *report, struct error *error)
{
    struct shrink *shrink = memory_allocate(1, sizeof *shrink);
    *shrink = (struct shrink){.schedule = schedule,
                              .server = server,
                              .symbols = symbols,
                              .oracle = oracle,
                              .key = key,
                              .budget = budget,
                              .whole_budget = budget,
                              .report = report,
                              .error = error,
                              .deadline = budget->time != 0 ? clock_now() + budget->time : 0};
    struct steps_cost before, after;
    *report = (struct shrink_report){0};
    report_cost(schedule, &before);
    if (run_first(shrink)) {
        report_cost(schedule, &before);
        become_patient(shrink);
        do
            leave_out(shrink);
        while (search(shrink));
        report->complete = !shrink->over && !shrink->failed && shrink->proven >= preemptions(shrink);
    }
    report_cost(schedule, &after);
    report->preemptions_before = before.preemptions;
    report->preemptions_after = after.preemptions;
    report->switches_before = before.switches;
    report->switches_after = after.switches;
    report->threads_before = before.threads;
    report->threads_after = after.threads;
    bool good = !shrink->failed;
    wire_copy_free(&shrink->copy);
    table_free(&shrink->tried);
    vector_free(&shrink->plan.list);
    vector_free(&shrink->first.list);
    free(shrink->fates);
    held_free(&shrink->held);
    free(shrink);
    return good;
}
