/* SPDX-License-Identifier: MIT
 *
 * reorder.c - the orderer that keeps the order of the execution, except for the steps of the pattern.
 *
 * DESIGN
 *   A task takes the path that it took as long as it reads what it read, or a value after which it takes the same path (flow.h).  So what
 *   must come before a step is what its task did before, what that depends on (event_graph.h), and the ends of the critical sections that
 *   are in the way.  Only this is done, and in the order of the execution.  Then comes the step, and then the same for the next one.
 *   An order in which a task that has more to do reads a value after which its path is not known is rejected; so
 *   what is found here mostly happens as it was meant.
 *
 *   (Predictive analyses look for orders that keep what is read, to prove that a race is possible: U. Mathur, A. Pavlogiannis,
 *   M. Viswanathan, "Optimal Prediction of Synchronization-Preserving Races", POPL 2021.)
 *
 *   Several orders are tried: for each way in which two tasks of the execution could do the steps (step_candidates.h), for each order of
 *   steps that the pattern leaves open; and with the task of the next step brought to the section entry of its step before this one is
 *   done, or not.  Most fail because two steps cannot follow each other immediately in any order of the others; for two events this is
 *   found out once for all patterns.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "direct/reorder_private.h"
#include "direct/step_candidates.h"
#include "util/memory.h"

enum { ORDERS = 16 }; /* that are tried for a pattern */

const char *order_failure_text(enum order_failure failure)
{
    static const char *const texts[ORDER_FAILURES] = {
        [ORDER_FOUND] = "an order was found",
        [ORDER_NO_CANDIDATES] = "no two threads of the run do the steps on the same variables",
        [ORDER_OF_TASK] = "a thread does its steps in another order",
        [ORDER_STEP_LATER] = "a step needs what comes only after a later step",
        [ORDER_BETWEEN] = "another access to the variable must come between two steps",
        [ORDER_LOCK] = "a lock that is needed is held and cannot be given back before the step",
        [ORDER_CYCLE] = "what must come before a step waits for each other",
        [ORDER_UNKNOWN_PATH] = "a thread would read a value after which it may do something else",
        [ORDER_STOPPED] = "the search was stopped",
    };
    assert((unsigned)failure < ORDER_FAILURES);
    return texts[failure];
}

/* ---- life ---------------------------------------------------------------------------------------------------------- */

static void *open_reorderer(void)
{
    return memory_allocate(1, sizeof(struct reorderer));
}

static void forget_execution(struct reorderer *reorderer)
{
    vector_clear(&reorderer->tasks);
    table_clear(&reorderer->pairs);
    free(reorderer->done);
    free(reorderer->wanted);
    free(reorderer->value_unknown);
    free(reorderer->writers);
    free(reorderer->written);
}

static void learn(void *state, const struct execution *execution)
{
    struct reorderer *reorderer = state;
    flow_learn(&reorderer->flow, execution);
}

static void read_execution(void *state, const struct execution *execution)
{
    struct reorderer *reorderer = state;
    size_t words = execution_count(execution) / 64 + 1;
    forget_execution(reorderer);
    event_graph_make(&reorderer->graph, execution);
    size_t locations = execution_location_count(execution);
    reorderer->done = memory_allocate(words, sizeof *reorderer->done);
    reorderer->wanted = memory_allocate(words, sizeof *reorderer->wanted);
    reorderer->value_unknown = memory_allocate(words, sizeof *reorderer->value_unknown);
    reorderer->writers = memory_allocate(locations + 1, sizeof *reorderer->writers);
    reorderer->written = memory_allocate(locations + 1, sizeof *reorderer->written);
    reorderer->orders = 0;
    reorderer->execution_holds = reorderer->graph.holds.count;
    while (reorderer->tasks.count < execution_task_count(execution))
        vector_push(&reorderer->tasks, ((struct reorder_task){0}));
}

static void close_reorderer(void *state)
{
    struct reorderer *reorderer = state;
    if (reorderer == NULL)
        return;
    forget_execution(reorderer);
    event_graph_free(&reorderer->graph);
    flow_free(&reorderer->flow);
    vector_free(&reorderer->tasks);
    vector_free(&reorderer->demanded);
    vector_free(&reorderer->order);
    table_free(&reorderer->pairs);
    table_free(&reorderer->tried);
    table_free(&reorderer->won);
    free(reorderer);
}

static uint64_t work_of(const void *state)
{
    const struct reorderer *reorderer = state;
    return reorderer->work;
}

/* ---- all orders ---------------------------------------------------------------------------------------------------- */

/* The steps as they are written. */
static void set_steps(const struct reorderer *reorderer, const struct pattern *pattern,
                      const struct step_candidates *candidate, struct sequence *sequence)
{
    sequence->count = pattern->count;
    for (unsigned i = 0; i < pattern->count; i++) {
        const struct pattern_step *step = &pattern->steps[i];
        sequence->nodes[i] = candidate->nodes[i];
        sequence->access[i] =
            *execution_find_access(reorderer->graph.execution, candidate->nodes[i], (enum access_kind)step->kind);
        sequence->before[i] = step->relation == RELATION_IMMEDIATE ? pattern_previous_on_variable(pattern, i) : -1;
    }
}

static uint64_t site_key(uint32_t a, uint32_t b)
{
    return (uint64_t)a << 32 | b;
}

static double odds_of(const void *state, const struct pattern *pattern)
{
    const struct reorderer *reorderer = state;
    double odds = 1;
    for (unsigned i = 0; i < pattern->count; i++) {
        int before = pattern_previous_on_variable(pattern, i);
        if (before < 0 || pattern->steps[i].relation != RELATION_IMMEDIATE)
            continue;
        uint64_t key = site_key(pattern->steps[before].site, pattern->steps[i].site);
        const uint64_t *tried = table_get(&reorderer->tried, key), *won = table_get(&reorderer->won, key);
        odds *= ((won != NULL ? (double)*won : 0) + 1) / ((tried != NULL ? (double)*tried : 0) + 2);
    }
    assert(odds > 0 && odds <= 1);
    return odds;
}

/* The reason of the attempt that came furthest. */
struct order_attempt {
    enum order_failure failure;
    unsigned steps;
};

static void note_failure(struct order_attempt *best, enum order_failure failure, unsigned steps)
{
    assert(failure != ORDER_FOUND);
    if (best->failure == ORDER_NO_CANDIDATES || (best->failure == ORDER_OF_TASK && failure != ORDER_OF_TASK) ||
        steps > best->steps)
        *best = (struct order_attempt){failure, steps};
}

/* Why two that must follow each other immediately cannot, if nothing else is wanted; ORDER_FOUND: they can. */
static enum order_failure try_pair(struct reorderer *reorderer, const struct sequence *sequence, unsigned first,
                                   unsigned second)
{
    uint64_t key = (uint64_t)sequence->nodes[first] << 32 | sequence->nodes[second];
    uint64_t *known = table_put(&reorderer->pairs, key);
    if (*known == 0) {
        const struct sequence pair = {.count = 2,
                                      .nodes = {sequence->nodes[first], sequence->nodes[second]},
                                      .access = {sequence->access[first], sequence->access[second]},
                                      .before = {-1, 0}};
        bool can = reorder_try(reorderer, &pair);
        *known = 1 + (uint64_t)(can ? ORDER_FOUND : reorderer->failure);
        uint64_t sites =
            site_key(reorder_event(reorderer, pair.nodes[0])->site, reorder_event(reorderer, pair.nodes[1])->site);
        ++*table_put(&reorderer->tried, sites);
        *table_put(&reorderer->won, sites) += can;
    }
    assert(*known - 1 < ORDER_FAILURES);
    return (enum order_failure)(*known - 1);
}

static bool can_all_follow(struct reorderer *reorderer, const struct sequence *sequence, struct order_attempt *best)
{
    for (unsigned i = 0; i < sequence->count; i++) {
        enum order_failure failure =
            sequence->before[i] >= 0 ? try_pair(reorderer, sequence, (unsigned)sequence->before[i], i) : ORDER_FOUND;
        if (failure != ORDER_FOUND) {
            note_failure(best, failure, 0);
            return false;
        }
    }
    return true;
}

static void swap_steps(struct sequence *sequence, unsigned a, unsigned b)
{
    struct sequence old = *sequence;
    sequence->nodes[a] = old.nodes[b];
    sequence->nodes[b] = old.nodes[a];
    sequence->access[a] = old.access[b];
    sequence->access[b] = old.access[a];
    sequence->before[a] = old.before[b];
    sequence->before[b] = old.before[a];
    for (unsigned i = 0; i < sequence->count; i++) {
        if (sequence->before[i] == (int)a)
            sequence->before[i] = (int)b;
        else if (sequence->before[i] == (int)b)
            sequence->before[i] = (int)a;
    }
}

/* `turned`: a bit for each two steps that may come in any order.  False: there is no such order. */
static bool turn(const struct reorderer *reorderer, const struct pattern *pattern, unsigned turned,
                 struct sequence *sequence)
{
    unsigned pair = 0;
    for (unsigned i = 1; i < pattern->count; i++)
        if (pattern->steps[i].group == pattern->steps[i - 1].group && (turned >> pair++ & 1))
            swap_steps(sequence, i - 1, i);
    for (unsigned i = 0; i < sequence->count; i++)
        for (unsigned k = i + 1; k < sequence->count; k++) {
            uint32_t a = sequence->nodes[i], b = sequence->nodes[k];
            if (a >= b && reorder_event(reorderer, a)->task == reorder_event(reorderer, b)->task)
                return false;
        }
    return turned >> pair == 0;
}

static void write_step(const struct event *event, goal_steps *steps)
{
    if (steps->count == 0 || steps->data[steps->count - 1].task != event->task)
        vector_push(steps, ((struct wire_step){.type = STEP_RUN, .task = event->task}));
    steps->data[steps->count - 1].until = event->operation + 1;
}

static void write_steps(const struct reorderer *reorderer, goal_steps *steps)
{
    const struct execution *execution = reorderer->graph.execution;
    vector_clear(steps);
    for (uint32_t i = 0; i < reorderer->began; i++)
        write_step(execution_event(execution, i), steps);
    for (size_t i = 0; i < reorderer->order.count; i++)
        write_step(execution_event(execution, reorderer->order.data[i]), steps);
    for (size_t i = 0; i < execution->steps.count; i++)
        if (execution->steps.data[i].type == STEP_CHOICE)
            vector_push(steps, execution->steps.data[i]);
}

static bool order(void *state, const struct pattern *pattern, uint32_t window, goal_steps *steps,
                  uint32_t *uncertain_reads, enum order_failure *why_not)
{
    enum { TURNS = 4 };
    struct reorderer *reorderer = state;
    struct order_attempt best = {.failure = ORDER_NO_CANDIDATES};
    bool found = false;
    struct step_candidates candidates[STEP_CANDIDATES];
    unsigned count = step_candidates_find(&reorderer->graph, pattern, window, candidates), tried = 0;
    for (unsigned i = 0; i < count && (!found || *uncertain_reads > 0); i++)
        for (unsigned turned = 0; turned < TURNS && tried < ORDERS && (!found || *uncertain_reads > 0); turned++) {
            struct sequence sequence;
            set_steps(reorderer, pattern, &candidates[i], &sequence);
            if (!turn(reorderer, pattern, turned, &sequence)) {
                note_failure(&best, ORDER_OF_TASK, 0);
                continue;
            }
            if (!can_all_follow(reorderer, &sequence, &best))
                continue;
            tried++;
            if (!reorder_try(reorderer, &sequence)) {
                note_failure(&best, reorderer->failure, reorderer->failed_after);
                continue;
            }
            if (found && reorderer->uncertain_reads >= *uncertain_reads)
                continue;
            found = true;
            *uncertain_reads = reorderer->uncertain_reads;
            write_steps(reorderer, steps);
        }
    *why_not = found ? ORDER_FOUND : best.failure;
    return found;
}

const struct orderer orderer_reorder = {
    .name = "reorder",
    .open = open_reorderer,
    .close = close_reorderer,
    .learn = learn,
    .read = read_execution,
    .order = order,
    .odds = odds_of,
    .work = work_of,
};
