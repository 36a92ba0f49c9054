/* SPDX-License-Identifier: MIT
 *
 * explore.h - runs the interleavings of one test: a campaign (campaign/conduct.h) of its own.
 */
#ifndef RADDLE_GENERATE_EXPLORE_H
#define RADDLE_GENERATE_EXPLORE_H

#include <stdbool.h>
#include <stdint.h>

#include "util/error.h"

struct explore {
    /* Given: */
    char **command;       /* ends with NULL */
    const char *out;      /* where failures go */
    const char *strategy; /* NULL: all */
    const char *fail_on;
    uint64_t runs, seed;
    bool simplify;   /* shrink the schedule and find the cause */
    bool show;       /* what the campaign says is passed on */
    const char *log; /* else it goes there */
    /* Found: */
    bool found;
    char *kind, *site, *text, *path; /* path: the failure's directory, may be NULL */
    uint64_t schedules, at;          /* at: the schedule that failed */
    bool complete;                   /* there are no more schedules */
    int code;                        /* exit code of the campaign */
};

void explore_test(struct explore *explore);
void explore_free(struct explore *explore);

#endif
