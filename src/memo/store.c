/* SPDX-License-Identifier: MIT
 *
 * store.c - what a campaign adds to a memo: each call is one transaction.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

#include "memo/memo_private.h"
#include "util/clock.h"
#include "util/hash.h"
#include "util/memory.h"
#include "util/stop.h"

/* The database has signed numbers only. */
static int64_t limited(uint64_t count)
{
    return count < INT64_MAX ? (int64_t)count : INT64_MAX;
}

void memo_random_name(char name[MEMO_NAME + 1])
{
    uint64_t number;
    if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
        number = hash_combine((uint64_t)clock_now(), (uint64_t)time(NULL));
    snprintf(name, MEMO_NAME + 1, "%016" PRIx64, number);
}

/* ---- rows ----------------------------------------------------------------------------------------------------------------- */

bool memo_put_build(struct memo *memo, const struct memo_build *build, int64_t *row, struct error *error)
{
    return memo_perform(memo_bind(memo, SQL_PUT_BUILD, error, "isii", memo->program, build->name, build->first_seen,
                                  build->last_seen),
                        error) &&
           memo_perform_value(memo_bind(memo, SQL_GET_BUILD, error, "is", memo->program, build->name), row, error);
}

/* Usually the site exists and is up to date: then nothing is written. */
static bool look_for_site(struct memo *memo, enum statement how, const struct memo_site_row *site, int64_t *row,
                          bool *done, struct error *error)
{
    struct database_statement *get = memo_bind(memo, SQL_GET_SITE, error, "is", memo->program, site->text);
    int found = memo_next(get, error);
    *row = 0;
    if (found <= 0)
        return found == 0;
    *row = database_number(get, 0);
    bool same = database_number(get, 1) == site->last_build &&
                (site->hint == 0 || database_number(get, 2) == limited(site->hint));
    database_reset(get);
    *done = how == SQL_KEEP_SITE || (how == SQL_STORE_SITE && same);
    return true;
}

bool memo_put_site(struct memo *memo, enum statement how, const struct memo_site_row *site, int64_t *row,
                   struct error *error)
{
    *row = site->hint == 0 && how != SQL_MERGE_SITE ? memo_rows_get(&memo->sites, site->text) : 0;
    if (*row != 0)
        return true;
    bool done = false;
    if (!look_for_site(memo, how, site, row, &done, error))
        return false;
    if (!done) {
        struct database_statement *put = memo_bind(memo, how, error, "isiii", memo->program, site->text,
                                                   site->first_build, site->last_build, limited(site->hint));
        if (!memo_perform(put, error))
            return false;
    }
    if (*row == 0 &&
        !memo_perform_value(memo_bind(memo, SQL_GET_SITE, error, "is", memo->program, site->text), row, error))
        return false;
    memo_rows_put(&memo->sites, site->text, *row);
    return true;
}

static bool find_shape(struct memo *memo, const char *family, const char *text, int64_t *row, struct error *error)
{
    return memo_perform_value(memo_bind(memo, SQL_GET_SHAPE, error, "ss", family, text), row, error);
}

static bool put_shape(struct memo *memo, const char *family, const char *text, int64_t *row, struct error *error)
{
    char *key = memory_format("%s\n%s", family, text);
    *row = memo_rows_get(&memo->shapes, key);
    bool good = true;
    if (*row == 0) {
        good = find_shape(memo, family, text, row, error);
        if (good && *row == 0)
            good = memo_perform(memo_bind(memo, SQL_PUT_SHAPE, error, "ss", family, text), error) &&
                   find_shape(memo, family, text, row, error);
        if (good)
            memo_rows_put(&memo->shapes, key, *row);
    }
    free(key);
    return good;
}

static bool put_parts(struct memo *memo, enum statement how, const struct memo_instance *instance,
                      const struct memo_parts *parts, int64_t build, int64_t seen, struct error *error)
{
    int64_t shape, sites[MEMO_STEPS] = {0};
    if (!put_shape(memo, instance->family, buffer_text(&parts->shape), &shape, error))
        return false;
    for (unsigned i = 0; i < parts->count; i++) {
        struct memo_site_row site = {.text = buffer_text(&parts->sites[i]), .first_build = build, .last_build = build};
        if (!memo_put_site(memo, how == SQL_STORE_INSTANCE ? SQL_STORE_SITE : SQL_KEEP_SITE, &site, &sites[i], error))
            return false;
    }
    struct database_statement *statement = memo_bind(
        memo, how, error, "iiiiiiiiiiisiii", memo->program, shape, sites[0], sites[1], sites[2], sites[3],
        limited(instance->covered), limited(instance->exposed), limited(instance->attempts), limited(instance->failed),
        (int64_t)instance->predicted, instance->verdict, build, seen, (int64_t)instance->impossible);
    return memo_perform(statement, error);
}

bool memo_put_instance(struct memo *memo, enum statement how, const struct memo_instance *instance, int64_t build,
                       int64_t seen, struct error *error)
{
    struct memo_parts parts;
    bool good = memo_split(instance->text, &parts)
                    ? put_parts(memo, how, instance, &parts, build, seen, error)
                    : error_set(error, EXIT_INTERNAL, "'%s' is not an instance: it must have one to four sites",
                                instance->text);
    memo_parts_free(&parts);
    return good;
}

bool memo_put_core(struct memo *memo, enum statement how, const struct memo_core *core, int64_t build, int64_t seen,
                   struct error *error)
{
    return memo_perform(
        memo_bind(memo, how, error, "isssii", memo->program, core->key, core->family, core->text, build, seen), error);
}

bool memo_put_run(struct memo *memo, const struct memo_run *run, int64_t build, struct error *error)
{
    int64_t hash = (int64_t)(run->input_hash != 0 ? run->input_hash : hash_string(run->input)), input = 0;
    return memo_perform(memo_bind(memo, SQL_PUT_INPUT, error, "iis", memo->program, hash, run->input), error) &&
           memo_perform_value(memo_bind(memo, SQL_GET_INPUT, error, "iis", memo->program, hash, run->input), &input,
                              error) &&
           memo_perform(memo_bind(memo, SQL_PUT_RUN, error, "siiiiiid", run->id, build, input, run->began,
                                  (int64_t)run->seed, limited(run->schedules), limited(run->newly_covered),
                                  run->seconds),
                        error);
}

bool memo_put_failure(struct memo *memo, enum statement how, const struct memo_failure *failure, int64_t build,
                      struct error *error)
{
    return memo_perform(memo_bind(memo, how, error, "issssiiii", memo->program, failure->key, failure->kind,
                                  failure->site, failure->path, build, failure->first_seen, failure->last_seen,
                                  limited(failure->times)),
                        error);
}

/* ---- what a campaign calls --------------------------------------------------------------------------------------------------- */

bool memo_store(struct memo *memo, const struct memo_instance *instances, size_t count, struct error *error)
{
    if (!memo_begin_chosen(memo, error))
        return false;
    int64_t now = time(NULL);
    bool good = true;
    for (size_t i = 0; good && i < count && !stop_requested(); i++)
        good = memo_put_instance(memo, SQL_STORE_INSTANCE, &instances[i], memo->build, now, error);
    return memo_end(memo, good, error);
}

bool memo_store_cores(struct memo *memo, const struct memo_core *cores, size_t count, struct error *error)
{
    if (!memo_begin_chosen(memo, error))
        return false;
    int64_t now = time(NULL);
    bool good = true;
    for (size_t i = 0; good && i < count && !stop_requested(); i++)
        good = memo_put_core(memo, SQL_STORE_CORE, &cores[i], memo->build, now, error);
    return memo_end(memo, good, error);
}

bool memo_store_sites(struct memo *memo, const struct memo_site *sites, size_t count, struct error *error)
{
    if (!memo_begin_chosen(memo, error))
        return false;
    bool good = true;
    int64_t row;
    for (size_t i = 0; good && i < count; i++) {
        struct memo_site_row site = {sites[i].text, memo->build, memo->build, sites[i].hint};
        good = memo_put_site(memo, SQL_STORE_SITE, &site, &row, error);
    }
    return memo_end(memo, good, error);
}

bool memo_add_run(struct memo *memo, const struct memo_run *run, struct error *error)
{
    if (!memo_begin_chosen(memo, error))
        return false;
    char id[MEMO_NAME + 1];
    struct memo_run row = *run;
    memo_random_name(id);
    row.id = run->id != NULL ? run->id : id;
    row.began = run->began != 0 ? run->began : time(NULL);
    return memo_end(memo, memo_put_run(memo, &row, memo->build, error), error);
}

bool memo_add_failure(struct memo *memo, const struct memo_failure *failure, struct error *error)
{
    if (!memo_begin_chosen(memo, error))
        return false;
    struct memo_failure row = *failure;
    row.last_seen = failure->last_seen != 0 ? failure->last_seen : time(NULL);
    row.first_seen = failure->first_seen != 0 ? failure->first_seen : row.last_seen;
    return memo_end(memo, memo_put_failure(memo, SQL_STORE_FAILURE, &row, memo->build, error), error);
}
