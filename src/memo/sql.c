/* SPDX-License-Identifier: MIT
 *
 * sql.c - statements and transactions, and sentences for what goes wrong with them.
 */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "memo/memo_private.h"

static const char *const statement_texts[STATEMENT_COUNT] = {
#define X(name, text) [SQL_##name] = text,
    STATEMENTS(X)
#undef X
};

/* ---- sentences -------------------------------------------------------------------------------------------------------- */

static bool say_full(const char *path, struct error *error)
{
    return error_set(error, EXIT_USAGE, "there is no room for %s: make room on the disk, or choose another file", path);
}

/* The number of the error is not always kept; whether it was for writing is. */
static bool say_system(const char *path, int code, int number, struct error *error)
{
    bool writing = code == SQLITE_IOERR_WRITE || code == SQLITE_IOERR_FSYNC || code == SQLITE_IOERR_TRUNCATE ||
                   code == SQLITE_IOERR_SHMSIZE;
    if (number == ENOSPC || number == EDQUOT || number == EFBIG || (writing && number == 0))
        return say_full(path, error);
    return error_set(error, EXIT_USAGE, "cannot %s %s: %s", writing ? "write" : "read", path,
                     number != 0 ? strerror(number) : "the disk does not work");
}

bool memo_say(const char *path, sqlite3 *db, int code, struct error *error)
{
    int number = db != NULL ? sqlite3_system_errno(db) : 0;
    switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
        return error_set(error, EXIT_USAGE,
                         "%s is locked by another process: try again when that has ended, or choose another file",
                         path);
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return error_set(error, EXIT_USAGE,
                         "%s cannot be written, the file or its directory is read-only: choose another file", path);
    case SQLITE_FULL:
        return say_full(path, error);
    case SQLITE_CANTOPEN:
        return error_set(error, EXIT_USAGE, "cannot open %s: %s", path,
                         number != 0 ? strerror(number) : "it or its directory cannot be written");
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return error_set(error, EXIT_USAGE,
                         "%s is damaged: raddle leaves it as it is; move it away to begin anew (sqlite3's .recover may "
                         "save what is in it)",
                         path);
    case SQLITE_IOERR:
        return say_system(path, code, number, error);
    default:
        return error_set(error, EXIT_INTERNAL, "%s: the database says: %s", path,
                         db != NULL ? sqlite3_errmsg(db) : sqlite3_errstr(code));
    }
}

static bool say_last(struct memo *memo, int code, struct error *error)
{
    return memo_say(memo->path, memo->db, code, error);
}

/* ---- statements ------------------------------------------------------------------------------------------------------- */

static int bind_all(sqlite3_stmt *statement, const char *types, va_list values)
{
    int code = SQLITE_OK;
    for (int i = 1; *types != '\0' && code == SQLITE_OK; types++, i++) {
        if (*types == 'i')
            code = sqlite3_bind_int64(statement, i, va_arg(values, int64_t));
        else if (*types == 'd')
            code = sqlite3_bind_double(statement, i, va_arg(values, double));
        else
            code = sqlite3_bind_text(statement, i, va_arg(values, const char *), -1, SQLITE_STATIC);
    }
    return code;
}

sqlite3_stmt *memo_bind(struct memo *memo, enum statement which, struct error *error, const char *types, ...)
{
    sqlite3_stmt **slot = &memo->statements[which];
    int code = SQLITE_OK;
    if (*slot == NULL)
        code = sqlite3_prepare_v3(memo->db, statement_texts[which], -1, SQLITE_PREPARE_PERSISTENT, slot, NULL);
    if (code == SQLITE_OK) {
        va_list values;
        va_start(values, types);
        code = bind_all(*slot, types, values);
        va_end(values);
    }
    if (code == SQLITE_OK)
        return *slot;
    say_last(memo, code, error);
    return NULL;
}

int memo_next(struct memo *memo, sqlite3_stmt *statement, struct error *error)
{
    if (statement == NULL)
        return -1;
    int code = sqlite3_step(statement);
    if (code == SQLITE_ROW)
        return 1;
    if (code != SQLITE_DONE)
        say_last(memo, code, error);
    sqlite3_reset(statement);
    return code == SQLITE_DONE ? 0 : -1;
}

bool memo_perform_value(struct memo *memo, sqlite3_stmt *statement, int64_t *value, struct error *error)
{
    bool first = true;
    int more;
    while ((more = memo_next(memo, statement, error)) > 0) {
        if (first)
            *value = sqlite3_column_int64(statement, 0);
        first = false;
    }
    return more == 0;
}

bool memo_perform(struct memo *memo, sqlite3_stmt *statement, struct error *error)
{
    int64_t ignored;
    return memo_perform_value(memo, statement, &ignored, error);
}

const char *memo_column(sqlite3_stmt *statement, int column)
{
    return (const char *)sqlite3_column_text(statement, column);
}

/* ---- transactions ------------------------------------------------------------------------------------------------------- */

bool memo_execute(struct memo *memo, const char *sql, struct error *error)
{
    int code = sqlite3_exec(memo->db, sql, NULL, NULL, NULL);
    return code == SQLITE_OK || say_last(memo, code, error);
}

/* The lock is taken now, where it can be waited for, and not at the first write, where it could not. */
bool memo_begin(struct memo *memo, struct error *error)
{
    return memo_execute(memo, "BEGIN IMMEDIATE", error);
}

bool memo_end(struct memo *memo, bool good, struct error *error)
{
    memo_rows_clear(&memo->sites);
    memo_rows_clear(&memo->shapes);
    if (good && memo_execute(memo, "COMMIT", error))
        return true;
    sqlite3_exec(memo->db, "ROLLBACK", NULL, NULL, NULL); /* it may have rolled back by itself */
    return false;
}
