/* SPDX-License-Identifier: MIT
 *
 * merge.c - one memo takes over what another one, or a file, has.
 */
#include <stdlib.h>
#include <string.h>

#include "memo/memo_private.h"

/* ---- the sink that adds ------------------------------------------------------------------------------------------------------ */

static bool result(struct memo_absorber *absorber, bool good)
{
    absorber->failed = !good;
    return good;
}

/* The row of a build that came before. */
static bool find_build(struct memo_absorber *absorber, const char *name, int64_t *row)
{
    struct memo *memo = absorber->memo;
    *row = 0;
    return memo_perform_value(memo_bind(memo, SQL_GET_BUILD, &absorber->error, "is", memo->program, name), row,
                              &absorber->error) &&
           (*row != 0 || error_set(&absorber->error, EXIT_INTERNAL, "%s: there is no build %s", memo->path, name));
}

static bool absorb_program(const char *name, void *context)
{
    struct memo_absorber *absorber = context;
    struct memo *memo = absorber->memo;
    return !absorber->failed &&
           result(absorber,
                  memo_perform(memo_bind(memo, SQL_PUT_PROGRAM, &absorber->error, "s", name), &absorber->error) &&
                      memo_choose(memo, name, NULL, &absorber->error));
}

static bool absorb_build(const struct memo_build *build, void *context)
{
    struct memo_absorber *absorber = context;
    int64_t row;
    return !absorber->failed && result(absorber, memo_put_build(absorber->memo, build, &row, &absorber->error));
}

static bool absorb_site(const struct memo_site *site, void *context)
{
    struct memo_absorber *absorber = context;
    struct memo_site_row put = {.text = site->text, .hint = site->hint};
    int64_t row;
    return !absorber->failed &&
           result(absorber, find_build(absorber, site->first_build, &put.first_build) &&
                                find_build(absorber, site->last_build, &put.last_build) &&
                                memo_put_site(absorber->memo, SQL_MERGE_SITE, &put, &row, &absorber->error));
}

static bool absorb_instance(const struct memo_instance *instance, void *context)
{
    struct memo_absorber *absorber = context;
    enum statement how = absorber->sum == MEMO_ADD ? SQL_ADD_INSTANCE : SQL_LARGEST_INSTANCE;
    int64_t build;
    return !absorber->failed && result(absorber, find_build(absorber, instance->build, &build) &&
                                                     memo_put_instance(absorber->memo, how, instance, build,
                                                                       instance->seen, &absorber->error));
}

static bool absorb_run(const struct memo_run *run, void *context)
{
    struct memo_absorber *absorber = context;
    int64_t build;
    return !absorber->failed && result(absorber, find_build(absorber, run->build, &build) &&
                                                     memo_put_run(absorber->memo, run, build, &absorber->error));
}

static bool absorb_failure(const struct memo_failure *failure, void *context)
{
    struct memo_absorber *absorber = context;
    enum statement how = absorber->sum == MEMO_ADD ? SQL_ADD_FAILURE : SQL_LARGEST_FAILURE;
    int64_t build;
    return !absorber->failed &&
           result(absorber, find_build(absorber, failure->build, &build) &&
                                memo_put_failure(absorber->memo, how, failure, build, &absorber->error));
}

struct memo_sink memo_absorb(struct memo_absorber *absorber)
{
    return (struct memo_sink){.program = absorb_program,
                              .build = absorb_build,
                              .site = absorb_site,
                              .instance = absorb_instance,
                              .run = absorb_run,
                              .failure = absorb_failure,
                              .context = absorber};
}

/* ---- history ------------------------------------------------------------------------------------------------------------------ */

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

bool memo_absorb_origins(struct memo *into, const struct memo_origins *from, const char *name, enum memo_sum sum,
                         struct error *error)
{
    struct memo_origins own;
    bool good = memo_read_origins(into, &own, error);
    if (good && sum == MEMO_ADD && have_common(&own, from))
        good = error_set(error, EXIT_USAGE,
                         "%s and %s have campaigns in common, which would be counted twice: --largest takes the larger "
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

/* ---- merging -------------------------------------------------------------------------------------------------------------------- */

bool memo_merge(struct memo *into, struct memo *from, enum memo_sum sum, struct error *error)
{
    struct memo_absorber absorber = {.memo = into, .sum = sum};
    struct memo_sink sink = memo_absorb(&absorber);
    struct memo_origins origins;
    bool good = memo_read_origins(from, &origins, error);
    if (good && memo_begin(into, error)) {
        good = memo_absorb_origins(into, &origins, from->path, sum, error) && memo_pour(from, &sink, error);
        if (absorber.failed)
            *error = absorber.error;
        good = memo_end(into, good && !absorber.failed, error);
    } else {
        good = false;
    }
    memo_origins_free(&origins);
    return good;
}
