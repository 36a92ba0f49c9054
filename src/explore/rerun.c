/* SPDX-License-Identifier: MIT
 *
 * rerun.c - run one schedule again, exactly, and record its events.
 */
#include "explore/rerun.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "explore/follow.h"
#include "explore/oracle_leak.h"
#include "trace/events.h"

void rerun_plan(struct wire *wire, const struct schedule *schedule)
{
    struct wire_plan *plan = &wire->plan;
    plan->strategy = STRATEGY_REPLAY;
    plan->flags = schedule->flags | PLAN_RECORD;
    plan->seed = schedule->seed;
    /* More may be scheduling points now than when it was found, so the bound is wider; a hang is measured by the bound. */
    plan->max_steps = schedule->max_steps;
    if (!(schedule->flags & PLAN_THEN_RANDOM) && plan->max_steps < UINT64_MAX / 4)
        plan->max_steps *= 4;
    plan->depth = 1;
    plan->early_timeouts = schedule->early_timeouts;
    plan->expected_points = 0;
    plan->interest_lo = plan->interest_hi = 0;
    plan->task_count = 0;
    plan->checkpoint = CHECKPOINT_NOWHERE;
    plan->plan_step_count = (uint32_t)schedule->steps.count;
    if (schedule->steps.count > 0)
        memcpy(wire->plan_steps, schedule->steps.data, schedule->steps.count * sizeof wire->plan_steps[0]);
}

static bool run_pass(struct rerun *rerun, struct server *server, const struct oracle *oracle,
                     const struct schedule *schedule, bool pass_on, struct error *error)
{
    rerun_plan(server->wire, schedule);
    server->wire->plan.flags |= PLAN_ORIGINS; /* it may be told afterwards */
    if (!server_begin_run(server, error))
        return false;
    rerun->state = server_finish_run(server, pass_on);
    wire_check_result(server->wire, COPY_STEPS | COPY_EVENTS, &rerun->copy);
    return oracle_judge(oracle, server, rerun->state, &rerun->copy, &rerun->judgement, error);
}

bool rerun_learn(struct rerun *rerun, struct server *server, const struct oracle *oracle,
                 const struct schedule *schedule, struct error *error)
{
    memset(server->wire->sites, 0, sizeof server->wire->sites);
    return run_pass(rerun, server, oracle, schedule, false, error);
}

bool rerun_schedule(struct rerun *rerun, struct server *server, const struct oracle *oracle,
                    const struct schedule *schedule, bool pass_on, struct error *error)
{
    if (!rerun_learn(rerun, server, oracle, schedule, error))
        return false;
    enum verdict verdict = rerun->judgement.verdict;
    if (verdict == VERDICT_GOOD || verdict == VERDICT_FAILURE)
        return run_pass(rerun, server, oracle, schedule, pass_on, error);
    if (pass_on && rerun->state != SERVER_DIED) {
        output_pass_on(&server->output, STDOUT_FILENO);
        output_pass_on(&server->errors, STDERR_FILENO);
    }
    return true;
}

void rerun_locate_hang(struct rerun *rerun)
{
    struct wire_finding *finding = &rerun->judgement.finding;
    if (rerun->judgement.verdict != VERDICT_FAILURE || finding->kind != KIND_HANG || finding->here.pc != 0)
        return;
    for (size_t i = rerun->copy.events.count; i-- > 0;)
        if (rerun->copy.events.data[i].task == finding->here.task) {
            finding->here.pc = rerun->copy.events.data[i].pc;
            return;
        }
}

bool rerun_oracle(struct oracle *oracle, const struct failure *failure, const struct server *server,
                  struct error *error)
{
    bool good = oracle_open(oracle, failure->check, failure->fail_on, failure->expect_exit, failure->expect_output,
                            failure->oracle, error);
    /* In a program that has changed another allocation may be at that place. */
    if (good && oracle->leaks != NULL && follow_is_unchanged(failure, server))
        oracle_leaks_know(oracle->leaks, failure->key);
    return good;
}

void rerun_free(struct rerun *rerun)
{
    wire_copy_free(&rerun->copy);
}

struct symbols *server_symbols_get(struct server_symbols *cache, const struct server *server)
{
    struct wire_modules *modules = memory_allocate(1, sizeof *modules);
    wire_check_modules(server->wire, modules);
    bool same = cache->symbols != NULL && modules->count == cache->modules.count &&
                memcmp(modules->entries, cache->modules.entries, modules->count * sizeof modules->entries[0]) == 0;
    if (!same) {
        server_symbols_close(cache);
        cache->modules = *modules;
        cache->symbols = symbols_open(modules->entries, modules->count);
    }
    free(modules);
    return cache->symbols;
}

void server_symbols_close(struct server_symbols *cache)
{
    if (cache->symbols != NULL)
        symbols_close(cache->symbols);
    cache->symbols = NULL;
}

bool rerun_events(const struct rerun *rerun, struct symbols *symbols, struct buffer *text)
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&bytes, &size);
    if (stream == NULL)
        return false;
    bool good =
        events_write(stream, symbols, &rerun->copy.result, rerun->copy.events.data, (uint32_t)rerun->copy.events.count);
    good = fclose(stream) == 0 && good;
    if (good)
        buffer_add(text, bytes, size);
    free(bytes);
    return good;
}
