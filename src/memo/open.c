/* SPDX-License-Identifier: MIT
 *
 * open.c - opens a memo, or says why not; chooses program and build.
 *
 * DESIGN
 *   What is not ours must not be touched.  So the first look at a file is at its first hundred bytes, through SQLite's own
 *   file layer: opening and closing the file beside it would drop the locks that another handle of this process holds.
 *   Only then is anything asked that makes SQLite lock, recover or write.
 *
 *   SQLite removes the write-ahead log when the last user closes the file.  If there is one, somebody was killed (or is at
 *   work): then the file is looked through before it is used.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "memo/memo_private.h"
#include "util/clock.h"
#include "util/file.h"
#include "util/memory.h"

enum { HEAD_SIZE = 100, HEAD_APPLICATION = 68, BUSY_PAUSE = 10 };

static int patience = 10000;

void memo_set_patience(int milliseconds)
{
    patience = milliseconds;
}

/* ---- refusing ----------------------------------------------------------------------------------------------------------- */

static bool say_foreign(const struct memo *memo, const char *why, struct error *error)
{
    return error_set(error, EXIT_USAGE,
                     "%s is not a memo of raddle (%s): raddle leaves it as it is; choose another file", memo->path,
                     why);
}

static uint32_t big_endian(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* Looks at the first bytes of the file. */
static bool check_head(struct memo *memo, struct error *error)
{
    sqlite3_file *file = NULL;
    sqlite3_int64 size = 0;
    unsigned char head[HEAD_SIZE] = {0};
    sqlite3_file_control(memo->db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (file == NULL || file->pMethods == NULL)
        return error_set(error, EXIT_INTERNAL, "%s: the database has no file", memo->path);
    int code = file->pMethods->xFileSize(file, &size);
    if (code == SQLITE_OK && size == 0)
        return true; /* a new one */
    if (code == SQLITE_OK)
        code = file->pMethods->xRead(file, head, HEAD_SIZE, 0);
    if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ)
        return memo_say(memo->path, NULL, code, error);
    if (memcmp(head, "SQLite format 3", 16) != 0)
        return say_foreign(memo, "it is no SQLite database, or its beginning is damaged", error);
    uint32_t application = big_endian(head + HEAD_APPLICATION);
    if (application != 0 && application != MEMO_APPLICATION)
        return say_foreign(memo, "it is the database of another program", error);
    return true;
}

/* A log whose file was removed belongs to nobody, and SQLite removes it; if another process was faster that is no error, but
   SQLite says so: then it is asked again. */
static bool query_number(struct memo *memo, const char *sql, int64_t *value, struct error *error)
{
    enum { TIMES = 10 };
    int code = SQLITE_IOERR_DELETE_NOENT;
    for (int i = 0; i < TIMES && code == SQLITE_IOERR_DELETE_NOENT; i++) {
        sqlite3_stmt *statement = NULL;
        code = sqlite3_prepare_v2(memo->db, sql, -1, &statement, NULL);
        if (code == SQLITE_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
            *value = sqlite3_column_int64(statement, 0);
            code = SQLITE_OK;
        }
        sqlite3_finalize(statement);
    }
    return code == SQLITE_OK || code == SQLITE_DONE || memo_say(memo->path, memo->db, code, error);
}

/* Now in the database, where the newest head may still be in the log.  An empty one becomes a memo. */
static bool check_owner(struct memo *memo, enum memo_access access, struct error *error)
{
    int64_t application = 0, tables = 0;
    if (!query_number(memo, "SELECT count(*) FROM sqlite_schema", &tables, error) ||
        !query_number(memo, "PRAGMA application_id", &application, error))
        return false;
    if (application == MEMO_APPLICATION)
        return true;
    if (application != 0 || tables != 0)
        return say_foreign(memo, "it is the database of another program", error);
    return access == MEMO_CREATE || say_foreign(memo, "it is empty", error);
}

static bool run_check(struct memo *memo, const char *pragma, struct error *error)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(memo->db, pragma, -1, &statement, NULL);
    char said[200] = "";
    if (code == SQLITE_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        snprintf(said, sizeof said, "%s", memo_column(statement, 0));
        code = SQLITE_OK;
    }
    sqlite3_finalize(statement);
    if (code != SQLITE_OK)
        return memo_say(memo->path, memo->db, code, error);
    if (strcmp(said, "ok") == 0)
        return true;
    for (char *c = said; *c != '\0'; c++)
        if (*c == '\n')
            *c = ' ';
    return error_set(
        error, EXIT_USAGE,
        "%s is damaged (%s): raddle leaves it as it is; move it away to begin anew (sqlite3's .recover may "
        "save what is in it)",
        memo->path, said);
}

bool memo_check(struct memo *memo, struct error *error)
{
    return run_check(memo, "PRAGMA integrity_check(1)", error);
}

/* ---- opening ------------------------------------------------------------------------------------------------------------ */

static bool log_is_there(const struct memo *memo)
{
    char *log = memory_format("%s-wal", memo->file);
    struct stat status;
    bool there = stat(log, &status) == 0 && status.st_size > 0;
    free(log);
    return there;
}

static bool connect(struct memo *memo, const char *name, int flags, struct error *error)
{
    sqlite3_close(memo->db);
    memo->db = NULL;
    int code = sqlite3_open_v2(name, &memo->db, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, NULL);
    if (code != SQLITE_OK)
        return memo_say(memo->path, memo->db, code, error);
    sqlite3_busy_timeout(memo->db, memo->patience);
    return memo_text_register(memo->db) || memo_say(memo->path, memo->db, SQLITE_NOMEM, error);
}

/* A place where nothing can be written has no room for the files that WAL mode needs; without a log there is also nothing in
   them that would be missed. */
static bool connect_unchanging(struct memo *memo, struct error *error)
{
    struct buffer name = {0};
    buffer_add_string(&name, "file:");
    for (const char *c = memo->file; *c != '\0'; c++) {
        if (strchr("%?#", *c) != NULL)
            buffer_printf(&name, "%%%02x", (unsigned char)*c);
        else
            buffer_add_char(&name, *c);
    }
    buffer_add_string(&name, "?immutable=1");
    bool good = connect(memo, buffer_text(&name), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, error);
    buffer_free(&name);
    return good;
}

/* Two that make the file at once get in each other's way here, and SQLite does not wait by itself. */
static bool set_journal(struct memo *memo, struct error *error)
{
    int64_t until = clock_now() + memo->patience * CLOCK_MILLISECOND;
    int code;
    while ((code = sqlite3_exec(memo->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL) & 0xff) == SQLITE_BUSY &&
           clock_now() < until)
        sqlite3_sleep(BUSY_PAUSE);
    return (code == SQLITE_OK || memo_say(memo->path, memo->db, code, error)) &&
           memo_execute(memo, "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON", error);
}

static bool prepare(struct memo *memo, enum memo_access access, struct error *error)
{
    bool killed = log_is_there(memo);
    int flags = SQLITE_OPEN_READWRITE | (access == MEMO_CREATE ? SQLITE_OPEN_CREATE : 0);
    if (!connect(memo, memo->file, flags, error) || !check_head(memo, error))
        return false;
    bool fixed = sqlite3_db_readonly(memo->db, "main") == 1;
    if (fixed && access != MEMO_READ)
        return memo_say(memo->path, memo->db, SQLITE_READONLY, error);
    if (killed) /* if it is refused, its log stays what it was */
        sqlite3_db_config(memo->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    if (fixed && !killed && !connect_unchanging(memo, error))
        return false;
    if (!check_owner(memo, access, error) || (killed && !run_check(memo, "PRAGMA quick_check(1)", error)))
        return false;
    if ((!fixed && !set_journal(memo, error)) || !memo_migrate(memo, memo_migrations, memo_version, error))
        return false;
    sqlite3_db_config(memo->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
    return true;
}

/* The directory of a new memo: made if need be. */
static bool prepare_directory(const char *path, struct error *error)
{
    char *directory = file_absolute(path);
    *(strrchr(directory, '/') + 1) = '\0';
    bool good = file_is_directory(directory) || file_make_directories(directory, error);
    /* SQLite would say that there is no such file. */
    if (good && !file_exists(path) && access(directory, W_OK | X_OK) != 0)
        good = error_set(error, EXIT_USAGE, "cannot create %s: %s; choose another file", path, strerror(errno));
    free(directory);
    return good;
}

static bool check_place(const char *path, enum memo_access access, struct error *error)
{
    if (file_is_directory(path))
        return error_set(error, EXIT_USAGE, "%s is a directory, not a memo: name a file in it", path);
    if (access == MEMO_CREATE)
        return prepare_directory(path, error);
    return file_exists(path) || error_set(error, EXIT_USAGE, "cannot open %s: %s", path, strerror(errno));
}

struct memo *memo_open_all(const char *path, enum memo_access access, struct error *error)
{
    if (!check_place(path, access, error))
        return NULL;
    struct memo *memo = memory_allocate(1, sizeof *memo);
    memo->path = memory_copy_string(path);
    memo->file = file_absolute(path); /* so that it is never taken for ":memory:" or an address */
    memo->patience = patience;
    if (prepare(memo, access, error))
        return memo;
    memo_close(memo);
    return NULL;
}

struct memo *memo_open(const char *path, const char *program, const char *build, struct error *error)
{
    struct memo *memo = memo_open_all(path, MEMO_CREATE, error);
    if (memo == NULL)
        return NULL;
    if (memo_begin(memo, error) && memo_end(memo, memo_choose(memo, program, build, error), error))
        return memo;
    memo_close(memo);
    return NULL;
}

void memo_close(struct memo *memo)
{
    if (memo == NULL)
        return;
    for (int i = 0; i < STATEMENT_COUNT; i++)
        sqlite3_finalize(memo->statements[i]);
    sqlite3_close(memo->db);
    buffer_free(&memo->found);
    free(memo->program_name);
    free(memo->build_name);
    free(memo->path);
    free(memo->file);
    free(memo);
}

/* ---- program and build ---------------------------------------------------------------------------------------------------- */

static char *copy_or_null(const char *text)
{
    return text != NULL ? memory_copy_string(text) : NULL;
}

bool memo_choose(struct memo *memo, const char *program, const char *build, struct error *error)
{
    char *program_name = memory_copy_string(program), *build_name = copy_or_null(build);
    free(memo->program_name);
    free(memo->build_name);
    memo->program_name = program_name;
    memo->build_name = build_name;
    memo->program = memo->build = 0;
    memo_rows_clear(&memo->sites);
    if (build != NULL && !memo_perform(memo, memo_bind(memo, SQL_PUT_PROGRAM, error, "s", program_name), error))
        return false;
    if (!memo_perform_value(memo, memo_bind(memo, SQL_GET_PROGRAM, error, "s", program_name), &memo->program, error))
        return false;
    int64_t now = time(NULL);
    struct memo_build row = {.name = build_name, .first_seen = now, .last_seen = now};
    return build == NULL || memo_put_build(memo, &row, &memo->build, error);
}

bool memo_begin_chosen(struct memo *memo, struct error *error)
{
    if (memo->build_name == NULL)
        return error_set(error, EXIT_INTERNAL, "%s: no program and build have been chosen", memo->path);
    if (!memo_begin(memo, error))
        return false;
    int64_t there = 0;
    bool good = memo_perform_value(
        memo,
        memo_bind(memo, SQL_IS_CHOSEN, error, "isis", memo->program, memo->program_name, memo->build, memo->build_name),
        &there, error);
    if (good && there == 0)
        good = memo_choose(memo, memo->program_name, memo->build_name, error);
    return good || memo_end(memo, false, error);
}
