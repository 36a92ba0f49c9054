/* SPDX-License-Identifier: MIT
 *
 * merge.c - merges another memo, or an exported file, into a memo.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "memo/memo_private.h"

/* ---- the sink that adds ------------------------------------------------------------------------------------------------------ */

static bool result(struct memo_merger *merger, bool good)
{
    assert(!merger->failed);
    merger->failed = !good;
    return good;
}

/* The row of a build that was added before. */
static bool find_build(struct memo_merger *merger, const char *name, int64_t *row)
{
    assert(name != NULL);
    struct memo *memo = merger->memo;
    *row = 0;
    return memo_perform_value(memo_bind(memo, SQL_GET_BUILD, &merger->error, "is", memo->program, name), row,
                              &merger->error) &&
           (*row != 0 || error_set(&merger->error, EXIT_INTERNAL, "%s: there is no build %s", memo->path, name));
}

static bool merge_program(const char *name, void *context)
{
    struct memo_merger *merger = context;
    struct memo *memo = merger->memo;
    return !merger->failed &&
           result(merger, memo_perform(memo_bind(memo, SQL_PUT_PROGRAM, &merger->error, "s", name), &merger->error) &&
                              memo_choose(memo, name, NULL, &merger->error));
}

static bool merge_build(const struct memo_build *build, void *context)
{
    struct memo_merger *merger = context;
    int64_t row;
    return !merger->failed && result(merger, memo_put_build(merger->memo, build, &row, &merger->error));
}

static bool merge_site(const struct memo_site *site, void *context)
{
    struct memo_merger *merger = context;
    struct memo_site_row put = {.text = site->text, .hint = site->hint};
    int64_t row;
    return !merger->failed &&
           result(merger, find_build(merger, site->first_build, &put.first_build) &&
                              find_build(merger, site->last_build, &put.last_build) &&
                              memo_put_site(merger->memo, SQL_MERGE_SITE, &put, &row, &merger->error));
}

static bool merge_instance(const struct memo_instance *instance, void *context)
{
    struct memo_merger *merger = context;
    enum statement how = merger->sum == MEMO_ADD ? SQL_ADD_INSTANCE : SQL_LARGEST_INSTANCE;
    int64_t build;
    return !merger->failed &&
           result(merger, find_build(merger, instance->build, &build) &&
                              memo_put_instance(merger->memo, how, instance, build, instance->seen, &merger->error));
}

static bool merge_core(const struct memo_core *core, void *context)
{
    struct memo_merger *merger = context;
    int64_t build;
    return !merger->failed &&
           result(merger, find_build(merger, core->build, &build) &&
                              memo_put_core(merger->memo, SQL_MERGE_CORE, core, build, core->seen, &merger->error));
}

static bool merge_run(const struct memo_run *run, void *context)
{
    struct memo_merger *merger = context;
    int64_t build;
    return !merger->failed && result(merger, find_build(merger, run->build, &build) &&
                                                 memo_put_run(merger->memo, run, build, &merger->error));
}

static bool merge_failure(const struct memo_failure *failure, void *context)
{
    struct memo_merger *merger = context;
    enum statement how = merger->sum == MEMO_ADD ? SQL_ADD_FAILURE : SQL_LARGEST_FAILURE;
    int64_t build;
    return !merger->failed && result(merger, find_build(merger, failure->build, &build) &&
                                                 memo_put_failure(merger->memo, how, failure, build, &merger->error));
}

struct memo_sink memo_merge_sink(struct memo_merger *merger)
{
    return (struct memo_sink){.program = merge_program,
                              .build = merge_build,
                              .site = merge_site,
                              .instance = merge_instance,
                              .core = merge_core,
                              .run = merge_run,
                              .failure = merge_failure,
                              .context = merger};
}

/* ---- history ---------------------------------------------------------------------------------------------------------- */

static bool has_origin(const struct memo_origins *origins, const char *name)
{
    bool found = strcmp(origins->own, name) == 0;
    for (size_t i = 0; i < origins->merged.count; i++)
        found = found || strcmp(origins->merged.data[i], name) == 0;
    return found;
}

static bool have_common(const struct memo_origins *a, const struct memo_origins *b)
{
    bool common = has_origin(a, b->own);
    for (size_t i = 0; i < b->merged.count; i++)
        common = common || has_origin(a, b->merged.data[i]);
    return common;
}

static bool put_origin(struct memo *memo, const char *name, struct error *error)
{
    return memo_perform(memo_bind(memo, SQL_PUT_ORIGIN, error, "s", name), error);
}

bool memo_merge_origins(struct memo *into, const struct memo_origins *from, const char *name, enum memo_sum sum,
                        struct error *error)
{
    struct memo_origins own;
    bool good = memo_read_origins(into, &own, error);
    if (good && sum == MEMO_ADD && have_common(&own, from))
        good = error_set(error, EXIT_USAGE,
                         "%s and %s share campaigns, which would be counted twice: --largest takes the larger "
                         "of their counts instead of the sum",
                         into->path, name);
    if (good && strcmp(own.own, from->own) != 0)
        good = put_origin(into, from->own, error);
    for (size_t i = 0; good && i < from->merged.count; i++)
        if (strcmp(own.own, from->merged.data[i]) != 0)
            good = put_origin(into, from->merged.data[i], error);
    memo_origins_free(&own);
    return good;
}

/* ---- merging ---------------------------------------------------------------------------------------------------------- */

bool memo_merge(struct memo *into, struct memo *from, enum memo_sum sum, struct error *error)
{
    struct memo_merger merger = {.memo = into, .sum = sum};
    struct memo_sink sink = memo_merge_sink(&merger);
    struct memo_origins origins;
    bool good = memo_read_origins(from, &origins, error);
    if (good && memo_begin(into, error)) {
        good = memo_merge_origins(into, &origins, from->path, sum, error) && memo_copy_to(from, &sink, error);
        if (merger.failed)
            *error = merger.error;
        good = memo_end(into, good && !merger.failed, error);
    } else {
        good = false;
    }
    memo_origins_free(&origins);
    return good;
}
