/* SPDX-License-Identifier: MIT
 *
 * session.h - the test of one type of object: everything that is known while it goes on.
 */
#ifndef RADDLE_GENERATE_SESSION_H
#define RADDLE_GENERATE_SESSION_H

#include "generate/candidates.h"
#include "generate/explore.h"
#include "generate/generate.h"

struct session {
    const struct generate_options *options;
    const struct api *api;
    struct generate_results *results;
    struct library library;
    struct search search;
    struct candidates candidates;
    unsigned round, turns;
    int64_t began;
};

/* Runs a test in the program `together`; `explore` has runs, seed, strategy, and gets the results. */
void session_explore(struct session *session, const struct test *test, struct explore *explore);
/* Seconds since it began. */
double session_seconds(const struct session *session);

#endif
