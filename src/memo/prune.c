/* SPDX-License-Identifier: MIT
 *
 * prune.c - deletes old records, and rows that nothing refers to any more.
 */
#include "memo/memo_private.h"

static bool forget(struct memo *memo, enum statement which, int64_t number, uint64_t *count, struct error *error)
{
    if (!memo_perform(memo_bind(memo, which, error, "i", number), error))
        return false;
    *count += database_changes(memo->database);
    return true;
}

/* Sites before builds, since they refer to them; instances before sites. */
static bool forget_old(struct memo *memo, int64_t before, struct memo_pruned *pruned, struct error *error)
{
    return forget(memo, SQL_FORGET_OLD_INSTANCES, before, &pruned->instances, error) &&
           forget(memo, SQL_FORGET_OLD_RUNS, before, &pruned->runs, error) &&
           forget(memo, SQL_FORGET_OLD_CORES, before, &pruned->cores, error) &&
           forget(memo, SQL_FORGET_OLD_FAILURES, before, &pruned->failures, error) &&
           forget(memo, SQL_FORGET_OLD_SITES, before, &pruned->sites, error) &&
           forget(memo, SQL_FORGET_OLD_BUILDS, before, &pruned->builds, error);
}

static bool forget_builds(struct memo *memo, int64_t kept, struct memo_pruned *pruned, struct error *error)
{
    return forget(memo, SQL_FORGET_BUILDS_INSTANCES, kept, &pruned->instances, error) &&
           forget(memo, SQL_FORGET_BUILDS_RUNS, kept, &pruned->runs, error) &&
           forget(memo, SQL_FORGET_BUILDS_CORES, kept, &pruned->cores, error) &&
           forget(memo, SQL_FORGET_BUILDS_FAILURES, kept, &pruned->failures, error) &&
           forget(memo, SQL_FORGET_BUILDS_SITES, kept, &pruned->sites, error) &&
           forget(memo, SQL_FORGET_BUILDS_BUILDS, kept, &pruned->builds, error);
}

static bool forget_unused(struct memo *memo, struct error *error)
{
    static const enum statement unused[] = {SQL_FORGET_INPUTS, SQL_FORGET_SHAPES, SQL_FORGET_PROGRAMS};
    for (size_t i = 0; i < sizeof unused / sizeof unused[0]; i++)
        if (!memo_perform(memo_bind(memo, unused[i], error, ""), error))
            return false;
    return true;
}

bool memo_prune(struct memo *memo, const struct memo_forget *what, struct memo_pruned *pruned, struct error *error)
{
    *pruned = (struct memo_pruned){0};
    if (!memo_begin(memo, error))
        return false;
    int64_t builds = what->builds < INT64_MAX ? (int64_t)what->builds : INT64_MAX;
    int64_t give_up = what->give_up < INT64_MAX ? (int64_t)what->give_up : INT64_MAX;
    bool good = (give_up == 0 || forget(memo, SQL_FORGET_GIVEN_UP, give_up, &pruned->instances, error)) &&
                (what->older_than == 0 || forget_old(memo, what->older_than, pruned, error)) &&
                (builds == 0 || forget_builds(memo, builds, pruned, error)) && forget_unused(memo, error);
    if (!memo_end(memo, good, error))
        return false;
    database_compact(memo->database);
    return true;
}
