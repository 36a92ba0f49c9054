/* SPDX-License-Identifier: MIT
 *
 * schema.c - the tables of a memo, and how an older file gets them.
 *
 * DESIGN
 *   The text of an instance is mostly the texts of its sites, and a site is part of many instances.  So a text is kept as
 *   its shape (the text without its sites, of which there are few) and up to four numbers of sites: some thirty bytes for
 *   an instance instead of some hundred, twice.  Its key holds all of that, so there is one tree and no index beside it.
 *
 *   A version is what the list of migrations has brought about so far; the first one makes the tables.  A released
 *   migration is never changed: a new one is added behind it.
 */
#include "memo/memo_private.h"

#include <stdio.h>

const struct memo_migration memo_migrations[] = {
    {"CREATE TABLE origin (name TEXT PRIMARY KEY, own INTEGER NOT NULL) STRICT, WITHOUT ROWID;"
     "CREATE TABLE program (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;"
     "CREATE TABLE build (id INTEGER PRIMARY KEY, program INTEGER NOT NULL REFERENCES program, name TEXT NOT NULL,"
     "  first_seen INTEGER NOT NULL, last_seen INTEGER NOT NULL, UNIQUE (program, name)) STRICT;"
     "CREATE TABLE site (id INTEGER PRIMARY KEY, program INTEGER NOT NULL REFERENCES program, text TEXT NOT NULL,"
     "  first_build INTEGER NOT NULL REFERENCES build, last_build INTEGER NOT NULL REFERENCES build,"
     "  hint INTEGER NOT NULL, UNIQUE (program, text)) STRICT;"
     "CREATE TABLE shape (id INTEGER PRIMARY KEY, family TEXT NOT NULL, text TEXT NOT NULL,"
     "  UNIQUE (family, text)) STRICT;"
     /* site2 to site4: 0 is none */
     "CREATE TABLE instance (program INTEGER NOT NULL REFERENCES program, shape INTEGER NOT NULL REFERENCES shape,"
     "  site1 INTEGER NOT NULL REFERENCES site, site2 INTEGER NOT NULL, site3 INTEGER NOT NULL,"
     "  site4 INTEGER NOT NULL, covered INTEGER NOT NULL, exposed INTEGER NOT NULL, attempts INTEGER NOT NULL,"
     "  failed INTEGER NOT NULL, predicted INTEGER NOT NULL, verdict TEXT,"
     "  build INTEGER NOT NULL REFERENCES build, seen INTEGER NOT NULL,"
     "  PRIMARY KEY (program, shape, site1, site2, site3, site4)) STRICT, WITHOUT ROWID;"
     "CREATE TABLE input (id INTEGER PRIMARY KEY, program INTEGER NOT NULL REFERENCES program,"
     "  hash INTEGER NOT NULL, text TEXT NOT NULL, UNIQUE (program, hash, text)) STRICT;"
     "CREATE TABLE run (id TEXT PRIMARY KEY, build INTEGER NOT NULL REFERENCES build,"
     "  input INTEGER NOT NULL REFERENCES input, began INTEGER NOT NULL, seed INTEGER NOT NULL,"
     "  schedules INTEGER NOT NULL, newly_covered INTEGER NOT NULL, seconds REAL NOT NULL) STRICT, WITHOUT ROWID;"
     "CREATE TABLE failure (program INTEGER NOT NULL REFERENCES program, key TEXT NOT NULL, kind TEXT NOT NULL,"
     "  site TEXT NOT NULL, path TEXT, build INTEGER NOT NULL REFERENCES build, first_seen INTEGER NOT NULL,"
     "  last_seen INTEGER NOT NULL, times INTEGER NOT NULL, PRIMARY KEY (program, key)) STRICT, WITHOUT ROWID;"
     "INSERT INTO origin (name, own) VALUES (lower(hex(randomblob(8))), 1);"},
};
const int memo_version = sizeof memo_migrations / sizeof memo_migrations[0];

static bool read_version(struct memo *memo, int64_t *version, struct error *error)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(memo->db, "PRAGMA user_version", -1, &statement, NULL);
    if (code == SQLITE_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        *version = sqlite3_column_int64(statement, 0);
        code = SQLITE_OK;
    }
    sqlite3_finalize(statement);
    return code == SQLITE_OK || memo_say(memo->path, memo->db, code, error);
}

static bool check_version(const struct memo *memo, int64_t found, int version, struct error *error)
{
    if (found >= 0 && found <= version)
        return true;
    return error_set(error, EXIT_USAGE,
                     "%s has version %lld of the memo, this raddle knows versions up to %d: use the raddle that wrote "
                     "it, or another file",
                     memo->path, (long long)found, version);
}

bool memo_migrate(struct memo *memo, const struct memo_migration *migrations, int version, struct error *error)
{
    int64_t found = 0;
    if (!read_version(memo, &found, error) || !check_version(memo, found, version, error))
        return false;
    if (found == version)
        return true;
    if (sqlite3_db_readonly(memo->db, "main") == 1)
        return error_set(error, EXIT_USAGE,
                         "%s has the older version %lld of the memo and cannot be brought up to date, being read-only: "
                         "copy it to a place that can be written",
                         memo->path, (long long)found);
    if (!memo_begin(memo, error))
        return false;
    /* Again: another process may have done it while we waited. */
    bool good = read_version(memo, &found, error) && check_version(memo, found, version, error);
    for (; good && found < version; found++)
        good = memo_execute(memo, migrations[found].sql, error);
    char head[96];
    snprintf(head, sizeof head, "PRAGMA application_id = %d; PRAGMA user_version = %d", (int)MEMO_APPLICATION, version);
    good = good && memo_execute(memo, head, error);
    return memo_end(memo, good, error);
}
