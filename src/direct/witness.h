/* SPDX-License-Identifier: MIT
 *
 * witness.h - better witnesses for the steps of an instance, from the execution that it was predicted from.
 *
 * The predictor puts instances together from accesses that stand for many alike (history.h), so the two steps of one thread need
 * not be of one execution of the code.  Here the two that were closest to each other are looked up, of those that access what the
 * predicted ones do, and where each task entered its critical sections (execution.h).
 */
#ifndef RADDLE_DIRECT_WITNESS_H
#define RADDLE_DIRECT_WITNESS_H

#include "pattern/instance.h"
#include "trace/execution.h"

struct witness_index { /* all zero is the beginning */
    const struct execution *execution;
    struct table lists; /* task and site → index into `events` + 1 */
    VECTOR(event_list) events;
};

/* Replaces what was there.  The execution must not change while the index is used. */
void witness_index_make(struct witness_index *index, const struct execution *execution);
void witness_index_free(struct witness_index *index);
/* Improves the witnesses of the instance's steps, in place. */
void witness_refine(const struct witness_index *index, const struct instance *instance,
                    struct witness witnesses[PATTERN_STEPS]);

#endif
