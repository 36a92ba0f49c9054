/* SPDX-License-Identifier: MIT
 *
 * slice.h - what slice.c (the walk backwards, and what is around it) and slice_begin.c (where it begins) share.
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
    USE_WHOLE = 1 << 20, /* wide, and its parts have been looked for */
};

struct slice {
    struct tale *tale;
    struct table uses;        /* object → USE_* and the first thread */
    VECTOR(uint32_t) pending; /* events that are in, and whose reasons are not yet looked for */
    size_t next;
    size_t failure;     /* event; SIZE_MAX none */
    size_t first;       /* event that made the first thread: what was before it is how things began */
    uint32_t *previous; /* of each event the one before it of the same thread; UINT32_MAX none */
};

/* ---- what events are ------------------------------------------------------------------------------------------------------ */

bool slice_is_access(const struct tale_event *event);
bool slice_is_write(const struct tale_event *event);
bool slice_is_read(const struct tale_event *event);
bool slice_same_line(const struct tale *tale, int32_t a, int32_t b);
/* By name; a part of the other one is the same. */
bool slice_same_object(const struct tale_event *a, const struct tale_event *b);
/* Touched by several threads, and written. */
bool slice_is_shared(const struct slice *slice, const struct tale_event *event);
/* A variable with a name: nothing on a heap or stack. */
bool slice_is_global(const struct tale_event *event);

/* ---- what is in ----------------------------------------------------------------------------------------------------------- */

/* In. */
void slice_show(struct slice *slice, size_t index);
/* In, and to be explained, if there is room. */
void slice_want(struct slice *slice, size_t index);
/* What the thread read before `index` on the line `place`, each variable once.  Returns how many. */
int slice_want_reads_of_line(struct slice *slice, size_t index, int32_t place);
/* The last `count` shared reads of the thread before `index`, of whatever. */
void slice_want_last_reads(struct slice *slice, size_t index, int count);

/* slice_begin.c: what the walk begins with. */
void slice_begin(struct slice *slice);

#endif
