/* SPDX-License-Identifier: MIT
 *
 * database_sqlite.c - the engine of database.h over an SQLite file.  No other file uses SQLite.
 *
 * DESIGN
 *   The file is in WAL mode: readers continue while one process writes, and a kill or a power cut leaves whole
 *   transactions.  The owner's mark is the application id in the file header, the version of the tables is the user
 *   version.
 *
 *   A file of another application must not be changed.  So the first hundred bytes are checked first, through SQLite's
 *   own file layer: opening and closing the file a second time would drop the locks that another handle of this process
 *   holds.  Only after that are calls made that let SQLite lock, recover or write.
 *
 *   SQLite removes the write-ahead log when the last user closes the file.  If there is one, a process was killed, or
 *   is using the file now.  Then the file is checked first.
 */
#include <assert.h>
#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memo/database_engine.h"
#include "util/buffer.h"
#include "util/clock.h"
#include "util/file.h"
#include "util/memory.h"

enum {
    HEAD_SIZE = 100,       /* of the file, */
    HEAD_APPLICATION = 68, /* offset of the application id in the header */
    BUSY_PAUSE = 10,       /* milliseconds between two attempts */
    PARTS = 4,             /* most parts of interleave() */
};

struct database {
    sqlite3 *handle;
    char *name, *file; /* as the user names it; absolute */
    const struct database_owner *owner;
    int patience; /* milliseconds */
};

struct database_statement {
    struct database *database;
    sqlite3_stmt *handle;
};

static const struct database_word words[] = {{"id", "INTEGER PRIMARY KEY"},
                                             {"table", "STRICT"},
                                             {"keyed", "STRICT, WITHOUT ROWID"},
                                             {"random", "lower(hex(randomblob(8)))"},
                                             {0}};

/* ---- problems ------------------------------------------------------------------------------------------------------- */

static bool say_damaged(const struct database *database, const char *detail, struct error *error)
{
    return database_say(database->name, DATABASE_DAMAGED, detail, "sqlite3's .recover may save what is in it", error);
}

/* SQLite does not always keep errno, but `code` says whether it was a write. */
static bool say_system(const struct database *database, int code, int number, struct error *error)
{
    bool writing = code == SQLITE_IOERR_WRITE || code == SQLITE_IOERR_FSYNC || code == SQLITE_IOERR_TRUNCATE ||
                   code == SQLITE_IOERR_SHMSIZE;
    if (number == ENOSPC || number == EDQUOT || number == EFBIG || (writing && number == 0))
        return database_say(database->name, DATABASE_FULL, NULL, NULL, error);
    return database_say(database->name, writing ? DATABASE_NOT_WRITTEN : DATABASE_NOT_READ,
                        number != 0 ? strerror(number) : "input/output error", NULL, error);
}

/* Sets the message for a result code of SQLite.  Returns false. */
static bool say(const struct database *database, int code, struct error *error)
{
    sqlite3 *handle = database->handle;
    int number = handle != NULL ? sqlite3_system_errno(handle) : 0;
    switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
        return database_say(database->name, DATABASE_LOCKED, NULL, NULL, error);
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return database_say(database->name, DATABASE_IS_READ_ONLY, NULL, NULL, error);
    case SQLITE_FULL:
        return database_say(database->name, DATABASE_FULL, NULL, NULL, error);
    case SQLITE_CANTOPEN:
        return database_say(database->name, DATABASE_NOT_OPENED,
                            number != 0 ? strerror(number) : "it or its directory cannot be written", NULL, error);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return say_damaged(database, NULL, error);
    case SQLITE_IOERR:
        return say_system(database, code, number, error);
    default:
        return database_say(database->name, DATABASE_INTERNAL,
                            handle != NULL ? sqlite3_errmsg(handle) : sqlite3_errstr(code), NULL, error);
    }
}

static bool check(const struct database *database, int code, struct error *error)
{
    return code == SQLITE_OK || say(database, code, error);
}

/* ---- statements ----------------------------------------------------------------------------------------------------- */

bool database_execute(struct database *database, const char *sql, struct error *error)
{
    char *translated = database_translate(sql, words);
    int code = sqlite3_exec(database->handle, translated, NULL, NULL, NULL);
    free(translated);
    return check(database, code, error);
}

struct database_statement *database_prepare(struct database *database, const char *sql, struct error *error)
{
    char *translated = database_translate(sql, words);
    sqlite3_stmt *handle = NULL;
    int code = sqlite3_prepare_v3(database->handle, translated, -1, SQLITE_PREPARE_PERSISTENT, &handle, NULL);
    free(translated);
    if (!check(database, code, error))
        return NULL;
    struct database_statement *statement = memory_allocate(1, sizeof *statement);
    *statement = (struct database_statement){.database = database, .handle = handle};
    return statement;
}

void database_release(struct database_statement *statement)
{
    if (statement != NULL)
        sqlite3_finalize(statement->handle);
    free(statement);
}

bool database_bind_number(struct database_statement *statement, int parameter, int64_t value, struct error *error)
{
    return check(statement->database, sqlite3_bind_int64(statement->handle, parameter, value), error);
}

bool database_bind_real(struct database_statement *statement, int parameter, double value, struct error *error)
{
    return check(statement->database, sqlite3_bind_double(statement->handle, parameter, value), error);
}

bool database_bind_text(struct database_statement *statement, int parameter, const char *value, struct error *error)
{
    return check(statement->database, sqlite3_bind_text(statement->handle, parameter, value, -1, SQLITE_STATIC), error);
}

int database_step(struct database_statement *statement, struct error *error)
{
    int code = sqlite3_step(statement->handle);
    if (code == SQLITE_ROW)
        return 1;
    if (code != SQLITE_DONE)
        say(statement->database, code, error);
    sqlite3_reset(statement->handle);
    return code == SQLITE_DONE ? 0 : -1;
}

void database_reset(struct database_statement *statement)
{
    sqlite3_reset(statement->handle);
}

int64_t database_number(struct database_statement *statement, int column)
{
    return sqlite3_column_int64(statement->handle, column);
}

double database_real(struct database_statement *statement, int column)
{
    return sqlite3_column_double(statement->handle, column);
}

const char *database_text(struct database_statement *statement, int column)
{
    return (const char *)sqlite3_column_text(statement->handle, column);
}

uint64_t database_changes(const struct database *database)
{
    return (uint64_t)sqlite3_changes64(database->handle);
}

/* interleave(text, mark, part, …) */
static void interleave(sqlite3_context *context, int count, sqlite3_value **values)
{
    const char *text = (const char *)sqlite3_value_text(values[0]), *mark = (const char *)sqlite3_value_text(values[1]);
    struct buffer out = {0};
    int next = 2;
    while (text != NULL && mark != NULL && *text != '\0') {
        const char *place = strstr(text, mark);
        size_t length = place != NULL ? (size_t)(place - text) + strlen(mark) : strlen(text);
        buffer_add(&out, text, length);
        text += length;
        const char *part = place != NULL && next < count ? (const char *)sqlite3_value_text(values[next++]) : NULL;
        if (part != NULL)
            buffer_add_string(&out, part);
    }
    sqlite3_result_text(context, buffer_text(&out), (int)out.size, SQLITE_TRANSIENT);
    buffer_free(&out);
}

/* ---- transactions --------------------------------------------------------------------------------------------------- */

/* For writing, the lock is taken now, because SQLite waits for it here.  At the first write it would not wait. */
bool database_begin(struct database *database, enum database_purpose purpose, struct error *error)
{
    return database_execute(database, purpose == DATABASE_TO_WRITE ? "BEGIN IMMEDIATE" : "BEGIN", error);
}

bool database_commit(struct database *database, struct error *error)
{
    return database_execute(database, "COMMIT", error);
}

/* SQLite may have rolled back by itself; then this fails, and the result does not matter. */
void database_roll_back(struct database *database)
{
    sqlite3_exec(database->handle, "ROLLBACK", NULL, NULL, NULL);
}

/* ---- the whole database -------------------------------------------------------------------------------------- */

/* SQLite removes a log whose database file is gone.  If another process removes it first, SQLite reports an error
   although nothing is wrong, so the query is repeated. */
static bool query_number(struct database *database, const char *sql, int64_t *value, struct error *error)
{
    enum { TIMES = 10 };
    int code = SQLITE_IOERR_DELETE_NOENT;
    for (int i = 0; i < TIMES && code == SQLITE_IOERR_DELETE_NOENT; i++) {
        sqlite3_stmt *statement = NULL;
        code = sqlite3_prepare_v2(database->handle, sql, -1, &statement, NULL);
        if (code == SQLITE_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
            *value = sqlite3_column_int64(statement, 0);
            code = SQLITE_OK;
        }
        sqlite3_finalize(statement);
    }
    return code == SQLITE_DONE || check(database, code, error);
}

bool database_get_version(struct database *database, int64_t *version, struct error *error)
{
    return query_number(database, "PRAGMA user_version", version, error);
}

bool database_set_version(struct database *database, int version, struct error *error)
{
    char head[96];
    snprintf(head, sizeof head, "PRAGMA application_id = %d; PRAGMA user_version = %d", (int)database->owner->mark,
             version);
    return database_execute(database, head, error);
}

bool database_is_read_only(const struct database *database)
{
    return sqlite3_db_readonly(database->handle, "main") == 1;
}

void database_compact(struct database *database)
{
    sqlite3_exec(database->handle, "VACUUM", NULL, NULL, NULL);
}

/* The result of a check is "ok", or lines about the damage. */
static bool run_check(struct database *database, const char *pragma, struct error *error)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(database->handle, pragma, -1, &statement, NULL);
    char answer[200] = "";
    if (code == SQLITE_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        snprintf(answer, sizeof answer, "%s", (const char *)sqlite3_column_text(statement, 0));
        code = SQLITE_OK;
    }
    sqlite3_finalize(statement);
    if (code != SQLITE_OK)
        return say(database, code, error);
    if (strcmp(answer, "ok") == 0)
        return true;
    for (char *c = answer; *c != '\0'; c++)
        if (*c == '\n')
            *c = ' ';
    return say_damaged(database, answer, error);
}

bool database_check(struct database *database, struct error *error)
{
    return run_check(database, "PRAGMA integrity_check(1)", error);
}

/* ---- ownership ---------------------------------------------------------------------------------------------------- */

static const char foreign_program[] = "it is the database of another program";

static uint32_t big_endian(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static bool say_foreign(const struct database *database, const char *why, struct error *error)
{
    return database_say_foreign(database->name, database->owner, why, error);
}

/* Checks the first bytes of the file. */
static bool check_head(struct database *database, struct error *error)
{
    sqlite3_file *file = NULL;
    sqlite3_int64 size = 0;
    unsigned char head[HEAD_SIZE] = {0};
    sqlite3_file_control(database->handle, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (file == NULL || file->pMethods == NULL)
        return database_say(database->name, DATABASE_INTERNAL, "it has no file", NULL, error);
    int code = file->pMethods->xFileSize(file, &size);
    if (code == SQLITE_OK && size == 0)
        return true; /* a new file */
    if (code == SQLITE_OK)
        code = file->pMethods->xRead(file, head, HEAD_SIZE, 0);
    if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ)
        return say(&(struct database){.name = database->name}, code, error);
    if (memcmp(head, "SQLite format 3", 16) != 0)
        return say_foreign(database, "it is not an SQLite database, or its beginning is damaged", error);
    uint32_t application = big_endian(head + HEAD_APPLICATION);
    if (application != 0 && application != database->owner->mark)
        return say_foreign(database, foreign_program, error);
    return true;
}

/* Checks the owner in the database itself, because the newest header may still be in the log.  An empty database gets
   this owner. */
static bool check_owner(struct database *database, enum database_access access, struct error *error)
{
    int64_t application = 0, tables = 0;
    if (!query_number(database, "SELECT count(*) FROM sqlite_schema", &tables, error) ||
        !query_number(database, "PRAGMA application_id", &application, error))
        return false;
    if (application == database->owner->mark)
        return true;
    if (application != 0 || tables != 0)
        return say_foreign(database, foreign_program, error);
    return access == DATABASE_CREATE || say_foreign(database, "it is empty", error);
}

/* ---- opening -------------------------------------------------------------------------------------------------------- */

static bool log_exists(const struct database *database)
{
    char *log = memory_format("%s-wal", database->file);
    struct stat status;
    bool exists = stat(log, &status) == 0 && status.st_size > 0;
    free(log);
    return exists;
}

static bool connect(struct database *database, const char *address, int flags, struct error *error)
{
    sqlite3_close(database->handle);
    database->handle = NULL;
    int code = sqlite3_open_v2(address, &database->handle, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, NULL);
    if (code != SQLITE_OK)
        return say(database, code, error);
    sqlite3_busy_timeout(database->handle, database->patience);
    code = sqlite3_create_function(database->handle, "interleave", 2 + PARTS, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL,
                                   interleave, NULL, NULL);
    return code == SQLITE_OK || say(database, SQLITE_NOMEM, error);
}

/* In a read-only directory the files that WAL mode needs cannot be created.  Without a log they are not needed either. */
static bool connect_unchanging(struct database *database, struct error *error)
{
    struct buffer address = {0};
    buffer_add_string(&address, "file:");
    for (const char *c = database->file; *c != '\0'; c++) {
        if (strchr("%?#", *c) != NULL)
            buffer_printf(&address, "%%%02x", (unsigned char)*c);
        else
            buffer_add_char(&address, *c);
    }
    buffer_add_string(&address, "?immutable=1");
    bool good = connect(database, buffer_text(&address), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, error);
    buffer_free(&address);
    return good;
}

/* Two processes that create the file at the same time conflict here, and SQLite does not wait by itself. */
static bool set_journal(struct database *database, struct error *error)
{
    int64_t until = clock_now() + database->patience * CLOCK_MILLISECOND;
    int code;
    while ((code = sqlite3_exec(database->handle, "PRAGMA journal_mode = WAL", NULL, NULL, NULL) & 0xff) ==
               SQLITE_BUSY &&
           clock_now() < until)
        sqlite3_sleep(BUSY_PAUSE);
    return check(database, code, error) &&
           database_execute(database, "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON", error);
}

static bool prepare(struct database *database, enum database_access access, struct error *error)
{
    bool killed = log_exists(database);
    int flags = SQLITE_OPEN_READWRITE | (access == DATABASE_CREATE ? SQLITE_OPEN_CREATE : 0);
    if (!connect(database, database->file, flags, error) || !check_head(database, error))
        return false;
    bool fixed = database_is_read_only(database);
    if (fixed && access != DATABASE_READ)
        return say(database, SQLITE_READONLY, error);
    if (killed) /* if the file is refused, its log stays unchanged */
        sqlite3_db_config(database->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    if (fixed && !killed && !connect_unchanging(database, error))
        return false;
    return check_owner(database, access, error) && (!killed || run_check(database, "PRAGMA quick_check(1)", error)) &&
           (fixed || set_journal(database, error));
}

/* Creates the directory of a new file if it is missing. */
static bool prepare_directory(const char *path, struct error *error)
{
    char *directory = file_absolute(path);
    *(strrchr(directory, '/') + 1) = '\0';
    bool good = file_is_directory(directory) || file_make_directories(directory, error);
    /* SQLite would report a missing file. */
    if (good && !file_exists(path) && access(directory, W_OK | X_OK) != 0)
        good = error_set(error, EXIT_USAGE, "cannot create %s: %s; choose another file", path, strerror(errno));
    free(directory);
    return good;
}

static bool check_place(const char *path, const struct database_owner *owner, enum database_access access,
                        struct error *error)
{
    if (file_is_directory(path))
        return error_set(error, EXIT_USAGE, "%s is a directory, not a %s: name a file in it", path, owner->name);
    if (access == DATABASE_CREATE)
        return prepare_directory(path, error);
    return file_exists(path) || database_say(path, DATABASE_NOT_OPENED, strerror(errno), NULL, error);
}

struct database *database_open(const char *name, const struct database_owner *owner, enum database_access access,
                               int patience, struct error *error)
{
    assert(owner->mark != 0);
    if (!check_place(name, owner, access, error))
        return NULL;
    struct database *database = memory_allocate(1, sizeof *database);
    *database = (struct database){.name = memory_copy_string(name), .owner = owner, .patience = patience};
    database->file = file_absolute(name); /* never interpreted as ":memory:" or a URI */
    if (prepare(database, access, error))
        return database;
    database_close(database);
    return NULL;
}

void database_accept(struct database *database)
{
    sqlite3_db_config(database->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
}

void database_close(struct database *database)
{
    if (database == NULL)
        return;
    int code = sqlite3_close(database->handle);
    assert(code == SQLITE_OK); /* all statements have been released */
    (void)code;
    free(database->name);
    free(database->file);
    free(database);
}
