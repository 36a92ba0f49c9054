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
    struct table places; /* site, or hash of its content → place + 1 */
    bool finishing;      /* a stop was requested, and the time until `end` is taken for what is left to do */
    int64_t end;         /* to be set again */
};

/* The place to show for a site; it is added if it is new. */
int32_t builder_place(struct builder *builder, const struct site *site);

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
