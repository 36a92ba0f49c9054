/* SPDX-License-Identifier: MIT
 *
 * director.c - how many of the instances that could happen the director makes happen, each by attempts of its own.
 *
 *   director PROFILES ATTEMPTS SCHEDULES PROGRAM [list]
 *
 * A few profile runs predict instances.  Each that they did not show is given up to ATTEMPTS attempts; only what occurs in
 * one of its own attempts counts as made to happen.  Which ones can happen at all is found out by search: SCHEDULES by depth
 * first with at most two preemptions, and as many by each of four random strategies.
 *
 * Prints a line per family: name, predicted and open, feasible of these, made to happen, at the first attempt, and shown by any
 * attempt, its own or another's.  With `list`, also the instances that could happen and were not made to, on standard error: each
 * with how its attempts ended (how many of its steps, and what hindered the rest); of the others, which attempt did it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/server.h"
#include "control/spawn.h"
#include "coverage/coverage.h"
#include "direct/director.h"
#include "pattern/observe.h"
#include "technique/search.h"
#include "util/memory.h"

static struct server server;
static struct server_symbols symbols;
static struct wire_copy copy;
static struct execution execution;
static struct coverage *profile; /* the profile runs */
static struct coverage *all; /* every run: sites have the same numbers as in `profile`, which saw the first of them */
static uint64_t runs;

static void fail(const char *what)
{
    fprintf(stderr, "director: %s\n", what);
    exit(1);
}

static struct wire_plan *fresh_plan(enum wire_strategy strategy, uint64_t seed)
{
    struct wire_plan *plan = &server.wire->plan;
    memset(plan, 0, offsetof(struct wire_plan, task_points));
    plan->strategy = strategy;
    plan->seed = seed;
    plan->flags = PLAN_RECORD;
    plan->max_steps = 100000;
    plan->depth = 3;
    plan->expected_points = copy.result.points;
    plan->checkpoint = CHECKPOINT_NOWHERE;
    plan->bound = UINT32_MAX;
    return plan;
}

static void run(void)
{
    struct error error = {0};
    if (!server_begin_run(&server, &error))
        fail(error.text);
    enum server_state state = server_finish_run(&server, false, 0);
    wire_check_result(server.wire, COPY_STEPS | COPY_EVENTS | COPY_CHOICES, &copy);
    if (state == SERVER_DIED && !server_restart(&server, &error))
        fail(error.text);
    server_symbols_get(&symbols, &server);
    coverage_read(all, &copy, &symbols, &execution);
    coverage_observe(all, &execution, ++runs, PREDICT_NEVER);
}

static size_t pcs_of(void *context, uint32_t site, uint64_t *pcs, size_t most)
{
    (void)context;
    return coverage_pcs(profile, site, &symbols.modules, pcs, most);
}

static uint64_t seen(const struct instance *instance)
{
    size_t number = coverage_find(all, instance);
    return number == SIZE_MAX ? 0 : coverage_seen(all, number);
}

struct tried {
    struct instance instance;
    uint32_t attempt; /* that made it happen, from 1; 0 none */
    bool shown;       /* by any attempt */
    struct {
        uint8_t verdict, steps, hindrance;
    } ends[64]; /* of the first attempts */
    uint32_t count;
};

static void attempt(struct tried *tried, const struct coverage_open *open, uint32_t attempts)
{
    goal_steps prefix = {0};
    struct pattern pattern = instance_pattern(open->instance);
    for (uint32_t i = 0; i < attempts && tried->attempt == 0; i++) {
        struct wire_plan *plan = fresh_plan(STRATEGY_DIRECT, i * 977 + open->number);
        struct director_source source = coverage_source_of(open, open->count - 1 + i / 3);
        unsigned missing;
        if (!director_plan(plan, &prefix, &pattern, OBSERVE_WINDOW, &source, i, pcs_of, NULL, &missing))
            break;
        if (prefix.count > 0)
            memcpy(server.wire->plan_steps, prefix.data, prefix.count * sizeof prefix.data[0]);
        uint64_t before = seen(open->instance);
        run();
        const struct wire_directed *directed = &copy.result.directed;
        bool occurred = seen(open->instance) > before;
        if (occurred)
            tried->attempt = i + 1;
        if (tried->count < sizeof tried->ends / sizeof *tried->ends) {
            tried->ends[tried->count].verdict = (uint8_t)director_judge(&plan->goal, directed, occurred);
            tried->ends[tried->count].steps = (uint8_t)__builtin_popcount(directed->most);
            tried->ends[tried->count++].hindrance = (uint8_t)directed->hindrance;
        }
    }
    vector_free(&prefix);
}

static void search(uint64_t schedules)
{
    static const enum wire_strategy random_ones[] = {STRATEGY_RANDOM, STRATEGY_POS, STRATEGY_PCT, STRATEGY_PCTLARGE};
    struct search depth_first = {0};
    struct checkpoints none = {0};
    for (uint64_t i = 0; i < schedules && !depth_first.finished; i++) {
        struct wire_plan *plan = fresh_plan(STRATEGY_DFS, 0);
        plan->bound = 2;
        search_checkpoint(&depth_first, &none, &server, plan);
        plan_send_choices(plan, depth_first.path.data, depth_first.path.count, server.wire);
        plan->checkpoint = CHECKPOINT_NOWHERE; /* from the start each time: the whole run is recorded */
        run();
        search_observe(&depth_first, &copy);
    }
    search_free(&depth_first);
    for (uint64_t i = 0; i < 4 * schedules; i++) {
        fresh_plan(random_ones[i % 4], i * 77 + 5)->early_timeouts = 655;
        run();
    }
}

static void print(const struct tried *tried, size_t count)
{
    for (unsigned row = 0; row < family_count; row++) {
        size_t open = 0, feasible = 0, exposed = 0, first = 0, shown = 0;
        for (size_t i = 0; i < count; i++) {
            if (tried[i].instance.row != row)
                continue;
            open++;
            feasible += seen(&tried[i].instance) > 0;
            exposed += tried[i].attempt > 0;
            first += tried[i].attempt == 1;
            shown += tried[i].shown;
        }
        if (open > 0)
            printf("%s %zu %zu %zu %zu %zu\n", families[row].name, open, feasible, exposed, first, shown);
    }
}

static void list(const struct tried *tried)
{
    static const char *const hindrances[] = {"-", "alone", "broken", "window", "ended", "outcome"};
    struct buffer text = {0};
    instance_print(&tried->instance, coverage_sites(all), SITE_SHORT, &text);
    fprintf(stderr, "%s\n   ", buffer_text(&text));
    for (uint32_t i = 0; i < tried->count; i++)
        fprintf(stderr, " %c%u%s", director_verdict_name(tried->ends[i].verdict)[0], tried->ends[i].steps,
                hindrances[tried->ends[i].hindrance]);
    fputc('\n', stderr);
    buffer_free(&text);
}

int main(int argc, char **argv)
{
    struct error error = {0};
    struct input input = {.file = -1};
    if (argc < 5)
        fail("usage: director PROFILES ATTEMPTS SCHEDULES PROGRAM");
    struct server_setup setup = {.path = argv[4],
                                 .command = argv + 4,
                                 .input = &input,
                                 .keep_first = 1 << 16,
                                 .keep_last = 1 << 16,
                                 .hang_after = 10 * CLOCK_SECOND,
                                 .together = true};
    struct coverage_options options = {.families = family_by_name("idiom", &error)};
    profile = coverage_new(&options);
    all = coverage_new(&options);
    if (!input_take(&input, &error) || !server_start(&server, &setup, &error))
        fail(error.text);
    for (uint64_t i = 0; i < strtoull(argv[1], NULL, 10); i++) {
        fresh_plan(i == 0 ? STRATEGY_ROUNDROBIN : STRATEGY_PCTLARGE, i * 8);
        run();
        coverage_read(profile, &copy, &symbols, &execution);
        coverage_observe(profile, &execution, runs, PREDICT_ALWAYS);
    }
    VECTOR(struct tried) tried = {0};
    struct coverage_open open;
    for (size_t cursor = 0; coverage_next_open(profile, &cursor, &open);) {
        struct tried one = {.instance = *open.instance};
        attempt(&one, &open, (uint32_t)strtoul(argv[2], NULL, 10));
        vector_push(&tried, one);
    }
    for (size_t i = 0; i < tried.count; i++)
        tried.data[i].shown = seen(&tried.data[i].instance) > 0;
    search(strtoull(argv[3], NULL, 10));
    print(tried.data, tried.count);
    for (size_t i = 0; argc > 5 && i < tried.count; i++)
        if (tried.data[i].attempt > 0)
            fprintf(stderr, "AT %u %s\n", tried.data[i].attempt, families[tried.data[i].instance.row].name);
        else if (seen(&tried.data[i].instance) > 0)
            list(&tried.data[i]);
    vector_free(&tried);
    server_stop(&server);
    return 0;
}
