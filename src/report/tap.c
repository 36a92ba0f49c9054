/* SPDX-License-Identifier: MIT
 *
 * tap.c - the report as TAP: per program one test for the last campaign and one for each failure, with YAML diagnostics.
 *
 * The version is 13: readers of version 14 accept it, and current prove refuses 14.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/formats.h"
#include "report/text.h"

/* The description after the dash.  '#' would begin a directive, so it is escaped. */
static void add_description(struct buffer *to, const char *text)
{
    struct buffer line = {0};
    report_add_line(&line, text);
    for (const char *c = buffer_text(&line); *c != '\0'; c++) {
        if (*c == '#' || *c == '\\')
            buffer_add_char(to, '\\');
        buffer_add_char(to, *c);
    }
    buffer_free(&line);
}

/* A text in double quotes, in one line. */
static void add_entry(struct buffer *to, const char *name, const char *text)
{
    struct buffer line = {0};
    report_add_line(&line, text);
    buffer_printf(to, "  %s: \"", name);
    for (const char *c = buffer_text(&line); *c != '\0'; c++) {
        if (*c == '"' || *c == '\\')
            buffer_add_char(to, '\\');
        buffer_add_char(to, *c);
    }
    buffer_add_string(to, "\"\n");
    buffer_free(&line);
}

/* A text of several lines as a block.  The explicit indentation protects blanks at the beginning of its lines. */
static void add_block(struct buffer *to, const char *name, const char *text)
{
    struct buffer plain = {0};
    report_add_plain(&plain, text);
    char *lines = buffer_take(&plain), *rest = lines, *line;
    buffer_printf(to, "  %s: |\n", name);
    while ((line = strsep(&rest, "\n")) != NULL)
        if (rest != NULL || line[0] != '\0')
            buffer_printf(to, "    | %s\n", line);
    free(lines);
}

static void add_test(struct buffer *to, size_t number, bool good, const char *program, const char *what)
{
    buffer_printf(to, "%s %zu - ", good ? "ok" : "not ok", number);
    add_description(to, program);
    buffer_add_string(to, ": ");
    add_description(to, what);
}

static void add_campaign(const struct report_program *program, size_t number, struct buffer *to)
{
    enum report_status status = report_status(program);
    char *verdict = report_verdict(program);
    add_test(to, number, status != REPORT_ERROR && !report_fails_by_itself(program), program->name, "interleavings");
    if (status == REPORT_UNKNOWN ||
        (status == REPORT_FAILED && !report_fails_by_itself(program))) { /* each failure is a test of its own */
        buffer_add_string(to, " # SKIP ");
        add_description(to, status == REPORT_UNKNOWN ? "there was no campaign" : verdict);
    }
    buffer_add_char(to, '\n');
    if (program->has_campaign) {
        const struct report_campaign *campaign = &program->campaign;
        char *command = report_command(campaign->command);
        buffer_add_string(to, "  ---\n");
        add_entry(to, "message", verdict);
        add_entry(to, "severity", report_status_name(status));
        add_entry(to, "command", command);
        buffer_printf(to, "  schedules: %" PRIu64 "\n  seed: %" PRIu64 "\n  duration_ms: %.3f\n",
                      campaign->count.schedules, campaign->seed, campaign->seconds * 1000);
        if (campaign->coverage.measured)
            buffer_printf(to, "  covered: %" PRIu64 "\n  open: %" PRIu64 "\n", report_covered(&campaign->coverage),
                          report_open(&campaign->coverage));
        buffer_printf(to, "  warnings: %zu\n  ...\n", campaign->warnings.count);
        free(command);
    }
    free(verdict);
}

static void add_failure(const struct report_program *program, const struct report_failure *failure, size_t number,
                        struct buffer *to)
{
    const struct failure *about = &failure->about;
    char *what = memory_format("%s: %s", failure->name, report_headline(failure));
    add_test(to, number, about->fixed, program->name, what);
    buffer_add_char(to, '\n');
    free(what);
    if (about->fixed) /* the test passes: nothing to diagnose */
        return;
    char *story = report_story(failure);
    buffer_add_string(to, "  ---\n");
    add_entry(to, "message", report_headline(failure));
    add_entry(to, "severity", "failed");
    add_entry(to, "kind", about->kind);
    add_entry(to, "at", about->site != NULL ? about->site : "?");
    buffer_printf(to, "  preemptions: %u\n", report_preemptions(failure));
    add_entry(to, "strategy", about->strategy != NULL ? about->strategy : "?");
    add_entry(to, "path", about->path);
    add_block(to, "story", story);
    buffer_add_string(to, "  ...\n");
    free(story);
}

void report_tap(const struct report *report, struct buffer *text)
{
    size_t count = 0, number = 0;
    for (size_t i = 0; i < report->programs.count; i++)
        count += report_count_tests(&report->programs.data[i]);
    buffer_printf(text, "TAP version 13\n1..%zu\n", count);
    for (size_t i = 0; i < report->programs.count; i++) {
        const struct report_program *program = &report->programs.data[i];
        add_campaign(program, ++number, text);
        for (size_t k = 0; k < program->failures.count; k++)
            if (!report_is_repeated(program, k))
                add_failure(program, &program->failures.data[k], ++number, text);
    }
}
