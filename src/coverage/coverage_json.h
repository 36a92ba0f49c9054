/* SPDX-License-Identifier: MIT
 *
 * coverage_json.h - the coverage of a campaign as OUT/coverage.json: what a report needs to show the source with its coverage
 * when neither the program nor the source is there any more.
 *
 *   {"format": "raddle coverage", "version": 1, "total": 925,
 *    "families":  [{"name": "idiom.1", "shape": "a:*(x) << b:*(x)", "meaning": "one dependency"}, …],
 *    "sites":     [{"file": "bank.c", "line": 15, "function": "withdraw", "where": "bank.c:15"}, …],
 *    "files":     [{"name": "bank.c", "lines": [[12, "static void *withdraw(void *unused)"], …]}, …],
 *    "instances": [[family, [site, …], ["R", "W", …], seen in so many runs, predicted, attempts, given up,
 *                   impossible], …],
 *    "reasons":   [[instance, "bank.c:30 needs lock, which bank.c:12 holds until bank.c:19"], …]}
 *
 * Families, sites and instances are referred to by index; `reasons` says of impossible instances why they are so.  Of a file only the lines around sites are kept, and only if it is not newer than
 * the program.  Where there are too many instances (`total`), those of two steps come first.
 */
#ifndef RADDLE_COVERAGE_COVERAGE_JSON_H
#define RADDLE_COVERAGE_COVERAGE_JSON_H

#include "coverage/coverage.h"
#include "coverage/targets.h"

enum {
    COVERAGE_JSON_INSTANCES = 50000,
    COVERAGE_JSON_AROUND = 3,    /* lines before and after each site */
    COVERAGE_JSON_LINES = 20000, /* of all files */
    COVERAGE_JSON_REASONS = 10000,
    COVERAGE_JSON_LINE = 400,     /* bytes of a line that are kept */
    COVERAGE_JSON_FILE = 8 << 20, /* larger source is not read */
};

/* `loaded`: a process of the campaign, NULL if there is none. */
bool coverage_write_json(const struct coverage *coverage, const struct targets *targets,
                         const struct server_symbols *loaded, const char *directory, struct error *error);

#endif
