/* SPDX-License-Identifier: MIT
 *
 * trial.c - see trial.h.
 */
#include "control/trial.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "trace/headline.h"
#include "util/clock.h"
#include "util/stop.h"

enum { DEATHS_ALLOWED = 3 }; /* consecutive deaths of servers */

void trial_set_budget(struct trial *trial, const struct trial_budget *budget)
{
    assert(budget->time >= 0);
    trial->budget = *budget;
    trial->deadline = budget->time != 0 ? clock_now() + budget->time : 0;
    trial->runs = trial->points = 0;
    trial->deaths = 0;
    trial->over = trial->broken = false;
}

static bool is_late(const struct trial *trial)
{
    return trial->deadline != 0 && clock_now() >= trial->deadline;
}

bool trial_may_run(struct trial *trial)
{
    assert(trial->server != NULL);
    const struct trial_budget *budget = &trial->budget;
    trial->over |= stop_requested() || (budget->runs != 0 && trial->runs >= budget->runs) ||
                   (budget->points != 0 && trial->points >= budget->points) || is_late(trial);
    return !trial->over && !trial->broken;
}

static enum trial_verdict broken(struct trial *trial)
{
    trial->broken = true;
    return TRIAL_BROKEN;
}

/* The server died with the run; the next run starts it again. */
static enum trial_verdict server_died(struct trial *trial)
{
    assert(trial->deaths <= DEATHS_ALLOWED);
    if (++trial->deaths <= DEATHS_ALLOWED)
        return TRIAL_UNFINISHED;
    error_set(&trial->error, EXIT_INTERNAL,
              "the fork server of %s died %u times in a row: the program kills its own parent, or the system ran out "
              "of memory",
              trial->server->setup->path, trial->deaths);
    return broken(trial);
}

static enum trial_verdict verdict_of(struct trial *trial, const struct judged_run *run)
{
    assert(run->state != SERVER_GOING);
    if (run->state == SERVER_GIVEN_UP)
        return TRIAL_UNFINISHED;
    if (run->state == SERVER_DIED)
        return server_died(trial);
    trial->deaths = 0;
    if (run->judgement.verdict == VERDICT_GOOD)
        return TRIAL_PASSED;
    if (run->judgement.verdict != VERDICT_FAILURE)
        return TRIAL_UNFINISHED;
    return trial_shows_failure(trial, run) ? TRIAL_FAILED : TRIAL_FAILED_OTHERWISE;
}

/* How a run is made. */
struct manner {
    int slot;         /* of the checkpoint; -1: from the beginning */
    int64_t deadline; /* 0: none */
    bool pass_on;
};

static enum trial_verdict run(struct trial *trial, const struct wire_plan *plan, const struct wire_step *steps,
                              const struct manner *manner, struct judged_run *run)
{
    assert(trial->oracle != NULL && trial->server != NULL);
    assert(manner->slot >= -1 && manner->slot < WIRE_CHECKPOINTS);
    struct server *server = trial->server;
    trial->broken = false;
    run->state = SERVER_DIED;
    run->judgement.verdict = VERDICT_LOST;
    oracle_want(trial->oracle, trial->key);
    plan_send(plan, steps, server->wire);
    server->wire->plan.flags |= trial->oracle->plan_flags & PLAN_KEEPS;
    if (!(manner->slot >= 0 ? server_continue_run(server, (uint32_t)manner->slot, &trial->error)
                            : server_begin_run(server, &trial->error)))
        return broken(trial);
    run->state = server_finish_run(server, manner->pass_on, manner->deadline);
    wire_check_result(server->wire, plan_parts(plan) | oracle_parts(trial->oracle), &run->copy);
    if (!oracle_judge(trial->oracle, server, run->state, &run->copy, &run->judgement, &trial->error))
        return broken(trial);
    return verdict_of(trial, run);
}

enum trial_verdict trial_continue(struct trial *trial, const struct wire_plan *plan, const struct wire_step *steps,
                                  int slot, struct judged_run *result)
{
    assert(!trial->broken && slot >= -1 && slot < WIRE_CHECKPOINTS);
    const struct manner manner = {.slot = slot, .deadline = trial->deadline};
    enum trial_verdict verdict = run(trial, plan, steps, &manner, result);
    if (result->state == SERVER_GIVEN_UP) {
        trial->over = true;
        return verdict;
    }
    trial->runs++;
    trial->points += verdict != TRIAL_BROKEN ? result->copy.result.points : 0;
    return verdict;
}

enum trial_verdict trial_run(struct trial *trial, const struct wire_plan *plan, const struct wire_step *steps,
                             struct judged_run *result)
{
    return trial_continue(trial, plan, steps, -1, result);
}

enum trial_verdict trial_run_extra(struct trial *trial, const struct wire_plan *plan, const struct wire_step *steps,
                                   bool pass_on, struct judged_run *result)
{
    const struct manner manner = {.slot = -1, .pass_on = pass_on};
    return run(trial, plan, steps, &manner, result);
}

char *trial_failure_key(const struct trial *trial, const struct judged_run *run)
{
    assert(trial->symbols != NULL);
    if (run->judgement.verdict != VERDICT_FAILURE)
        return NULL;
    struct symbols *symbols = server_symbols_get(trial->symbols, trial->server);
    return failure_key(symbols, &run->copy.result, &run->judgement.finding);
}

bool trial_shows_failure(const struct trial *trial, const struct judged_run *run)
{
    if (trial->key == NULL)
        return false;
    char *key = trial_failure_key(trial, run);
    bool same = key != NULL && strcmp(key, trial->key) == 0;
    free(key);
    return same;
}

bool trial_pass_error(const struct trial *trial, struct error *error)
{
    assert(trial->broken && trial->error.code != 0);
    *error = trial->error;
    return false;
}

void judged_run_free(struct judged_run *run)
{
    wire_copy_free(&run->copy);
}
