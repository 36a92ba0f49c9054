/* SPDX-License-Identifier: MIT
 *
 * lockset.h - which locks each task holds, and since when: mutexes, spin locks, rwlocks in either mode, and semaphores
 * that are used as locks.
 */
#ifndef RADDLE_PREDICT_LOCKSET_H
#define RADDLE_PREDICT_LOCKSET_H

#include <stdbool.h>
#include <stdint.h>

#include "predict/clock.h"
#include "trace/access.h"
#include "util/vector.h"

/* A critical section that is not over. */
struct lock_section {
    uint64_t lock;
    uint64_t since;           /* number of the event that began it: what tells one section of the lock from another */
    uint32_t depth;           /* recursive locks */
    bool shared;              /* a read lock */
    VECTOR(uint64_t) touched; /* for the owner of the locksets: locations accessed in it */
};

struct lock_task {
    VECTOR(struct lock_section) sections; /* in the order in which they began */
    uint64_t changes;                     /* how often the set has changed */
};

struct locksets {
    VECTOR(struct lock_task) tasks;
};

typedef void section_ends(void *context, uint16_t task, struct lock_section *section);

/* Before the accesses of an event: sections that it ends, after `ends` was called for each.  `mutex`: of a condition wait
   (trace/waits.h). */
void locksets_before(struct locksets *locksets, const struct clocks *clocks, const struct event *event, uint64_t mutex,
                     section_ends *ends, void *context);
/* After them: sections that it begins. */
void locksets_after(struct locksets *locksets, const struct clocks *clocks, const struct event *event, uint64_t mutex,
                    uint64_t number);
/* All that is still open ends. */
void locksets_end(struct locksets *locksets, section_ends *ends, void *context);
struct lock_task *locksets_task(struct locksets *locksets, uint16_t task);
void locksets_free(struct locksets *locksets);

#endif
