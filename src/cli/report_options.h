/* SPDX-License-Identifier: MIT
 *
 * report_options.h - the options of `raddle report`.
 */
#ifndef RADDLE_CLI_REPORT_OPTIONS_H
#define RADDLE_CLI_REPORT_OPTIONS_H

#include <stdbool.h>

#include "util/error.h"

enum report_format {
    REPORT_HTML,
    REPORT_JSON,
    REPORT_JUNIT,
    REPORT_SARIF,
    REPORT_TAP,
    REPORT_TRACE,
    REPORT_FORMAT_COUNT
};

struct report_options {
    const char *directory;                  /* NULL: not given */
    const char *paths[REPORT_FORMAT_COUNT]; /* NULL: not requested; "-": standard output */
    bool help;
};

bool report_options_read(struct report_options *options, int argc, char **argv, struct error *error);
void report_options_print_help(void);
/* For the shell: the options, one per line. */
void report_options_print_words(void);

#endif
