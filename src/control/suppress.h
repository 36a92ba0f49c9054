/* SPDX-License-Identifier: MIT
 *
 * suppress.h - which warnings the user does not want to see (--suppressions FILE).
 *
 * DESIGN
 *   A line of the file is `kind:what`: a kind of warning (race, volatile-race, lock-order, leak, serializability; * for
 *   all of them), and the name of a function, file or variable, in which * stands for any text and ? for one character.
 *   Empty lines, and those that begin with #, are skipped.  A finding is suppressed by the first line that has its kind
 *   and matches one of its words: the functions and files on the stacks of all sides, and the variables or locks.
 *   Each line counts the findings that it has suppressed, so that those that are not needed any more can be named.
 */
#ifndef RADDLE_CONTROL_SUPPRESS_H
#define RADDLE_CONTROL_SUPPRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/symbols.h"
#include "util/buffer.h"
#include "util/error.h"
#include "util/vector.h"
#include "wire/wire_check.h"

struct suppressions;

struct suppression {
    char *text;        /* "race:counter" */
    const char *what;  /* in text */
    uint32_t kinds;    /* a bit per kind */
    uint32_t line;     /* in the file, from 1 */
    uint64_t findings; /* that it has suppressed, each counted once (suppress_count) */
};

/* Reads the file.  NULL: it cannot be read, or has a line that says nothing; the error names file, line, and what to do. */
struct suppressions *suppress_open(const char *path, struct error *error);
/* The same from a text; `name` is for errors and reports. */
struct suppressions *suppress_parse(const char *name, const char *text, size_t size, struct error *error);
void suppress_close(struct suppressions *suppressions); /* NULL is allowed */

/* For all functions below `suppressions` may be NULL: nothing is suppressed. */
const char *suppress_name(const struct suppressions *suppressions);
/* The text that was read. */
const char *suppress_text(const struct suppressions *suppressions);
size_t suppress_line_count(const struct suppressions *suppressions);
const struct suppression *suppress_line(const struct suppressions *suppressions, size_t index);
/* Whether a finding of one of these kinds (a bit per kind) could be suppressed. */
bool suppress_may(const struct suppressions *suppressions, uint32_t kinds);

/* ---- asking --------------------------------------------------------------------------------------------------------- */

/* What a line may name of a finding.  All zero to begin with. */
struct suppress_words {
    VECTOR(char *) texts;
};
/* A place that it happened at or was called from, with what that was inlined into; NULL is allowed. */
void suppress_add_place(struct suppress_words *words, const struct site *site);
/* A variable or lock; a line may also name the whole of which it is a part: `table` of `table[3].next`. */
void suppress_add_variable(struct suppress_words *words, const char *name);
void suppress_words_free(struct suppress_words *words);

/* The line that suppresses a finding of this kind with one of these words, or NULL. */
struct suppression *suppress_find(struct suppressions *suppressions, enum wire_kind kind,
                                  const struct suppress_words *words);
/* The same for a finding of a run; what was answered is kept by addresses, so it may be asked again and again. */
struct suppression *suppress_finding(struct suppressions *suppressions, struct symbols *symbols,
                                     const struct wire_copy *copy, const struct wire_finding *finding);
/* One more finding that was not counted for this line before. */
void suppress_count(struct suppression *suppression);

#endif
