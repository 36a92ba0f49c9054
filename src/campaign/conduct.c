/* SPDX-License-Identifier: MIT
 *
 * conduct.c - see conduct.h.
 */
#include "campaign/conduct.h"

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

#include "campaign/home.h"
#include "campaign/runlog.h"
#include "control/program.h"
#include "technique/force.h"
#include "technique/techniques.h"
#include "util/file.h"
#include "util/log.h"
#include "util/memory.h"

enum { JOBS_LIMIT = 256 };
#define DEFAULT_TIME (10 * CLOCK_SECOND)

/* ---- preparing ---------------------------------------------------------------------------------------------------------- */

static uint64_t fresh_seed(void)
{
    uint32_t seed = 0;
    if (getrandom(&seed, sizeof seed, 0) != (ssize_t)sizeof seed)
        seed = (uint32_t)clock_now();
    return seed % 1000000000 + 1; /* short enough to be typed */
}

/* Makes the directory for failures now: a campaign of an hour shall not end with "permission denied". */
static bool prepare_out(struct conduct *conduct, struct error *error)
{
    conduct->out_is_new = !file_exists(conduct->out);
    if (file_make_directories(conduct->out, error)) {
        char *probe = memory_format("%s/.probe%d", conduct->out, (int)getpid());
        bool good = mkdir(probe, 0777) == 0 && rmdir(probe) == 0;
        if (!good)
            error_set(error, EXIT_USAGE, "cannot write to %s: %s", conduct->out, strerror(errno));
        free(probe);
        if (good)
            return true;
    }
    size_t length = strlen(error->text);
    snprintf(error->text + length, sizeof error->text - length, "; choose another place for failures with --out");
    return false;
}

/* Nothing was saved: removes the directory again if it is empty. */
static void remove_empty_out(const struct conduct *conduct)
{
    if (!conduct->out_is_new || conduct->out == NULL)
        return;
    if (conduct->options->out == NULL)
        home_leave(conduct->out);
    if (rmdir(conduct->out) != 0)
        return;
    if (conduct->options->out == NULL)
        rmdir("raddle.out");
}

static bool check_json(const char *path, struct error *error)
{
    struct stat status;
    if (strcmp(path, "-") == 0)
        return true;
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

static bool check_options(struct conduct *conduct, struct error *error)
{
    struct options *options = conduct->options;
    if (options->jobs == 0)
        options->jobs = processor_count();
    if (options->jobs > JOBS_LIMIT)
        return error_set(error, EXIT_USAGE, "--jobs needs a number up to %d, not %llu", JOBS_LIMIT,
                         (unsigned long long)options->jobs);
    if (options->depth == 0 || options->depth > 1000)
        return error_set(error, EXIT_USAGE, "--depth needs a number from 1 to 1000");
    if (options->max_steps < 10 && options->max_steps != 0)
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
static bool prepare_setup(struct conduct *conduct, char **command, struct error *error)
{
    struct options *options = conduct->options;
    struct server_setup *setup = &conduct->settings.setup;
    struct error no_paths = {0};
    bool have_paths = paths_find(&conduct->paths, options->preload ? error : &no_paths);
    if (options->preload && !have_paths)
        return false;
    conduct->path = program_find(command[0], NULL, options->preload, error);
    if (conduct->path == NULL || !input_take(&conduct->input, error))
        return false;
    if (!options->preload && have_paths)
        say_own_names(conduct->path, &conduct->paths);
    setup->path = conduct->path;
    setup->command = command;
    setup->preload = options->preload ? conduct->paths.preload : NULL;
    setup->input = &conduct->input;
    setup->keep_first = setup->keep_last = options->max_output;
    if (conduct->oracle.expected.size >= setup->keep_first)
        setup->keep_first = conduct->oracle.expected.size + 1; /* or it could not be compared */
    setup->hang_after = options->hang_after;
    return options_threads(options, &setup->head_flags, error);
}

static bool prepare_coverage(struct conduct *conduct, struct error *error)
{
    const struct options *options = conduct->options;
    struct campaign_settings *settings = &conduct->settings;
    settings->coverage.window = (uint32_t)options->window;
    settings->coverage_all = options->coverage_all;
    settings->saturation = options->saturation;
    settings->until_saturated = options->until_saturated;
    settings->no_early_end = options->no_early_end;
    settings->memo = options->memo;
    settings->pattern = conduct->pattern;
    if (conduct->pattern != NULL)
        return (settings->coverage.families = force_families(conduct->pattern, error)) != 0;
    if (options->memo != NULL && strcmp(options->coverage, "none") == 0)
        return error_set(error, EXIT_USAGE, "--memo needs something to remember: not --coverage none");
    if (strcmp(options->coverage, "none") != 0) {
        family_mask measured = family_by_name(options->coverage, error);
        settings->coverage.families = measured | portfolio_families(&conduct->portfolio);
        return measured != 0;
    }
    if (options->until_saturated)
        return error_set(error, EXIT_USAGE, "--until-saturated needs something to measure: not --coverage none");
    return portfolio_drop_coverage(&conduct->portfolio, error);
}

static bool prepare_portfolio(struct conduct *conduct, struct error *error)
{
    const struct options *options = conduct->options;
    const struct technique *const *table = conduct->techniques != NULL ? conduct->techniques : techniques;
    conduct->portfolio.seed = options->seed;
    conduct->portfolio.depth = (uint32_t)options->depth;
    if (conduct->pattern != NULL)
        portfolio_set(&conduct->portfolio, table, &technique_force);
    else if (!portfolio_parse(&conduct->portfolio, table, options->strategy, error))
        return false;
    if (portfolio_has(&conduct->portfolio, TECHNIQUE_SEARCH) && options->jobs > 1)
        return error_set(error, EXIT_USAGE, "--strategy %s goes from one schedule to the next: it needs --jobs 1",
                         conduct->portfolio.members[0].technique->name);
    return true;
}

static bool prepare_checkpoints(struct conduct *conduct, struct error *error)
{
    const char *when = conduct->options->checkpoints;
    conduct->settings.checkpoints = strcmp(when, "always") == 0  ? CHECKPOINTS_ALWAYS
                                    : strcmp(when, "never") == 0 ? CHECKPOINTS_NEVER
                                                                 : CHECKPOINTS_IF_IT_PAYS;
    if (conduct->settings.checkpoints == CHECKPOINTS_IF_IT_PAYS && strcmp(when, "auto") != 0)
        return error_set(error, EXIT_USAGE, "--checkpoints: '%s' is none of auto, always and never", when);
    return true;
}

static bool prepare_oracle(struct conduct *conduct, struct error *error)
{
    const struct options *options = conduct->options;
    const struct oracle_options given = {.check = options->check,
                                         .fail_on = options->fail_on,
                                         .expect_exit = options->expect_exit,
                                         .expect_output = options->expect_output,
                                         .command = options->oracle};
    if (!oracle_open(&conduct->oracle, &given, error))
        return false;
    if (options->assume != NULL)
        oracle_assume(&conduct->oracle, assumptions_read(options->assume, error));
    if (options->assume != NULL && conduct->oracle.assumptions == NULL)
        return false;
    if (options->suppressions == NULL)
        return true;
    oracle_suppress(&conduct->oracle, suppress_open(options->suppressions, error));
    conduct->results.suppressions = conduct->oracle.suppressions;
    return conduct->oracle.suppressions != NULL;
}

static bool prepare(struct conduct *conduct, char **command, struct error *error)
{
    struct options *options = conduct->options;
    struct campaign_settings *settings = &conduct->settings;
    if (!check_options(conduct, error) || !prepare_portfolio(conduct, error) || !prepare_coverage(conduct, error) ||
        !prepare_checkpoints(conduct, error) || !prepare_oracle(conduct, error) ||
        !prepare_setup(conduct, command, error))
        return false;
    conduct->out = options->out != NULL ? memory_copy_string(options->out) : home_find(command[0], conduct->path);
    conduct->program = home_program(conduct->path);
    if (!prepare_out(conduct, error) || (options->out == NULL && !home_claim(conduct->out, conduct->path, error)) ||
        (options->json != NULL && !check_json(options->json, error)))
        return false;
    settings->program = command[0];
    settings->identity = conduct->program;
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
    settings->give_up = (uint32_t)(options->give_up < 1000 ? options->give_up : 1000);
    settings->bound = (uint32_t)(options->bound < UINT32_MAX ? options->bound : UINT32_MAX);
    settings->pcr_without = options->pcr_without;
    settings->suspend_at_once = options->suspend_at_once;
    if (options->log_runs != NULL && (settings->log = runlog_open(options->log_runs, error)) == NULL)
        return false;
    settings->keep_going = options->keep_going;
    settings->shrink = !options->no_shrink;
    settings->full_events = options->full_events;
    settings->failure_size = options->failure_size;
    settings->replay_first = !options->no_replay_first;
    settings->show_output = options->show_output;
    settings->out = conduct->out;
    settings->check = options->check;
    settings->fail_on = options->fail_on;
    return true;
}

/* ---- concluding --------------------------------------------------------------------------------------------------------- */

/* What the techniques say at the end, line by line; a bug counts for more than a failed attempt. */
static int tell_end(const struct technique_end *end, int code)
{
    for (size_t i = 0; i < end->lines.count; i++)
        log_say("%s", end->lines.data[i]);
    return code == EXIT_NOTHING_FOUND && end->failed ? EXIT_UNCONTROLLED : code;
}

/* For --json and for raddle report.  Returns the exit code. */
static int write_results(const struct conduct *conduct, const struct result_context *context, bool good, int code)
{
    struct error problem;
    bool written = true, begun = good || conduct->results.schedules > 0 || !conduct->out_is_new;
    if (conduct->options->json != NULL &&
        !results_write_json(&conduct->results, context, conduct->options->json, &problem)) {
        log_error("%s", problem.text);
        written = false;
    }
    if (conduct->pattern == NULL && begun && !results_keep(&conduct->results, context, &problem)) {
        log_error("%s", problem.text);
        written = false;
    }
    return !written && code == EXIT_NOTHING_FOUND ? problem.code : code;
}

/* The exit code, after everything has been said and written. */
static int conclude(struct conduct *conduct, bool good, struct error *error)
{
    char why[1024];
    int code = campaign_exit_code(&conduct->results, why, sizeof why);
    if (conduct->results.schedules > 0)
        code = tell_end(&conduct->results.end, code);
    if (good || conduct->results.schedules > 0)
        campaign_summary(&conduct->settings, &conduct->portfolio, &conduct->results);
    if (!good && conduct->results.interrupted) {
        log_say("%s", error->text);
    } else if (!good) {
        log_error("%s", error->text);
        if (code != EXIT_BUG_FOUND)
            code = error->code;
    } else if (why[0] != '\0') {
        log_error("%s", why);
    }
    struct error problem;
    if (conduct->settings.log != NULL && !runlog_close(conduct->settings.log, conduct->options->log_runs, &problem)) {
        log_error("%s", problem.text);
        if (code == EXIT_NOTHING_FOUND)
            code = problem.code;
    }
    struct result_context context = {.command = conduct->settings.setup.command,
                                     .program = conduct->program,
                                     .out = conduct->out,
                                     .seed = conduct->portfolio.seed,
                                     .strategy =
                                         conduct->pattern != NULL ? technique_force.name : conduct->options->strategy,
                                     .portfolio = &conduct->portfolio,
                                     .began = conduct->began,
                                     .exit_code = code,
                                     .error = !good            ? error->text
                                              : why[0] != '\0' ? why
                                                               : NULL};
    return write_results(conduct, &context, good, code);
}

int conduct_campaign(struct conduct *conduct, struct error *error)
{
    conduct->input.file = -1;
    if (!prepare(conduct, conduct->command, error))
        return error_report(error);
    conduct->began = time(NULL);
    bool good = campaign_run(&conduct->settings, &conduct->oracle, &conduct->portfolio, &conduct->results, error);
    return conclude(conduct, good, error);
}

void conduct_close(struct conduct *conduct)
{
    remove_empty_out(conduct);
    portfolio_close(&conduct->portfolio);
    results_free(&conduct->results);
    oracle_close(&conduct->oracle);
    input_close(&conduct->input);
    paths_free(&conduct->paths);
    free(conduct->path);
    free(conduct->out);
    free(conduct->program);
}
