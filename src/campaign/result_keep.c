/* SPDX-License-Identifier: MIT
 *
 * result_keep.c - what stays of a campaign in its directory, so that a report can be made later without the program.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "campaign/result.h"
#include "trace/campaign_counters.h"
#include "trace/campaign_files.h"
#include "util/file.h"

#ifndef RADDLE_VERSION
#define RADDLE_VERSION "unknown"
#endif

static void add_number(json_t *object, const char *name, uint64_t value)
{
    json_object_set_new(object, name, json_integer((json_int_t)value));
}

static struct coverage_count count_all(const struct coverage *coverage)
{
    struct coverage_count sum = {0};
    for (size_t i = 0; coverage != NULL && i < coverage_group_count(coverage); i++) {
        struct coverage_count count = coverage_count(coverage, coverage_group(coverage, i)->rows);
        sum.covered += count.covered;
        sum.open += count.open;
    }
    return sum;
}

/* The campaign in one line, without its end; NULL: cannot be.  For free(). */
static char *describe(const struct results *results, const struct result_context *context)
{
    const struct coverage_count coverage = count_all(results->coverage);
    const struct history_counts counts = {
#define X(member, value) .member = value,
        HISTORY_COUNTERS(X)
#undef X
    };
    json_t *line = json_object();
    json_object_set_new(line, "began", json_integer(context->began));
    json_object_set_new(line, "seconds", json_real(results->seconds));
    json_object_set_new(line, "version", json_string(RADDLE_VERSION));
    json_object_set_new(line, "strategy", json_string(context->strategy));
    add_number(line, "seed", context->seed);
    for (const struct campaign_counter *counter = history_counters; counter->name != NULL; counter++)
        add_number(line, counter->name, counter_value(&counts, counter));
    json_object_set_new(line, "exit_code", json_integer(context->exit_code));
    json_object_set_new(line, "interrupted", json_boolean(results->interrupted));
    char *text = json_dumps(line, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(9));
    json_decref(line);
    return text;
}

/* The beginning of the last `most` lines. */
static const char *last_lines(const char *text, size_t size, size_t most)
{
    const char *begin = text + size;
    while (begin > text) {
        const char *before = begin - 1; /* the end of the line before */
        while (before > text && before[-1] != '\n')
            before--;
        if (most-- == 0)
            break;
        begin = before;
    }
    return begin;
}

static bool add_line(const char *path, const char *line, struct error *error)
{
    struct buffer old = {0}, text = {0};
    struct error ignored; /* a history that cannot be read begins again */
    if (file_exists(path) && file_read(path, RESULT_HISTORY_LIMIT, &old, &ignored))
        buffer_add_string(&text, last_lines(buffer_text(&old), old.size, RESULT_HISTORY_LINES - 1));
    if (text.size > 0 && text.data[text.size - 1] != '\n')
        buffer_add_char(&text, '\n');
    buffer_printf(&text, "%s\n", line);
    bool good = file_write(path, buffer_text(&text), text.size, error);
    buffer_free(&old);
    buffer_free(&text);
    return good;
}

bool results_keep(const struct results *results, const struct result_context *context, struct error *error)
{
    char *campaign = file_join(context->out, CAMPAIGN_FILE_CAMPAIGN),
         *history = file_join(context->out, CAMPAIGN_FILE_HISTORY);
    char *line = describe(results, context);
    bool good = line != NULL || error_set(error, EXIT_INTERNAL, "the campaign could not be written as JSON");
    good = good && results_write_json(results, context, campaign, error) && add_line(history, line, error);
    free(line);
    free(campaign);
    free(history);
    return good;
}
