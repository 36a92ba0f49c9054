/* SPDX-License-Identifier: MIT
 *
 * database.c - what the engines of database.h share.
 */
#include <assert.h>
#include <string.h>

#include "memo/database_engine.h"
#include "util/buffer.h"

/* ---- words of statements ---------------------------------------------------------------------------------------------- */

static const struct database_word *find_word(const char *text, size_t length, const struct database_word *words)
{
    while (words->word != NULL && (strlen(words->word) != length || memcmp(words->word, text, length) != 0))
        words++;
    assert(words->word != NULL); /* each engine has all words of database.h */
    return words;
}

char *database_translate(const char *sql, const struct database_word *words)
{
    struct buffer out = {0};
    const char *open;
    while ((open = strchr(sql, '{')) != NULL) {
        size_t length = strcspn(open + 1, "}");
        buffer_add(&out, sql, (size_t)(open - sql));
        buffer_add_string(&out, find_word(open + 1, length, words)->sql);
        sql = open + 1 + length + 1;
    }
    buffer_add_string(&out, sql);
    return buffer_take(&out);
}

/* ---- sentences ------------------------------------------------------------------------------------------------------ */

static bool say_damaged(const char *name, const char *detail, const char *advice, struct error *error)
{
    struct buffer text = {0};
    buffer_printf(&text, "%s is damaged", name);
    if (detail != NULL)
        buffer_printf(&text, " (%s)", detail);
    buffer_add_string(&text, ": raddle leaves it as it is; move it away to start with a new one");
    if (advice != NULL)
        buffer_printf(&text, " (%s)", advice);
    error_set(error, EXIT_USAGE, "%s", buffer_text(&text));
    buffer_free(&text);
    return false;
}

bool database_say(const char *name, enum database_problem problem, const char *detail, const char *advice,
                  struct error *error)
{
    switch (problem) {
    case DATABASE_LOCKED:
        return error_set(error, EXIT_USAGE,
                         "%s is locked by another process: try again when that has ended, or choose another file",
                         name);
    case DATABASE_IS_READ_ONLY:
        return error_set(error, EXIT_USAGE,
                         "%s cannot be written, the file or its directory is read-only: choose another file", name);
    case DATABASE_FULL:
        return error_set(error, EXIT_USAGE,
                         "there is no space for %s: free some space on the disk, or choose another file", name);
    case DATABASE_NOT_OPENED:
        return error_set(error, EXIT_USAGE, "cannot open %s: %s", name, detail);
    case DATABASE_NOT_READ:
        return error_set(error, EXIT_USAGE, "cannot read %s: %s", name, detail);
    case DATABASE_NOT_WRITTEN:
        return error_set(error, EXIT_USAGE, "cannot write %s: %s", name, detail);
    case DATABASE_DAMAGED:
        return say_damaged(name, detail, advice, error);
    case DATABASE_INTERNAL:
    case DATABASE_PROBLEM_COUNT:
        break;
    }
    assert(problem == DATABASE_INTERNAL && detail != NULL);
    return error_set(error, EXIT_INTERNAL, "%s: the database says: %s", name, detail);
}

bool database_say_foreign(const char *name, const struct database_owner *owner, const char *why, struct error *error)
{
    return error_set(error, EXIT_USAGE, "%s is not a %s (%s): raddle leaves it as it is; choose another file", name,
                     owner->name, why);
}
