/* SPDX-License-Identifier: MIT
 *
 * cast.h - who could do the steps of a pattern in a known run: executions of its sites by two tasks, on the same variables.
 */
#ifndef RADDLE_DIRECT_CAST_H
#define RADDLE_DIRECT_CAST_H

#include "direct/deeds.h"
#include "pattern/pattern.h"

enum { CASTS = 8 };

struct cast {
    uint32_t deeds[PATTERN_STEPS]; /* by step */
    uint64_t distance;             /* in the run, between what is to follow each other */
};

/* The closest ones, the best first; returns how many.  Every step has a site.  Two steps of a task are at most a window apart. */
unsigned cast_find(const struct deeds *deeds, const struct pattern *pattern, uint32_t window, struct cast casts[CASTS]);

#endif
