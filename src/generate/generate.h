/* SPDX-License-Identifier: MIT
 *
 * generate.h - `raddle gen`: from a header to concurrent tests that fail.
 *
 * DESIGN
 *   header.h reads the API, roles.h says what its functions are for, plan.h lets the user change that.  module.h builds two programs around the
 *   module.  search.h finds sequences of calls that do something new when they run alone; candidates.h makes pairs of calls from the states of these
 *   sequences; explore.h runs the interleavings of a pair.  What fails is reduced (reduce.h), written as a C file (emit.h), and must fail again.
 */
#ifndef RADDLE_GENERATE_GENERATE_H
#define RADDLE_GENERATE_GENERATE_H

#include "generate/candidates.h"

struct generate_options {
    struct library_input input;
    const char *plan;      /* file; NULL: none */
    bool print_plan;       /* and nothing else */
    int64_t time;          /* ns */
    uint64_t seed, faults; /* faults: end after so many; 0: only when the time is over */
    unsigned threads;
    bool random, no_linearizability, without_pruning, quiet, verbose;
    const char *fail_on, *out, *suite, *json, *html;
};

/* A distinct fault. */
struct generate_fault {
    char *key, *kind, *text, *test, *directory;
    double seconds;     /* until it was seen */
    uint64_t tests;     /* that had been tried, this one too */
    uint64_t schedules; /* of all tests until then */
    bool emitted;       /* test.c fails too */
};

struct generate_pair { /* of functions: a row of the report's table */
    uint32_t a, b;
    uint64_t tests, schedules, predicted, faults;
};

struct generate_results {
    VECTOR(struct generate_fault) faults;
    VECTOR(struct generate_pair) pairs;
    uint64_t tests, schedules, complete, rejected, sequences, traces, executed, violations;
    uint64_t doubtful; /* failures that did not come back in the test that was written */
    double seconds;
};

/* The whole command.  Returns the exit code; errors have been said. */
int generate(const struct generate_options *options);

#endif
