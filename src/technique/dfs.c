/* SPDX-License-Identifier: MIT
 *
 * dfs.c - depth-first search: all schedules, one after the other (search.h), and what they leave out.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "technique/search.h"
#include "technique/techniques.h"
#include "trace/headline.h"
#include "util/memory.h"

struct dfs {
    struct technique_setup setup;
    struct search search;
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

static void leave_out_waits(const struct dfs *dfs, struct technique_end *end)
{
    bool patient = dfs->setup.plan_flags & PLAN_PATIENT;
    if ((dfs->search.waits & WAITS_TIME) && patient)
        vector_push(&end->left_out,
                    memory_copy_string("left out: sleeps and timed waits that end although another thread can go on "
                                       "(--patient)"));
    if ((dfs->search.waits & WAITS_TIME) && !patient && dfs->setup.bound < UNBOUNDED)
        vector_push(&end->left_out,
                    memory_format("left out: schedules in which more than %" PRIu64 " waits end early (--bound)",
                                  (uint64_t)dfs->setup.bound + 1));
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

/* All schedules have been tried: how many, and what they do not cover. */
static void end_search(void *state, struct technique_end *end)
{
    const struct dfs *dfs = state;
    if (!dfs->search.finished)
        return;
    end->exhausted = end->taken_off ? 0 : dfs->search.schedules;
    leave_out_waits(dfs, end);
    search_leave_out_loops(dfs->search.passed.data, dfs->search.passed.count, end);
    if (end->unfinished > 0)
        vector_push(&end->left_out,
                    memory_format("left out: what comes after the cut of %" PRIu64 " schedules (--max-steps)",
                                  end->unfinished));
    if (dfs->search.cut)
        vector_push(&end->left_out,
                    memory_format("left out: other ways after %u choices of a schedule", (unsigned)WIRE_CHOICES));
}

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
