/* SPDX-License-Identifier: MIT
 *
 * database_engine.h - what engines share (database.c): the words of statements, and one sentence for each kind of problem,
 * whatever the engine calls it.
 */
#ifndef RADDLE_MEMO_DATABASE_ENGINE_H
#define RADDLE_MEMO_DATABASE_ENGINE_H

#include "memo/database.h"

/* A word in braces, and what the engine has in its place. */
struct database_word {
    const char *word, *sql;
};
/* The statement in the engine's words; `words` ends with a NULL word.  Fresh. */
char *database_translate(const char *sql, const struct database_word *words);

enum database_problem {
    DATABASE_LOCKED,       /* by another process, for longer than the patience */
    DATABASE_IS_READ_ONLY, /* but was to be written */
    DATABASE_FULL,         /* no room where it is */
    DATABASE_NOT_OPENED,
    DATABASE_NOT_READ,
    DATABASE_NOT_WRITTEN,
    DATABASE_DAMAGED,
    DATABASE_INTERNAL, /* a statement is wrong, or the engine has a problem that no user can help */
    DATABASE_PROBLEM_COUNT,
};
/* A sentence about the database of that name.  `detail`: what the engine or the system says; NULL: nothing, which is allowed for
   LOCKED, IS_READ_ONLY, FULL and DAMAGED only.  `advice`: what may save a damaged one; NULL: nothing.  Returns false. */
bool database_say(const char *name, enum database_problem problem, const char *detail, const char *advice,
                  struct error *error);
/* It belongs to another owner.  Returns false. */
bool database_say_foreign(const char *name, const struct database_owner *owner, const char *why, struct error *error);

#endif
