/* SPDX-License-Identifier: MIT
 *
 * replay.c - `raddle replay`: runs one recorded failure again, exactly, and says whether it is the same.  If the
 * program has changed, follows the schedule as far as possible, tries schedules near it, and says whether the failure
 * is fixed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "campaign/options.h"
#include "cli/command.h"
#include "cli/gdb.h"
#include "control/build.h"
#include "control/reopen.h"
#include "explain/follow.h"
#include "tale/tale.h"
#include "trace/events.h"
#include "trace/failure.h"
#include "trace/headline.h"
#include "util/file.h"
#include "util/log.h"
#include "util/memory.h"
#include "util/stop.h"

static void print_help(void)
{
    puts(
        "usage: raddle replay FAILURE [OPTIONS] [-- PROGRAM ARGUMENTS...]\n"
        "\n"
        "Runs a failure again that 'raddle run' saved; FAILURE is its directory, with exactly the same "
        "interleaving, and\n"
        "says whether the same failure shows.  What the program prints is passed on.  The command line is the one of "
        "the\n"
        "failure, unless another is given after --.\n"
        "\n"
        "If the program was changed and built again, the failure is followed as far as possible, by what the threads "
        "do "
        "and not\n"
        "by counting, and schedules near it are run before it is called fixed.  If it still fails, the failure is kept "
        "as it\n"
        "shows now; schedule.old and events.old are what it was.\n"
        "\n"
        "Examples:\n"
        "    raddle replay raddle.out/bank/failure-1                                    # the same failure?\n"
        "    raddle cc -g bank.c -o bank && raddle replay raddle.out/bank/failure-1    # after a change: "
        "is it fixed?\n");
    options_print_help(stdout, FOR_REPLAY);
    puts("\n"
         "Exit codes: 2 the failure showed, 0 the program passed or it is fixed, 3 the run diverged or showed another "
         "failure, or\n"
         "an internal error, 1 usage or configuration, 4 the program cannot be controlled, 77 this environment cannot "
         "support it.");
}

struct replay {
    struct options options;
    struct reopened opened;
    struct judged_run rerun;
    bool told;    /* the failure was printed */
    bool own;     /* the command line is the failure's */
    bool changed; /* the program has changed, and the failure was followed */
    char *events; /* the comparison of the event logs, as text */
};

/* ---- results ---------------------------------------------------------------------------------------------------- */

static FILE *open_memory(struct buffer *buffer)
{
    return fmemopen(buffer->data, buffer->size > 0 ? buffer->size : 1, "r");
}

/* Compares the stored event log with the new one.  Returns a sentence, freed by the caller. */
static char *compare_events(struct replay *replay, struct symbols *symbols, bool *differ)
{
    struct buffer now = {0};
    char *path = file_join(replay->opened.failure.path, "events"), *sentence = NULL;
    FILE *stored = fopen(path, "r"), *current = NULL;
    struct event_difference difference = {0};
    if (stored == NULL)
        sentence = memory_format("there is no event log to compare with");
    else if (!rerun_events(&replay->rerun, symbols, replay->opened.failure.full_events || !events_is_cut(stored),
                           &now) ||
             now.size == 0 || (current = open_memory(&now)) == NULL || !events_compare(stored, current, &difference))
        sentence = memory_format("the event logs could not be compared");
    else if (difference.line == 0)
        sentence = memory_format("identical event log");
    else
        sentence =
            memory_format("but the event logs differ from line %" PRIu64 " on: `%s' then, `%s' now", difference.line,
                          difference.left ? difference.left : "(end)", difference.right ? difference.right : "(end)");
    *differ = difference.line != 0;
    for (char *c = sentence; *c != '\0'; c++)
        if (*c == '\t')
            *c = ' ';
    event_difference_free(&difference);
    if (stored != NULL)
        fclose(stored);
    if (current != NULL)
        fclose(current);
    buffer_free(&now);
    free(path);
    return sentence;
}

static void tell_story(struct replay *replay, struct symbols *symbols, const struct judged_run *rerun)
{
    if (replay->told || log_is_quiet())
        return;
    FILE *stream = log_stream();
    fputc('\n', stream);
    struct tale tale;
    tale_build(&tale, symbols, &rerun->copy, &rerun->judgement.finding);
    tale_print(&tale, stream, 0, false);
    tale_free(&tale);
    fflush(stream);
    replay->told = true;
}

static int tell_failure(struct replay *replay, struct symbols *symbols)
{
    struct judged_run *rerun = &replay->rerun;
    const struct wire_result *result = &rerun->copy.result;
    const struct wire_finding *finding = &rerun->judgement.finding;
    const struct wire_event *events = rerun->copy.events.data;
    uint32_t count = (uint32_t)rerun->copy.events.count;
    char *headline = headline_text(symbols, result, finding, events, count);
    bool same = trial_shows_failure(&replay->opened.trial, rerun);
    if (same) {
        log_say("%ssame failure%s: %s; %s", log_bold(), log_plain(), headline, replay->events);
    } else {
        const char *recorded = replay->opened.failure.text ? replay->opened.failure.text : replay->opened.failure.kind;
        log_error("another failure: %s; recorded was: %s%s", headline, recorded,
                  strcmp(headline, recorded) == 0 ? ", in other calls" : "");
    }
    tell_story(replay, symbols, rerun);
    free(headline);
    return same ? EXIT_BUG_FOUND : EXIT_INTERNAL;
}

/* Exactly where: step, thread, operation, source line. */
static int tell_divergence(struct replay *replay, struct symbols *symbols)
{
    const struct wire_copy *copy = &replay->rerun.copy;
    const struct wire_event *last = NULL;
    for (size_t i = copy->events.count; i-- > 0 && last == NULL;)
        if (copy->events.data[i].task == copy->result.diverged_task)
            last = &copy->events.data[i];
    log_error("diverged at step %u of %zu, T%u, operation %" PRIu64 ": %s", copy->result.diverged_step + 1,
              replay->opened.failure.schedule.steps.count, copy->result.diverged_task, copy->result.diverged_operation,
              replay->rerun.judgement.text);
    if (last != NULL)
        log_error("T%u was last seen at %s (%s)", copy->result.diverged_task, symbols_site(symbols, last->pc)->where,
                  event_op_name(last->op));
    return EXIT_INTERNAL;
}

/* ---- a program that has changed ----------------------------------------------------------------------------------------- */

/* Whether the rerun did not show the same failure, and the program has changed. */
static bool has_changed(struct replay *replay, struct symbols *symbols)
{
    const struct judged_run *rerun = &replay->rerun;
    enum verdict verdict = rerun->judgement.verdict;
    if (verdict != VERDICT_FAILURE && verdict != VERDICT_GOOD && verdict != VERDICT_DIVERGED)
        return false;
    if (verdict == VERDICT_FAILURE) {
        bool same = trial_shows_failure(&replay->opened.trial, rerun), differ = true;
        free(replay->events);
        replay->events = same ? compare_events(replay, symbols, &differ) : NULL;
        if (!differ)
            return false;
    }
    return !replay->options.gdb && !build_is_unchanged(&replay->opened.failure, &replay->opened.server);
}

static int tell_still_fails(struct replay *replay, const struct follow_report *report, const char *headline,
                            const char *sentence, struct symbols *symbols)
{
    struct reopened *opened = &replay->opened;
    struct error error = {0};
    char *by = report->by_near ? memory_format("; schedule %" PRIu64 " near it showed it", report->near)
                               : memory_copy_string("");
    log_say("%sstill fails%s: %s; %s%s", log_bold(), log_plain(), headline, sentence, by);
    tell_story(replay, symbols, report->rerun);
    if (!replay->own)
        log_verbose("%s stays as it is: the command line is another one", opened->failure.path);
    else if (follow_save(&opened->failure, report, &opened->trial, &error))
        log_say("%s is now kept as the program that was built again shows it (as it was: schedule.old, events.old)",
                opened->failure.path);
    else
        log_error("the failure stays as it was: %s", error.text);
    free(by);
    return EXIT_BUG_FOUND;
}

static int tell_fixed(struct replay *replay, const struct follow_report *report, const char *sentence)
{
    struct failure *failure = &replay->opened.failure;
    struct error error = {0};
    log_say("%sfixed%s: the program passed; %s; none of %" PRIu64 " schedules near it failed", log_bold(), log_plain(),
            sentence, report->near);
    if (replay->own && !failure->fixed) {
        failure->fixed = true;
        if (!failure_update(failure, &error))
            log_error("%s", error.text);
    }
    return EXIT_NOTHING_FOUND;
}

static int tell_followed(struct replay *replay, const struct follow_report *report)
{
    const struct failure *failure = &replay->opened.failure;
    struct symbols *symbols = server_symbols_get(&replay->opened.symbols, &replay->opened.server);
    char *sentence = follow_sentence(report), *headline = NULL;
    int code = EXIT_INTERNAL;
    if (report->rerun != NULL) {
        const struct wire_copy *copy = &report->rerun->copy;
        headline = headline_text(symbols, &copy->result, &report->rerun->judgement.finding, copy->events.data,
                                 (uint32_t)copy->events.count);
    }
    switch (report->verdict) {
    case FOLLOW_STILL_FAILS:
        code = tell_still_fails(replay, report, headline, sentence, symbols);
        break;
    case FOLLOW_FIXED:
        code = tell_fixed(replay, report, sentence);
        break;
    case FOLLOW_FAILS_OTHERWISE:
        log_error("another failure: %s; recorded was: %s, which did not show: %s; none of %" PRIu64
                  " schedules near it showed it",
                  headline, failure->text ? failure->text : failure->kind, sentence, report->near);
        tell_story(replay, symbols, report->rerun);
        break;
    default:
        log_error("%s", stop_requested() ? "interrupted" : "no run of the changed program came to an end");
    }
    free(sentence);
    free(headline);
    return code;
}

static int replay_changed(struct replay *replay)
{
    struct reopened *opened = &replay->opened;
    struct trial_budget budget = {.runs = replay->options.near,
                                  .time = replay->options.near <= FOLLOW_NEAR ? FOLLOW_TIME : 0};
    struct follow_report report = {0};
    replay->changed = true;
    bool good = follow_failure(&report, &opened->trial, &opened->failure, &replay->rerun, &budget);
    int code = good ? tell_followed(replay, &report) : error_report(&opened->trial.error);
    follow_report_free(&report);
    return code;
}

/* ---- replays ------------------------------------------------------------------------------------------------------------ */

/* One replay. Returns its exit code. */
static int replay_once(struct replay *replay)
{
    struct reopened *opened = &replay->opened;
    struct error error = {0};
    bool ran = replay->options.gdb
                   ? gdb_rerun(&replay->rerun, opened, replay->options.gdb_command, &error)
                   : rerun_schedule(&opened->trial, &opened->failure.schedule, true, &replay->rerun) != TRIAL_BROKEN ||
                         trial_pass_error(&opened->trial, &error);
    if (!ran)
        return error_report(&error);
    struct symbols *symbols = server_symbols_get(&replay->opened.symbols, &replay->opened.server);
    if (has_changed(replay, symbols))
        return replay_changed(replay);
    switch (replay->rerun.judgement.verdict) {
    case VERDICT_FAILURE:
        return tell_failure(replay, symbols);
    case VERDICT_GOOD:
        log_say("the program passed: the failure did not show");
        return EXIT_NOTHING_FOUND;
    case VERDICT_DIVERGED:
        return tell_divergence(replay, symbols);
    case VERDICT_LOST:
        log_error("%s", stop_requested() ? "interrupted" : replay->rerun.judgement.text);
        return EXIT_INTERNAL;
    default:
        log_error("%s", replay->rerun.judgement.text);
        return EXIT_INTERNAL;
    }
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

/* All replays must agree; if not, something is not under control, and that counts as diverged. */
static int replay_times(struct replay *replay)
{
    uint64_t times = replay->options.times, same = 0;
    int first = EXIT_INTERNAL;
    for (uint64_t i = 0; i < times && !stop_requested(); i++) {
        int code = replay_once(replay);
        if (replay->changed)
            return code; /* once is enough */
        if (i == 0)
            first = code;
        same += code == EXIT_BUG_FOUND;
        if (code != first) {
            log_error("replay %" PRIu64
                      " ended differently from the first one: something that raddle does not control differs",
                      i + 1);
            return EXIT_INTERNAL;
        }
    }
    if (times > 1)
        log_say("%" PRIu64 " of %" PRIu64 " replays showed the same failure", same, times);
    return first;
}

int command_replay(int argc, char **argv)
{
    static struct replay replay; /* large */
    struct error error = {0};
    if (!options_read(&replay.options, FOR_REPLAY, argc, argv, &error))
        return error_report(&error);
    if (replay.options.help) {
        print_help();
        return 0;
    }
    if (replay.options.positional == 0) {
        error_set(&error, EXIT_USAGE, "raddle replay needs a failure: raddle replay raddle.out/PROGRAM/failure-1");
        return error_report(&error);
    }
    if (replay.options.gdb && replay.options.times > 1) {
        error_set(&error, EXIT_USAGE, "--gdb shows one replay: leave --times out");
        return error_report(&error);
    }
    replay.told = replay.options.gdb; /* the user saw it in gdb */
    log_set_level(replay.options.quiet ? LOG_QUIET : replay.options.verbose ? LOG_VERBOSE : LOG_NORMAL);
    stop_install();
    uint32_t head_flags = 0;
    if (!options_threads(&replay.options, &head_flags, &error))
        return error_report(&error);
    replay.own = argv[replay.options.program] == NULL;
    bool good = reopen(&replay.opened, argv[replay.options.positional], argv + replay.options.program,
                       replay.options.hang_after, head_flags, &error);
    int code = good ? replay_times(&replay) : error_report(&error);
    judged_run_free(&replay.rerun);
    free(replay.events);
    reopen_close(&replay.opened);
    options_free(&replay.options);
    return code;
}
