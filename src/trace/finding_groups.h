/* SPDX-License-Identifier: MIT
 *
 * finding_groups.h - warnings in a few lines: those of one kind on one variable are one line.
 *
 * DESIGN
 *   The text of a warning is "what it is: where" ("data race on balance: write by T1 at bank.c:16 and ...").  Warnings belong together if
 *   what they are and their variable are the same but for the numbers of heap blocks and array elements.  Races on volatile objects come
 *   last: programs that use them for flags have many.
 */
#ifndef RADDLE_TRACE_FINDING_GROUPS_H
#define RADDLE_TRACE_FINDING_GROUPS_H

#include <stddef.h>
#include <stdint.h>

#include "util/buffer.h"

enum { WARNING_LINES = 5 }; /* of all that is said about warnings, the heading included */

struct warning_item {
    const char *kind, *text;
    const char *variable;     /* NULL: about none, or not known */
    uint64_t schedule, count; /* first seen; schedules that showed it */
};

/* The variables that the items are on, in words that follow their number: " on 2 variables"; "" if they are on none.  Returns text. */
const char *finding_groups_variables(const struct warning_item *items, size_t count, char *text, size_t size);
/* A line per group, at most `most` lines, each with its end; the last one says how many groups are not shown and ends with `more`. */
void finding_groups_print(const struct warning_item *items, size_t count, size_t most, const char *more,
                          struct buffer *text);

#endif
