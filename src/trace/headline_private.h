/* SPDX-License-Identifier: MIT
 *
 * headline_private.h - what headline.c, blocked.c (deadlocks) and interrupted.c (violations of serializability) share.
 */
#ifndef RADDLE_TRACE_HEADLINE_PRIVATE_H
#define RADDLE_TRACE_HEADLINE_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "trace/headline.h"
#include "trace/object.h"
#include "trace/symbols.h"
#include "util/buffer.h"
#include "wire/wire.h"

struct headline {
    struct symbols *symbols;
    const struct wire_result *result;
    const struct wire_finding *finding;
    const struct wire_event *events;
    uint32_t count;
};

typedef const struct site *headline_frame_of(struct symbols *symbols, const struct wire_finding *finding,
                                             uint32_t index);
/* "lock at bank.c:18, called by worker at bank.c:30": up to the outermost place of the program's own.  The caller frees. */
char *headline_stack_text(struct symbols *symbols, const struct wire_finding *finding, headline_frame_of *frame);

/* "deadlock: T1 holds A (bank.c:10) and waits for B at bank.c:11; T2 …" */
void blocked_add_headline(const struct headline *finding_of, struct objects *objects, struct buffer *text);
/* The places where the threads that caused it wait: all, sorted, each with a blank before it; or the first, NULL if
   there is none. */
void blocked_add_places(struct symbols *symbols, const struct wire_result *result, struct buffer *key);
const char *blocked_first_place(struct symbols *symbols, const struct wire_result *result);

/* "not serializable: account_copy on struct account, interrupted by account_credit: T1 reads …" */
void interrupted_add_headline(const struct headline *finding_of, struct buffer *text);

#endif
