/* SPDX-License-Identifier: MIT
 *
 * report.c - `raddle report`: the results of campaigns, for users, CI and other tools.
 *
 * Everything is read first; then each format is made as a whole and written at once, so that none is left half-written.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/report_options.h"
#include "report/formats.h"
#include "report/html.h"
#include "util/file.h"
#include "util/log.h"

static bool write_text(void (*format)(const struct report *report, struct buffer *text), const struct report *report,
                       const char *path, struct error *error)
{
    struct buffer text = {0};
    format(report, &text);
    bool good = report_output(path, &text, error);
    buffer_free(&text);
    return good;
}

static bool write_all(const struct report_options *options, const struct report *report, struct error *error)
{
    static void (*const formats[REPORT_FORMAT_COUNT])(const struct report *report, struct buffer *text) = {
        [REPORT_JSON] = report_json, [REPORT_JUNIT] = report_junit, [REPORT_SARIF] = report_sarif,
        [REPORT_TAP] = report_tap,   [REPORT_TRACE] = report_trace,
    };
    bool good = true, any = false;
    for (int i = 0; i < REPORT_FORMAT_COUNT && good; i++) {
        const char *path = options->paths[i];
        if (path == NULL)
            continue;
        any = true;
        good = i == REPORT_HTML ? report_html(report, path, error) : write_text(formats[i], report, path, error);
    }
    return any ? good : write_text(report_summary, report, "-", error);
}

/* Prints what could not be read, and returns the exit code; the rest has been reported. */
static int tell_problems(const struct report *report)
{
    for (size_t i = 0; i < report->problems.count; i++)
        log_error("%s", report->problems.data[i]);
    return report->problems.count > 0 ? EXIT_USAGE : 0;
}

int command_report(int argc, char **argv)
{
    struct report_options options;
    struct report report = {0};
    struct error error = {0};
    if (!report_options_read(&options, argc, argv, &error))
        return error_report(&error);
    if (options.help) {
        report_options_print_help();
        return 0;
    }
    char *directory =
        options.directory != NULL ? memory_copy_string(options.directory) : report_default_directory(&error);
    bool good = directory != NULL && report_read(&report, directory, &error);
    int problems = tell_problems(&report);
    good = good && write_all(&options, &report, &error);
    report_free(&report);
    free(directory);
    return good ? problems : error_report(&error);
}
