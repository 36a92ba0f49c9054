/* SPDX-License-Identifier: MIT
 *
 * dpor.c - optimal dynamic partial order reduction: every order of dependent operations is run once (reduction.h).
 *
 * P. Abdulla, S. Aronis, B. Jonsson, K. Sagonas: "Source Sets: A Foundation for Optimal Dynamic Partial Order Reduction", JACM 64(4), 2017.
 * Two schedules that differ only in the order of independent operations are one behaviour; the search runs one of them.  When it has
 * finished, all behaviours of the program for its input are known, under sequentially consistent memory.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "technique/reduction.h"
#include "technique/search.h"
#include "technique/techniques.h"
#include "util/memory.h"

struct dpor {
    struct technique_setup setup;
    struct reduction reduction;
    bool under_way; /* a run of the search has been planned, and has not ended */
};

/* What is noted about a run. */
struct dpor_run {
    bool searches; /* it is one of the search; else at random, because the next one of the search is not known yet */
};

static void *open_search(const struct technique_setup *setup, struct error *error)
{
    (void)error;
    struct dpor *dpor = memory_allocate(1, sizeof *dpor);
    dpor->setup = *setup;
    return dpor;
}

static void close_search(void *state)
{
    struct dpor *dpor = state;
    reduction_free(&dpor->reduction);
    free(dpor);
}

static void plan_run(void *state, struct technique_run *run)
{
    struct dpor *dpor = state;
    struct dpor_run *own = run->own;
    own->searches = !dpor->under_way && !dpor->reduction.finished;
    if (!own->searches) {
        run->plan->strategy = STRATEGY_RANDOM;
        return;
    }
    dpor->under_way = run->aimed = true;
    reduction_plan(&dpor->reduction, run->plan);
    vector_append(&run->choices, dpor->reduction.plan.data, dpor->reduction.plan.count);
}

static int no_checkpoint(void *state, struct technique_run *run, struct checkpoints *checkpoints, struct server *server)
{
    (void)state, (void)run, (void)checkpoints, (void)server;
    return -1;
}

/* ---- what is not in it ------------------------------------------------------------------------------------------------------ */

static bool has_op(const struct reduction *reduction, enum wire_op op)
{
    return reduction->ops[op / 64] >> (op % 64) & 1;
}

static bool has_object(const struct reduction *reduction, enum op_object object)
{
    for (unsigned op = 0; op < WIRE_OP_COUNT; op++)
        if (op_object(op) == object && op != OP_EXIT && has_op(reduction, (enum wire_op)op))
            return true;
    return false;
}

/* What the runs may depend on besides the order of operations, or what was not tried.  `text` may be NULL: only how many. */
static size_t list_gaps(const struct reduction *reduction, const char **text)
{
    const struct {
        bool applies;
        const char *text;
    } gaps[] = {
        {reduction->beyond & BEYOND_CLOCK, "left out: what the program does at other times (it reads clocks)"},
        {reduction->beyond & BEYOND_TORN, "left out: accesses that other threads see half-done"},
        {reduction->beyond & BEYOND_PREFERENCE, "left out: other orders of waiting for a rwlock that prefers writers"},
        {reduction->beyond & BEYOND_STREAM, "left out: other orders of streams that are locked (flockfile)"},
        {reduction->beyond & BEYOND_ADDRESS,
         "left out: what depends on where memory is that the order of threads decides"},
        {reduction->timed_conditions && (reduction->waits & WAITS_TIME),
         "left out: other orders of the ends of timed condition waits"},
        {reduction->beyond & BEYOND_ROBUST, "left out: other moments at which owners of robust mutexes end"},
        {reduction->outlives, "left out: other orders of the ends of threads after main has ended"},
        {reduction->bounded, "left out: waits that end early more than three times at one place"},
        {reduction->lost, "left out: orders of what a run does after the first 65536 operations"},
        {reduction->moved, "left out: what depends on addresses that differ with the order of threads"},
        {reduction->outside, "left out: other orders of input, output and what else comes from outside"},
        {reduction->spun, "left out: more rounds of loops that nothing can end"},
        {reduction->impossible > 0, "left out: orders that were not possible when they were tried"},
        {reduction->unfinished > 0, "left out: what comes after the cut of runs (--max-steps)"},
        {has_object(reduction, ABOUT_SIGNAL), "left out: other moments at which signals arrive"},
        {has_object(reduction, ABOUT_OPENMP), "left out: other orders inside of OpenMP"},
        {has_object(reduction, ABOUT_PROCESS), "left out: other processes"},
        {has_op(reduction, OP_CANCEL), "left out: other moments at which threads are cancelled"},
        {has_op(reduction, OP_EXTERNAL), "left out: calls that are not controlled"},
    };
    size_t count = 0;
    for (size_t i = 0; i < sizeof gaps / sizeof gaps[0]; i++) {
        if (!gaps[i].applies)
            continue;
        if (text != NULL)
            text[count] = gaps[i].text;
        count++;
    }
    return count;
}

static bool is_complete(const struct reduction *reduction)
{
    return reduction->finished && reduction->passed.count == 0 && list_gaps(reduction, NULL) == 0;
}

/* ---- runs ------------------------------------------------------------------------------------------------------------------- */

/* A run of any technique may have shown that more is shared than was known. */
static bool observe_run(void *state, const struct technique_run *run, const struct technique_seen *seen)
{
    struct dpor *dpor = state;
    const struct dpor_run *own = run != NULL ? run->own : NULL;
    if (own != NULL && own->searches) {
        dpor->under_way = false;
        reduction_observe(&dpor->reduction, seen->copy, seen->failed);
    } else if (!dpor->under_way) {
        reduction_look(&dpor->reduction, seen->copy);
    }
    bool proven = is_complete(&dpor->reduction) && !seen->unseen && !dpor->setup.no_early_end;
    return dpor->reduction.finished && (dpor->setup.alone || proven);
}

static void abandon_run(void *state, const struct technique_run *run)
{
    struct dpor *dpor = state;
    const struct dpor_run *own = run->own;
    if (own->searches)
        dpor->under_way = false;
}

static void name_assumptions(const struct dpor *dpor, char *text, size_t size)
{
    bool spurious = (dpor->reduction.waits & WAITS_CONDITION) && !(dpor->setup.plan_flags & PLAN_SPURIOUS);
    bool patient = (dpor->reduction.waits & WAITS_TIME) && (dpor->setup.plan_flags & PLAN_PATIENT);
    snprintf(text, size, "SC memory%s%s", spurious ? ", no spurious wake-ups" : "",
             patient ? ", time passes only when no thread can go on" : "");
}

static void end_search(void *state, struct technique_end *end)
{
    enum { GAPS = 32 };
    const struct dpor *dpor = state;
    const struct reduction *reduction = &dpor->reduction;
    struct technique_search *search = &end->search;
    *search = (struct technique_search){.ran = reduction->runs > 0,
                                        .ended = reduction->finished,
                                        .complete = is_complete(reduction) && end->unseen.count == 0,
                                        .executions = reduction->runs - reduction->redundant,
                                        .failing = reduction->failing,
                                        .abandoned = reduction->redundant + reduction->impossible,
                                        .bound = UNBOUNDED};
    snprintf(search->what, sizeof search->what, "behaviour");
    name_assumptions(dpor, search->memory, sizeof search->memory);
    if (!search->ended)
        return;
    const char *gaps[GAPS];
    size_t count = list_gaps(reduction, gaps);
    assert(count <= GAPS);
    for (size_t i = 0; i < count; i++)
        vector_push(&end->left_out, memory_copy_string(gaps[i]));
    for (size_t i = 0; i < end->unseen.count; i++)
        vector_push(&end->left_out, memory_format("left out: %s", end->unseen.data[i]));
    search_leave_out_loops(reduction->passed.data, reduction->passed.count, end);
}

const struct technique technique_dpor = {
    .name = "dpor",
    .help = "every order of dependent operations once; a proof if it ends",
    .strategy = STRATEGY_TRACES,
    .run_size = sizeof(struct dpor_run),
    .open = open_search,
    .plan = plan_run,
    .checkpoint = no_checkpoint,
    .observe = observe_run,
    .abandon = abandon_run,
    .end = end_search,
    .close = close_search,
};
