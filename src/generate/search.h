/* SPDX-License-Identifier: MIT
 *
 * search.h - sequences of calls that do something new when they run alone.
 *
 * Terragni and Cheung, Coverage-driven test code generation for concurrent classes (ICSE 2016), section 4.2: a tree whose edges append a call, depth
 * first; a sequence is the better the more traces of calls it has that no sequence before had.
 *
 * Different from the paper: the children of a node are run at once, as children of the process that has the node's state; a place counts at most
 * twice in a trace (harness/alone_trace.c); and the pool of arguments of a function has a few vectors in each iteration.
 */
#ifndef RADDLE_GENERATE_SEARCH_H
#define RADDLE_GENERATE_SEARCH_H

#include "generate/library.h"
#include "util/hash.h"
#include "util/table.h"

enum { SEARCH_LENGTH = 24 };

struct sequence {
    struct gen_call construct, calls[SEARCH_LENGTH];
    uint64_t traces[SEARCH_LENGTH];
    unsigned count, fresh; /* fresh: traces that are new */
};

/* What was seen of a function. */
struct search_function {
    uint64_t runs, changes; /* calls that came back; of these, those that changed the state */
    uint64_t blocks;
    uint32_t failed; /* a status that ends its use: it ends the process, reads the standard input, creates threads */
    bool said;
};

struct search {
    struct library *library;
    struct generator generator;
    bool without_pruning;
    unsigned iteration, saturation; /* the paper's k */
    VECTOR(struct gen_call) edges;  /* of this iteration */
    struct table covered;           /* traces of all sequences that were returned */
    VECTOR(struct search_function) functions;
    VECTOR(struct sequence) sequences; /* all that were returned */
    uint64_t executed;                 /* extensions that were run */
    bool random;                       /* the baseline: sequences at random */
    /* of this iteration: */
    struct sequence best;
    struct table states; /* state -> index + 1 in nodes, the last one */
    VECTOR(struct search_node) nodes;
    uint64_t executed_before;
};

struct search_node {
    uint64_t state;
    uint32_t before; /* index + 1 of another one with this state; 0: none */
    unsigned length;
    unsigned fresh;
    uint64_t traces[SEARCH_LENGTH];
};

void search_open(struct search *search, struct library *library, uint64_t seed);
void search_close(struct search *search);
/* The next sequence, which is kept in search->sequences too.  NULL: none was found that has something new (saturation is raised), or it is time to
   stop; or an error: error->code. */
const struct sequence *search_next(struct search *search, struct error *error);
/* The function never changed the state and came back each time: its results show the state. */
bool search_is_observer(const struct search *search, uint32_t function);
/* It may be called in tests. */
bool search_may_call(const struct search *search, uint32_t function);
/* The sentence why a function is not called any more; NULL. */
const char *search_why(uint32_t status);

/* How a call failed: "crashes". */
const char *search_failure(uint32_t status);

#endif
