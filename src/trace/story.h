/* SPDX-License-Identifier: MIT
 *
 * story.h - what is told about a finding: what happened, where, and how the threads got there.
 */
#ifndef RADDLE_TRACE_STORY_H
#define RADDLE_TRACE_STORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "trace/symbols.h"
#include "wire/wire.h"

/* What happened in one line, without the end of the line: "assertion `total == 200' failed at bank.c:42".  `events` may
   be NULL if count is 0.  The caller frees. */
char *story_headline(struct symbols *symbols, const struct wire_result *result, const struct wire_finding *finding,
                     const struct wire_event *events, uint32_t count);

/* The details below the headline: who waits for whom, the other access, the block, the stack, and the last relevant
   events in a column per thread.  `columns`: width to fit into, 0 for 100.  Colour only if `out` is a terminal. */
void story_finding(FILE *out, struct symbols *symbols, const struct wire_result *result,
                   const struct wire_finding *finding, const struct wire_event *events, uint32_t count, int columns);

/* Where the finding is, for people and for `failures[].site`: "bank.c:42".  Application code before library code. */
const char *story_site(struct symbols *symbols, const struct wire_result *result, const struct wire_finding *finding);

/* Findings with the same key are the same one: kind and place(s).  No addresses in it, so it holds for other builds.
   The caller frees. */
char *story_key(struct symbols *symbols, const struct wire_result *result, const struct wire_finding *finding);

#endif
