/* SPDX-License-Identifier: MIT
 *
 * analyze_static.h - `raddle analyze PROGRAM`, `raddle analyze FILE.c… -- FLAGS`: the static analysis.
 */
#ifndef RADDLE_CLI_ANALYZE_STATIC_H
#define RADDLE_CLI_ANALYZE_STATIC_H

#include "util/error.h"
#include "util/names.h"

struct analyze_static {
    struct names inputs; /* programs and libraries, or source files */
    int flag_count;      /* after --: for the compiler */
    char **flags;
    const char *json; /* a file; NULL */
    bool full, quiet;
};

bool analyze_static(const struct analyze_static *options, struct error *error);

#endif
