/* SPDX-License-Identifier: MIT
 *
 * database_engine.h - what engines share (database.c): the translation of statements, and one message for each kind of
 * problem.
 */
#ifndef RADDLE_MEMO_DATABASE_ENGINE_H
#define RADDLE_MEMO_DATABASE_ENGINE_H

#include "memo/database.h"

/* A word in braces, and its replacement in the SQL of the engine. */
struct database_word {
    const char *word, *sql;
};
/* The statement in the SQL of the engine; `words` ends with a NULL word.  Freed by the caller. */
char *database_translate(const char *sql, const struct database_word *words);

enum database_problem {
    DATABASE_LOCKED,       /* by another process, for longer than the patience */
    DATABASE_IS_READ_ONLY, /* but should be written */
    DATABASE_FULL,         /* no space on the disk */
    DATABASE_NOT_OPENED,
    DATABASE_NOT_READ,
    DATABASE_NOT_WRITTEN,
    DATABASE_DAMAGED,
    DATABASE_INTERNAL, /* a statement is wrong, or the engine has a problem that the user cannot solve */
    DATABASE_PROBLEM_COUNT,
};
/* Sets the message about the database of this name.  `detail`: the message of the engine or the system; it may be NULL
   for LOCKED, IS_READ_ONLY, FULL and DAMAGED only.  `advice`: how a damaged database may be repaired; NULL: none.
   Returns false. */
bool database_say(const char *name, enum database_problem problem, const char *detail, const char *advice,
                  struct error *error);
/* Sets the message that the database belongs to another owner.  Returns false. */
bool database_say_foreign(const char *name, const struct database_owner *owner, const char *why, struct error *error);

#endif
