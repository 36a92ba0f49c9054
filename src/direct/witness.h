/* SPDX-License-Identifier: MIT
 *
 * witness.h - better witnesses for the steps of an instance, from the events of the run that it was predicted from.
 *
 * The predictor puts instances together from accesses that stand for many alike (predict.h), so the two steps of one thread need
 * not be of one execution of the code.  Here the two that were closest to each other are looked up, of those that access what the
 * predicted ones do, and where each task entered its critical sections (section entry.h).
 */
#ifndef RADDLE_DIRECT_WITNESS_H
#define RADDLE_DIRECT_WITNESS_H

#include "direct/section_entry.h"
#include "pattern/instance.h"

struct witness_place { /* where a site was executed once */
    uint64_t operation;
    uint64_t lo, hi; /* the memory, or the object */
    uint64_t mutex;  /* of a wait for a condition variable; 0 none */
};

struct witness_index {  /* all zero is the beginning */
    struct table lists; /* task and site → index into `places` + 1 */
    VECTOR(struct { VECTOR(struct witness_place) all; }) places;
    struct section_entries entries;
};

/* sites: of each event.  Replaces what was there. */
void witness_index_make(struct witness_index *index, const struct wire_event *events, const uint32_t *sites,
                        size_t count);
void witness_index_free(struct witness_index *index);
/* Improves the witnesses of the instance's steps, in place. */
void witness_refine(const struct witness_index *index, const struct instance *instance,
                    struct witness witnesses[PATTERN_STEPS]);

#endif
