/* SPDX-License-Identifier: MIT
 *
 * candidates.h - which tests are worth running: pairs of calls from a state that a sequence reached, those first between which something is
 * predicted to go wrong.
 *
 * Terragni and Cheung (ICSE 2016), sections 4.3 and 4.4: each new trace of a call is tested with every other one, from the state that it had.  Two
 * calls of one thread need not be atomic together, so a test has one call per thread; longer ones come when all pairs were tried.
 */
#ifndef RADDLE_GENERATE_CANDIDATES_H
#define RADDLE_GENERATE_CANDIDATES_H

#include "generate/search.h"
#include "generate/test.h"

struct candidate {
    struct test test;
    unsigned fresh, score; /* weight of predicted violations: of those that no candidate before had; of all */
    unsigned rounds;       /* how often it was explored; UINT_MAX: not any more */
    uint64_t schedules;
    bool complete; /* all its schedules were tried */
};

struct candidate_pair {      /* of traces */
    uint64_t state;          /* the last one */
    unsigned states, values; /* states that it was tried in; values in the last one */
};

struct candidates {
    VECTOR(struct candidate) all;
    struct table pairs; /* of traces: index + 1 in seen */
    VECTOR(struct candidate_pair) seen;
    struct table predicted; /* violations */
};

/* Those from the states of a sequence.  False: time to stop, or an error. */
bool candidates_add(struct candidates *candidates, struct search *search, const struct sequence *sequence,
                    struct error *error);
/* One with one or two calls for each thread, at random, from a state of a sequence and some more calls; valid until the next one.  NULL: these calls
   do not go together. */
struct candidate *candidates_add_long(struct candidates *candidates, struct search *search, unsigned threads);
/* The best that was explored fewer than `rounds` times; NULL. */
struct candidate *candidates_best(struct candidates *candidates, unsigned rounds);
void candidates_free(struct candidates *candidates);

#endif
