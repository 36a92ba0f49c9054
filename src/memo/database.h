/* SPDX-License-Identifier: MIT
 *
 * database.h - tables that several processes may use at the same time: the part of a database that a memo needs.
 *
 * DESIGN
 *   An engine is one file that implements these functions: database_sqlite.c, over a file.  The types, error codes and
 *   files of an engine are not visible outside it.  What all engines share is in database.c.
 *
 *   Statements are written in SQL that all engines accept:
 *     - parameters are ?1, ?2, …; whole numbers have 64 bits and a sign; texts compare byte by byte;
 *     - INSERT … ON CONFLICT (columns) DO …, where columns of the existing row are qualified by their table, and those of
 *       the new row by `excluded`;
 *     - no function min or max of two values: CASE; a row is compared with a row, not with a query; a query in FROM has a name;
 *     - interleave(text, mark, part1, …, part4) is the text with a part inserted after each mark, in order.  Each engine provides it.
 *   Where engines have different words for a thing, the statement has one of these in its place:
 *     {id}      type of a column that numbers the rows by itself, and is their key
 *     {table}   end of a table with a column of type {id}
 *     {keyed}   end of a table whose rows are found by its primary key only
 *     {random}  a text of 16 random hexadecimal digits
 *
 *   Functions that can fail take an error, in which they put one sentence; its code is EXIT_USAGE where the user can do
 *   something about it (a place that cannot be written, a full disk, a database that is locked, damaged or not ours), else
 *   EXIT_INTERNAL.  A handle is for one thread of one process: not across fork.
 */
#ifndef RADDLE_MEMO_DATABASE_H
#define RADDLE_MEMO_DATABASE_H

#include <stdbool.h>
#include <stdint.h>

#include "util/error.h"

struct database;
struct database_statement;

/* ---- opening ------------------------------------------------------------------------------------------------------- */

enum database_access {
    DATABASE_READ,   /* never changes anything; the file may be read-only */
    DATABASE_CHANGE, /* must exist */
    DATABASE_CREATE, /* created if it does not exist */
};

/* The application that a database belongs to.  A database with another mark, or with tables and no mark, is refused and
   not changed. */
struct database_owner {
    uint32_t mark;    /* not 0 */
    const char *name; /* for messages: "memo of raddle" */
};

/* `name`: the file, as the user wrote it.  `patience`: milliseconds to wait for a database that another process has
   locked, here and at each later call.  `owner` must stay valid until the database is closed.  NULL: `error` says what
   is wrong and what to do. If a process was killed while it used the database, the database is checked first.  Until
   database_accept, closing leaves the file unchanged: the caller may still refuse it. */
struct database *database_open(const char *name, const struct database_owner *owner, enum database_access access,
                               int patience, struct error *error);
void database_accept(struct database *database);
/* All statements must have been released.  NULL is allowed. */
void database_close(struct database *database);

bool database_is_read_only(const struct database *database);
/* Checks the whole database for damage. */
bool database_check(struct database *database, struct error *error);
/* Frees unused space in the file.  Does nothing if another process uses it. */
void database_compact(struct database *database);

/* The version of its tables, 0 if there are none.  It is set, together with the owner's mark, as part of a transaction. */
bool database_get_version(struct database *database, int64_t *version, struct error *error);
bool database_set_version(struct database *database, int version, struct error *error);

/* ---- statements ---------------------------------------------------------------------------------------------------- */

/* Runs statements that have no parameters and no results, separated by semicolons. */
bool database_execute(struct database *database, const char *sql, struct error *error);

/* NULL: error. */
struct database_statement *database_prepare(struct database *database, const char *sql, struct error *error);
void database_release(struct database_statement *statement); /* NULL is allowed */

/* Parameters are numbered from 1, and keep their values until they are bound again.  A text must be valid until the
   statement has been run; NULL is null. */
bool database_bind_number(struct database_statement *statement, int parameter, int64_t value, struct error *error);
bool database_bind_real(struct database_statement *statement, int parameter, double value, struct error *error);
bool database_bind_text(struct database_statement *statement, int parameter, const char *value, struct error *error);

/* 1: there is a row, 0: no more rows, -1: error.  After 0 and -1 the statement can be run again; a caller that stops
   earlier must reset it. */
int database_step(struct database_statement *statement, struct error *error);
void database_reset(struct database_statement *statement);

/* Columns of the row, numbered from 0.  A text is valid until the next step; NULL if it is null. */
int64_t database_number(struct database_statement *statement, int column);
double database_real(struct database_statement *statement, int column);
const char *database_text(struct database_statement *statement, int column);

/* The number of rows that the last statement changed. */
uint64_t database_changes(const struct database *database);

/* ---- transactions -------------------------------------------------------------------------------------------------- */

enum database_purpose {
    DATABASE_TO_READ,  /* all statements see the same snapshot */
    DATABASE_TO_WRITE, /* no other process writes until it ends; waits for a process that writes */
};
bool database_begin(struct database *database, enum database_purpose purpose, struct error *error);
/* False: nothing was stored, and it must be rolled back. */
bool database_commit(struct database *database, struct error *error);
void database_roll_back(struct database *database);

#endif
