/* SPDX-License-Identifier: MIT
 *
 * cause_choose.h - which candidate explains a set of runs best.  Nothing here runs, reads or prints anything.
 *
 * DESIGN
 *   A candidate *fits* if it is in every failing and in no passing run.  Of those that fit, people want the smallest that is a whole
 *   explanation: of three steps (another thread comes between two accesses that belong together) before two of them, since
 *   those two are part of it; four steps only where no fewer do.  Where none fits, two together may: every failing run shows
 *   the one or the other, and no passing run any (a lost update can go two ways round); or every failing run shows both, and
 *   no passing run does.
 *
 *   Where a thread read what another one had written and was still to write again, that this was still to come is named.
 *
 *   Order among equals: the program's own code, what was really done before what was still to come, what has the decisive step in it
 *   (cause_decisive.c), what was done last before
 *   the failure, then the sites.  The outcome depends on nothing else.
 */
#ifndef RADDLE_EXPLAIN_CAUSE_CHOOSE_H
#define RADDLE_EXPLAIN_CAUSE_CHOOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pattern/instance.h"

enum {
    CAUSE_RUNS = 512, /* that are compared */
    CAUSE_WORDS = CAUSE_RUNS / 64,
};

/* A set of runs. */
struct cause_set {
    uint64_t words[CAUSE_WORDS];
};

static inline void cause_set_add(struct cause_set *set, unsigned run)
{
    set->words[run / 64] |= 1ull << (run % 64);
}
static inline bool cause_set_has(const struct cause_set *set, unsigned run)
{
    return set->words[run / 64] >> (run % 64) & 1;
}
unsigned cause_set_count(const struct cause_set *set);
/* How many runs are in both. */
unsigned cause_set_common(const struct cause_set *a, const struct cause_set *b);

/* What kind of explanation it is, the better ones first. */
enum cause_tier {
    TIER_WAIT,   /* one thread holds what the other waits for, in a deadlock */
    TIER_TRIPLE, /* data: another's access between two of a thread */
    TIER_PAIR,   /* two steps */
    TIER_HANDED, /* two steps: a lock is handed on, which is how the data under it came to be accessed in this order */
    TIER_CUT,    /* three steps, of which some were still to come */
    TIER_ECHO,   /* two steps that are the finding itself: freed, and freed again */
    TIER_QUAD,   /* data: four steps */
    TIER_OTHER,  /* three or four steps with locks and the like */
};

struct cause_candidate {
    struct instance instance; /* or, of TIER_WAIT, a row of its own (cause_private.h) */
    struct witness witnesses[PATTERN_STEPS];
    struct cause_set seen;      /* runs that it occurred in */
    uint8_t tier;               /* enum cause_tier */
    uint8_t foreign;            /* outside of the program's own code: 0 no step is, 1 some are, 2 all */
    uint8_t pending;            /* steps that were still to come when the failing run ended */
    bool aside;                 /* the decisive step is none of its steps */
    bool in_base;               /* occurred in the run that is to be explained */
    bool refused;               /* not to be named, for other reasons */
    uint32_t last;              /* place of its last step among the events of that run */
    uint32_t at[PATTERN_STEPS]; /* its steps there; EVENT_NONE: still to come */
    uint32_t matched;           /* runs up to here have been looked at by the matcher */
};

struct cause_verdicts {
    struct cause_set failing, passing;
};

enum cause_how { CAUSE_NONE, CAUSE_ONE, CAUSE_EITHER, CAUSE_BOTH };

struct cause_choice {
    enum cause_how how;
    size_t first, second; /* candidates; the first one occurred in the run that is to be explained */
};

/* The better explanation is less. */
int cause_compare(const struct cause_candidate *a, const struct cause_candidate *b);
bool cause_fits(const struct cause_candidate *candidate, const struct cause_verdicts *verdicts);

/* Whether a choice may be named; NULL: all may. */
typedef bool cause_accept(void *context, const struct cause_choice *choice);

struct cause_choice cause_choose(const struct cause_candidate *candidates, size_t count,
                                 const struct cause_verdicts *verdicts, cause_accept *accept, void *context);

#endif
