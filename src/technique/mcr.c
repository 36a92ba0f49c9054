/* SPDX-License-Identifier: MIT
 *
 * mcr.c - maximal causality reduction: each run does what no earlier run did.
 *
 * J. Huang, "Stateless Model Checking Concurrent Programs with Maximal Causality Reduction", PLDI 2015.
 *
 * For every read of a run, and every other value that some write of the run could give it, the solver (solve/prover.h) is asked for an order
 * of the run's events in which it finds that value.  The order is run, and then goes on without preemptions.  What comes of it is asked about in
 * the same way, until nothing new is left.
 *
 * Where it differs:
 *   - Not only reads: tries that find a lock taken or free, semaphores, waits that are woken after all, and ends at which no task can go on.
 *   - Of an order as many events are done as possible, and all such largest orders are asked for.  So each state of the program is reached: if
 *     a state has not been, let p be the longest beginning of a way to it that some run contained, e the event after it.  In that run e came out
 *     otherwise, and p with e is part of a largest order.
 *   - Two runs are the same if each task did and found the same; only one of them is asked about.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "solve/changes.h"
#include "solve/prover.h"
#include "technique/techniques.h"
#include "util/memory.h"
#include "util/stop.h"
#include "util/text.h"

enum {
    EVENTS_MOST = 4000,    /* of a run that is asked about */
    QUESTIONS_MOST = 400,  /* about one run */
    ORDERS_MOST = 16,      /* for one change */
    WORK_MOST = 400000000, /* units of the solver, about one run */
    READY_MOST = 20000,    /* schedules that wait to be run */
};

/* Why there may be more states than were reached. */
enum incomplete {
    INCOMPLETE_RULES,   /* what a run did is not all in the rules, or is ordered too strictly there */
    INCOMPLETE_UNKNOWN, /* the solver did not answer */
    INCOMPLETE_ORDERS,  /* orders could not be followed */
    INCOMPLETE_RUNS,    /* runs did not end, or were taken off */
    INCOMPLETE_LONG,
    INCOMPLETE_MANY, /* bounds of this file */
    INCOMPLETE_COUNT
};
static const char *const incomplete_texts[INCOMPLETE_COUNT] = {
    [INCOMPLETE_RULES] =
        "the solver's rules do not have all that the program does (time limits, signals, files, allocations, once)",
    [INCOMPLETE_UNKNOWN] = "the solver left questions open",
    [INCOMPLETE_ORDERS] = "some orders could not be followed",
    [INCOMPLETE_RUNS] = "some runs did not come to their end",
    [INCOMPLETE_LONG] = "some runs are too long to be asked about",
    [INCOMPLETE_MANY] = "there is more to ask than is asked about one run",
};

/* What a task does in an order: so many events, and what it does and finds in them. */
struct cut_task {
    uint32_t count;
    uint64_t history;
};

struct ready_order {
    goal_steps steps;
    struct cut_task *tasks; /* task_count of them; without the event that comes out otherwise, */
    uint32_t task_count;
    uint16_t changed_task; /* of this task */
    bool is_changed;
    struct change change; /* event: its place in the task */
};

struct mcr {
    struct technique_setup setup;
    struct prover prover;
    struct changes changes;
    struct answer answer;
    struct table states; /* what the tasks of a run did → 1 */
    struct table orders; /* what the tasks of an order do → 1, once it is to be run */
    VECTOR(struct ready_order) ready;
    size_t next;
    uint64_t under_way; /* runs of its own that have not been observed */
    uint64_t sites;     /* that accessed shared memory, in all runs so far */
    uint64_t runs, impossible, unknown, diverged, long_runs;
    unsigned incomplete; /* bits: enum incomplete */
    bool finished;
};

struct mcr_run {
    size_t order;  /* in `ready`, */
    bool is_order; /* if it is one of these */
};

static void leave_out(struct mcr *mcr, enum incomplete why)
{
    mcr->incomplete |= 1u << why;
}

/* ---- what was done ---------------------------------------------------------------------------------------------------- */

/* All that the tasks of the execution have done and found. */
static uint64_t state_of(const struct rules *rules)
{
    uint64_t state = 0;
    for (uint32_t task = 0; task < execution_task_count(rules->execution); task++) {
        struct event_range own = execution_task(rules->execution, (uint16_t)task);
        state = hash_combine(state, own.count > 0 ? change_history(rules, own.data[own.count - 1], NULL) : 0);
    }
    return state;
}

/* What the tasks do in an order. */
static void cut_order(const struct rules *rules, const event_list *order, const struct change *change,
                      struct ready_order *ready)
{
    const struct execution *execution = rules->execution;
    uint32_t tasks = ready->task_count = execution_task_count(execution);
    ready->tasks = memory_allocate(tasks + 1, sizeof *ready->tasks);
    for (size_t i = 0; i < order->count; i++)
        if (change == NULL || order->data[i] != change->event)
            ready->tasks[execution_event(execution, order->data[i])->task].count++;
    for (uint32_t task = 0; task < tasks; task++) {
        uint32_t count = ready->tasks[task].count;
        if (count > 0)
            ready->tasks[task].history =
                change_history(rules, execution_event_at(execution, (uint16_t)task, count - 1), NULL);
    }
    if (change == NULL)
        return;
    ready->is_changed = true;
    ready->change = *change;
    ready->changed_task = execution_event(execution, change->event)->task;
    ready->change.event = execution->place.data[change->event];
}

static uint64_t key_of(const struct ready_order *ready)
{
    uint64_t key = ready->is_changed ? hash_combine(ready->changed_task, ready->change.event) : 0;
    key = hash_combine(key, hash_combine(ready->change.value, ready->change.kind));
    for (size_t i = 0; i < ready->task_count; i++)
        key = hash_combine(key, hash_combine(ready->tasks[i].count, ready->tasks[i].history));
    return key;
}

/* The process ended before all of the order was done, by a failed assertion after what came out otherwise, say; all steps up to there were
   followed. */
static bool ended_early(const struct wire_result *result)
{
    bool stuck = result->end == END_FAILURE && result->failure == KIND_DEADLOCK;
    return result->left == LEFT_NOT && !stuck;
}

static bool change_is_followed(const struct rules *rules, const struct ready_order *ready, bool early)
{
    struct event_range own = execution_task(rules->execution, ready->changed_task);
    if (ready->change.event >= own.count)
        return early;
    uint32_t event = own.data[ready->change.event];
    bool waits = execution_event(rules->execution, event)->op == OP_COND_WAIT;
    return change_came_out(rules, event, &ready->change) || (early && waits && rules_next(rules, event) == EVENT_NONE);
}

/* The tasks of a run have done what they do in the order. */
static bool is_followed(const struct rules *rules, const struct ready_order *ready, const struct wire_result *result)
{
    const struct execution *execution = rules->execution;
    bool whole = true;
    for (uint32_t task = 0; task < ready->task_count; task++) {
        const struct cut_task *cut = &ready->tasks[task];
        uint32_t count = execution_task(execution, (uint16_t)task).count;
        whole &= cut->count <= count;
        if (cut->count > 0 && cut->count <= count &&
            change_history(rules, execution_event_at(execution, (uint16_t)task, cut->count - 1), NULL) != cut->history)
            return false;
    }
    if (!whole && !ended_early(result))
        return false;
    return !ready->is_changed || change_is_followed(rules, ready, ended_early(result));
}

/* ---- questions ---------------------------------------------------------------------------------------------------------- */

/* Another order is to do an event that this one does not. */
static void exclude_order(const struct rules *rules, const event_list *order, struct question *question)
{
    uint32_t tasks = execution_task_count(rules->execution);
    uint32_t *done = memory_allocate(tasks + 1, sizeof *done);
    for (size_t i = 0; i < order->count; i++)
        done[execution_event(rules->execution, order->data[i])->task]++;
    for (uint32_t task = 0; task < tasks; task++)
        if (done[task] < execution_task(rules->execution, (uint16_t)task).count)
            vector_push(&question->others, execution_event_at(rules->execution, (uint16_t)task, done[task]));
    vector_push(&question->others, EVENT_NONE);
    free(done);
}

static void free_ready(struct ready_order *ready)
{
    vector_free(&ready->steps);
    free(ready->tasks);
    *ready = (struct ready_order){0};
}

static void keep_order(struct mcr *mcr, const struct change *change)
{
    struct ready_order ready = {0};
    cut_order(&mcr->prover.rules, &mcr->answer.order, change, &ready);
    uint64_t *known = table_put(&mcr->orders, key_of(&ready));
    bool full = mcr->ready.count - mcr->next >= READY_MOST;
    if (full && *known == 0)
        leave_out(mcr, INCOMPLETE_MANY);
    if (full || *known != 0) {
        free_ready(&ready);
        return;
    }
    *known = 1;
    answer_write_steps(&mcr->prover.rules, &mcr->answer, &ready.steps);
    vector_push(&mcr->ready, ready);
}

/* Asks for all largest orders.  Returns how many questions it took. */
static unsigned ask_all(struct mcr *mcr, struct question *question, const struct change *change)
{
    struct prover *prover = &mcr->prover;
    unsigned asked = 0;
    for (;;) {
        prover_ask(prover, question, &mcr->answer);
        asked++;
        if (mcr->answer.kind == ANSWER_UNKNOWN)
            mcr->unknown++;
        if (mcr->answer.kind == ANSWER_IMPOSSIBLE)
            mcr->impossible += asked == 1;
        if (mcr->answer.kind != ANSWER_FOUND) {
            if (mcr->answer.kind == ANSWER_UNKNOWN || !mcr->answer.certain)
                leave_out(mcr, mcr->answer.kind == ANSWER_UNKNOWN ? INCOMPLETE_UNKNOWN : INCOMPLETE_RULES);
            return asked;
        }
        if (!question->stuck)
            answer_extend(&prover->rules, &mcr->answer, question->changed);
        keep_order(mcr, change);
        exclude_order(&prover->rules, &mcr->answer.order, question);
        if (asked == ORDERS_MOST) {
            leave_out(mcr, INCOMPLETE_MANY);
            return asked;
        }
    }
}

static void ask_change(struct mcr *mcr, const struct change *change, unsigned *asked)
{
    struct question *question = &mcr->prover.question;
    question_clear(question);
    question->whole = question->same = true;
    question->changed = change->event;
    question->change = change->kind;
    question->value = change->value;
    *asked += ask_all(mcr, question, change);
}

static void ask_stuck(struct mcr *mcr, unsigned *asked)
{
    const struct rules *rules = &mcr->prover.rules;
    if (rules->locks.count + rules->semaphores.count + rules->conditions.count == 0)
        return;
    question_clear(&mcr->prover.question);
    mcr->prover.question.whole = mcr->prover.question.stuck = true;
    *asked += ask_all(mcr, &mcr->prover.question, NULL);
}

static void not_followed(struct mcr *mcr)
{
    mcr->diverged++;
    leave_out(mcr, INCOMPLETE_ORDERS);
}

/* Everything that could come out otherwise in another order of the run.  `ready`: that was run; NULL. */
static void ask_about_run(struct mcr *mcr, const struct execution *execution, const struct ready_order *ready,
                          const struct wire_result *result)
{
    if (execution_count(execution) == 0 || execution_count(execution) > EVENTS_MOST || execution->left_out > 0 ||
        execution->lost_events) {
        mcr->long_runs++;
        leave_out(mcr, INCOMPLETE_LONG);
        return;
    }
    prover_read(&mcr->prover, execution);
    if (ready != NULL && !is_followed(&mcr->prover.rules, ready, result))
        not_followed(mcr);
    uint64_t *known = table_put(&mcr->states, state_of(&mcr->prover.rules));
    if (*known != 0)
        return;
    *known = 1;
    changes_find(&mcr->prover.rules, &mcr->changes);
    if (!mcr->changes.certain)
        leave_out(mcr, INCOMPLETE_RULES);
    unsigned asked = 0;
    uint64_t before = mcr->prover.counts.work;
    ask_stuck(mcr, &asked);
    for (size_t i = 0; i < mcr->changes.all.count && !stop_requested(); i++) {
        if (asked >= QUESTIONS_MOST || mcr->prover.counts.work - before > WORK_MOST) {
            leave_out(mcr, INCOMPLETE_MANY);
            break;
        }
        ask_change(mcr, &mcr->changes.all.data[i], &asked);
    }
}

/* ---- runs --------------------------------------------------------------------------------------------------------------- */

static void plan_order(struct mcr *mcr, struct technique_run *run)
{
    struct mcr_run *own = run->own;
    struct ready_order *ready = &mcr->ready.data[mcr->next];
    vector_free(&run->steps);
    run->steps = ready->steps;
    ready->steps = (goal_steps){0};
    own->order = mcr->next++;
    own->is_order = true;
    run->plan->plan_step_count = (uint32_t)run->steps.count;
    run->plan->flags |= PLAN_BEST_EFFORT;
    run->plan->strategy = STRATEGY_ROUNDROBIN;
    run->plan->seed = 0;
    run->aimed = true;
}

static void plan_run(void *state, struct technique_run *run)
{
    struct mcr *mcr = state;
    mcr->runs++;
    mcr->under_way++;
    run->profile = run->observe = true;
    run->plan->flags |= PLAN_RECORD | PLAN_SAME_HEAP; /* addresses are values, too */
    if (mcr->next < mcr->ready.count && mcr->ready.data[mcr->next].steps.count <= WIRE_STEPS)
        plan_order(mcr, run);
    else
        technique_plan_profile(run);
}

/* A run that learns sites has not recorded all that it did there, nor have those before it: the search begins again. */
static bool has_learned_sites(struct mcr *mcr, const struct wire_result *result)
{
    if (result->shared_sites <= mcr->sites)
        return false;
    mcr->sites = result->shared_sites;
    table_clear(&mcr->states);
    table_clear(&mcr->orders);
    for (; mcr->next < mcr->ready.count; mcr->next++)
        free_ready(&mcr->ready.data[mcr->next]);
    mcr->incomplete = 0;
    return true;
}

static bool observe_run(void *state, const struct technique_run *run, const struct technique_seen *seen)
{
    struct mcr *mcr = state;
    const struct mcr_run *own = run != NULL ? run->own : NULL;
    if (own == NULL)
        return false;
    mcr->under_way--;
    if (has_learned_sites(mcr, &seen->copy->result))
        return false;
    struct ready_order ready = {0}; /* the list may grow */
    if (own->is_order) {
        ready = mcr->ready.data[own->order];
        mcr->ready.data[own->order] = (struct ready_order){0};
    }
    bool strict = mcr->setup.plan_flags & (PLAN_PATIENT | PLAN_SPURIOUS); /* the rules are those of neither */
    if (strict && seen->copy->result.waits != 0)
        leave_out(mcr, INCOMPLETE_RULES);
    bool whole = seen->copy->result.end == END_EXIT || seen->copy->result.end == END_FAILURE;
    if (!whole || seen->copy->result.taken_off > 0 || seen->execution == NULL)
        leave_out(mcr, INCOMPLETE_RUNS);
    if (seen->execution != NULL && !stop_requested())
        ask_about_run(mcr, seen->execution, own->is_order ? &ready : NULL, &seen->copy->result);
    free_ready(&ready);
    mcr->finished = !stop_requested() && mcr->next == mcr->ready.count && mcr->under_way == 0;
    return mcr->finished && mcr->incomplete == 0 && mcr->setup.alone;
}

static void abandon_run(void *state, const struct technique_run *run)
{
    struct mcr *mcr = state;
    (void)run;
    mcr->under_way--;
    leave_out(mcr, INCOMPLETE_RUNS);
}

/* ---- the technique -------------------------------------------------------------------------------------------------------- */

static void *open_mcr(const struct technique_setup *setup, struct error *error)
{
    if (!solver_available()) {
        error_set(error, EXIT_USAGE, "--strategy mcr: %s", solver_missing);
        return NULL;
    }
    struct mcr *mcr = memory_allocate(1, sizeof *mcr);
    mcr->setup = *setup;
    prover_open(&mcr->prover, &(struct solver_limits){0});
    return mcr;
}

static void close_mcr(void *state)
{
    struct mcr *mcr = state;
    if (mcr == NULL)
        return;
    for (size_t i = 0; i < mcr->ready.count; i++)
        free_ready(&mcr->ready.data[i]);
    vector_free(&mcr->ready);
    prover_close(&mcr->prover);
    changes_free(&mcr->changes);
    answer_free(&mcr->answer);
    table_free(&mcr->states);
    table_free(&mcr->orders);
    free(mcr);
}

static const char *const counters[] = {"states",     "questions", "by_cycle", "by_reordering",
                                       "impossible", "unknown",   "diverged", NULL};

static void count(const void *state, uint64_t *values)
{
    const struct mcr *mcr = state;
    const uint64_t none[] = {0, 0, 0, 0, 0, 0, 0};
    memcpy(values, none, sizeof none);
    if (mcr == NULL)
        return;
    const uint64_t all[] = {mcr->states.count,
                            mcr->prover.counts.asked,
                            mcr->prover.counts.by_cycle,
                            mcr->prover.counts.by_reordering,
                            mcr->impossible,
                            mcr->unknown,
                            mcr->diverged};
    memcpy(values, all, sizeof all);
}

static void summarise(const void *state, struct buffer *out)
{
    const struct mcr *mcr = state;
    if (mcr->runs == 0)
        return;
    uint64_t states = mcr->states.count, questions = mcr->prover.counts.asked;
    buffer_printf(out,
                  "%" PRIu64 " state%s reached; %" PRIu64 " question%s to the solver: %" PRIu64
                  " changes impossible, %" PRIu64 " unknown",
                  states, text_plural(states), questions, text_plural(questions), mcr->impossible, mcr->unknown);
    if (mcr->diverged > 0)
        buffer_printf(out, "; %" PRIu64 " order%s could not be followed", mcr->diverged, text_plural(mcr->diverged));
    if (mcr->long_runs > 0)
        buffer_printf(out, "; %" PRIu64 " run%s too long to be asked about", mcr->long_runs,
                      text_plural(mcr->long_runs));
}

static void end_search(void *state, struct technique_end *end)
{
    const struct mcr *mcr = state;
    uint64_t states = mcr->states.count;
    if (mcr->finished && mcr->incomplete == 0 && end->unfinished == 0 && !end->taken_off)
        vector_push(&end->lines,
                    memory_format("every reachable state of this input was reached: %" PRIu64 " state%s of its threads",
                                  states, text_plural(states)));
    for (unsigned why = 0; why < INCOMPLETE_COUNT && mcr->runs > 0; why++)
        if (mcr->incomplete >> why & 1)
            vector_push(&end->lines, memory_format("there may be more states: %s", incomplete_texts[why]));
}

const struct technique technique_mcr = {
    .name = "mcr",
    .help = "reaches with each run a state that no earlier run reached; needs Z3",
    .strategy = STRATEGY_PCTLARGE,
    .run_size = sizeof(struct mcr_run),
    .counters = counters,
    .open = open_mcr,
    .plan = plan_run,
    .observe = observe_run,
    .abandon = abandon_run,
    .counts = count,
    .summary = summarise,
    .end = end_search,
    .close = close_mcr,
};
