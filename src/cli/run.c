/* SPDX-License-Identifier: MIT
 *
 * run.c - `raddle run`: from options to a campaign, from its results to an exit code.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "campaign/campaign.h"
#include "campaign/home.h"
#include "campaign/runlog.h"
#include "cli/command.h"
#include "cli/options.h"
#include "control/program.h"
#include "util/file.h"
#include "util/log.h"
#include "util/memory.h"
#include "util/paths.h"
#include "util/stop.h"

enum { JOBS_LIMIT = 256, FORCE_RUNS = 100 };
#define DEFAULT_TIME (10 * CLOCK_SECOND)

static void print_help(void)
{
    puts("usage: raddle run [OPTIONS] -- PROGRAM ARGUMENTS...\n"
         "\n"
         "Runs the program under one interleaving after another and stops at the first failure: a crash, an assertion, "
         "a\n"
         "deadlock, a hang, a heap error, misuse of a lock, a wrong exit status or output.  Each failure is saved and "
         "can be\n"
         "replayed.  The program must have been built with 'raddle cc' (or see --preload).\n");
    options_print_help(stdout, FOR_RUN);
    puts("\n"
         "Options may also stand in raddle.conf ('name = value' per line) and in the environment (RADDLE_NAME); the "
         "command\n"
         "line wins over the environment, the environment over the file.\n"
         "\n"
         "Examples:\n"
         "  raddle run -- ./queue_test                                   ten seconds, stops at the first failure\n"
         "  raddle run --time 60s --seed 1 --keep-going -- ./queue_test   all that a minute finds, the same each time\n"
         "  raddle run --strategy dfs --bound 2 -- ./queue_test          all schedules with at most two preemptions\n"
         "  raddle run --expect-output good.txt -- ./sort <numbers.txt   what it prints must be this\n"
         "\n"
         "Exit codes: 0 nothing found, 1 usage or configuration, 2 a bug was found, 3 internal error,\n"
         "4 nothing was under control, 77 this environment cannot support it.  Ctrl-C ends a campaign cleanly: 2 if a "
         "bug was\n"
         "found until then, else 0.");
}

/* Everything that lives as long as the campaign. */
struct run {
    struct options options;
    struct campaign_settings settings;
    struct oracle oracle;
    struct strategies strategies;
    struct results results;
    struct input input;
    struct paths paths;
    char *path, *out;
    char *program; /* home_program() */
    bool out_is_new;
    int64_t began;       /* seconds since 1970 */
    struct force *force; /* raddle force; NULL: raddle run */
};

static uint64_t fresh_seed(void)
{
    uint32_t seed = 0;
    if (getrandom(&seed, sizeof seed, 0) != (ssize_t)sizeof seed)
        seed = (uint32_t)clock_now();
    return seed % 1000000000 + 1; /* short enough to be typed */
}

/* Makes the directory for failures now: a campaign of an hour shall not end with "permission denied". */
static bool prepare_out(struct run *run, struct error *error)
{
    run->out_is_new = !file_exists(run->out);
    if (file_make_directories(run->out, error)) {
        char *probe = memory_format("%s/.probe%d", run->out, (int)getpid());
        bool good = mkdir(probe, 0777) == 0 && rmdir(probe) == 0;
        if (!good)
            error_set(error, EXIT_USAGE, "cannot write to %s: %s", run->out, strerror(errno));
        free(probe);
        if (good)
            return true;
    }
    size_t length = strlen(error->text);
    snprintf(error->text + length, sizeof error->text - length, "; choose another place for failures with --out");
    return false;
}

/* Nothing was saved: leave nothing behind.  Only empty directories go. */
static void remove_empty_out(const struct run *run)
{
    if (!run->out_is_new || run->out == NULL)
        return;
    if (run->options.out == NULL)
        home_leave(run->out);
    if (rmdir(run->out) != 0)
        return;
    if (run->options.out == NULL)
        rmdir("raddle.out");
}

static bool check_json(const char *path, struct error *error)
{
    struct stat status;
    bool exists = stat(path, &status) == 0;
    if (exists && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
        return true; /* a device or pipe */
    char *probe = memory_format("%s.tmp%d", path, (int)getpid());
    int fd = -1;
    if (exists && S_ISDIR(status.st_mode))
        errno = EISDIR;
    else
        fd = open(probe, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        error_set(error, EXIT_USAGE, "cannot write %s: %s; choose another file with --json", path, strerror(errno));
    else {
        close(fd);
        unlink(probe);
    }
    free(probe);
    return fd >= 0;
}

static uint32_t processor_count(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? (uint32_t)CPU_COUNT(&set) : 1;
}

static bool check_options(struct run *run, struct error *error)
{
    struct options *options = &run->options;
    if (options->jobs == 0)
        options->jobs = processor_count();
    if (options->jobs > JOBS_LIMIT)
        return error_set(error, EXIT_USAGE, "--jobs needs a number up to %d, not %llu", JOBS_LIMIT,
                         (unsigned long long)options->jobs);
    if (options->depth == 0 || options->depth > 1000)
        return error_set(error, EXIT_USAGE, "--depth needs a number from 1 to 1000");
    if (options->max_steps < 10)
        return error_set(error, EXIT_USAGE, "--max-steps needs a number of at least 10");
    if (options->hang_after < CLOCK_MILLISECOND)
        return error_set(error, EXIT_USAGE, "--hang-after needs a time of at least 1ms");
    if (options->window == 0 || options->window > UINT32_MAX)
        return error_set(error, EXIT_USAGE, "--window needs a number from 1 to %lu", (unsigned long)UINT32_MAX);
    if (options->time == 0 && options->runs == 0)
        options->time = DEFAULT_TIME;
    if (options->seed == 0)
        options->seed = fresh_seed();
    log_set_level(options->quiet ? LOG_QUIET : options->verbose ? LOG_VERBOSE : LOG_NORMAL);
    return true;
}

/* What the program does itself, under a name that raddle would control otherwise. */
static void say_own_names(const char *path, const struct paths *paths)
{
    struct buffer names = {0};
    bool heap = false;
    if (program_own_names(path, paths->preload, &names, &heap))
        log_say("the program has its own %s: not under control there", buffer_text(&names));
    if (heap)
        log_say("the program has its own malloc or free: errors of heap blocks are not looked for");
    buffer_free(&names);
}

/* Fills in the setup of the servers: program, input, output limits. */
static bool prepare_setup(struct run *run, char **command, struct error *error)
{
    struct options *options = &run->options;
    struct server_setup *setup = &run->settings.setup;
    struct error no_paths = {0};
    bool have_paths = paths_find(&run->paths, options->preload ? error : &no_paths);
    if (options->preload && !have_paths)
        return false;
    run->path = program_find(command[0], NULL, options->preload, error);
    if (run->path == NULL || !input_take(&run->input, error))
        return false;
    if (!options->preload && have_paths)
        say_own_names(run->path, &run->paths);
    setup->path = run->path;
    setup->command = command;
    setup->preload = options->preload ? run->paths.preload : NULL;
    setup->input = &run->input;
    setup->keep_first = setup->keep_last = options->max_output;
    if (run->oracle.expected.size >= setup->keep_first)
        setup->keep_first = run->oracle.expected.size + 1; /* or it could not be compared */
    setup->hang_after = options->hang_after;
    return options_threads(options, &setup->head_flags, error);
}

static bool prepare_coverage(struct run *run, struct error *error)
{
    const struct options *options = &run->options;
    struct campaign_settings *settings = &run->settings;
    settings->coverage.window = (uint32_t)options->window;
    settings->coverage_all = options->coverage_all;
    settings->saturation = options->saturation;
    settings->until_saturated = options->until_saturated;
    settings->memo = options->memo;
    settings->force = run->force;
    if (run->force != NULL) {
        family_mask rows = force_rows(run->force);
        settings->coverage.families = rows != 0 ? rows : family_by_name("idiom.1", error);
        return true;
    }
    if (options->memo != NULL && strcmp(options->coverage, "none") == 0)
        return error_set(error, EXIT_USAGE, "--memo needs something to remember: not --coverage none");
    if (strcmp(options->coverage, "none") != 0)
        return (settings->coverage.families = family_to_measure(options->coverage, "--coverage", error)) != 0;
    if (options->until_saturated)
        return error_set(error, EXIT_USAGE, "--until-saturated needs something to measure: not --coverage none");
    /* Maple lives by coverage; the others do without. */
    if (strategies_drop(&run->strategies, STRATEGY_DIRECT) && run->strategies.count == 0)
        return error_set(error, EXIT_USAGE, "--strategy maple needs something to cover: not --coverage none");
    return true;
}

static bool prepare_checkpoints(struct run *run, struct error *error)
{
    const char *when = run->options.checkpoints;
    run->settings.checkpoints = strcmp(when, "always") == 0  ? CHECKPOINTS_ALWAYS
                                : strcmp(when, "never") == 0 ? CHECKPOINTS_NEVER
                                                             : CHECKPOINTS_IF_IT_PAYS;
    if (run->settings.checkpoints == CHECKPOINTS_IF_IT_PAYS && strcmp(when, "auto") != 0)
        return error_set(error, EXIT_USAGE, "--checkpoints: '%s' is none of auto, always and never", when);
    return true;
}

static bool prepare(struct run *run, char **command, struct error *error)
{
    struct options *options = &run->options;
    struct campaign_settings *settings = &run->settings;
    if (!check_options(run, error) || !strategies_parse(&run->strategies, options->strategy, error) ||
        !prepare_coverage(run, error) || !prepare_checkpoints(run, error) ||
        !oracle_open(&run->oracle, options->check, options->fail_on, options->expect_exit, options->expect_output,
                     options->oracle, error) ||
        !prepare_setup(run, command, error))
        return false;
    run->out = options->out != NULL ? memory_copy_string(options->out) : home_find(command[0], run->path);
    run->program = home_program(run->path);
    if (!prepare_out(run, error) || (options->out == NULL && !home_claim(run->out, run->path, error)) ||
        (options->json != NULL && !check_json(options->json, error)))
        return false;
    run->strategies.seed = options->seed;
    run->strategies.depth = (uint32_t)options->depth;
    settings->program = command[0];
    settings->identity = run->program;
    settings->time = options->time;
    settings->runs = options->runs;
    settings->jobs = (uint32_t)options->jobs;
    settings->setup.together = settings->jobs == 1;
    settings->max_steps = options->max_steps;
    settings->plan_flags = options->spurious ? PLAN_SPURIOUS : 0;
    settings->early_timeouts = (uint32_t)(options->early_timeouts * 65536 + 0.5);
    if (options->patient || settings->early_timeouts == 0)
        settings->plan_flags |= PLAN_PATIENT; /* spurious wake-ups are another matter */
    if (settings->plan_flags == PLAN_PATIENT)
        settings->early_timeouts = 0;
    bool searches = run->strategies.list[0] == STRATEGY_DFS;
    settings->give_up = (uint32_t)(options->give_up < 1000 ? options->give_up : 1000);
    settings->bound = (uint32_t)(options->bound < UINT32_MAX ? options->bound : UINT32_MAX);
    if (searches && settings->jobs > 1)
        return error_set(error, EXIT_USAGE, "--strategy dfs goes from one schedule to the next: it needs --jobs 1");
    if (options->log_runs != NULL && (settings->log = runlog_open(options->log_runs, error)) == NULL)
        return false;
    settings->keep_going = options->keep_going;
    settings->shrink = !options->no_shrink;
    settings->replay_first = !options->no_replay_first;
    settings->show_output = options->show_output;
    settings->out = run->out;
    settings->check = options->check;
    settings->fail_on = options->fail_on;
    return true;
}

/* What became of the pattern, line by line; a bug counts for more. */
static int tell_force(const struct run *run, int code)
{
    struct buffer text = {0};
    force_print(run->force, &text);
    char *rest = buffer_take(&text), *all = rest;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;)
        if (line[0] != '\0')
            log_say("%s", line);
    free(all);
    if (code == EXIT_NOTHING_FOUND && !force_has_succeeded(run->force))
        code = EXIT_UNCONTROLLED;
    return code;
}

/* For --json and for raddle report.  Returns the exit code. */
static int write_results(const struct run *run, const struct result_context *context, bool good, int code)
{
    struct error problem;
    bool written = true, begun = good || run->results.schedules > 0 || !run->out_is_new;
    if (run->options.json != NULL && !results_write_json(&run->results, context, run->options.json, &problem)) {
        log_error("%s", problem.text);
        written = false;
    }
    if (run->force == NULL && begun && !results_keep(&run->results, context, &problem)) {
        log_error("%s", problem.text);
        written = false;
    }
    return !written && code == EXIT_NOTHING_FOUND ? problem.code : code;
}

/* The exit code, after everything has been said and written. */
static int conclude(struct run *run, bool good, struct error *error)
{
    char why[1024];
    int code = campaign_exit_code(&run->results, why, sizeof why);
    if (run->force != NULL && run->results.schedules > 0)
        code = tell_force(run, code);
    if (good || run->results.schedules > 0)
        campaign_summary(&run->settings, &run->strategies, &run->results);
    if (!good && run->results.interrupted) {
        log_say("%s", error->text);
    } else if (!good) {
        log_error("%s", error->text);
        if (code != EXIT_BUG_FOUND)
            code = error->code;
    } else if (why[0] != '\0') {
        log_error("%s", why);
    }
    struct error problem;
    if (run->settings.log != NULL && !runlog_close(run->settings.log, run->options.log_runs, &problem)) {
        log_error("%s", problem.text);
        if (code == EXIT_NOTHING_FOUND)
            code = problem.code;
    }
    struct result_context context = {.command = run->settings.setup.command,
                                     .program = run->program,
                                     .out = run->out,
                                     .seed = run->strategies.seed,
                                     .strategy = run->options.strategy,
                                     .strategies = &run->strategies,
                                     .began = run->began,
                                     .exit_code = code,
                                     .error = !good            ? error->text
                                              : why[0] != '\0' ? why
                                                               : NULL};
    return write_results(run, &context, good, code);
}

static void release(struct run *run)
{
    remove_empty_out(run);
    results_free(&run->results);
    strategies_free(&run->strategies);
    force_free(run->force);
    oracle_close(&run->oracle);
    input_close(&run->input);
    paths_free(&run->paths);
    free(run->path);
    free(run->out);
    free(run->program);
    options_free(&run->options);
}

static int run_all(struct run *run, char **command, struct error *error)
{
    int code;
    stop_install();
    if (prepare(run, command, error)) {
        run->began = time(NULL);
        bool good = campaign_run(&run->settings, &run->oracle, &run->strategies, &run->results, error);
        code = conclude(run, good, error);
    } else {
        code = error_report(error);
    }
    release(run);
    return code;
}

static struct run the_run; /* large */

int command_run(int argc, char **argv)
{
    struct error error = {0};
    struct run *run = &the_run;
    run->input.file = -1;
    if (!options_read(&run->options, FOR_RUN, argc, argv, &error))
        return error_report(&error);
    if (run->options.help) {
        print_help();
        return 0;
    }
    if (run->options.program >= argc) {
        error_set(&error, EXIT_USAGE, "raddle run needs a program: raddle run [OPTIONS] -- PROGRAM ARGUMENTS...");
        return error_report(&error);
    }
    return run_all(run, argv + run->options.program, &error);
}

static void print_force_help(void)
{
    puts("usage: raddle force PATTERN [OPTIONS] -- PROGRAM ARGUMENTS...\n"
         "\n"
         "Makes one interleaving happen that you suspect, or says why it cannot.  PATTERN is two threads that touch "
         "one or two\n"
         "variables in an order (docs/patterns.md has the language):\n"
         "\n"
         "    raddle force 'a:R(x)@bank.c:18 << b:W(x)@bank.c:25 << a:W(x)@bank.c:19' -- ./bank\n"
         "\n"
         "A few runs find out where the program does this; then the threads are steered.  A run that fails on the way "
         "is saved\n"
         "like any failure of raddle run.  --runs N bounds the attempts (100), --time the time.");
    options_print_help(stdout, FOR_RUN);
    puts("\n"
         "Exit codes: 0 it happened and the program was fine, 1 usage or configuration, 2 a bug was found, 3 internal "
         "error,\n"
         "4 it could not be made to happen, or nothing was under control, 77 this environment cannot support it.");
}

int command_force(int argc, char **argv)
{
    struct error error = {0};
    struct run *run = &the_run;
    run->input.file = -1;
    bool help = argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0);
    if (argc < 2 || (argv[1][0] == '-' && !help)) {
        error_set(&error, EXIT_USAGE,
                  "raddle force needs a pattern first: raddle force PATTERN [OPTIONS] -- PROGRAM ARGUMENTS...");
        return error_report(&error);
    }
    if (!help) {
        run->force = force_new(argv[1], &error);
        if (run->force == NULL || !options_read(&run->options, FOR_RUN, argc - 1, argv + 1, &error))
            return error_report(&error);
    }
    if (help || run->options.help) {
        print_force_help();
        return 0;
    }
    if (run->options.program >= argc - 1) {
        error_set(&error, EXIT_USAGE,
                  "raddle force needs a program: raddle force PATTERN [OPTIONS] -- PROGRAM ARGUMENTS...");
        return error_report(&error);
    }
    run->options.strategy = "maple";
    run->options.keep_going = run->options.no_replay_first = true; /* other failures are not what was asked for */
    if (run->options.runs == 0 && run->options.time == 0)
        run->options.runs = FORCE_RUNS;
    return run_all(run, argv + 1 + run->options.program, &error);
}
