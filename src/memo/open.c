/* SPDX-License-Identifier: MIT
 *
 * open.c - opens a memo; chooses program and build.
 */
#include <stdlib.h>
#include <time.h>

#include "memo/memo_private.h"
#include "util/memory.h"

static const struct database_owner owner = {.mark = MEMO_MARK, .name = "memo of raddle"};
static int patience = 10000;

void memo_set_patience(int milliseconds)
{
    patience = milliseconds;
}

bool memo_check(struct memo *memo, struct error *error)
{
    return database_check(memo->database, error);
}

struct memo *memo_open_all(const char *path, enum memo_access access, struct error *error)
{
    static const enum database_access accesses[] = {
        [MEMO_READ] = DATABASE_READ, [MEMO_CHANGE] = DATABASE_CHANGE, [MEMO_CREATE] = DATABASE_CREATE};
    struct memo *memo = memory_allocate(1, sizeof *memo);
    memo->path = memory_copy_string(path);
    memo->database = database_open(path, &owner, accesses[access], patience, error);
    if (memo->database != NULL && memo_migrate(memo, memo_migrations, memo_version, error)) {
        database_accept(memo->database);
        return memo;
    }
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
        database_release(memo->statements[i]);
    database_close(memo->database);
    buffer_free(&memo->found);
    free(memo->program_name);
    free(memo->build_name);
    free(memo->path);
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
    if (build != NULL && !memo_perform(memo_bind(memo, SQL_PUT_PROGRAM, error, "s", program_name), error))
        return false;
    if (!memo_perform_value(memo_bind(memo, SQL_GET_PROGRAM, error, "s", program_name), &memo->program, error))
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
        memo_bind(memo, SQL_IS_CHOSEN, error, "isis", memo->program, memo->program_name, memo->build, memo->build_name),
        &there, error);
    if (good && there == 0)
        good = memo_choose(memo, memo->program_name, memo->build_name, error);
    return good || memo_end(memo, false, error);
}
