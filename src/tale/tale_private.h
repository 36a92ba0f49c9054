/* SPDX-License-Identifier: MIT
 *
 * tale_private.h - what the files that make a tale share: build.c (events), links.c (arrows and bars), notes.c (details in
 * words), slice.c (what matters).
 */
#ifndef RADDLE_TALE_TALE_PRIVATE_H
#define RADDLE_TALE_TALE_PRIVATE_H

#include "tale/pool.h"
#include "tale/tale.h"
#include "trace/object.h"
#include "util/table.h"
#include "wire/wire_check.h"

/* ---- the parts of a tale that is being made (build.c) --------------------------------------------------------------------- */

struct builder {
    struct tale *tale;
    struct symbols *symbols;
    const struct wire_copy *copy;
    const struct wire_finding *finding;
    struct objects *objects;
    struct table places; /* site, or what it says → place + 1 */
    bool finishing;      /* a stop was requested, and the time until `end` is taken for what is left to do */
    int64_t end;         /* to be set again */
};

/* The place that people want to see of a site; made if it is new. */
int32_t builder_place(struct builder *builder, const struct site *site);

/* ---- what orders events, and who holds what (links.c) --------------------------------------------------------------------- */

struct links;

struct links *links_open(struct builder *builder);
/* The next event of the run, objects_event having been called for it.  `event`: what the tale has of it, NULL if it is one of
   those that were dropped. */
void links_event(struct links *links, const struct wire_event *wire, const struct tale_event *event);
/* Puts the arrows and bars into the tale. */
void links_close(struct links *links);

/* ---- details in words (notes.c) ------------------------------------------------------------------------------------------- */

/* Names as they are after all events. */
void notes_add(struct builder *builder);
/* Where heap blocks that matter were allocated; after tale_slice. */
void notes_add_blocks(struct builder *builder);

/* ---- what matters (slice.c) ----------------------------------------------------------------------------------------------- */

/* Sets TALE_MATTERS anew, from the other marks. */
void tale_slice(struct tale *tale);

#endif
