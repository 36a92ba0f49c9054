/* SPDX-License-Identifier: MIT
 *
 * explain.c - `raddle explain`: shows how a recorded failure happened.
 *
 * The tale is saved with the failure (tale.json), so neither the program nor its source is needed.  A failure without a
 * tale is run again, and its tale is built and saved.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "campaign/options.h"
#include "cli/command.h"
#include "control/reopen.h"
#include "tale/tale.h"
#include "trace/failure.h"
#include "trace/headline.h"
#include "util/file.h"
#include "util/log.h"
#include "util/memory.h"
#include "util/stop.h"

enum { WIDTH_LEAST = 40, WIDTH_MOST = 1000, WIDTH_DEFAULT = 100 };

static const char help[] =
    "usage: raddle explain FAILURE [OPTIONS]\n"
    "\n"
    "Shows how a failure happened that 'raddle run' saved; FAILURE is its directory: a column per thread with "
    "the\n"
    "operations that matter, their source lines and values, the stack at the failure, which thread waits for which, "
    "and the\n"
    "pattern that causes it.  The program is not needed, unless the failure has no tale yet: then it is run again.\n"
    "\n"
    "  --full       every recorded operation, not only those that matter\n"
    "  --width N    fit into N columns [the terminal's width, else 100]\n"
    "  --rebuild    run the failure again and make a new tale, also if there is one\n"
    "  --help\n"
    "\n"
    "Examples:\n"
    "  raddle explain raddle.out/bank/failure-1\n"
    "  raddle explain raddle.out/bank/failure-1 --full | less\n"
    "\n"
    "Exit codes: 0 it was shown, 1 usage, or the failure cannot be read, or its program is missing, 3 it did not "
    "fail\n"
    "the same when it was run again, or an internal error, 4 the program cannot be controlled, 77 this environment "
    "cannot\n"
    "support it.";

struct explain {
    const char *directory;
    bool full, rebuild, help;
    uint64_t width; /* 0: not given */
};

/* ---- options -------------------------------------------------------------------------------------------------------------- */

static bool read_width(struct explain *explain, const char *value, struct error *error)
{
    if (value != NULL && options_parse_number(value, &explain->width) && explain->width >= WIDTH_LEAST &&
        explain->width <= WIDTH_MOST)
        return true;
    return error_set(error, EXIT_USAGE, "--width needs a number of columns from %d to %d%s%s", WIDTH_LEAST, WIDTH_MOST,
                     value != NULL ? ", not " : "", value != NULL ? value : "");
}

static bool read_word(struct explain *explain, char **argv, int *next, struct error *error)
{
    const char *word = argv[(*next)++];
    if (strcmp(word, "--full") == 0)
        explain->full = true;
    else if (strcmp(word, "--rebuild") == 0)
        explain->rebuild = true;
    else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        explain->help = true;
    else if (strcmp(word, "--width") == 0)
        return read_width(explain, argv[*next], error) && ++*next > 0;
    else if (strncmp(word, "--width=", strlen("--width=")) == 0)
        return read_width(explain, word + strlen("--width="), error);
    else if (word[0] == '-')
        return error_set(error, EXIT_USAGE, "raddle explain has no option '%s'; 'raddle explain --help' lists them",
                         word);
    else if (explain->directory != NULL)
        return error_set(error, EXIT_USAGE, "raddle explain takes one failure, not also '%s'", word);
    else
        explain->directory = word;
    return true;
}

static bool read_words(struct explain *explain, int argc, char **argv, struct error *error)
{
    for (int next = 1; next < argc && !explain->help;)
        if (!read_word(explain, argv, &next, error))
            return false;
    if (explain->directory == NULL && !explain->help)
        return error_set(error, EXIT_USAGE,
                         "raddle explain needs a failure: raddle explain raddle.out/PROGRAM/failure-1");
    return true;
}

/* ---- a new tale -------------------------------------------------------------------------------------------------- */

/* Runs the failure again, exactly; it must be the same one. */
static bool show_again(struct reopened *opened, struct judged_run *run, struct error *error)
{
    switch (rerun_schedule(&opened->trial, &opened->failure.schedule, false, run)) {
    case TRIAL_FAILED:
        return true;
    case TRIAL_BROKEN:
        return trial_pass_error(&opened->trial, error);
    case TRIAL_PASSED:
        return error_set(error, EXIT_INTERNAL, "the program passed when it was run again: there is nothing to show");
    case TRIAL_FAILED_OTHERWISE:
        return error_set(error, EXIT_INTERNAL, "run again it failed in another way: %s; 'raddle replay' says more",
                         run->judgement.finding.text);
    default:
        return error_set(error, EXIT_INTERNAL, "the failure could not be run again as it was: %s", run->judgement.text);
    }
}

static void add_output(struct tale *tale, const struct server *server)
{
    struct buffer output = {0}, errors = {0};
    output_read(&server->output, &output);
    output_read(&server->errors, &errors);
    tale_add_output(tale, &output, &errors);
    buffer_free(&output);
    buffer_free(&errors);
}

static bool run_again(struct tale *tale, const char *directory, struct error *error)
{
    struct reopened *opened = memory_allocate(1, sizeof *opened);
    struct judged_run *rerun = memory_allocate(1, sizeof *rerun);
    struct options options;
    char *no_command[] = {NULL};
    options_set_defaults(&options);
    bool good = reopen(opened, directory, no_command, options.hang_after, 0, error) && show_again(opened, rerun, error);
    if (good) {
        struct symbols *symbols = server_symbols_get(&opened->symbols, &opened->server);
        tale_build(tale, symbols, &rerun->copy, &rerun->judgement.finding);
        add_output(tale, &opened->server);
        if (opened->failure.preemptions_found > tale->preemptions)
            tale->preemptions_found = opened->failure.preemptions_found;
    }
    judged_run_free(rerun);
    free(rerun);
    reopen_close(opened);
    free(opened);
    options_free(&options);
    return good;
}

static char *copy_or_null(const char *text)
{
    return text != NULL ? memory_copy_string(text) : NULL;
}

/* Keeps the cause of the old tale and how the failure was found, if it is the same run. */
static void keep_cause(struct tale *tale, const struct tale *old)
{
    if (old->events.count != tale->events.count || old->dropped != tale->dropped || strcmp(old->key, tale->key) != 0)
        return;
    tale->preemptions_found = old->preemptions_found;
    if (old->cause.sentence == NULL)
        return;
    struct tale_cause cause = old->cause;
    cause.statement = copy_or_null(old->cause.statement);
    cause.pattern = copy_or_null(old->cause.pattern);
    cause.second = copy_or_null(old->cause.second);
    cause.family = copy_or_null(old->cause.family);
    cause.sentence = copy_or_null(old->cause.sentence);
    cause.events.data = NULL;
    cause.events.count = cause.events.capacity = 0;
    for (size_t i = 0; i < old->cause.events.count; i++)
        vector_push(&cause.events, (uint32_t)tale_event_number(old, old->cause.events.data[i]));
    tale_set_cause(tale, &cause);
}

/* A tale that cannot be saved is still printed. */
static void save(const struct tale *tale, const char *directory)
{
    struct error error = {0};
    struct buffer text = {0};
    char *path = file_join(directory, "tale.json");
    tale_write(tale, &text);
    if (!file_write(path, buffer_text(&text), text.size, &error))
        log_error("the tale could not be saved: %s", error.text);
    buffer_free(&text);
    free(path);
}

static bool rebuild(struct tale *tale, const char *directory, struct error *error)
{
    struct tale old = {0};
    struct error ignored = {0};
    if (!run_again(tale, directory, error))
        return false;
    if (tale_read(&old, directory, &ignored))
        keep_cause(tale, &old);
    tale_free(&old);
    save(tale, directory);
    return true;
}

/* There was no time to tell the events when it was found.  If they cannot be had now, the tale stays as it is. */
static void complete(struct tale *tale, const char *directory)
{
    struct tale cut = *tale;
    struct error ignored = {0};
    if (rebuild(tale, directory, &ignored))
        tale_free(&cut);
    else
        *tale = cut;
}

static bool get_tale(const struct explain *explain, struct tale *tale, struct error *error)
{
    char *path = file_join(explain->directory, "tale.json");
    bool there = file_exists(path);
    free(path);
    if (!there || explain->rebuild)
        return rebuild(tale, explain->directory, error);
    if (!tale_read(tale, explain->directory, error))
        return false;
    if (tale_is_cut(tale))
        complete(tale, explain->directory);
    return true;
}

/* ---- output ------------------------------------------------------------------------------------------------------ */

static int width_of(const struct explain *explain)
{
    struct winsize window;
    if (explain->width > 0)
        return (int)explain->width;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col >= WIDTH_LEAST)
        return window.ws_col;
    return WIDTH_DEFAULT;
}

static void tell_how_found(const char *directory)
{
    struct failure failure;
    struct error ignored = {0};
    if (!failure_read(&failure, directory, &ignored))
        return;
    if (failure.strategy != NULL && failure.schedule_number > 0)
        printf("   found   in schedule %" PRIu64 " by %s\n", failure.schedule_number, failure.strategy);
    failure_free(&failure);
}

static void tell(const struct explain *explain, const struct tale *tale)
{
    tale_print_headline(tale, stdout, width_of(explain));
    putchar('\n');
    tale_print(tale, stdout, width_of(explain), explain->full);
    if (explain->full && tale->dropped > 0)
        printf("   events  %" PRIu64 " of %" PRIu64 " are not kept, %s\n", tale->dropped,
               tale->dropped + tale->events.count, tale->head > 0 ? "in the middle" : "at the beginning");
    tell_how_found(explain->directory);
    char *path = text_quoted(explain->directory);
    printf("   replay  raddle replay %s\n", path);
    free(path);
}

int command_explain(int argc, char **argv)
{
    struct explain explain = {0};
    struct error error = {0};
    struct tale tale = {0};
    if (!read_words(&explain, argc, argv, &error))
        return error_report(&error);
    if (explain.help) {
        puts(help);
        return 0;
    }
    stop_install();
    if (!get_tale(&explain, &tale, &error))
        return error_report(&error);
    tell(&explain, &tale);
    tale_free(&tale);
    if (fflush(stdout) != 0 && errno != EPIPE) { /* a pager that ends early is not an error */
        error_set(&error, EXIT_USAGE, "the output could not be written");
        return error_report(&error);
    }
    return 0;
}
