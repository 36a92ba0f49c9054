/* SPDX-License-Identifier: MIT
 *
 * follow_save.c - saves a failure that still shows on the rebuilt program.
 *
 * Schedule and events of the previous build stay as schedule.old and events.old until the next time.  The results of
 * shrinking and the cause belong to the old program and are removed: `raddle shrink` computes them again.
 */
#include <stdlib.h>
#include <string.h>

#include "control/build.h"
#include "explain/follow.h"
#include "tale/tale.h"
#include "trace/events.h"
#include "trace/headline.h"
#include "util/file.h"

/* DIR/NAME → DIR/NAME.old; it is not an error if the file is missing. */
static bool put_aside(const char *directory, const char *name, size_t limit, struct error *error)
{
    char *path = file_join(directory, name), *old = memory_format("%s.old", path);
    struct buffer content = {0};
    bool good = !file_exists(path) || (file_read(path, limit, &content, error) &&
                                       file_write(old, buffer_text(&content), content.size, error));
    buffer_free(&content);
    free(path);
    free(old);
    return good;
}

static bool write_output(const char *directory, const char *name, const struct buffer *content, struct error *error)
{
    char *path = file_join(directory, name);
    bool good = file_write(path, buffer_text(content), content->size, error);
    free(path);
    return good;
}

static void take(char **text, char *fresh)
{
    free(*text);
    *text = fresh;
}

static void fill_failure(struct failure *failure, const struct follow_report *report, const struct server *server,
                         struct symbols *symbols)
{
    const struct wire_copy *copy = &report->rerun->copy;
    const struct wire_finding *finding = &report->rerun->judgement.finding;
    take(&failure->key, memory_copy_string(report->key));
    take(&failure->site, memory_copy_string(headline_site(symbols, &copy->result, finding)));
    take(&failure->text,
         headline_text(symbols, &copy->result, finding, copy->events.data, (uint32_t)copy->events.count));
    take(&failure->build, build_hash(server));
    take(&failure->cause, NULL);
    take(&failure->pattern, NULL);
    failure->shrunk = failure->shrink_complete = failure->fixed = false;
    failure->shrink_runs = 0;
    failure->confirmed = true;
    failure->preemptions = schedule_preemptions(report->schedule.steps.data, report->schedule.steps.count);
    failure->threads = copy->result.task_count;
    schedule_free(&failure->schedule);
    schedule_copy(&failure->schedule, &report->schedule);
}

bool follow_save(struct failure *failure, const struct follow_report *report, struct trial *trial, struct error *error)
{
    struct symbols *symbols = server_symbols_get(trial->symbols, trial->server);
    struct failure_files files = {0};
    struct tale tale = {0};
    fill_failure(failure, report, trial->server, symbols);
    trial->key = failure->key;
    tale_build(&tale, symbols, &report->rerun->copy, &report->rerun->judgement.finding);
    tale_add_output(&tale, &report->output, &report->errors);
    tale_write(&tale, &files.tale);
    tale_free(&tale);
    bool good = rerun_failure_events(report->rerun, symbols, failure, &files.events) ||
                error_set(error, EXIT_INTERNAL, "the event log could not be written");
    good = good && put_aside(failure->path, "schedule", SCHEDULE_LIMIT, error) &&
           put_aside(failure->path, "events", EVENTS_LIMIT, error) && failure_replace(failure, &files, error) &&
           write_output(failure->path, "stdout", &report->output, error) &&
           write_output(failure->path, "stderr", &report->errors, error);
    buffer_free(&files.events);
    buffer_free(&files.tale);
    return good;
}
