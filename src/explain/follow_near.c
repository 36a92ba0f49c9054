/* SPDX-License-Identifier: MIT
 *
 * follow_near.c - schedules near an old failure.
 *
 * DESIGN
 *   First each single switch is moved by one event of its thread, earlier and later; preemptions come before other
 *   switches.  Then random changes, in turn: some switches moved by a few events; one switch left out; a prefix of the
 *   schedule followed by one of the usual strategies; one of the usual strategies alone.  No schedule is run twice.
 *   Seeds come from the seed of the schedule: the same failure and program give the same schedules.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "explain/follow_private.h"
#include "util/hash.h"

enum { FARTHEST = 4 };         /* most events by which a switch is moved */
enum { EARLY_TIMEOUTS = 655 }; /* per 65536 points, as in campaigns */
enum { VAIN = 8 };             /* attempts to find a new schedule per remaining run */

struct near {
    struct follow *follow;
    struct generator generator;
    VECTOR(struct wire_step) steps; /* of the next run */
    struct table seen;              /* hashes of them */
    size_t runs;                    /* steps that run, in the plan */
};

static bool is_over(const struct near *near)
{
    return near->follow->done || !trial_may_run(near->follow->trial);
}

/* The first `runs` steps of the plan, and the choices. */
static void begin_steps(struct near *near, size_t runs)
{
    assert(runs <= near->runs);
    const struct follow_plan *plan = &near->follow->plan;
    vector_clear(&near->steps);
    vector_append(&near->steps, plan->steps.data, runs);
    vector_append(&near->steps, plan->steps.data + near->runs, plan->steps.count - near->runs);
}

static bool run_steps(struct near *near, const struct follow_tail *tail)
{
    return follow_run(near->follow, near->steps.data, near->steps.count, tail);
}

/* Runs the steps, then each thread as far as it can; unless this was run before. */
static bool run_quietly(struct near *near)
{
    uint64_t *seen = table_put(&near->seen, schedule_hash(near->steps.data, near->steps.count));
    struct follow_tail tail = {.strategy = STRATEGY_DFS, .seed = near->follow->failure->schedule.seed, .depth = 1};
    return (*seen)++ > 0 || run_steps(near, &tail);
}

static bool run_usually(struct near *near)
{
    static const enum wire_strategy usual[] = {STRATEGY_POS, STRATEGY_RANDOM, STRATEGY_PCT, STRATEGY_PCTLARGE};
    struct generator *generator = &near->generator;
    struct follow_tail tail = {
        .strategy = usual[generator_below(generator, sizeof usual / sizeof usual[0])],
        .seed = generator_next(generator),
        .depth = 2 + (uint32_t)generator_below(generator, 2),
        .early_timeouts = EARLY_TIMEOUTS,
    };
    return run_steps(near, &tail);
}

/* ---- changes ---------------------------------------------------------------------------------------------------------- */

/* The operation of the event that is `by` events of the thread away; UINT64_MAX: after the last one. */
static uint64_t moved_by(const struct follow *follow, const struct wire_step *step, int distance)
{
    if (step->task >= follow->now.thread_count) {
        bool below = distance < 0 && step->until <= (uint64_t)-distance;
        return below ? 1 : step->until + (uint64_t)(int64_t)distance;
    }
    const struct follow_thread *thread = &follow->now.threads[step->task];
    size_t i = 0, count = thread->lines.count;
    while (i < count && follow->now.log.lines[thread->lines.data[i]].operation < step->until)
        i++;
    if (distance < 0)
        i = i > (size_t)-distance ? i - (size_t)-distance : 0;
    else
        i += (size_t)distance;
    return i < count ? follow->now.log.lines[thread->lines.data[i]].operation : UINT64_MAX;
}

static void move_switch(struct near *near, size_t index, int distance)
{
    struct wire_step *step = &near->steps.data[index];
    if (step->until == UINT64_MAX && distance > 0)
        return;
    step->until = moved_by(near->follow, step, distance);
    step->value = step->until == UINT64_MAX ? STEP_AS_FAR : step->value;
}

static bool move_each(struct near *near, bool preempted)
{
    bool good = true;
    for (size_t i = 0; i < near->runs; i++) {
        if ((near->follow->plan.steps.data[i].value == 1) != preempted)
            continue;
        for (int distance = -1; good && distance <= 1 && !is_over(near); distance += 2) {
            begin_steps(near, near->runs);
            move_switch(near, i, distance);
            good = run_quietly(near);
        }
    }
    return good;
}

static bool move_some(struct near *near)
{
    struct generator *generator = &near->generator;
    begin_steps(near, near->runs);
    for (uint64_t i = generator_below(generator, 3) + 1; i-- > 0;) {
        int distance = 1 + (int)generator_below(generator, FARTHEST);
        size_t index = generator_below(generator, near->runs);
        move_switch(near, index, generator_below(generator, 2) ? distance : -distance);
    }
    return run_quietly(near);
}

static bool leave_one_out(struct near *near)
{
    begin_steps(near, near->runs);
    size_t index = generator_below(&near->generator, near->runs);
    memmove(near->steps.data + index, near->steps.data + index + 1,
            (near->steps.count - index - 1) * sizeof near->steps.data[0]);
    near->steps.count--;
    return run_quietly(near);
}

static bool run_beginning(struct near *near)
{
    begin_steps(near, near->runs > 0 ? 1 + generator_below(&near->generator, near->runs) : 0);
    return run_usually(near);
}

static bool run_from_the_start(struct near *near)
{
    vector_clear(&near->steps);
    return run_usually(near);
}

bool follow_near(struct follow *follow, const struct trial_budget *budget)
{
    static bool (*const ways[])(struct near *) = {
        move_some, run_beginning, leave_one_out, run_from_the_start, run_beginning,
    };
    enum { WAYS = sizeof ways / sizeof ways[0] };
    struct near near = {.follow = follow, .generator = {hash_mix(follow->failure->schedule.seed)}};
    if (budget->runs == 0)
        return true;
    trial_set_budget(follow->trial, budget);
    while (near.runs < follow->plan.steps.count && follow->plan.steps.data[near.runs].type == STEP_RUN)
        near.runs++;
    bool good = move_each(&near, true) && move_each(&near, false);
    for (uint64_t i = 0; good && !is_over(&near) && i < budget->runs * VAIN; i++)
        good = near.runs > 0 ? ways[i % WAYS](&near) : run_from_the_start(&near);
    follow->report->near = follow->trial->runs;
    vector_free(&near.steps);
    table_free(&near.seen);
    return good;
}
