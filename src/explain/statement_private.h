/* SPDX-License-Identifier: MIT
 *
 * statement_private.h - what the files that make a statement share: statement.c (words, patterns, blocks), statement_waits.c
 * (deadlocks).
 */
#ifndef RADDLE_EXPLAIN_STATEMENT_PRIVATE_H
#define RADDLE_EXPLAIN_STATEMENT_PRIVATE_H

#include "explain/statement.h"
#include "util/buffer.h"

struct statement {
    const struct tale *tale;
    struct buffer text;
    const char *file; /* that was named last */
    size_t file_length;
};

/* " at bank.c:15"; " at :23" if the file was named just before; nothing for "". */
void statement_add_where(struct statement *statement, const char *where);
/* The same; nothing if the place is not known. */
void statement_add_place(struct statement *statement, int32_t place);
/* "locked m at x.c:5"; "it" instead of the object if that is `named`. */
void statement_add_event(struct statement *statement, const struct tale_event *event, const char *named);

/* statement_waits.c: what the threads of a deadlock wait for.  False: nothing was added. */
bool statement_say_waits(struct statement *statement);

/* statement_known.c: what happened, where nothing says what makes the difference.  False: nothing was added. */
bool statement_say_hang(struct statement *statement);
bool statement_say_torn(struct statement *statement);
bool statement_say_lost(struct statement *statement);
bool statement_say_early(struct statement *statement);
bool statement_say_handler(struct statement *statement);

#endif
