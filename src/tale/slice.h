/* SPDX-License-Identifier: MIT
 *
 * slice.h - what slice.c (the backward walk and its context) and slice_begin.c (its first events) share.
 */
#ifndef RADDLE_TALE_SLICE_H
#define RADDLE_TALE_SLICE_H

#include "tale/tale_private.h"
#include "util/vector.h"

/* How an object is used. */
enum {
    USE_THREAD = 0xffff,
    USE_SEEN = 1 << 16,
    USE_SHARED = 1 << 17,
    USE_WRITTEN = 1 << 18,
    USE_CAUSE = 1 << 19,
    USE_WHOLE = 1 << 20, /* wide, and its parts have been searched */
};

struct slice {
    struct tale *tale;
    struct table uses;        /* object → USE_* and the first thread */
    VECTOR(uint32_t) pending; /* events in the slice whose reasons are not searched yet */
    size_t next;
    size_t failure;     /* event; SIZE_MAX: none */
    size_t first;       /* event that created the first thread; what is before it is initialisation */
    uint32_t *previous; /* previous event of the same thread, per event; UINT32_MAX: none */
};

/* ---- what events are ------------------------------------------------------------------------------------------------------ */

bool slice_is_access(const struct tale_event *event);
bool slice_is_write(const struct tale_event *event);
bool slice_is_read(const struct tale_event *event);
bool slice_same_line(const struct tale *tale, int32_t a, int32_t b);
/* Compared by name; a variable and a part of it count as the same. */
bool slice_same_object(const struct tale_event *a, const struct tale_event *b);
/* Accessed by several threads, and written. */
bool slice_is_shared(const struct slice *slice, const struct tale_event *event);
/* Whether it may be shown as context of another event. */
bool slice_is_relevant(const struct slice *slice, const struct tale_event *event);
/* A variable with a name: not on the heap or a stack. */
bool slice_is_global(const struct tale_event *event);

/* ---- what is selected ------------------------------------------------------------------------------------------------- */

/* Adds the event to the slice. */
void slice_show(struct slice *slice, size_t index);
/* Adds the event to the slice and to the pending ones, if the limit is not reached. */
void slice_want(struct slice *slice, size_t index);
/* Adds what the thread read before `index` on the line `place`, each variable once.  Returns how many. */
int slice_want_reads_of_line(struct slice *slice, size_t index, int32_t place);
/* Adds the last `count` shared reads of the thread before `index`, of any variable. */
void slice_want_last_reads(struct slice *slice, size_t index, int count);

/* Adds the beginning of the wait that ends at `index`, and the signal that ended it. */
void slice_want_wait(struct slice *slice, size_t index);
/* Adds what explains the pending events, until there are none. */
void slice_explain(struct slice *slice);

/* slice_begin.c: the first events of the walk. */
void slice_begin(struct slice *slice);
/* slice_context.c: what is around the events of the walk; it may add pending ones.  Then, when all of them are explained, the rest. */
void slice_add_context(struct slice *slice);
void slice_end_context(struct slice *slice);

#endif
