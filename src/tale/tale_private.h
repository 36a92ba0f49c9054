/* SPDX-License-Identifier: MIT
 *
 * tale_private.h - what the files that make a tale share: build.c (events), links.c (arrows and bars), notes.c
 * (sentences), slice.c (what matters).
 */
#ifndef RADDLE_TALE_TALE_PRIVATE_H
#define RADDLE_TALE_TALE_PRIVATE_H

#include "tale/pool.h"
#include "tale/tale.h"
#include "trace/object.h"
#include "util/table.h"
#include "wire/wire_check.h"

/* ---- a tale under construction (build.c) --------------------------------------------------------------------- */

struct builder {
    struct tale *tale;
    struct symbols *symbols;
    const struct wire_copy *copy;
    const struct wire_finding *finding;
    struct objects *objects;
    VECTOR(const struct wire_event *) wires; /* what each event of the tale was made from */
    struct table places;                     /* site, or hash of its content → place + 1 */
    bool finishing; /* a stop was requested, and the time until `end` is taken for what is left to do */
    int64_t end;    /* to be set again */
};

/* The place to show for a site; it is added if it is new. */
int32_t builder_place(struct builder *builder, const struct site *site);
/* The same, but of this site itself, not of the program's own code that it was inlined into. */
int32_t builder_exact_place(struct builder *builder, const struct site *site);
/* The task number comes from memory that the program may have overwritten; 0 if there is no such thread. */
uint32_t builder_thread(const struct builder *builder, uint32_t task);

/* ---- stacks (stacks.c) ---------------------------------------------------------------------------------------------- */

/* All stacks of the tale: that of the failure first.  After the events. */
void stacks_add(struct builder *builder);

/* ---- what is no event of the run (extra.c) --------------------------------------------------------------------------- */

/* The private reads that a tale has: those of threads that fail or are blocked, the last ones.  In order. */
struct extra_reads {
    VECTOR(const struct wire_private *) list;
    size_t next;
};
void extra_reads_open(struct extra_reads *reads, const struct wire_copy *copy, const struct wire_finding *finding);
/* The next one that was done before event `number` of the run; NULL: none. */
const struct wire_event *extra_reads_next(struct extra_reads *reads, size_t number);
void extra_reads_close(struct extra_reads *reads);
/* Adds the event with TALE_END, unless the failing operation was recorded.  The place of the failure is known. */
void extra_add_end(struct builder *builder);

/* ---- arrows and bars (links.c) --------------------------------------------------------------------- */

struct links;

struct links *links_open(struct builder *builder);
/* Takes the next event of the run, after objects_event.  `event`: the same event in the tale, NULL if it was dropped. */
void links_event(struct links *links, const struct wire_event *wire, const struct tale_event *event);
/* Adds the arrows and bars to the tale. */
void links_close(struct links *links);

/* ---- sentences (notes.c) ------------------------------------------------------------------------------------------- */

/* To be called after the last event: objects are named as they are at the end. */
void notes_add(struct builder *builder);
/* Where heap blocks that matter were allocated; after tale_slice. */
void notes_add_blocks(struct builder *builder);

/* ---- what matters (slice.c) ----------------------------------------------------------------------------------------------- */

/* Computes TALE_MATTERS again, from the other marks. */
void tale_slice(struct tale *tale);

#endif
