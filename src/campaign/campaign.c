/* SPDX-License-Identifier: MIT
 *
 * campaign.c - schedules, each planned and finished, and a whole campaign of them; loop.c has their order.
 */
#include "campaign/campaign.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "campaign/campaign_memo.h"
#include "campaign/monitor.h"
#include "campaign/observation.h"
#include "campaign/runlog.h"
#include "coverage/coverage_json.h"
#include "trace/headline.h"
#include "util/hash.h"
#include "util/log.h"
#include "util/stop.h"

enum { DEATHS_ALLOWED = 5, LEAST_STEPS = 1000000, SLOTS_PER_JOB = 2 };
#define MEMO_GRACE (CLOCK_SECOND / 2) /* for writing the memo after the end */

/* ---- one schedule --------------------------------------------------------------------------------------------------- */

/* Has the run make a checkpoint on its way where other attempts will come by. */
static void hold_for_others(struct campaign *campaign, struct slot *slot, const struct checkpoints_wish *wish)
{
    struct technique_ahead ahead = {0};
    struct checkpoints_wish others[TECHNIQUE_AHEAD];
    size_t count = 0;
    uint32_t step;
    uint64_t until;
    if (!portfolio_ahead(campaign->portfolio, slot->member, &slot->run, &ahead))
        others[count++] = *wish; /* the same pattern will be tried again, the same way */
    for (; count < ahead.count; count++)
        others[count] = (struct checkpoints_wish){ahead.prefixes[count].data, ahead.prefixes[count].count, wish->flags};
    if (checkpoints_choose(&slot->checkpoints, &slot->server, wish, others, count, &step, &until))
        checkpoints_ask(&slot->checkpoints, &slot->server, slot->plan, CHECKPOINT_AT(step), until);
    technique_ahead_free(&ahead);
}

/* Returns the checkpoint to continue from, or -1.  Nothing that is decided here changes what a run does. */
static int plan_checkpoint(struct campaign *campaign, struct slot *slot)
{
    struct checkpoints *checkpoints = &slot->checkpoints;
    int from;
    checkpoints_bound(checkpoints, &slot->server, slot->plan);
    if (portfolio_checkpoint(campaign->portfolio, slot->member, &slot->run, checkpoints, &slot->server, &from))
        return from;
    if (slot->plan->flags & PLAN_BEST_EFFORT)
        return -1;
    const struct checkpoints_wish wish = {slot->run.steps.data, slot->plan->plan_step_count, slot->plan->flags};
    from = checkpoints_find(checkpoints, &slot->server, &wish);
    if (from < 0 && checkpoints_wants_first(checkpoints, &slot->server, wish.flags))
        checkpoints_ask(checkpoints, &slot->server, slot->plan, CHECKPOINT_FIRST, 0);
    else if (checkpoints_may_ask(checkpoints) && checkpoints_is_far(checkpoints, &wish, from))
        hold_for_others(campaign, slot, &wish);
    return from;
}

/* Has a technique of the portfolio plan the run. */
static void plan_run(struct campaign *campaign, struct slot *slot)
{
    struct technique_run *run = &slot->run;
    slot->member = portfolio_choose(campaign->portfolio, slot->number);
    run->number = slot->number;
    run->plan = slot->plan;
    run->addresses_vary = campaign->results->randomised;
    if (campaign->portfolio->members[slot->member].technique->flags & TECHNIQUE_AIMS) {
        server_symbols_get(&slot->symbols, &slot->server);
        run->modules = &slot->symbols.modules;
    }
    portfolio_plan(campaign->portfolio, slot->member, run);
}

/* Returns the checkpoint to continue from, or -1. */
static int make_plan(struct campaign *campaign, struct slot *slot)
{
    const struct campaign_settings *settings = campaign->settings;
    struct wire_plan *plan = slot->plan;
    plan_reset(plan);
    plan->flags = settings->plan_flags | campaign->oracle->plan_flags;
    plan->max_steps = campaign->results->step_bound;
    plan->early_timeouts = settings->early_timeouts;
    plan->bound = settings->bound;
    plan_run(campaign, slot);
    observation_plan(campaign, slot);
    int from = plan_checkpoint(campaign, slot);
    plan_send_choices(plan, slot->run.choices.data, slot->run.choices.count, slot->server.wire);
    plan_send(plan, slot->run.steps.data, slot->server.wire);
    return from;
}

bool campaign_plan_schedule(struct campaign *campaign, struct slot *slot, struct error *error)
{
    assert(slot->state == SLOT_FREE);
    if (!slot->started) {
        if (!server_start(&slot->server, &campaign->settings->setup, error))
            return false;
        slot->started = true;
        campaign->results->randomised |= slot->server.randomised;
    }
    slot->number = campaign->next++;
    if (campaign->slot_count > 1)
        learned_give(&campaign->learned, &slot->learned, &slot->server);
    slot->from = make_plan(campaign, slot);
    slot->state = SLOT_PLANNED;
    return true;
}

/* The fork server died with the run: start it again, but not for ever. */
static bool server_died(struct campaign *campaign, struct slot *slot, struct error *error)
{
    campaign->results->lost_runs++;
    if (++campaign->deaths > DEATHS_ALLOWED)
        return error_set(error, EXIT_INTERNAL,
                         "the fork server of %s died %u times in a row: the program kills its own parent, or the "
                         "system ran out of memory",
                         campaign->settings->program, campaign->deaths);
    log_verbose("schedule %" PRIu64 ": the fork server died; starting it again", slot->number);
    return server_restart(&slot->server, error);
}

static void label_units(struct campaign *campaign, const struct slot *slot)
{
    if (coverage_needs_units(campaign->results->coverage))
        units_label(&campaign->units, server_symbols_sets(&slot->symbols, campaign->oracle->assumptions), &slot->copy,
                    &campaign->execution);
}

/* Has coverage observe the run.  False: the time was over before its end. */
static bool measure_coverage(struct campaign *campaign, struct slot *slot, struct technique_seen *seen)
{
    struct results *results = campaign->results;
    server_symbols_get(&slot->symbols, &slot->server);
    coverage_read(results->coverage, &slot->copy, &slot->symbols, &campaign->execution);
    label_units(campaign, slot);
    bool whole = campaign->settings->coverage_all || slot->run.observe;
    struct coverage_run observed = coverage_observe(results->coverage, &campaign->execution, slot->number, PREDICT_NEW,
                                                    whole ? 0 : observation_budget(results, &slot->copy.result));
    if (observed.cut) {
        results->cut_observation = slot->number;
        portfolio_abandon(campaign->portfolio, slot->member, &slot->run);
        return false;
    }
    seen->symbols = slot->symbols.symbols;
    seen->observed = true;
    seen->new_covered = observed.new_covered;
    return true;
}

static void look_for_saturation(struct campaign *campaign)
{
    struct results *results = campaign->results;
    results->saturated = coverage_is_saturated(results->coverage, campaign->settings->saturation);
    if (results->saturated && campaign->settings->until_saturated)
        campaign->stop = results->ended_saturated = true;
}

/* What raddle does not see or control: a search cannot be sure that it has run all behaviours. */
static void name_unseen(const struct campaign *campaign, struct technique_end *end)
{
    const struct results *results = campaign->results;
    const struct {
        bool applies;
        const char *words;
    } reasons[] = {
        {results->uncontrolled.count > 0, "calls that are not controlled"},
        {results->blind.libraries.count > 0, "libraries that are not instrumented"},
        {results->blind.assembler.count > 0, "assembler that is not understood"},
        {results->preload, "accesses to memory: the program is not instrumented (--preload)"},
        {results->randomised, "what depends on addresses, which are random"},
        {results->free_processes > 0, "other processes, which ran free"},
        {results->taken_off, "threads that computed for long and were taken off: when depends on time"},
        {results->lost_runs > 0, "runs that got lost because the fork server died"},
        {results->unconfirmed_schedules > 0, "something that differs when a schedule is run again"},
        {(results->lost_tables & (LOST_SITES | LOST_STEPS)) != 0, "what did not fit into tables"},
    };
    vector_clear(&end->unseen);
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
        if (reasons[i].applies)
            vector_push(&end->unseen, reasons[i].words);
}

/* What can be learned from a run that has ended. */
static void learn(struct campaign *campaign, struct slot *slot, const struct judgement *judgement)
{
    struct results *results = campaign->results;
    struct technique_seen seen = {.schedule = slot->number, .copy = &slot->copy, .profile = slot->run.profile};
    seen.limited = (slot->plan->flags & PLAN_PAIRS) != 0;
    seen.failed = judgement->verdict == VERDICT_FAILURE;
    name_unseen(campaign, &results->end);
    seen.unseen = results->end.unseen.count > 0;
    if (seen.limited)
        seen.new_pairs = observation_new_pairs(results, &slot->copy.result);
    if (slot->run.profile && !slot->observed)
        execution_read(&campaign->execution, &slot->copy);
    bool whole = !slot->observed || measure_coverage(campaign, slot, &seen);
    monitor_look(campaign, slot, judgement);
    if (slot->run.profile || slot->observed)
        seen.execution = &campaign->execution;
    if (whole)
        campaign->stop |= portfolio_observe(campaign->portfolio, slot->member, &slot->run, &seen);
    if (whole && slot->observed) {
        if (campaign->memo != NULL)
            campaign_memo_look_up(campaign->memo, results->coverage, &campaign->portfolio->targets);
        look_for_saturation(campaign);
    }
    if (whole && slot->observed && judgement->verdict != VERDICT_GOOD)
        coverage_not_passed(results->coverage);
}

/* The bound of the next runs: as runs that ended are long, in powers of two, since checkpoints are of no use after a change; if none has ended
   although something still changed, ten times as many steps as before.  A bound that the user gave is never changed. */
static void adapt_step_bound(const struct campaign_settings *settings, struct results *results)
{
    enum { LONGER = 16, TRY_MORE = 10, MOST = 1000000000 };
    if (settings->max_steps != 0)
        return;
    while (results->longest > 0 && results->longest * LONGER > results->step_bound)
        results->step_bound *= 2;
    if (results->longest == 0 && results->still + results->stopped + results->crowded < results->unfinished &&
        results->step_bound < MOST)
        results->step_bound *= TRY_MORE;
}

/* Runs that came to no end, and what there is to say about why. */
static void count_unfinished(struct results *results, const struct wire_result *result, uint64_t bound,
                             const struct judgement *judgement)
{
    results->taken_off |= result->taken_off > 0;
    if (judgement->verdict != VERDICT_UNFINISHED) {
        results->longest = result->points > results->longest ? result->points : results->longest;
        return;
    }
    results->unfinished++;
    if (result->end == END_STEPS && bound > results->cut_at)
        results->cut_at = bound;
    results->stopped += judgement->stopped;
    results->impossible += judgement->impossible;
    results->crowded += !judgement->stopped && result->end == END_THREADS;
    results->still +=
        !judgement->stopped && result->end != END_THREADS && result->points - result->progress > result->points / 2;
    if (judgement->stopped && !judgement->impossible && results->why_stopped[0] == '\0')
        snprintf(results->why_stopped, sizeof results->why_stopped, "%s", judgement->text);
}

static void account(struct campaign *campaign, struct slot *slot, const struct judgement *judgement)
{
    struct results *results = campaign->results;
    struct wire_copy *copy = &slot->copy;
    results_count(results, copy);
    portfolio_count(campaign->portfolio, slot->member, copy->result.points);
    observation_count(results, copy->result.points);
    results->free_processes += __atomic_exchange_n(&slot->server.wire->head.attached, 0, __ATOMIC_RELAXED);
    results->preload |= campaign->settings->setup.preload != NULL;
    results->one_process_per_run |= slot->server.one_process_per_run;
    count_unfinished(results, &copy->result, slot->plan->max_steps, judgement);
    adapt_step_bound(campaign->settings, results);
    campaign->deaths = 0;
    results->continued += slot->server.continued;
    if (slot->plan->checkpoint == CHECKPOINT_FIRST && copy->result.not_held[0] != '\0')
        snprintf(results->not_held, sizeof results->not_held, "%s", copy->result.not_held);
    campaign_announce(campaign);
    campaign_warnings(campaign, slot);
    if (campaign->settings->show_output) {
        log_stream();
        output_pass_on(&slot->server.output, STDOUT_FILENO);
        output_pass_on(&slot->server.errors, STDERR_FILENO);
    }
}

/* What was held back may have been a failure, and the end. */
static bool may_tell(const struct campaign *campaign)
{
    return !campaign->stop || campaign->settings->keep_going;
}

/* One thread that had nothing to choose does the same in every schedule.  To be sure it is seen twice. */
static void look_for_threads(struct campaign *campaign, const struct wire_copy *copy)
{
    enum { TWICE = 2 };
    bool choices = false;
    for (size_t i = 0; i < copy->steps.count; i++)
        choices |= copy->steps.data[i].type == STEP_CHOICE;
    if (copy->result.task_count <= 1 && !choices)
        campaign->alone++;
    campaign->stop |= campaign->alone >= TWICE && campaign->alone == campaign->results->schedules;
}

/* The slots take turns, so only one of them needs room for the events of a long run. */
static void release_events(struct campaign *campaign, struct slot *slot)
{
    enum { FEW = 1 << 16 };
    if (campaign->slot_count == 1 || (slot->copy.events.capacity <= FEW && slot->copy.steps.capacity <= FEW))
        return;
    wire_copy_free(&slot->copy);
    execution_clear(&campaign->execution); /* its steps were those of the copy */
}

bool campaign_finish_schedule(struct campaign *campaign, struct slot *slot, struct error *error)
{
    assert(slot->state == SLOT_ENDED);
    struct judgement *judgement = memory_allocate(1, sizeof *judgement);
    enum server_state state = slot->ended_as;
    slot->state = SLOT_FREE;
    wire_check_result(slot->server.wire, plan_parts(slot->plan), &slot->copy);
    if (campaign->slot_count > 1)
        learned_take(&campaign->learned, &slot->learned, &slot->server);
    if (state != SERVER_DIED)
        checkpoints_observe(&slot->checkpoints, &slot->server, &slot->copy, (double)slot->took / 1e9);
    oracle_want(campaign->oracle, NULL);
    bool good = oracle_judge(campaign->oracle, &slot->server, state, &slot->copy, judgement, error);
    if (plan_follows_choices(slot->plan) && judgement->verdict == VERDICT_DIVERGED &&
        (campaign->results->taken_off || slot->copy.result.taken_off > 0)) {
        judgement->verdict = VERDICT_UNFINISHED;
        judgement->stopped = true;
        snprintf(judgement->text, sizeof judgement->text, "a thread computed for longer or shorter than before");
    }
    if (slot->plan->strategy == STRATEGY_TRACES && judgement->verdict == VERDICT_DIVERGED) {
        judgement->verdict = VERDICT_UNFINISHED;
        judgement->stopped = judgement->impossible = true;
        snprintf(judgement->text, sizeof judgement->text, "an order of the threads that dpor planned was not possible");
    }
    if (good && campaign->settings->log != NULL)
        runlog_write(campaign->settings->log, slot, judgement);
    if (good)
        switch (judgement->verdict) {
        case VERDICT_LOST:
            portfolio_abandon(campaign->portfolio, slot->member, &slot->run);
            good = server_died(campaign, slot, error);
            break;
        case VERDICT_DAMAGED:
        case VERDICT_INTERNAL:
        case VERDICT_DIVERGED:
            good = error_set(error, EXIT_INTERNAL, "schedule %" PRIu64 " (%s, seed %" PRIu64 "): %s", slot->number,
                             portfolio_run_name(&slot->run), campaign->portfolio->seed, judgement->text);
            break;
        case VERDICT_FAILURE:
            account(campaign, slot, judgement);
            if (campaign_hold_exit(campaign, slot, judgement))
                look_for_threads(campaign, &slot->copy);
            else if (may_tell(campaign))
                campaign_found(campaign, slot, judgement); /* before anything that may take long */
            learn(campaign, slot, judgement);
            break;
        case VERDICT_UNCONTROLLED: /* as all others will */
            snprintf(campaign->results->uncontrollable, sizeof campaign->results->uncontrollable, "%.200s",
                     judgement->text);
            campaign->stop = true;
            account(campaign, slot, judgement);
            break;
        case VERDICT_GOOD:
            account(campaign, slot, judgement);
            campaign_hold_exit(campaign, slot, judgement);
            look_for_threads(campaign, &slot->copy);
            learn(campaign, slot, judgement);
            break;
        case VERDICT_UNFINISHED:
            account(campaign, slot, judgement);
            learn(campaign, slot, judgement);
            break;
        }
    free(judgement);
    release_events(campaign, slot);
    return good;
}

/* ---- a campaign -------------------------------------------------------------------------------------------------------- */

/* Runs that are still under way.  One that has only begun is not worth a word. */
static void count_given_up(struct campaign *campaign)
{
    const int64_t long_run = 500 * CLOCK_MILLISECOND;
    for (uint32_t i = 0; i < campaign->slot_count; i++)
        campaign->results->given_up +=
            campaign->slots[i].state == SLOT_BUSY && clock_now() - campaign->slots[i].server.began > long_run;
}

static void campaign_close(struct campaign *campaign)
{
    for (uint32_t i = 0; i < campaign->slot_count; i++) {
        struct slot *slot = &campaign->slots[i];
        if (slot->started)
            server_stop(&slot->server);
        server_symbols_close(&slot->symbols);
        wire_copy_free(&slot->copy);
        technique_run_free(&slot->run);
        checkpoints_free(&slot->checkpoints);
        free(slot->plan);
    }
    free(campaign->slots);
    execution_free(&campaign->execution);
    units_free(&campaign->units);
    learned_free(&campaign->learned);
    campaign_drop_exit(campaign);
    campaign_memo_close(campaign->memo);
    if (campaign->confirm_server.setup != NULL)
        server_stop(&campaign->confirm_server);
    server_symbols_close(&campaign->confirm_symbols);
}

static bool is_new_site(void *context, uint32_t site)
{
    const struct campaign *campaign = context;
    return campaign_memo_is_new_site(campaign->memo, campaign->results->coverage, site);
}

static bool begin_coverage(struct campaign *campaign, struct error *error)
{
    const struct campaign_settings *settings = campaign->settings;
    struct results *results = campaign->results;
    if (settings->coverage.families == 0)
        return true;
    results->coverage = coverage_new(&settings->coverage);
    if (settings->memo == NULL)
        return true;
    campaign->memo = campaign_memo_open(settings->memo, settings->program, settings->setup.path,
                                        coverage_cores(results->coverage), error);
    campaign->stored = clock_now();
    return campaign->memo != NULL;
}

static bool begin_techniques(struct campaign *campaign, struct error *error)
{
    const struct campaign_settings *settings = campaign->settings;
    const struct technique_setup setup = {.coverage = campaign->results->coverage,
                                          .bound = settings->bound,
                                          .no_early_end = settings->no_early_end,
                                          .plan_flags = settings->plan_flags,
                                          .program = settings->setup.path,
                                          .pattern = settings->pattern,
                                          .pcr_without = settings->pcr_without,
                                          .suspend_at_once = settings->suspend_at_once,
                                          .is_new_site = campaign->memo != NULL ? is_new_site : NULL,
                                          .context = campaign};
    campaign->portfolio->targets.give_up = settings->give_up;
    return portfolio_open(campaign->portfolio, &setup, error);
}

/* What the techniques have to say at the end. */
static void end_techniques(struct campaign *campaign)
{
    struct results *results = campaign->results;
    struct slot *slot = &campaign->slots[0];
    results->end.symbols = slot->started ? server_symbols_get(&slot->symbols, &slot->server) : NULL;
    results->many_modules = slot->started && slot->symbols.modules.count == WIRE_MODULES;
    results->end.unfinished = results->unfinished;
    results->end.taken_off = results->taken_off;
    name_unseen(campaign, &results->end);
    portfolio_end(campaign->portfolio, &results->end);
    results->end.symbols = NULL;
}

/* What a report needs to show coverage in the source. */
static bool keep_coverage(struct campaign *campaign, struct error *error)
{
    const struct results *results = campaign->results;
    struct slot *slot = &campaign->slots[0];
    if (results->coverage == NULL || results->schedules == 0 || campaign->settings->pattern != NULL)
        return true;
    if (slot->started)
        server_symbols_get(&slot->symbols, &slot->server);
    return coverage_write_json(results->coverage, &campaign->portfolio->targets, &slot->symbols,
                               campaign->settings->out, error);
}

bool campaign_store(struct campaign *campaign, struct error *error)
{
    campaign->stored = clock_now();
    struct slot *slot = &campaign->slots[0];
    struct symbols *symbols = slot->started ? server_symbols_get(&slot->symbols, &slot->server) : NULL;
    return campaign_memo_store(campaign->memo, campaign->results->coverage, &campaign->portfolio->targets, error) &&
           campaign_memo_store_cores(campaign->memo, campaign->results->coverage, symbols, error);
}

static bool keep_memo(struct campaign *campaign, struct error *error)
{
    bool cut = stop_requested();
    int64_t end = stop_finish(MEMO_GRACE);
    bool good =
        campaign_store(campaign, error) &&
        campaign_memo_campaign(campaign->memo, campaign->settings, campaign->portfolio->seed, campaign->results, error);
    if (cut && stop_requested())
        log_say("there was no time to write all of what is new to the memo");
    stop_at(end);
    return good;
}

/* With one job each run is planned from all results before it.  With several, others are run while results wait for their turn. */
static void make_slots(struct campaign *campaign)
{
    uint32_t jobs = campaign->settings->jobs, count = jobs > 1 ? SLOTS_PER_JOB * jobs : 1;
    campaign->slots = memory_allocate(count, sizeof *campaign->slots);
    campaign->slot_count = count;
    for (uint32_t i = 0; i < count; i++) {
        struct slot *slot = &campaign->slots[i];
        slot->plan = memory_allocate(1, sizeof *slot->plan);
        slot->checkpoints.policy = campaign->settings->checkpoints;
        slot->checkpoints.memory = checkpoints_memory() / count;
    }
}

bool campaign_run(const struct campaign_settings *settings, struct oracle *oracle, struct portfolio *portfolio,
                  struct results *results, struct error *error)
{
    struct campaign *campaign = memory_allocate(1, sizeof *campaign);
    campaign->settings = settings;
    campaign->oracle = oracle;
    campaign->portfolio = portfolio;
    campaign->results = results;
    make_slots(campaign);
    campaign->next = campaign->oldest = 1;
    results->step_bound = settings->max_steps != 0 ? settings->max_steps : LEAST_STEPS;
    campaign->began = campaign->last_progress = clock_now();
    stop_at(settings->time > 0 ? campaign->began + settings->time : 0);
    bool good = begin_coverage(campaign, error) && begin_techniques(campaign, error);
    if (good && settings->replay_first)
        good = campaign_replay_known(campaign, error);
    good = good && campaign_loop(campaign, error);
    count_given_up(campaign);
    end_techniques(campaign);
    if (campaign->slots[0].started) {
        server_symbols_get(&campaign->slots[0].symbols, &campaign->slots[0].server);
        blind_look(&results->blind, &campaign->slots[0].symbols.modules);
    }
    results_warn_of_leaks(results);
    results_tell_orders(results);
    results_tell_violations(results);
    results->interrupted = stop_interrupted();
    results->seconds = (double)(clock_now() - campaign->began) / 1e9;
    if (campaign->memo != NULL && results->schedules > 0)
        good = keep_memo(campaign, good ? error : &(struct error){0}) && good;
    good = keep_coverage(campaign, good ? error : &(struct error){0}) && good;
    campaign_close(campaign);
    free(campaign);
    return good;
}

int campaign_exit_code(const struct results *results, char *why, size_t size)
{
    why[0] = '\0';
    if (results->failures.count > 0)
        return EXIT_BUG_FOUND;
    if (results->schedules == 0 && results->interrupted)
        return EXIT_NOTHING_FOUND;
    if (results->uncontrollable[0] != '\0')
        snprintf(why, size, "%s: nothing can be said about the program", results->uncontrollable);
    else if (results->schedules == 0)
        snprintf(why, size,
                 "not one schedule came to its end in %.0f s: nothing can be said about the program; give it more "
                 "--time, or less to do",
                 results->seconds);
    else if (results->unfinished == results->schedules)
        snprintf(why, size, "no schedule came to its end: nothing can be said about the program%s",
                 results->crowded == results->unfinished
                     ? ": it has more threads than raddle can carry; give it less to do"
                 : results->stopped + results->still + results->crowded < results->unfinished
                     ? "; if it ends by itself and is only long, give it more time, and --max-steps"
                     : "");
    else if (results->same_exits > 0 && !results->exits_differ)
        snprintf(why, size,
                 "the program ended with exit status %d in every schedule (%" PRIu64 "): that is no matter of "
                 "interleaving; mend it, or say --expect-exit %d if it is meant so",
                 results->exit_status, results->same_exits, results->exit_status);
    else if (results->unconfirmed.count > 0)
        snprintf(why, size,
                 "what failed did not fail again under the same schedule (%s): the program does not do the same "
                 "thing under the same interleaving, so nothing can be said about it",
                 results->unconfirmed.data[0].path != NULL ? results->unconfirmed.data[0].path
                                                           : "it could not be kept");
    else if (results->threads <= 1)
        snprintf(why, size, "the program had only one thread in every schedule: there is nothing to interleave");
    else if (results->shared_locations == 0 && results->locks == 0 && !results->talk)
        snprintf(why, size, "the threads share nothing that raddle can see: no data, no locks, no I/O");
    return why[0] != '\0' ? EXIT_UNCONTROLLED : EXIT_NOTHING_FOUND;
}
