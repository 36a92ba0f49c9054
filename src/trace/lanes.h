/* SPDX-License-Identifier: MIT
 *
 * lanes.h - the last events before a finding, in a column per thread.  Internal to story.c.
 */
#ifndef RADDLE_TRACE_LANES_H
#define RADDLE_TRACE_LANES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "trace/symbols.h"
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

void lanes_print(FILE *out, const struct story *story);

/* "T1 withdraw": the thread and its start routine.  Returns buffer. */
enum { TASK_NAME = 64 };
char *story_task_name(struct symbols *symbols, const struct wire_result *result, uint32_t task, char buffer[TASK_NAME]);
/* The place that people want to see: through what was inlined from system headers to the program's own code. */
const struct site *story_visible_site(const struct site *site);
/* Whether it is a line of the program itself, not of a library, of a system header or of raddle. */
bool story_is_application(const struct site *site);
/* The places of a finding, innermost first: frame number `index`; NULL after the last. */
const struct site *story_frame(struct symbols *symbols, const struct wire_finding *finding, uint32_t index);
/* Columns that a text takes. */
int story_width(const char *text);
/* Prints at most `columns` of a text, with … if it was cut.  Returns the columns taken. */
int story_print_cut(FILE *out, const char *text, int columns);

#endif
