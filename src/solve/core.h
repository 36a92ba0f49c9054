/* SPDX-License-Identifier: MIT
 *
 * core.h - why a pattern cannot happen, and what of it holds for other executions, too.
 *
 * DESIGN
 *   Most patterns that locksets allow and no run shows are impossible because of critical sections around their steps: two sections of
 *   one lock exclude each other, so one comes as a whole before the other; that is against the pattern's order, or puts an access
 *   between two steps that must follow each other.  Nothing but the order of events in each of the two tasks, their critical sections
 *   and the pattern has a part in this, so it does not depend on values, and it is the same wherever two tasks do the same.
 *
 *   What a task does from where it takes the first of the locks to where it gives back the last one, as far as it matters, is a *part*.
 *   Two parts have been checked once; that they exclude the pattern is kept (struct cores) and holds in each execution that has equal
 *   parts.  A pattern is impossible in an execution if all pairs of parts exclude it.
 *
 *   Nor do addresses matter, only which accesses are to the same bytes and which locks are the same.  So a pair of parts has a key made of
 *   the names of its sites, the steps, the sections, and what excludes what.  Pairs with the same key have the same answer: for other
 *   addresses, in other executions, with other inputs.  Such keys are what a memo keeps.
 */
#ifndef RADDLE_SOLVE_CORE_H
#define RADDLE_SOLVE_CORE_H

#include "solve/question.h"
#include "solve/tuples.h"
#include "util/buffer.h"

/* ---- why ------------------------------------------------------------------------------------------------------------- */

struct core_item {
    uint8_t kind;   /* enum reason_kind */
    uint32_t a, b;  /* sites; of REASON_LOCK: a takes the lock until `until`, b needs it */
    uint32_t until; /* 0: it is not given back */
    uint64_t lock;  /* address */
};

enum { CORE_MOST = 6 };

struct core {
    unsigned count;
    struct core_item items[CORE_MOST];
};

struct core_names {
    void (*site)(void *context, uint32_t site, struct buffer *out);
    void (*lock)(void *context, uint64_t address, struct buffer *out);
    void *context;
};

/* As a sentence without its end: "line 30 needs m, which line 12 holds until line 19".  What is asked itself is left out. */
void core_print(const struct core *core, const struct core_names *names, struct buffer *out);
/* The reasons of an answer, by their sites. */
void core_from_reasons(struct core *core, const struct rules *rules, const struct answer *answer);

/* ---- by critical sections ------------------------------------------------------------------------------------------------ */

struct core_section {
    uint64_t lock;
    uint32_t first, last; /* events; EVENT_NONE: it does not end */
    bool shared;
};

/* An execution, as far as critical sections go. */
struct core_view { /* all zero to begin with; used again */
    const struct execution *execution;
    struct site_events sites;
    VECTOR(struct core_section) sections;
    event_list held, first_held; /* by event: the sections that it lies in, with one more at the end */
    bool certain;                /* the order of the events of a task does not depend on others */
};

/* The execution must not change while it is used. */
void core_view_make(struct core_view *view, const struct execution *execution);
void core_view_free(struct core_view *view);

/* Two parts that exclude a pattern. */
struct kept_core {
    uint64_t key;
    uint8_t row; /* of the pattern's family; family_count: it has none */
    struct core core;
};

enum { CORES_MOST = 10000 }; /* of these are kept */

struct cores {                      /* all zero: none are kept */
    const struct sites *sites;      /* keys have their names; NULL: their numbers, and hold for these alone */
    struct table pairs;             /* pattern and two parts, with addresses → PAIR_* */
    struct table keys;              /* → PAIR_* */
    struct table names;             /* site → hash of its name */
    VECTOR(struct kept_core) found; /* that were found to exclude a pattern, and were not known */
    struct tuples tuples[2];
    uint64_t work;          /* events that were looked at */
    uint64_t kept, derived; /* pairs of parts that were known, and were not */
    uint64_t remembered;    /* of those that were known, from cores_remember */
};
void cores_free(struct cores *cores);

/* Pairs of parts with this key are known to exclude their pattern. */
void cores_remember(struct cores *cores, uint64_t key);

/* All pairs of parts of the execution exclude the pattern; every step has a site.  `core`: of one of them; it has no items if there are no
   two parts.  Patterns without a family must not be mixed with others that have other relations between their steps. */
bool cores_exclude(struct cores *cores, const struct core_view *view, const struct pattern *pattern, uint32_t window,
                   struct core *core);

#endif
