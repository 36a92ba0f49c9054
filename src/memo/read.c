/* SPDX-License-Identifier: MIT
 *
 * read.c - visits the content of a memo, in an order that depends on the content only.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "memo/memo_private.h"
#include "util/memory.h"
#include "util/names.h"

/* ---- states --------------------------------------------------------------------------------------------------------------- */

enum memo_state memo_state_of(const struct memo_instance *instance, uint64_t give_up)
{
    assert(instance != NULL);
    if (instance->covered > 0 || instance->exposed > 0)
        return MEMO_COVERED;
    if (instance->impossible)
        return MEMO_IMPOSSIBLE;
    return instance->failed >= give_up ? MEMO_GIVEN_UP : MEMO_OPEN;
}

const char *memo_state_name(enum memo_state state)
{
    static const char *const names[] = {[MEMO_COVERED] = "covered",
                                        [MEMO_OPEN] = "open",
                                        [MEMO_GIVEN_UP] = "given-up",
                                        [MEMO_IMPOSSIBLE] = "impossible"};
    return names[state];
}

/* ---- rows ----------------------------------------------------------------------------------------------------------------- */

static uint64_t count_column(struct database_statement *statement, int column)
{
    return (uint64_t)database_number(statement, column);
}

static struct memo_instance read_instance(struct database_statement *row)
{
    return (struct memo_instance){.family = database_text(row, 0),
                                  .text = database_text(row, 1),
                                  .covered = count_column(row, 2),
                                  .exposed = count_column(row, 3),
                                  .attempts = count_column(row, 4),
                                  .failed = count_column(row, 5),
                                  .predicted = database_number(row, 6) != 0,
                                  .verdict = database_text(row, 7),
                                  .build = database_text(row, 8),
                                  .seen = database_number(row, 9),
                                  .impossible = database_number(row, 10) != 0};
}

static struct memo_site read_site(struct database_statement *row)
{
    return (struct memo_site){.text = database_text(row, 0),
                              .hint = count_column(row, 1),
                              .first_build = database_text(row, 2),
                              .last_build = database_text(row, 3)};
}

static struct memo_core read_core(struct database_statement *row)
{
    return (struct memo_core){.key = database_text(row, 0),
                              .family = database_text(row, 1),
                              .text = database_text(row, 2),
                              .build = database_text(row, 3),
                              .seen = database_number(row, 4)};
}

static struct memo_run read_run(struct database_statement *row)
{
    return (struct memo_run){.id = database_text(row, 0),
                             .build = database_text(row, 1),
                             .input = database_text(row, 2),
                             .input_hash = count_column(row, 3),
                             .began = database_number(row, 4),
                             .seed = count_column(row, 5),
                             .schedules = count_column(row, 6),
                             .newly_covered = count_column(row, 7),
                             .seconds = database_real(row, 8)};
}

static struct memo_failure read_failure(struct database_statement *row)
{
    return (struct memo_failure){.key = database_text(row, 0),
                                 .kind = database_text(row, 1),
                                 .site = database_text(row, 2),
                                 .path = database_text(row, 3),
                                 .build = database_text(row, 4),
                                 .first_seen = database_number(row, 5),
                                 .last_seen = database_number(row, 6),
                                 .times = count_column(row, 7)};
}

static struct memo_build read_build(struct database_statement *row)
{
    return (struct memo_build){
        .name = database_text(row, 0), .first_seen = database_number(row, 1), .last_seen = database_number(row, 2)};
}

/* ---- visits ---------------------------------------------------------------------------------------------------------------- */

/* One loop for all kinds of records. */
#define EACH(kind, KIND)                                                                                               \
    bool memo_each_##kind(struct memo *memo, memo_##kind##_visitor *visit, void *context, struct error *error)         \
    {                                                                                                                  \
        struct database_statement *row = memo_bind(memo, SQL_EACH_##KIND, error, "i", memo->program);                  \
        int more;                                                                                                      \
        while ((more = memo_next(row, error)) > 0) {                                                                   \
            struct memo_##kind record = read_##kind(row);                                                              \
            if (visit(&record, context))                                                                               \
                continue;                                                                                              \
            database_reset(row);                                                                                       \
            return true;                                                                                               \
        }                                                                                                              \
        return more == 0;                                                                                              \
    }
EACH(instance, INSTANCE)
EACH(core, CORE)
EACH(site, SITE)
EACH(run, RUN)
EACH(failure, FAILURE)
EACH(build, BUILD)
#undef EACH

bool memo_each_program(struct memo *memo, memo_program_visitor *visit, void *context, struct error *error)
{
    struct database_statement *row = memo_bind(memo, SQL_EACH_PROGRAM, error, "");
    int more;
    while ((more = memo_next(row, error)) > 0) {
        if (visit(database_text(row, 0), context))
            continue;
        database_reset(row);
        return true;
    }
    return more == 0;
}

/* Appends a copy of a text to the buffer; returns its offset. */
static size_t keep(struct buffer *buffer, const char *text)
{
    size_t place = buffer->size;
    buffer_add(buffer, text, strlen(text) + 1);
    return place;
}

/* The texts of a row are valid only until the next row, so they are copied. */
static void keep_instance(struct buffer *buffer, struct memo_instance *found)
{
    buffer_clear(buffer);
    size_t family = keep(buffer, found->family), text = keep(buffer, found->text), build = keep(buffer, found->build);
    size_t verdict = found->verdict != NULL ? keep(buffer, found->verdict) : 0;
    found->family = buffer->data + family;
    found->text = buffer->data + text;
    found->build = buffer->data + build;
    found->verdict = found->verdict != NULL ? buffer->data + verdict : NULL;
}

bool memo_find(struct memo *memo, const char *family, const char *text, struct memo_instance *found,
               struct error *error)
{
    struct memo_parts parts;
    *found = (struct memo_instance){0};
    int more = 0;
    if (memo_split(text, &parts)) {
        const char *sites[MEMO_STEPS] = {0};
        for (unsigned i = 0; i < parts.count; i++)
            sites[i] = buffer_text(&parts.sites[i]);
        struct database_statement *row = memo_bind(memo, SQL_FIND_INSTANCE, error, "issssss", memo->program, family,
                                                   buffer_text(&parts.shape), sites[0], sites[1], sites[2], sites[3]);
        more = memo_next(row, error);
        if (more > 0) {
            *found = read_instance(row);
            keep_instance(&memo->found, found);
            database_reset(row);
        }
    }
    memo_parts_free(&parts);
    return more >= 0;
}

/* ---- all of it -------------------------------------------------------------------------------------------------------------- */

static bool add_name(const char *name, void *context)
{
    names_add(context, name);
    return true;
}

static bool copy_program(struct memo *memo, const char *name, const struct memo_sink *sink, struct error *error)
{
    return memo_choose(memo, name, NULL, error) && sink->program(name, sink->context) &&
           memo_each_build(memo, sink->build, sink->context, error) &&
           memo_each_site(memo, sink->site, sink->context, error) &&
           memo_each_instance(memo, sink->instance, sink->context, error) &&
           memo_each_core(memo, sink->core, sink->context, error) &&
           memo_each_run(memo, sink->run, sink->context, error) &&
           memo_each_failure(memo, sink->failure, sink->context, error);
}

bool memo_copy_to(struct memo *memo, const struct memo_sink *sink, struct error *error)
{
    struct names names = {0};
    bool good =
        database_begin(memo->database, DATABASE_TO_READ, error) && memo_each_program(memo, add_name, &names, error);
    for (size_t i = 0; i < names.list.count; i++)
        good = good && copy_program(memo, names.list.data[i], sink, error);
    names_free(&names);
    return memo_end(memo, good, error);
}

bool memo_read_origins(struct memo *memo, struct memo_origins *origins, struct error *error)
{
    *origins = (struct memo_origins){0};
    struct database_statement *row = memo_bind(memo, SQL_EACH_ORIGIN, error, "");
    int more;
    while ((more = memo_next(row, error)) > 0) {
        if (database_number(row, 1) != 0)
            snprintf(origins->own, sizeof origins->own, "%s", database_text(row, 0));
        else
            vector_push(&origins->merged, memory_copy_string(database_text(row, 0)));
    }
    return more == 0;
}

void memo_origins_free(struct memo_origins *origins)
{
    for (size_t i = 0; i < origins->merged.count; i++)
        free(origins->merged.data[i]);
    vector_free(&origins->merged);
}
