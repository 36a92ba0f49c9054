/* SPDX-License-Identifier: MIT
 *
 * step_candidates.h - which events of an execution could be the steps of a pattern: at its sites, by two tasks, on the same variables.
 */
#ifndef RADDLE_DIRECT_STEP_CANDIDATES_H
#define RADDLE_DIRECT_STEP_CANDIDATES_H

#include "direct/event_graph.h"
#include "pattern/pattern.h"

enum { STEP_CANDIDATES = 8 };

struct step_candidates {
    uint32_t nodes[PATTERN_STEPS]; /* by step */
    uint64_t distance;             /* in events, between steps on one variable */
};

/* The closest ones, the best first; returns how many.  Every step has a site.  Two steps of a task are at most a window apart. */
unsigned step_candidates_find(const struct event_graph *graph, const struct pattern *pattern, uint32_t window,
                              struct step_candidates candidates[STEP_CANDIDATES]);

#endif
