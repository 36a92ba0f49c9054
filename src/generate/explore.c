/* SPDX-License-Identifier: MIT
 *
 * explore.c - see explore.h.
 */
#include "generate/explore.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "campaign/conduct.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/stop.h"

/* What campaigns say is not for the user: they are many. */
static int silence(const char *log)
{
    int saved = dup(STDERR_FILENO), to = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    fflush(stderr);
    if (to >= 0) {
        dup2(to, STDERR_FILENO);
        close(to);
    }
    return saved;
}

static void unsilence(int saved)
{
    if (saved < 0)
        return;
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
}

static char *copy(const char *text)
{
    return text != NULL ? memory_copy_string(text) : NULL;
}

static void take_results(struct explore *explore, const struct results *results)
{
    explore->schedules = results->schedules;
    if (results->failures.count == 0)
        return;
    const struct result_failure *failure = &results->failures.data[0];
    explore->found = true;
    explore->kind = copy(failure->kind);
    explore->site = copy(failure->site);
    explore->text = copy(failure->text);
    explore->path = copy(failure->path);
    explore->at = failure->schedule;
}

static void set_options(const struct explore *explore, struct options *options)
{
    options_set_defaults(options);
    options->runs = explore->runs;
    options->seed = explore->seed;
    options->out = explore->out;
    options->strategy = explore->strategy != NULL ? explore->strategy : "all";
    options->fail_on = explore->fail_on;
    options->no_shrink = !explore->simplify;
    options->no_replay_first = true;
    options->quiet = !explore->show;
}

void explore_test(struct explore *explore)
{
    int64_t limit = stop_within(0); /* a campaign sets its own */
    struct options options = {0};
    struct error error = {0};
    struct conduct *conduct = memory_allocate(1, sizeof *conduct);
    set_options(explore, &options);
    if (limit != 0)
        options.time = limit > clock_now() ? limit - clock_now() : 1;
    conduct->options = &options;
    conduct->command = explore->command;
    int saved = explore->show ? -1 : silence(explore->log);
    explore->code = conduct_campaign(conduct, &error);
    unsilence(saved);
    stop_at(limit);
    take_results(explore, &conduct->results);
    explore->complete = !explore->found && explore->strategy != NULL && !stop_requested() &&
                        explore->schedules < explore->runs && explore->schedules > 0;
    conduct_close(conduct);
    free(conduct);
    options_free(&options);
    log_set_level(LOG_NORMAL);
}

void explore_free(struct explore *explore)
{
    free(explore->kind);
    free(explore->site);
    free(explore->text);
    free(explore->path);
    explore->kind = explore->site = explore->text = explore->path = NULL;
    explore->found = false;
}
