/* SPDX-License-Identifier: MIT
 *
 * picture.h - what the files that print a tale share: rows.c and lock_query.c (the content of each row), columns.c (the
 * layout), print.c (the rest).
 */
#ifndef RADDLE_TALE_PICTURE_H
#define RADDLE_TALE_PICTURE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tale/tale.h"
#include "util/buffer.h"
#include "util/vector.h"

/* How to print. */
struct style {
    FILE *out;
    int columns;
    bool colour;
    bool utf8;
};

enum row_type {
    ROW_EVENT,
    ROW_PREEMPTED, /* the thread was interrupted here */
    ROW_END,       /* a place where no operation was recorded, with the text of its line */
    ROW_SKIPPED,   /* some rows were left out here; belongs to no thread */
};

struct picture_row {
    enum row_type type;
    uint32_t thread;
    uint32_t event;      /* ROW_EVENT */
    size_t skipped;      /* ROW_SKIPPED: how many */
    uint32_t step;       /* of the cause, from 1; 0: none */
    char *where;         /* "bank.c:18"; owned; "": none */
    size_t file;         /* bytes of the file's name in it; 0: it has none */
    char *text;          /* owned */
    const char *note;    /* literal; NULL: none */
    const char *source;  /* owned by the tale; NULL: none, or shown in the row before */
    const char *comment; /* after the text: "(12 times)"; owned; NULL: none */
};

struct rows {
    VECTOR(struct picture_row) list;
};

void rows_collect(struct rows *rows, const struct tale *tale, const struct style *style, bool full);
void rows_free(struct rows *rows);

/* The file of all rows that have one; NULL if there are several files, or none.  The name ends at the ':' of the text. */
const char *rows_file(const struct rows *rows);

/* Which locks threads hold.  The tale must not change while the query is open. */
struct lock_query *lock_query_open(const struct tale *tale);
void lock_query_close(struct lock_query *query);
/* The first `most` of the bars of the thread that begin before the event and do not end before it; returns how many.
   Calls must be in ascending order of `event`. */
size_t lock_query_before(struct lock_query *query, uint32_t thread, uint32_t event, const struct tale_bar *bars[],
                         size_t most);

/* The rows in a column per thread, with heads. */
void columns_print(const struct rows *rows, const struct tale *tale, const struct style *style);

/* "T1 withdraw" */
void picture_add_thread(const struct tale *tale, uint32_t thread, struct buffer *text);
/* Columns that a text takes. */
int picture_width(const char *text);
/* Prints at most `columns` of a text, with … if it was cut.  Returns the columns taken. */
int picture_print_cut(const struct style *style, const char *text, int columns);
/* Prints a text from column `at` on, in lines broken at blanks, those after the first one with `indent` columns before them; ends
   the last line. */
void picture_print_wrapped(const struct style *style, const char *text, int at, int indent);

#endif
