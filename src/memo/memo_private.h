/* SPDX-License-Identifier: MIT
 *
 * memo_private.h - what the files of this folder share: the handle, prepared statements, and records that are copied
 * from one memo to another.
 */
#ifndef RADDLE_MEMO_MEMO_PRIVATE_H
#define RADDLE_MEMO_MEMO_PRIVATE_H

#include "memo/database.h"
#include "memo/memo.h"
#include "memo/statements.h"
#include "util/buffer.h"
#include "util/table.h"
#include "util/vector.h"

enum {
    MEMO_MARK = 0x52644c31, /* identifies a memo among databases (database.h, file(1)) */
    MEMO_STEPS = 4,         /* sites of an instance at most */
    MEMO_NAME = 16,         /* digits of an origin, of the id of a run */
};

/* rows.c: a cache from texts to rows of the database.  All zero is empty. */
struct memo_row {
    char *text;
    int64_t row;
};
struct memo_rows {
    struct table index;
    VECTOR(struct memo_row) list;
};
int64_t memo_rows_get(const struct memo_rows *rows, const char *text); /* 0: not in the cache */
void memo_rows_put(struct memo_rows *rows, const char *text, int64_t row);
void memo_rows_clear(struct memo_rows *rows);

struct memo {
    struct database *database;
    char *path;             /* as the user names it */
    int64_t program, build; /* rows; 0: none */
    char *program_name, *build_name;
    struct database_statement *statements[STATEMENT_COUNT]; /* NULL: not used yet */
    struct memo_rows sites, shapes; /* rows of the program that are known to be up to date in this transaction */
    struct buffer found;            /* texts of the last result of memo_find */
};

/* ---- sql.c: statements and transactions --------------------------------------------------------------------- */

/* The statement with its parameters: types has a letter for each, i int64_t, d double, s const char * (NULL is null).
   Texts must stay valid until it was run.  NULL and an error if it cannot be prepared. */
struct database_statement *memo_bind(struct memo *memo, enum statement which, struct error *error, const char *types,
                                     ...);
/* Runs a statement to its end. */
bool memo_perform(struct database_statement *statement, struct error *error);
/* As memo_perform; *value gets the first column of the first row, and stays if there is none. */
bool memo_perform_value(struct database_statement *statement, int64_t *value, struct error *error);
/* As database_step; -1 if `statement` is NULL. */
int memo_next(struct database_statement *statement, struct error *error);

/* A transaction for writing; waits for other processes. */
bool memo_begin(struct memo *memo, struct error *error);
/* The same, to write about the chosen program: it and its build may have been pruned meanwhile; then they are added
   again. */
bool memo_begin_chosen(struct memo *memo, struct error *error);
/* Commits if good, else rolls back.  Returns whether it was committed. */
bool memo_end(struct memo *memo, bool good, struct error *error);

/* ---- schema.c -------------------------------------------------------------------------------------------------------- */

struct memo_migration {
    const char *sql; /* from the version that is its index to the next */
};
extern const struct memo_migration memo_migrations[];
extern const int memo_version;

/* Brings the file from its version up to `version`, in one transaction.  Refuses newer ones. */
bool memo_migrate(struct memo *memo, const struct memo_migration *migrations, int version, struct error *error);

/* ---- text.c: the text of an instance ⇄ a shape and its sites ------------------------------------------------------------ */

struct memo_parts {
    struct buffer shape;             /* the text without its sites: "idiom.1 a:R(x)@ << b:W(x)@" */
    struct buffer sites[MEMO_STEPS]; /* in order */
    unsigned count;
};
/* False if it has no site or too many. */
bool memo_split(const char *text, struct memo_parts *parts);
void memo_parts_free(struct memo_parts *parts);

/* ---- records: what memo_export writes, memo_merge copies and memo_import reads -------------------------------------------- */

/* Receives the content of a memo, program by program.  A visitor that fails says so in the context and returns false;
   the others are still called. */
struct memo_sink {
    memo_program_visitor *program; /* the records that follow belong to this program */
    memo_build_visitor *build;
    memo_site_visitor *site;
    memo_instance_visitor *instance;
    memo_core_visitor *core;
    memo_run_visitor *run;
    memo_failure_visitor *failure;
    void *context;
};
/* Copies a snapshot of the whole memo into a sink, sorted. */
bool memo_copy_to(struct memo *memo, const struct memo_sink *sink, struct error *error);

/* The origins of a memo: its own, and those that were merged into it. */
struct memo_origins {
    char own[MEMO_NAME + 1];
    VECTOR(char *) merged; /* sorted */
};
bool memo_read_origins(struct memo *memo, struct memo_origins *origins, struct error *error);
void memo_origins_free(struct memo_origins *origins);
void memo_random_name(char name[MEMO_NAME + 1]);

/* A sink that adds to a memo.  Between memo_begin and memo_end. */
struct memo_merger {
    struct memo *memo;
    enum memo_sum sum;
    bool failed; /* then `error` says why */
    struct error error;
};
struct memo_sink memo_merge_sink(struct memo_merger *merger);
/* Records that `into` now contains the history of `from`; refuses if it already does.  `name` is for the message. */
bool memo_merge_origins(struct memo *into, const struct memo_origins *from, const char *name, enum memo_sum sum,
                        struct error *error);

/* store.c: the row of a text, added if it is new. */
bool memo_put_build(struct memo *memo, const struct memo_build *build, int64_t *row, struct error *error);
struct memo_site_row {
    const char *text;
    int64_t first_build, last_build;
    uint64_t hint;
};
/* `how`, here and below, says how it is combined with an existing row: STORE_, KEEP_, MERGE_, ADD_, LARGEST_. */
bool memo_put_site(struct memo *memo, enum statement how, const struct memo_site_row *site, int64_t *row,
                   struct error *error);
bool memo_put_instance(struct memo *memo, enum statement how, const struct memo_instance *instance, int64_t build,
                       int64_t seen, struct error *error);
bool memo_put_core(struct memo *memo, enum statement how, const struct memo_core *core, int64_t build, int64_t seen,
                   struct error *error);
bool memo_put_run(struct memo *memo, const struct memo_run *run, int64_t build, struct error *error);
bool memo_put_failure(struct memo *memo, enum statement how, const struct memo_failure *failure, int64_t build,
                      struct error *error);

#endif
