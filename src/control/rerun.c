/* SPDX-License-Identifier: MIT
 *
 * rerun.c - runs one schedule again, exactly, and records its events.
 */
#include "control/rerun.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "control/build.h"
#include "control/oracle_leak.h"
#include "trace/events.h"

void rerun_plan(struct wire_plan *plan, const struct schedule *schedule)
{
    plan_reset(plan);
    plan_replay(plan, schedule);
    plan->flags |= PLAN_RECORD | PLAN_TAIL;
    /* More may be scheduling points now than when it was found, so the bound is wider; a hang is measured by the bound. */
    if (!(schedule->flags & PLAN_THEN_RANDOM) && plan->max_steps < UINT64_MAX / 4)
        plan->max_steps *= 4;
}

static enum trial_verdict run_pass(struct trial *trial, const struct schedule *schedule, bool pass_on,
                                   struct judged_run *run)
{
    struct wire_plan plan;
    rerun_plan(&plan, schedule);
    plan.flags |= PLAN_ORIGINS; /* a tale may be built from it */
    if (trial->full_events)
        plan.record_room = WIRE_EVENTS;
    return trial_run_extra(trial, &plan, schedule->steps.data, pass_on, run);
}

enum trial_verdict rerun_learn(struct trial *trial, const struct schedule *schedule, struct judged_run *run)
{
    memset(trial->server->wire->sites, 0, sizeof trial->server->wire->sites);
    return run_pass(trial, schedule, false, run);
}

enum trial_verdict rerun_schedule(struct trial *trial, const struct schedule *schedule, bool pass_on,
                                  struct judged_run *run)
{
    struct server *server = trial->server;
    enum trial_verdict verdict = rerun_learn(trial, schedule, run);
    if (verdict != TRIAL_UNFINISHED && verdict != TRIAL_BROKEN)
        return run_pass(trial, schedule, pass_on, run);
    if (verdict != TRIAL_BROKEN && pass_on && run->state != SERVER_DIED && run->state != SERVER_GIVEN_UP) {
        output_pass_on(&server->output, STDOUT_FILENO);
        output_pass_on(&server->errors, STDERR_FILENO);
    }
    return verdict;
}

void rerun_locate_hang(struct judged_run *run)
{
    struct wire_finding *finding = &run->judgement.finding;
    if (run->judgement.verdict != VERDICT_FAILURE || finding->kind != KIND_HANG || finding->here.pc != 0)
        return;
    for (size_t i = run->copy.events.count; i-- > 0;)
        if (run->copy.events.data[i].task == finding->here.task) {
            finding->here.pc = run->copy.events.data[i].pc;
            return;
        }
}

bool rerun_oracle(struct oracle *oracle, const struct failure *failure, const struct server *server,
                  struct error *error)
{
    const struct oracle_options options = {.check = failure->check,
                                           .fail_on = failure->fail_on,
                                           .expect_exit = failure->expect_exit,
                                           .expect_output = failure->expect_output,
                                           .command = failure->oracle};
    bool good = oracle_open(oracle, &options, error);
    if (good && failure->assume != NULL) {
        oracle_assume(oracle, assumptions_parse(failure->path, failure->assume, error));
        good = oracle->assumptions != NULL;
    }
    if (good && failure->suppressions != NULL) {
        struct suppressions *suppressions =
            suppress_parse(failure->path, failure->suppressions, strlen(failure->suppressions), error);
        oracle_suppress(oracle, suppressions);
        good = suppressions != NULL;
    }
    /* If the program has changed, the place may belong to another allocation. */
    if (good && oracle->leaks != NULL && build_is_unchanged(failure, server))
        oracle_leaks_know(oracle->leaks, failure->key);
    return good;
}

bool rerun_events(const struct judged_run *run, struct symbols *symbols, bool whole, struct buffer *text)
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&bytes, &size);
    if (stream == NULL)
        return false;
    bool good = events_write(stream, symbols, &run->copy.result, run->copy.events.data,
                             (uint32_t)run->copy.events.count, whole);
    good = fclose(stream) == 0 && good;
    if (good)
        buffer_add(text, bytes, size);
    free(bytes);
    return good;
}

bool rerun_failure_events(const struct judged_run *run, struct symbols *symbols, struct failure *failure,
                          struct buffer *text)
{
    bool good = rerun_events(run, symbols, failure->full_events, text);
    const struct wire_copy *copy = &run->copy;
    failure->events = copy->events.count + copy->result.events_gap;
    failure->events_left_out =
        good ? events_left_out(&copy->result, (uint32_t)copy->events.count, failure->full_events) : 0;
    return good;
}
