/* SPDX-License-Identifier: MIT
 *
 * waits.h - the mutex that a condition wait gives back and takes again.
 *
 * The address of a wait's events is the condition variable; the mutex is the value of the first one.  Without a value (an
 * event that did not come from the runtime) it is taken to be the one that the task locked last and still holds.
 */
#ifndef RADDLE_TRACE_WAITS_H
#define RADDLE_TRACE_WAITS_H

#include "trace/access.h"
#include "util/vector.h"

struct waits_task {
    VECTOR(uint64_t) held; /* mutexes, the last one locked last; recursive ones several times */
    uint64_t waits_with;   /* 0 none */
};

struct waits { /* all zero is the beginning */
    VECTOR(struct waits_task) tasks;
};

/* Called for every event, once.  For COND_WAIT and COND_WAKE the mutex, 0 if there is none; for all others 0. */
uint64_t waits_event(struct waits *waits, const struct event *event);
/* Forgets all tasks and keeps the memory. */
void waits_clear(struct waits *waits);
void waits_free(struct waits *waits);

#endif
