/* SPDX-License-Identifier: MIT
 *
 * export.c - a memo as JSON: sorted, one record per line, so that two exports can be compared with diff.
 *
 *   {"format": "raddle memo", "version": 1, "origin": "…", "merged": […],
 *   "programs": [{"name": "bank", "builds": […], "sites": […], "instances": […], "cores": […], "runs": […], "failures": […]}]}
 *
 * Numbers of 64 bits that are not counts (seeds, hashes, addresses) are texts: many JSON readers would round them.  A
 * text that is not UTF-8, such as the name of a file, is an object: {"hex": "…"}.
 */
#include <assert.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "memo/json.h"
#include "memo/memo_private.h"
#include "util/memory.h"

enum list { LIST_NONE, LIST_BUILDS, LIST_SITES, LIST_INSTANCES, LIST_CORES, LIST_RUNS, LIST_FAILURES };
static const char *const list_names[] = {"", "builds", "sites", "instances", "cores", "runs", "failures"};

struct export_writer {
    struct buffer *out;
    bool any_program;
    enum list list; /* the list that is being written; LIST_NONE before a program */
    bool any_record;
};

json_t *memo_json_text(const char *text)
{
    if (text == NULL)
        return json_null();
    json_t *value = json_string(text);
    if (value != NULL)
        return value;
    struct buffer digits = {0};
    for (const unsigned char *byte = (const unsigned char *)text; *byte != '\0'; byte++)
        buffer_printf(&digits, "%02x", *byte);
    value = json_object();
    json_object_set_new(value, "hex", json_string(buffer_text(&digits)));
    buffer_free(&digits);
    return value;
}

static json_t *number(uint64_t value)
{
    return json_integer((json_int_t)value);
}

static json_t *number_text(const char *format, uint64_t value)
{
    char *text = memory_format(strcmp(format, "x") == 0 ? "%016" PRIx64 : "%" PRIu64, value);
    json_t *string = json_string(text);
    free(text);
    return string;
}

/* ---- lists ----------------------------------------------------------------------------------------------------------------- */

/* Ends the lists before this one; lists without records become empty. */
static void go_to_list(struct export_writer *writer, enum list list)
{
    assert(list >= writer->list);
    while (writer->list < list) {
        if (writer->list != LIST_NONE)
            buffer_add_string(writer->out, writer->any_record ? "\n]" : "]");
        writer->list++;
        writer->any_record = false;
        buffer_printf(writer->out, ",\n\"%s\": [", list_names[writer->list]);
    }
}

static void end_program(struct export_writer *writer)
{
    if (!writer->any_program)
        return;
    go_to_list(writer, LIST_FAILURES);
    buffer_add_string(writer->out, writer->any_record ? "\n]}" : "]}");
    writer->list = LIST_NONE;
}

/* Takes ownership of the record. */
static bool add_record(struct export_writer *writer, enum list list, json_t *record)
{
    go_to_list(writer, list);
    char *text = json_dumps(record, JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(17));
    buffer_add_string(writer->out, writer->any_record ? ",\n" : "\n");
    buffer_add_string(writer->out, text);
    writer->any_record = true;
    free(text);
    json_decref(record);
    return true;
}

/* ---- records ----------------------------------------------------------------------------------------------------------------- */

static bool write_program(const char *name, void *context)
{
    struct export_writer *writer = context;
    end_program(writer);
    json_t *text = memo_json_text(name);
    char *dump = json_dumps(text, JSON_ENCODE_ANY);
    buffer_printf(writer->out, "%s\n{\"name\": %s", writer->any_program ? "," : "", dump);
    writer->any_program = true;
    free(dump);
    json_decref(text);
    return true;
}

static bool write_build(const struct memo_build *build, void *context)
{
    json_t *record = json_object();
    json_object_set_new(record, "name", memo_json_text(build->name));
    json_object_set_new(record, "first_seen", json_integer(build->first_seen));
    json_object_set_new(record, "last_seen", json_integer(build->last_seen));
    return add_record(context, LIST_BUILDS, record);
}

static bool write_site(const struct memo_site *site, void *context)
{
    json_t *record = json_object();
    json_object_set_new(record, "text", memo_json_text(site->text));
    json_object_set_new(record, "hint", number_text("x", site->hint));
    json_object_set_new(record, "first_build", memo_json_text(site->first_build));
    json_object_set_new(record, "last_build", memo_json_text(site->last_build));
    return add_record(context, LIST_SITES, record);
}

json_t *memo_json_instance(const struct memo_instance *instance)
{
    json_t *record = json_object();
    json_object_set_new(record, "family", memo_json_text(instance->family));
    json_object_set_new(record, "text", memo_json_text(instance->text));
    json_object_set_new(record, "covered", number(instance->covered));
    json_object_set_new(record, "exposed", number(instance->exposed));
    json_object_set_new(record, "attempts", number(instance->attempts));
    json_object_set_new(record, "failed", number(instance->failed));
    json_object_set_new(record, "predicted", json_boolean(instance->predicted));
    if (instance->impossible)
        json_object_set_new(record, "impossible", json_true());
    json_object_set_new(record, "verdict", memo_json_text(instance->verdict));
    json_object_set_new(record, "build", memo_json_text(instance->build));
    json_object_set_new(record, "seen", json_integer(instance->seen));
    return record;
}

static bool write_instance(const struct memo_instance *instance, void *context)
{
    return add_record(context, LIST_INSTANCES, memo_json_instance(instance));
}

json_t *memo_json_core(const struct memo_core *core)
{
    json_t *record = json_object();
    json_object_set_new(record, "key", memo_json_text(core->key));
    json_object_set_new(record, "family", memo_json_text(core->family));
    json_object_set_new(record, "text", memo_json_text(core->text));
    json_object_set_new(record, "build", memo_json_text(core->build));
    json_object_set_new(record, "seen", json_integer(core->seen));
    return record;
}

static bool write_core(const struct memo_core *core, void *context)
{
    return add_record(context, LIST_CORES, memo_json_core(core));
}

static bool write_run(const struct memo_run *run, void *context)
{
    json_t *record = json_object();
    json_object_set_new(record, "id", memo_json_text(run->id));
    json_object_set_new(record, "build", memo_json_text(run->build));
    json_object_set_new(record, "input", memo_json_text(run->input));
    json_object_set_new(record, "input_hash", number_text("x", run->input_hash));
    json_object_set_new(record, "began", json_integer(run->began));
    json_object_set_new(record, "seed", number_text("u", run->seed));
    json_object_set_new(record, "schedules", number(run->schedules));
    json_object_set_new(record, "newly_covered", number(run->newly_covered));
    json_object_set_new(record, "seconds", json_real(run->seconds));
    return add_record(context, LIST_RUNS, record);
}

json_t *memo_json_failure(const struct memo_failure *failure)
{
    json_t *record = json_object();
    json_object_set_new(record, "key", memo_json_text(failure->key));
    json_object_set_new(record, "kind", memo_json_text(failure->kind));
    json_object_set_new(record, "site", memo_json_text(failure->site));
    json_object_set_new(record, "path", memo_json_text(failure->path));
    json_object_set_new(record, "build", memo_json_text(failure->build));
    json_object_set_new(record, "first_seen", json_integer(failure->first_seen));
    json_object_set_new(record, "last_seen", json_integer(failure->last_seen));
    json_object_set_new(record, "times", number(failure->times));
    return record;
}

static bool write_failure(const struct memo_failure *failure, void *context)
{
    return add_record(context, LIST_FAILURES, memo_json_failure(failure));
}

/* ---- the whole -------------------------------------------------------------------------------------------------------- */

static void write_head(const struct memo_origins *origins, struct buffer *out)
{
    json_t *merged = json_array();
    for (size_t i = 0; i < origins->merged.count; i++)
        json_array_append_new(merged, memo_json_text(origins->merged.data[i]));
    char *dump = json_dumps(merged, 0);
    buffer_printf(out, "{\"format\": \"%s\", \"version\": %d, \"origin\": \"%s\",\n\"merged\": %s,\n\"programs\": [",
                  MEMO_JSON_FORMAT, MEMO_JSON_VERSION, origins->own, dump);
    free(dump);
    json_decref(merged);
}

bool memo_export(struct memo *memo, struct buffer *out, struct error *error)
{
    struct export_writer writer = {.out = out};
    struct memo_sink sink = {.program = write_program,
                             .build = write_build,
                             .site = write_site,
                             .instance = write_instance,
                             .core = write_core,
                             .run = write_run,
                             .failure = write_failure,
                             .context = &writer};
    struct memo_origins origins;
    bool good = memo_read_origins(memo, &origins, error);
    if (good) {
        write_head(&origins, out);
        good = memo_copy_to(memo, &sink, error);
        end_program(&writer);
        buffer_add_string(out, writer.any_program ? "\n]}\n" : "]}\n");
    }
    memo_origins_free(&origins);
    return good;
}
