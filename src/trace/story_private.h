/* SPDX-License-Identifier: MIT
 *
 * story_private.h - what the files that tell a story share: story.c (headline, details), blocked.c (deadlocks), lanes.c
 * (columns).
 */
#ifndef RADDLE_TRACE_STORY_PRIVATE_H
#define RADDLE_TRACE_STORY_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "trace/object.h"
#include "trace/story.h"
#include "trace/symbols.h"
#include "util/buffer.h"
#include "wire/wire.h"

struct story {
    struct symbols *symbols;
    const struct wire_result *result;
    const struct wire_finding *finding;
    const struct wire_event *events;
    uint32_t count;
    int columns;
    bool colour;
};

/* ---- places and texts (story.c) ---------------------------------------------------------------------------------- */

/* "T1 withdraw": the thread and its start routine.  Returns buffer. */
enum { TASK_NAME = 64 };
char *story_task_name(struct symbols *symbols, const struct wire_result *result, uint32_t task, char buffer[TASK_NAME]);
/* Columns that a text takes. */
int story_width(const char *text);
/* Prints at most `columns` of a text, with … if it was cut.  Returns the columns taken. */
int story_print_cut(FILE *out, const char *text, int columns);

/* ---- deadlocks (blocked.c) --------------------------------------------------------------------------------------- */

/* "deadlock: T1 holds A (bank.c:10) and waits for B at bank.c:11; T2 …" */
void blocked_add_headline(const struct story *story, struct objects *objects, struct buffer *text);
/* The same, one line for every thread that waits. */
void blocked_print(FILE *out, const struct story *story, struct objects *objects);
/* The places where the threads that caused it wait: all, sorted, each with a blank before it; or the first, NULL if
   there is none. */
void blocked_add_places(struct symbols *symbols, const struct wire_result *result, struct buffer *key);
const char *blocked_first_place(struct symbols *symbols, const struct wire_result *result);

/* ---- columns (lanes.c) ------------------------------------------------------------------------------------------- */

/* The last events before the finding, in a column per thread. */
void lanes_print(FILE *out, const struct story *story);

#endif
