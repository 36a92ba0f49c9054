/* SPDX-License-Identifier: MIT
 *
 * dfs.c - depth-first search: all schedules, one after the other (search.h), and what they leave out.
 *
 * chess is the same search with 0, 1, 2, … preemptions (M. Musuvathi, S. Qadeer, "Iterative Context Bounding for Systematic Testing of
 * Multithreaded Programs", PLDI 2007): most errors need few.  When one preemption more gives no other schedule, there are no more.  Tasks
 * that are certain to spin are passed over, so it is fair to spin loops.  Where we differ: no sleep sets; each bound begins again.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "technique/search.h"
#include "technique/techniques.h"
#include "trace/headline.h"
#include "util/memory.h"

struct dfs {
    struct technique_setup setup;
    struct search search;
    /* chess: */
    uint64_t bound;     /* preemptions that are tried now */
    uint64_t schedules; /* that the bound before gave; 0: there was none, or the search began again since */
    uint64_t sites;     /* known then */
    uint64_t failing;   /* of `schedules` */
    uint64_t now;       /* failing ones of this bound */
    bool done;          /* a bound has been gone through: `bound` - 1, or if `finished` all that there are */
    bool finished;
};

static void *open_search(const struct technique_setup *setup, struct error *error)
{
    (void)error;
    struct dfs *dfs = memory_allocate(1, sizeof *dfs);
    dfs->setup = *setup;
    return dfs;
}

static void close_search(void *state)
{
    struct dfs *dfs = state;
    search_free(&dfs->search);
    free(dfs);
}

static void plan_path(void *state, struct technique_run *run)
{
    const struct dfs *dfs = state;
    vector_append(&run->choices, dfs->search.path.data, dfs->search.path.count);
    if (dfs->setup.coverage != NULL) /* a run that goes on from a checkpoint has the events of the run that made it */
        run->plan->flags |= PLAN_RECORD;
}

static int choose_checkpoint(void *state, struct technique_run *run, struct checkpoints *checkpoints,
                             struct server *server)
{
    struct dfs *dfs = state;
    return search_checkpoint(&dfs->search, checkpoints, server, run->plan);
}

static bool observe_run(void *state, const struct technique_run *run, const struct technique_seen *seen)
{
    struct dfs *dfs = state;
    if (run != NULL)
        search_observe(&dfs->search, seen->copy);
    return dfs->search.finished;
}

/* ---- chess ------------------------------------------------------------------------------------------------------------------ */

static void plan_bounded(void *state, struct technique_run *run)
{
    const struct dfs *dfs = state;
    plan_path(state, run);
    run->plan->bound = (uint32_t)dfs->bound;
    run->aimed = true;
}

/* The schedules of this bound have all been tried: one preemption more, unless that gave no more than the bound before. */
static void raise_bound(struct dfs *dfs)
{
    bool same_sites = dfs->sites == dfs->search.sites;
    dfs->finished = same_sites && dfs->schedules == dfs->search.schedules;
    dfs->done = true;
    dfs->schedules = dfs->search.schedules;
    dfs->sites = dfs->search.sites;
    dfs->failing = dfs->now;
    dfs->now = 0;
    if (dfs->finished || dfs->bound == dfs->setup.bound)
        return;
    dfs->bound++;
    dfs->search.finished = false;
    dfs->search.schedules = 0;
}

static bool observe_bounded(void *state, const struct technique_run *run, const struct technique_seen *seen)
{
    struct dfs *dfs = state;
    if (run == NULL)
        return false;
    search_observe(&dfs->search, seen->copy);
    if (dfs->search.schedules == 0) { /* more is shared than was known */
        dfs->done = false;
        dfs->now = 0;
    }
    dfs->now += seen->failed && dfs->search.schedules > 0;
    if (dfs->search.finished)
        raise_bound(dfs);
    return dfs->search.finished;
}

/* ---- what is not in it --------------------------------------------------------------------------------------------------------- */

/* `bound`: preemptions at most. */
static void leave_out_time(const struct dfs *dfs, uint64_t bound, struct technique_end *end)
{
    bool patient = dfs->setup.plan_flags & PLAN_PATIENT;
    if ((dfs->search.waits & WAITS_TIME) && patient)
        vector_push(&end->left_out,
                    memory_copy_string("left out: sleeps and timed waits that end although another thread can go on "
                                       "(--patient)"));
    if ((dfs->search.waits & WAITS_TIME) && !patient && bound < UNBOUNDED)
        vector_push(
            &end->left_out,
            memory_format("left out: schedules in which more than %" PRIu64 " waits end early (--bound)", bound + 1));
}

static void leave_out_waits(const struct dfs *dfs, struct technique_end *end)
{
    leave_out_time(dfs, dfs->setup.bound, end);
    if ((dfs->search.waits & WAITS_CONDITION) && !(dfs->setup.plan_flags & PLAN_SPURIOUS))
        vector_push(&end->left_out, memory_copy_string("left out: spurious wake-ups of condition waits (--spurious)"));
}

void search_leave_out_loops(const struct wire_passed *loops, size_t count, struct technique_end *end)
{
    for (size_t i = 0; i < count; i++) {
        const struct wire_passed *passed = &loops[i];
        vector_push(
            &end->left_out,
            memory_format("left out: more rounds of the loop at %s, which was taken for waiting and passed over "
                          "%" PRIu32 " time%s%s",
                          headline_where(end->symbols, passed->pc), passed->times, passed->times == 1 ? "" : "s",
                          passed->writes ? " (it writes and undoes it)" : ""));
    }
}

static void leave_out_cut(const struct dfs *dfs, struct technique_end *end)
{
    if (end->unfinished > 0)
        vector_push(&end->left_out,
                    memory_format("left out: what comes after the cut of %" PRIu64 " schedules (--max-steps)",
                                  end->unfinished));
    if (dfs->search.cut)
        vector_push(&end->left_out,
                    memory_format("left out: other ways after %u choices of a schedule", (unsigned)WIRE_CHOICES));
}

/* All schedules have been tried: how many, and what they do not cover. */
static void end_search(void *state, struct technique_end *end)
{
    const struct dfs *dfs = state;
    if (!dfs->search.finished)
        return;
    end->exhausted = end->taken_off ? 0 : dfs->search.schedules;
    leave_out_waits(dfs, end);
    search_leave_out_loops(dfs->search.passed.data, dfs->search.passed.count, end);
    leave_out_cut(dfs, end);
}

static void end_bounded(void *state, struct technique_end *end)
{
    const struct dfs *dfs = state;
    struct technique_search *search = &end->search;
    uint64_t bound = dfs->search.finished ? dfs->bound : dfs->bound - 1;
    size_t before = end->left_out.count;
    *search = (struct technique_search){
        .ran = true, .ended = dfs->done, .executions = dfs->schedules, .bound = dfs->finished ? UNBOUNDED : bound};
    snprintf(search->what, sizeof search->what, "schedule");
    snprintf(search->memory, sizeof search->memory, "SC memory%s",
             (dfs->search.waits & WAITS_CONDITION) && !(dfs->setup.plan_flags & PLAN_SPURIOUS)
                 ? ", no spurious wake-ups"
                 : "");
    if (!search->ended)
        return;
    leave_out_time(dfs, search->bound, end);
    search_leave_out_loops(dfs->search.passed.data, dfs->search.passed.count, end);
    leave_out_cut(dfs, end);
    for (size_t i = 0; i < end->unseen.count; i++)
        vector_push(&end->left_out, memory_format("left out: %s", end->unseen.data[i]));
    search->failing = dfs->failing;
    search->complete = end->left_out.count == before;
}

const struct technique technique_chess = {
    .name = "chess",
    .help = "all schedules without preemptions, then with one, two, …, up to --bound",
    .flags = TECHNIQUE_SEARCH,
    .strategy = STRATEGY_DFS,
    .open = open_search,
    .plan = plan_bounded,
    .checkpoint = choose_checkpoint,
    .observe = observe_bounded,
    .end = end_bounded,
    .close = close_search,
};

const struct technique technique_dfs = {
    .name = "dfs",
    .help = "depth-first search: all schedules, one by one; --bound limits their preemptions",
    .flags = TECHNIQUE_SEARCH,
    .strategy = STRATEGY_DFS,
    .open = open_search,
    .plan = plan_path,
    .checkpoint = choose_checkpoint,
    .observe = observe_run,
    .end = end_search,
    .close = close_search,
};
