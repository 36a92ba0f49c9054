/* SPDX-License-Identifier: MIT
 *
 * schema.c - the tables of a memo, and migrations from older versions.
 *
 * DESIGN
 *   The text of an instance consists mostly of its sites, and a site is part of many instances.  So a text is stored as
 *   its shape (the text without its sites; there are few shapes) and up to four numbers of sites.  An instance then
 *   takes about thirty bytes instead of two hundred.  The key contains all of that, so there is one tree and no other
 *   index.
 *
 *   The version is the number of migrations that were applied; the first one creates the tables.  A released migration
 *   is never changed: a new one is added after it.
 */
#include "memo/memo_private.h"

const struct memo_migration memo_migrations[] = {
    {"CREATE TABLE origin (name TEXT PRIMARY KEY, own INTEGER NOT NULL) {keyed};"
     "CREATE TABLE program (id {id}, name TEXT NOT NULL UNIQUE) {table};"
     "CREATE TABLE build (id {id}, program INTEGER NOT NULL REFERENCES program, name TEXT NOT NULL,"
     "  first_seen INTEGER NOT NULL, last_seen INTEGER NOT NULL, UNIQUE (program, name)) {table};"
     "CREATE TABLE site (id {id}, program INTEGER NOT NULL REFERENCES program, text TEXT NOT NULL,"
     "  first_build INTEGER NOT NULL REFERENCES build, last_build INTEGER NOT NULL REFERENCES build,"
     "  hint INTEGER NOT NULL, UNIQUE (program, text)) {table};"
     "CREATE TABLE shape (id {id}, family TEXT NOT NULL, text TEXT NOT NULL,"
     "  UNIQUE (family, text)) {table};"
     /* site2 to site4: 0 is none */
     "CREATE TABLE instance (program INTEGER NOT NULL REFERENCES program, shape INTEGER NOT NULL REFERENCES shape,"
     "  site1 INTEGER NOT NULL REFERENCES site, site2 INTEGER NOT NULL, site3 INTEGER NOT NULL,"
     "  site4 INTEGER NOT NULL, covered INTEGER NOT NULL, exposed INTEGER NOT NULL, attempts INTEGER NOT NULL,"
     "  failed INTEGER NOT NULL, predicted INTEGER NOT NULL, verdict TEXT,"
     "  build INTEGER NOT NULL REFERENCES build, seen INTEGER NOT NULL,"
     "  PRIMARY KEY (program, shape, site1, site2, site3, site4)) {keyed};"
     "CREATE TABLE input (id {id}, program INTEGER NOT NULL REFERENCES program,"
     "  hash INTEGER NOT NULL, text TEXT NOT NULL, UNIQUE (program, hash, text)) {table};"
     "CREATE TABLE run (id TEXT PRIMARY KEY, build INTEGER NOT NULL REFERENCES build,"
     "  input INTEGER NOT NULL REFERENCES input, began INTEGER NOT NULL, seed INTEGER NOT NULL,"
     "  schedules INTEGER NOT NULL, newly_covered INTEGER NOT NULL, seconds REAL NOT NULL) {keyed};"
     "CREATE TABLE failure (program INTEGER NOT NULL REFERENCES program, key TEXT NOT NULL, kind TEXT NOT NULL,"
     "  site TEXT NOT NULL, path TEXT, build INTEGER NOT NULL REFERENCES build, first_seen INTEGER NOT NULL,"
     "  last_seen INTEGER NOT NULL, times INTEGER NOT NULL, PRIMARY KEY (program, key)) {keyed};"
     "INSERT INTO origin (name, own) VALUES ({random}, 1);"},
    {"ALTER TABLE instance ADD COLUMN impossible INTEGER NOT NULL DEFAULT 0;"},
    {"CREATE TABLE core (program INTEGER NOT NULL REFERENCES program, key TEXT NOT NULL, family TEXT NOT NULL,"
     "  text TEXT NOT NULL, build INTEGER NOT NULL REFERENCES build, seen INTEGER NOT NULL,"
     "  PRIMARY KEY (program, key)) {keyed};"},
};
const int memo_version = sizeof memo_migrations / sizeof memo_migrations[0];

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
    if (!database_get_version(memo->database, &found, error) || !check_version(memo, found, version, error))
        return false;
    if (found == version)
        return true;
    if (database_is_read_only(memo->database))
        return error_set(error, EXIT_USAGE,
                         "%s has the older version %lld of the memo and cannot be updated because it is read-only: "
                         "copy it to a place that can be written",
                         memo->path, (long long)found);
    if (!memo_begin(memo, error))
        return false;
    /* Read again: another process may have migrated it while we waited. */
    bool good = database_get_version(memo->database, &found, error) && check_version(memo, found, version, error);
    for (; good && found < version; found++)
        good = database_execute(memo->database, migrations[found].sql, error);
    good = good && database_set_version(memo->database, version, error);
    return memo_end(memo, good, error);
}
