/* SPDX-License-Identifier: MIT
 *
 * run.c - `raddle run` and `raddle force`: from the command line to a campaign (campaign/conduct.h).
 */
#include <stdio.h>
#include <string.h>

#include "campaign/conduct.h"
#include "cli/command.h"
#include "technique/force.h"
#include "util/stop.h"

enum { FORCE_RUNS = 100 };

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
         "  raddle run -- ./bank                                         # ten seconds, stops at the first failure\n"
         "  raddle run --runs 2000 --seed 1 --keep-going -- ./bank       # all that 2000 schedules find, the same each "
         "time\n"
         "  raddle run --strategy dfs --bound 2 -- ./bank                # all schedules with at most two preemptions\n"
         "  raddle run --expect-output good.txt -- ./sort <numbers.txt   # what it prints must be this\n"
         "\n"
         "Exit codes: 0 nothing found, 1 usage or configuration, 2 a bug was found, 3 internal error,\n"
         "4 nothing was under control, 77 this environment cannot support it.  Ctrl-C ends a campaign cleanly: 2 if a "
         "bug was\n"
         "found until then, else 0.");
}

static int run_campaign(struct options *options, char **command, const char *pattern)
{
    static struct conduct conduct; /* large */
    struct error error = {0};
    conduct.options = options;
    conduct.command = command;
    conduct.pattern = pattern;
    stop_install();
    int code = conduct_campaign(&conduct, &error);
    conduct_close(&conduct);
    options_free(options);
    return code;
}

int command_run(int argc, char **argv)
{
    struct error error = {0};
    struct options options;
    if (!options_read(&options, FOR_RUN, argc, argv, &error))
        return error_report(&error);
    if (options.help) {
        print_help();
        return 0;
    }
    if (options.program >= argc) {
        error_set(&error, EXIT_USAGE, "raddle run needs a program: raddle run [OPTIONS] -- PROGRAM ARGUMENTS...");
        return error_report(&error);
    }
    return run_campaign(&options, argv + options.program, NULL);
}

static void print_force_help(void)
{
    puts("usage: raddle force PATTERN [OPTIONS] -- PROGRAM ARGUMENTS...\n"
         "\n"
         "Makes one interleaving happen that you suspect, or says why it cannot.  PATTERN is two threads that touch "
         "one or two\n"
         "variables in an order (docs/patterns.md has the language):\n"
         "\n"
         "    raddle force 'a:R(x)@bank.c:15 << b:W(x)@bank.c:23 << a:W(x)@bank.c:16' -- ./bank\n"
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
    struct options options = {0};
    bool help = argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0);
    if (argc < 2 || (argv[1][0] == '-' && !help)) {
        error_set(&error, EXIT_USAGE,
                  "raddle force needs a pattern first: raddle force PATTERN [OPTIONS] -- PROGRAM ARGUMENTS...");
        return error_report(&error);
    }
    if (!help && (force_families(argv[1], &error) == 0 || !options_read(&options, FOR_RUN, argc - 1, argv + 1, &error)))
        return error_report(&error);
    if (help || options.help) {
        print_force_help();
        return 0;
    }
    if (options.program >= argc - 1) {
        error_set(&error, EXIT_USAGE,
                  "raddle force needs a program: raddle force PATTERN [OPTIONS] -- PROGRAM ARGUMENTS...");
        return error_report(&error);
    }
    options.keep_going = options.no_replay_first = true; /* other failures are not what was asked for */
    if (options.runs == 0 && options.time == 0)
        options.runs = FORCE_RUNS;
    return run_campaign(&options, argv + 1 + options.program, argv[1]);
}
