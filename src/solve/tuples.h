/* SPDX-License-Identifier: MIT
 *
 * tuples.h - which events of an execution can be the steps of a pattern, and the question whether they can come in its order.
 */
#ifndef RADDLE_SOLVE_TUPLES_H
#define RADDLE_SOLVE_TUPLES_H

#include "pattern/family.h"
#include "solve/question.h"

struct tuple {
    uint32_t events[PATTERN_STEPS]; /* by step */
};

enum { TUPLES_MOST = 64 };

struct tuples { /* all zero to begin with; used again */
    VECTOR(struct tuple) all;
    uint32_t most; /* that are found; 0: TUPLES_MOST */
    uint32_t done; /* the first events are no steps */
    bool cut;      /* there are more */
};

/* The events of an execution by their sites. */
struct site_events {   /* all zero is empty */
    struct table last; /* site → its last event + 1 */
    event_list alike;  /* by event: the one before it at the same site; EVENT_NONE */
};
void site_events_make(struct site_events *sites, const struct execution *execution);
void site_events_free(struct site_events *sites);

/* Every step of the pattern has a site.  Steps of one thread are at most a window of operations apart.  The latest come first. */
void tuples_find(const struct execution *execution, const struct site_events *sites, const struct pattern *pattern,
                 uint32_t window, struct tuples *tuples);
void tuples_free(struct tuples *tuples);

/* Whether these events can come in the pattern's order.  Adds to a question that was cleared.  False: they cannot, since one task does them
   in another order. */
bool tuple_question(const struct execution *execution, const struct pattern *pattern, const struct tuple *tuple,
                    struct question *question);

#endif
