/* SPDX-License-Identifier: MIT
 *
 * new_failure.c - what happens with a failure: seen before? then counted; else run again, saved, told.  What shows something else when it is run again
 * is no failure: it is counted, and kept apart.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "campaign/campaign.h"
#include "control/build.h"
#include "explain/follow.h"
#include "explain/simplify.h"
#include "tale/tale.h"
#include "trace/failure.h"
#include "trace/headline.h"
#include "util/file.h"
#include "util/log.h"
#include "util/stop.h"

#define CONFIRM_GRACE CLOCK_SECOND
#define SAVE_GRACE    (CLOCK_SECOND / 3)
enum { CONFIRM_TIMES = 4 };            /* two runs, both recorded */
#define INPUT_LIMIT ((size_t)64 << 20) /* larger standard input is not kept with a failure */

/* ---- confirming --------------------------------------------------------------------------------------------------------- */

struct server *campaign_confirm_server(struct campaign *campaign, struct error *error)
{
    if (campaign->confirm_server.setup == NULL &&
        !server_start(&campaign->confirm_server, &campaign->settings->setup, error)) {
        campaign->confirm_server.setup = NULL;
        return NULL;
    }
    return &campaign->confirm_server;
}

struct trial campaign_confirm_trial(struct campaign *campaign, const char *key)
{
    return (struct trial){.server = &campaign->confirm_server,
                          .symbols = &campaign->confirm_symbols,
                          .oracle = campaign->oracle,
                          .full_events = campaign->settings->full_events,
                          .key = key};
}

/* Runs the schedule again.  NULL: it shows the same failure; else the reason why it is not confirmed, fresh. */
static char *confirm(struct campaign *campaign, const struct schedule *schedule, const char *key,
                     struct judged_run *rerun)
{
    struct trial trial = campaign_confirm_trial(campaign, key);
    enum trial_verdict verdict = TRIAL_BROKEN;
    if (campaign_confirm_server(campaign, &trial.error) != NULL)
        verdict = rerun_schedule(&trial, schedule, false, rerun);
    if ((verdict == TRIAL_BROKEN || rerun->judgement.verdict == VERDICT_LOST) && stop_requested())
        return memory_format("%s before it could be run again",
                             stop_interrupted() ? "interrupted" : "the time was over");
    rerun_locate_hang(rerun);
    switch (verdict) {
    case TRIAL_FAILED:
        return NULL;
    case TRIAL_FAILED_OTHERWISE:
        return memory_format("run again it showed something else: %s", rerun->judgement.finding.text);
    case TRIAL_PASSED:
        return memory_copy_string("run again it passed: something that raddle does not control differs");
    case TRIAL_BROKEN:
        return memory_format("it could not be run again: %s", trial.error.text);
    default:
        return memory_format("run again it went another way: %s", rerun->judgement.text);
    }
}

/* ---- saving --------------------------------------------------------------------------------------------------------------- */

/* `rerun`: one that shows the failure, NULL: there is none. */
/* Before other runs are made: a server that is just being started again has no modules, so no names. */
static void fill_events(const struct judged_run *rerun, struct symbols *symbols, struct failure *failure,
                        struct failure_files *files)
{
    int64_t end = stop_finish(SAVE_GRACE);
    rerun_failure_events(rerun, symbols, failure, &files->events);
    stop_at(end);
}

static void fill_input(const struct campaign *campaign, struct failure_files *files)
{
    const struct input *input = campaign->settings->setup.input;
    files->has_input = input->is_given && input_read(input, INPUT_LIMIT, &files->input);
}

static char *absolute_or_null(const char *path)
{
    return path != NULL ? file_absolute(path) : NULL;
}

static void fill_failure(struct campaign *campaign, const struct slot *slot, struct failure *failure)
{
    const struct campaign_settings *settings = campaign->settings;
    const struct oracle *oracle = campaign->oracle;
    failure->strategy = memory_copy_string(portfolio_run_name(&slot->run));
    failure->campaign_seed = campaign->portfolio->seed;
    failure->schedule_number = slot->number;
    failure->preemptions = schedule_preemptions(slot->copy.steps.data, slot->copy.steps.count);
    failure->preemptions_found = failure->preemptions;
    failure->threads = slot->copy.result.task_count;
    failure->program = memory_copy_string(settings->identity);
    failure->build = build_hash(&slot->server);
    failure->command = failure_copy_command(settings->setup.command);
    failure->directory = file_absolute(settings->setup.directory != NULL ? settings->setup.directory : ".");
    if (settings->setup.directory == NULL && strlen(failure->directory) > 2)
        failure->directory[strlen(failure->directory) - 2] = '\0'; /* without the "/." */
    failure->preload = settings->setup.preload != NULL;
    failure->full_events = settings->full_events;
    failure->size_limit = settings->failure_size;
    failure->check = settings->check != NULL ? memory_copy_string(settings->check) : NULL;
    failure->fail_on = settings->fail_on != NULL ? memory_copy_string(settings->fail_on) : NULL;
    failure->expect_exit = oracle->expect_exit;
    failure->expect_output = absolute_or_null(oracle->expect_output);
    failure->assume = oracle->assumptions != NULL ? memory_copy_string(assumptions_text(oracle->assumptions)) : NULL;
    failure->oracle = oracle->command != NULL ? memory_copy_string(oracle->command) : NULL;
    failure->suppressions =
        oracle->suppressions != NULL ? memory_copy_string(suppress_text(oracle->suppressions)) : NULL;
}

void campaign_schedule_of(const struct slot *slot, struct schedule *schedule)
{
    schedule->flags = slot->plan->flags & ~(uint32_t)(PLAN_KEEPS | PLAN_PREFIX | PLAN_BEST_EFFORT);
    schedule->max_steps = slot->plan->max_steps;
    schedule->seed = slot->plan->seed;
    schedule->early_timeouts = slot->plan->early_timeouts;
    vector_append(&schedule->steps, slot->copy.steps.data, slot->copy.steps.count);
}

/* A hang has no last step: it goes on as it likes, by the seed. */
static void fill_schedule(const struct slot *slot, const struct wire_finding *finding, struct schedule *schedule)
{
    campaign_schedule_of(slot, schedule);
    if (finding->kind == KIND_HANG)
        schedule->flags |= PLAN_THEN_RANDOM;
}

/* ---- simplifying ---------------------------------------------------------------------------------------------------------- */

/* What telling may still take: of a campaign with a time limit a tenth of it in all, and at least two seconds.  Never 0. */
static int64_t telling_left(const struct campaign *campaign)
{
    const int64_t least = 2 * CLOCK_SECOND, time = campaign->settings->time;
    if (time == 0)
        return INT64_MAX;
    int64_t allowed = time / 10 > least ? time / 10 : least;
    int64_t used = (int64_t)(campaign->results->seconds_telling * 1e9) + clock_now() - campaign->telling_since;
    return used < allowed ? allowed - used : 1;
}

/* How much may be spent on one failure.  Runs and points come first, so that a campaign ends the same each time; the time is for
   programs that are slow: no more than half of what the campaign took so far, and a second.  A campaign without a time limit should
   not depend on what else the machine does: there it is three times as much. */
static struct trial_budget budget_for(const struct campaign *campaign, uint64_t runs)
{
    enum { POINTS = 10000000, MORE = 3 };
    bool limited = campaign->settings->time > 0;
    int64_t spent = clock_now() - campaign->began, left = campaign->settings->time - spent;
    int64_t second = limited ? CLOCK_SECOND : MORE * CLOCK_SECOND;
    int64_t time = second + spent / 2, most = 2 * second;
    if (limited && left / 2 < most) /* the rest is for what comes after it */
        most = left > 2 ? left / 2 : 1;
    if (telling_left(campaign) / 2 < most) /* half for shrinking, half for the cause */
        most = telling_left(campaign) / 2 + 1;
    return (struct trial_budget){.runs = runs, .points = POINTS, .time = time < most ? time : most};
}

static struct simplify simplify_in(struct campaign *campaign, struct trial *trial, struct failure_files *files)
{
    return (struct simplify){
        .trial = trial,
        .seen = campaign->results->coverage,
        .seed = campaign->portfolio->seed,
        .files = files,
    };
}

/* Leaves failure and rerun better, or as they were.  False: there was no time for all of it. */
static bool shrink(struct campaign *campaign, struct failure *failure, struct judged_run *rerun, struct schedule *found,
                   struct failure_files *files)
{
    enum { RUNS = 2000 };
    struct trial trial = campaign_confirm_trial(campaign, failure->key);
    struct simplify simplify = simplify_in(campaign, &trial, files);
    struct trial_budget budget = budget_for(campaign, RUNS);
    struct shrink_report report;
    if (!campaign->settings->shrink || stop_requested())
        return true;
    if (!simplify_failure(&simplify, failure, rerun, found, &budget, &report) && !stop_requested())
        log_say("the failure could not be made simpler: %s", trial.error.text);
    log_verbose("shrunk in %" PRIu64 " runs: from %u to %u preemptions, from %u to %u switches%s", report.runs,
                report.preemptions_before, report.preemptions_after, report.switches_before, report.switches_after,
                report.complete ? "; it does not go simpler" : "");
    return report.complete || clock_now() < trial.deadline;
}

/* False: there was no time for all of it. */
static bool find_cause(struct campaign *campaign, struct failure *failure, const struct judged_run *rerun,
                       struct tale *tale, struct schedule *simpler)
{
    enum { RUNS = 400, HARD_END = 3 }; /* looking at one run may take longer than all of the budget */
    struct trial trial = campaign_confirm_trial(campaign, failure->key);
    struct simplify simplify = simplify_in(campaign, &trial, NULL);
    struct trial_budget budget = budget_for(campaign, RUNS);
    int64_t hard = HARD_END * budget.time, left = telling_left(campaign);
    int64_t end = stop_within(hard < left ? hard : left);
    if (campaign->settings->shrink && !simplify_cause(&simplify, failure, rerun, tale, &budget, simpler) &&
        !stop_requested())
        log_say("the cause could not be looked for: %s", trial.error.text);
    bool complete = !stop_requested();
    stop_at(end);
    return complete;
}

/* ---- telling ---------------------------------------------------------------------------------------------------------------- */

int campaign_terminal_width(void)
{
    struct winsize window;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col >= 60)
        return window.ws_col;
    return 0;
}

/* The number that its directory has; there may be others of earlier campaigns. */
static size_t number_of(const struct campaign *campaign, const struct failure *failure)
{
    const char *number = failure->path != NULL ? strrchr(failure->path, '-') : NULL;
    return number != NULL ? strtoul(number + 1, NULL, 10) : campaign->results->failures.count;
}

static void tell(struct campaign *campaign, const struct failure *failure, const struct tale *tale, double seconds,
                 bool cut)
{
    char *shrunk = failure->preemptions_found != failure->preemptions
                       ? memory_format("shrunk from %u to ", failure->preemptions_found)
                       : memory_copy_string("");
    log_error("%sFAILURE %zu: %s%s   (schedule %" PRIu64 ", %s, %.2f s; %s%u preemption%s)", log_red(),
              number_of(campaign, failure), failure->text, log_plain(), failure->schedule_number, failure->strategy,
              seconds, shrunk, failure->preemptions, failure->preemptions == 1 ? "" : "s");
    free(shrunk);
    if (failure->early != NULL)
        log_error("in it time passes early: %s (--patient leaves such failures out)", failure->early);
    if (!log_is_quiet()) {
        FILE *stream = log_stream();
        fputc('\n', stream);
        tale_print(tale, stream, campaign_terminal_width(), false);
        fflush(stream);
    }
    if (failure->path != NULL) {
        char *path = text_quoted(failure->path);
        log_error("replay it with: raddle replay %s", path);
        log_say("all of it: raddle explain %s --full", path);
        if (failure->events_left_out > 0)
            log_say("its event log leaves out %" PRIu64 " of %" PRIu64 " events, in the middle%s",
                    failure->events_left_out, failure->events,
                    failure->full_events ? "" : " (--full-events keeps all)");
        if (failure->left_out != NULL)
            log_say("too large to be kept (--failure-size): %s", failure->left_out);
        if (cut)
            log_say("%s before it was simplified and explained to the end; that goes on with: raddle shrink %s",
                    stop_interrupted() ? "interrupted" : "the time was over", path);
        free(path);
    }
}

/* ---- a new failure ------------------------------------------------------------------------------------------------------------ */

void campaign_remember(result_failures *list, const struct failure *failure, uint64_t schedule)
{
    struct result_failure entry = {
        .key = memory_copy_string(failure->key),
        .kind = memory_copy_string(failure->kind),
        .site = memory_copy_string(failure->site != NULL ? failure->site : "?"),
        .text = memory_copy_string(failure->text != NULL ? failure->text : failure->kind),
        .early = failure->early != NULL ? memory_copy_string(failure->early) : NULL,
        .path = failure->path != NULL ? memory_copy_string(failure->path) : NULL,
        .strategy = failure->strategy != NULL ? memory_copy_string(failure->strategy) : NULL,
        .pattern = failure->pattern != NULL ? memory_copy_string(failure->pattern) : NULL,
        .preemptions = failure->preemptions,
        .preemptions_found = failure->preemptions_found,
        .schedule = schedule,
        .count = 1,
        .confirmed = failure->confirmed,
    };
    for (char **key = failure->also; key != NULL && *key != NULL; key++)
        vector_push(&entry.also, memory_copy_string(*key));
    vector_push(list, entry);
}

static void save(const struct campaign *campaign, const struct tale *tale, struct failure_files *files,
                 struct failure *failure)
{
    struct error error = {0};
    fill_input(campaign, files);
    tale_write(tale, &files->tale);
    if (!failure_write(failure, campaign->settings->out, files, &error))
        log_error("%s; the failure is not saved: make room there or choose another place with --out", error.text);
}

/* What is said and kept of it: from the rerun, which has events, if it shows the same; else from the run that failed. */
struct told {
    const struct wire_copy *copy;
    const struct wire_finding *finding;
    struct symbols *symbols;
    const struct failure_files *files; /* what it printed */
};

static void describe(const struct told *told, struct failure *failure, struct tale *tale)
{
    const struct wire_copy *copy = told->copy;
    tale_build(tale, told->symbols, copy, told->finding);
    tale_add_output(tale, &told->files->output, &told->files->errors);
    failure->site = memory_copy_string(tale->site);
    failure->text = memory_copy_string(tale->text);
    failure->early = headline_early(told->symbols, &copy->result, copy->events.data, (uint32_t)copy->events.count);
    tale->preemptions_found = failure->preemptions_found;
}

static void forget_description(struct failure *failure, struct failure_files *files, struct tale *tale)
{
    char **texts[] = {&failure->site, &failure->text, &failure->early, &failure->cause, &failure->pattern};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        free(*texts[i]);
        *texts[i] = NULL;
    }
    buffer_free(&files->events);
    tale_free(tale);
}

/* The names and events of the run that is told, and its cause.  False: there was no time for all of it. */
static bool describe_with_cause(struct campaign *campaign, struct failure *failure, struct judged_run *rerun,
                                struct failure_files *files, struct tale *tale, struct schedule *simpler)
{
    struct symbols *symbols = server_symbols_get(&campaign->confirm_symbols, &campaign->confirm_server);
    describe(&(struct told){&rerun->copy, &rerun->judgement.finding, symbols, files}, failure, tale);
    fill_events(rerun, symbols, failure, files);
    return find_cause(campaign, failure, rerun, tale, simpler);
}

/* The search for the cause may meet a schedule with fewer preemptions: then shrinking begins again there, and all is told again. */
static bool explain(struct campaign *campaign, struct failure *failure, struct judged_run *rerun,
                    struct schedule *found, struct failure_files *files, struct tale *tale)
{
    enum { RUNS = 1000 };
    struct schedule simpler = {0};
    bool complete = describe_with_cause(campaign, failure, rerun, files, tale, &simpler);
    struct trial trial = campaign_confirm_trial(campaign, failure->key);
    struct simplify simplify = simplify_in(campaign, &trial, files);
    struct trial_budget budget = budget_for(campaign, RUNS);
    if (simpler.steps.count == 0 || stop_requested()) {
        schedule_free(&simpler);
        return complete;
    }
    if (!simplify_again(&simplify, failure, rerun, found, &simpler, &budget))
        return complete;
    forget_description(failure, files, tale);
    return describe_with_cause(campaign, failure, rerun, files, tale, NULL);
}

/* A failure that replays: made simpler, explained, saved and told. */
static void tell_failure(struct campaign *campaign, struct slot *slot, struct failure *failure,
                         struct judged_run *rerun, struct failure_files *files)
{
    struct schedule found = {0};
    struct tale tale;
    double seconds = (double)(clock_now() - campaign->began) / 1e9;
    bool complete = shrink(campaign, failure, rerun, &found, files);
    bool cut = !explain(campaign, failure, rerun, &found, files, &tale) || !complete;
    files->found = found.steps.count > 0 ? &found : NULL;
    if (!campaign_same_cause(campaign, failure, slot->number)) {
        save(campaign, &tale, files, failure);
        campaign_remember(&campaign->results->failures, failure, slot->number);
        tell(campaign, failure, &tale, seconds, cut);
    }
    files->found = NULL;
    tale_free(&tale);
    schedule_free(&found);
}

/* Run again it showed something else: it is no failure.  It is kept, so that a user can find out why. */
static void tell_unconfirmed(struct campaign *campaign, struct slot *slot, const struct judgement *judgement,
                             struct failure *failure, struct failure_files *files, const char *doubt)
{
    struct results *results = campaign->results;
    struct result_failure *known = results_find_unconfirmed(results, failure->key);
    struct tale tale;
    if (known != NULL) {
        known->count++;
        return;
    }
    struct symbols *symbols = server_symbols_get(&slot->symbols, &slot->server);
    describe(&(struct told){&slot->copy, &judgement->finding, symbols, files}, failure, &tale);
    save(campaign, &tale, files, failure);
    campaign_remember(&results->unconfirmed, failure, slot->number);
    log_say("unconfirmed, and so no failure: %s (schedule %" PRIu64 "); %s%s%s", failure->text, slot->number, doubt,
            failure->path != NULL ? "; kept in " : "", failure->path != NULL ? failure->path : "");
    tale_free(&tale);
}

bool campaign_save_and_tell(struct campaign *campaign, struct slot *slot, const struct judgement *judgement, char *key)
{
    struct judged_run *rerun = memory_allocate(1, sizeof *rerun);
    struct failure failure = {.key = key, .kind = memory_copy_string(result_kind_name(judgement->finding.kind))};
    struct failure_files files = {0};
    campaign->telling_since = clock_now();
    fill_failure(campaign, slot, &failure);
    fill_schedule(slot, &judgement->finding, &failure.schedule);
    /* What was found is run again, even if the time is over. */
    int64_t end = stop_not_within(CONFIRM_GRACE + CONFIRM_TIMES * slot->took);
    char *doubt = confirm(campaign, &failure.schedule, key, rerun);
    stop_at(end);
    bool confirmed = failure.confirmed = doubt == NULL;
    output_read(&slot->server.output, &files.output);
    output_read(&slot->server.errors, &files.errors);
    if (confirmed)
        tell_failure(campaign, slot, &failure, rerun, &files);
    else
        tell_unconfirmed(campaign, slot, judgement, &failure, &files, doubt);
    failure_files_free(&files);
    free(doubt);
    judged_run_free(rerun);
    free(rerun);
    failure_free(&failure);
    return confirmed;
}

/* What did not replay is run again when it shows again in other schedules, but not for ever. */
static bool is_given_up(struct results *results, const char *key)
{
    enum { TRIES = 3, MOST = 16 };
    const struct result_failure *known = results_find_unconfirmed(results, key);
    return known != NULL ? known->count >= TRIES : results->unconfirmed.count >= MOST;
}

/* A failure that is not known yet.  True: it is one. */
static bool take_new(struct campaign *campaign, struct slot *slot, const struct judgement *judgement, char *key)
{
    struct results *results = campaign->results;
    int64_t from = clock_now();
    if (is_given_up(results, key)) {
        struct result_failure *known = results_find_unconfirmed(results, key);
        if (known != NULL)
            known->count++;
        free(key);
        return false;
    }
    bool confirmed = campaign_save_and_tell(campaign, slot, judgement, key);
    results->seconds_telling += (double)(clock_now() - from) / 1e9;
    return confirmed;
}

void campaign_found(struct campaign *campaign, struct slot *slot, const struct judgement *judgement)
{
    struct results *results = campaign->results;
    double seconds = (double)(clock_now() - campaign->began) / 1e9;
    struct symbols *symbols = server_symbols_get(&slot->symbols, &slot->server);
    char *key = failure_key(symbols, &slot->copy.result, &judgement->finding);
    struct result_failure *known = results_find(results, key);
    if (known != NULL) {
        known->count++;
        free(key);
    } else if (campaign_found_again(campaign, slot, key)) {
        free(key);
    } else if (!take_new(campaign, slot, judgement, key)) {
        results->unconfirmed_schedules++;
        return;
    }
    results->failing_schedules++;
    if (results->first_failure == 0) {
        results->first_failure = slot->number;
        results->first_failure_seconds = seconds;
    }
    campaign->stop |= !campaign->settings->keep_going;
}
