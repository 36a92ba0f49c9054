/* SPDX-License-Identifier: MIT
 *
 * shrink.c - `raddle shrink`: the simplest schedule that shows a recorded failure.
 *
 * `raddle run` does the same for each failure, with a small budget; this command takes its own budget.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "campaign/options.h"
#include "cli/command.h"
#include "control/reopen.h"
#include "explain/simplify.h"
#include "tale/tale.h"
#include "trace/headline.h"
#include "util/log.h"
#include "util/stop.h"
#include "util/text.h"

static const char help[] = "usage: raddle shrink FAILURE [OPTIONS]\n"
                           "\n"
                           "Looks for the simplest schedule that shows a failure which 'raddle run' saved, FAILURE "
                           "being its directory: with the\n"
                           "fewest preemptions, then the fewest switches between threads, then the fewest threads.  "
                           "The same failure remains: what\n"
                           "is kept was run and showed it.  The schedule of before stays there as schedule.found.\n"
                           "\n"
                           "  -n, --runs N      try at most N schedules [20000]\n"
                           "  -t, --time TIME   take at most this long: 500ms, 10s, 2m [30s]\n"
                           "  -q, --quiet       say only errors\n"
                           "  -h, --help\n"
                           "\n"
                           "Examples:\n"
                           "  raddle shrink raddle.out/bank/failure-1\n"
                           "  raddle shrink raddle.out/bank/failure-1 --time 5m --runs 1000000\n"
                           "\n"
                           "Exit codes: 0 done, whether simpler or not, 1 usage, or the failure cannot be read, or its "
                           "program is not there, 3 the\n"
                           "failure did not show when it was run again (nothing is changed then), or an internal "
                           "error, 4 the program cannot be\n"
                           "controlled, 77 this environment cannot support it.";

struct words {
    const char *directory;
    uint64_t runs;
    int64_t time;
    bool quiet, help;
};

/* ---- options -------------------------------------------------------------------------------------------------------------- */

static bool is_option(const char *word, const char *letter, const char *name, const char **value)
{
    size_t length = strlen(name);
    *value = strncmp(word, name, length) == 0 && word[length] == '=' ? word + length + 1 : NULL;
    return *value != NULL || strcmp(word, letter) == 0 || strcmp(word, name) == 0;
}

static bool read_word(struct words *words, char **argv, int *next, struct error *error)
{
    const char *word = argv[(*next)++], *value;
    if (is_option(word, "-q", "--quiet", &value) && value == NULL) {
        words->quiet = true;
    } else if (is_option(word, "-h", "--help", &value) && value == NULL) {
        words->help = true;
    } else if (is_option(word, "-n", "--runs", &value)) {
        value = value != NULL ? value : argv[(*next)++];
        if (value == NULL || !options_parse_number(value, &words->runs) || words->runs == 0)
            return error_set(error, EXIT_USAGE, "--runs needs a number above 0");
    } else if (is_option(word, "-t", "--time", &value)) {
        value = value != NULL ? value : argv[(*next)++];
        if (value == NULL || !options_parse_duration(value, &words->time) || words->time == 0)
            return error_set(error, EXIT_USAGE, "--time needs a time such as 500ms, 10s or 2m");
    } else if (word[0] == '-') {
        return error_set(error, EXIT_USAGE, "raddle shrink has no option '%s'; 'raddle shrink --help' lists them",
                         word);
    } else if (words->directory != NULL) {
        return error_set(error, EXIT_USAGE, "raddle shrink takes one failure, not also '%s'", word);
    } else {
        words->directory = word;
    }
    return true;
}

static bool read_words(struct words *words, int argc, char **argv, struct error *error)
{
    for (int next = 1; next < argc && !words->help;)
        if (!read_word(words, argv, &next, error))
            return false;
    if (words->directory == NULL && !words->help)
        return error_set(error, EXIT_USAGE,
                         "raddle shrink needs a failure: raddle shrink raddle.out/PROGRAM/failure-1");
    return true;
}

/* ---- shrinking -------------------------------------------------------------------------------------------------------------- */

/* The failure must show unchanged before anything is modified. */
static bool run_as_it_is(struct reopened *opened, struct judged_run *rerun, struct error *error)
{
    const struct failure *failure = &opened->failure;
    const struct judgement *judgement = &rerun->judgement;
    enum trial_verdict verdict = rerun_schedule(&opened->trial, &failure->schedule, false, rerun);
    if (verdict == TRIAL_BROKEN)
        return trial_pass_error(&opened->trial, error);
    if (stop_requested())
        return error_set(error, EXIT_INTERNAL, "interrupted; %s is as it was", failure->path);
    if (verdict == TRIAL_PASSED)
        return error_set(error, EXIT_INTERNAL, "the program passed when it was run again; %s is as it was",
                         failure->path);
    if (verdict == TRIAL_UNFINISHED)
        return error_set(error, EXIT_INTERNAL, "the failure could not be run again as it was: %s; %s is as it was",
                         judgement->text, failure->path);
    rerun_locate_hang(rerun);
    return verdict == TRIAL_FAILED ||
           error_set(error, EXIT_INTERNAL, "run again it failed in another way: %s; %s is as it was",
                     judgement->finding.text, failure->path);
}

static void say_how(const char *when, uint32_t preemptions, uint32_t switches, uint32_t threads, const char *more)
{
    log_say("%s %u preemption%s, %u switch%s, %u thread%s%s", when, preemptions, preemptions == 1 ? "" : "s", switches,
            switches == 1 ? "" : "es", threads, threads == 1 ? "" : "s", more);
}

static void tell(const struct failure *failure, const struct shrink_report *report)
{
    char *more =
        memory_format("   (%" PRIu64 " run%s; %s)", report->runs, text_plural(report->runs),
                      report->complete   ? "no schedule with fewer preemptions shows it"
                      : stop_requested() ? "interrupted"
                                         : "not all that could be simpler was tried: --runs and --time allow more");
    log_say("%s", failure->text != NULL ? failure->text : failure->kind);
    say_how("before:", report->preemptions_before, report->switches_before, report->threads_before, "");
    say_how("after: ", report->preemptions_after, report->switches_after, report->threads_after, more);
    free(more);
}

static bool save(struct reopened *opened, const struct judged_run *rerun, const struct tale *tale,
                 struct failure_files *files, struct error *error)
{
    tale_write(tale, &files->tale);
    if (!rerun_failure_events(rerun, opened->symbols.symbols, &opened->failure, &files->events))
        return error_set(error, EXIT_INTERNAL, "the event log could not be written");
    return failure_replace(&opened->failure, files, error);
}

static bool shrink(const struct words *words, struct reopened *opened, struct judged_run *rerun, struct error *error)
{
    struct failure *failure = &opened->failure;
    struct failure_files files = {0};
    struct simplify simplify = {.trial = &opened->trial, .seed = failure->campaign_seed, .files = &files};
    struct trial_budget budget = {.runs = words->runs, .time = words->time};
    struct shrink_report report;
    struct schedule found = {0};
    struct tale tale;
    simplify_take_output(&simplify);
    if (!simplify_failure(&simplify, failure, rerun, &found, &budget, &report))
        log_error("shrinking ended early: %s", opened->trial.error.text);
    struct symbols *symbols = server_symbols_get(&opened->symbols, &opened->server);
    free(failure->early);
    failure->early =
        headline_early(symbols, &rerun->copy.result, rerun->copy.events.data, (uint32_t)rerun->copy.events.count);
    tale_build(&tale, symbols, &rerun->copy, &rerun->judgement.finding);
    tale_add_output(&tale, &files.output, &files.errors);
    tale.preemptions_found = failure->preemptions_found;
    if (!simplify_cause(&simplify, failure, rerun, &tale, &(struct trial_budget){.time = words->time}, NULL))
        log_error("the cause could not be searched: %s", opened->trial.error.text);
    files.found = found.steps.count > 0 ? &found : NULL;
    bool good = save(opened, rerun, &tale, &files, error);
    if (good)
        tell(failure, &report);
    tale_free(&tale);
    failure_files_free(&files);
    schedule_free(&found);
    return good;
}

int command_shrink(int argc, char **argv)
{
    struct words words = {.runs = 20000, .time = 30 * CLOCK_SECOND};
    struct error error = {0};
    if (!read_words(&words, argc, argv, &error))
        return error_report(&error);
    if (words.help) {
        puts(help);
        return 0;
    }
    if (words.quiet)
        log_set_level(LOG_QUIET);
    stop_install();
    struct reopened *opened = memory_allocate(1, sizeof *opened);
    struct judged_run *rerun = memory_allocate(1, sizeof *rerun);
    struct options options;
    char *no_command[] = {NULL};
    options_set_defaults(&options);
    bool good = reopen(opened, words.directory, no_command, options.hang_after, 0, &error) &&
                run_as_it_is(opened, rerun, &error) && shrink(&words, opened, rerun, &error);
    judged_run_free(rerun);
    free(rerun);
    reopen_close(opened);
    free(opened);
    options_free(&options);
    return good ? 0 : error_report(&error);
}
