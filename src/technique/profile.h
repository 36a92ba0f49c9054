/* SPDX-License-Identifier: MIT
 *
 * profile.h - which locations are shared, and how often each thread touches them: what surw wants to know beforehand.
 *
 * Made from the events of one recorded run.  It is a guess about other runs, and is renewed now and then.
 */
#ifndef RADDLE_TECHNIQUE_PROFILE_H
#define RADDLE_TECHNIQUE_PROFILE_H

#include <stdint.h>

#include "trace/execution.h"
#include "util/vector.h"

struct profile_count {
    uint16_t task;
    uint32_t events;
};

struct profile_location {
    uint64_t lo, hi;       /* addresses */
    uint32_t first, count; /* its part of profile.counts */
    uint64_t met;          /* the event that touched it first */
};

struct profile {
    VECTOR(struct profile_location)
    locations;                           /* shared ones only, in the order in which the run met them: addresses may
                                                  differ between machines and carriers of threads */
    VECTOR(struct profile_count) counts; /* per location, by task */
    VECTOR(uint32_t) points;             /* all events per task, by id */
    uint32_t alone;                      /* events while there was one task: not counted */
};

/* Replaces what was there.  The execution needs no sites. */
void profile_make(struct profile *profile, const struct execution *execution);
void profile_free(struct profile *profile);
/* Fills in the interest and the task counts of a plan: location `index`, or everything if it is out of range. */
void profile_apply(const struct profile *profile, size_t index, struct wire_plan *plan);

#endif
