/* SPDX-License-Identifier: MIT
 *
 * import.c - reads an exported memo, which may have been edited.
 *
 * DESIGN
 *   Two passes: the first one into a sink that does nothing, so that every error is found before anything is stored;
 *   the second one into the memo.  The input is checked strictly: each member must exist, with its type and in its
 *   range, and no other members.  Builds that are referred to must be listed.  An instance must be written exactly as
 *   raddle writes it; else the same instance would be stored under two names.
 */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memo/json.h"
#include "memo/memo_private.h"
#include "pattern/instance.h"
#include "util/memory.h"

struct import_reader {
    const char *name; /* of the file */
    struct error *error;
    char place[96];        /* "bank: instances[3]" */
    const json_t *record;  /* the record that is being read */
    size_t members;        /* members of the record that have been read */
    json_t *programs;      /* names read so far */
    json_t *seen, *builds; /* keys of the current list; keys of the program's builds */
    VECTOR(char *) texts;  /* decoded hexadecimal texts of the record */
    const struct memo_sink *sink;
};

static bool fail(struct import_reader *reader, const char *what, const char *detail)
{
    return error_set(reader->error, EXIT_USAGE, "%s: %s: %s%s%s", reader->name, reader->place, what,
                     *detail != '\0' ? ": " : "", detail);
}

/* ---- members ---------------------------------------------------------------------------------------------------------- */

/* The member, which is counted; NULL after an error. */
static const json_t *member(struct import_reader *reader, const char *name)
{
    const json_t *value = json_object_get(reader->record, name);
    if (value == NULL)
        fail(reader, "this member is missing", name);
    reader->members++;
    return value;
}

static bool read_hexadecimal(struct import_reader *reader, const char *name, const json_t *value, const char **text)
{
    const char *digits = json_string_value(json_object_get(value, "hex"));
    size_t length = digits != NULL ? strlen(digits) : 0;
    if (json_object_size(value) != 1 || length == 0 || length % 2 != 0 || strspn(digits, "0123456789abcdef") != length)
        return fail(reader, "{\"hex\": …} needs pairs of hexadecimal digits", name);
    char *bytes = memory_allocate(length / 2 + 1, 1);
    for (size_t i = 0; i < length / 2; i++) {
        const char pair[3] = {digits[2 * i], digits[2 * i + 1], '\0'};
        bytes[i] = (char)strtoul(pair, NULL, 16);
    }
    vector_push(&reader->texts, bytes);
    *text = bytes;
    return strlen(bytes) == length / 2 || fail(reader, "a text must not contain a zero byte", name);
}

static bool read_text_or_null(struct import_reader *reader, const char *name, const char **text)
{
    const json_t *value = member(reader, name);
    *text = NULL;
    if (value == NULL)
        return false;
    if (json_is_null(value))
        return true;
    if (json_is_object(value))
        return read_hexadecimal(reader, name, value, text);
    *text = json_string_value(value);
    if (*text == NULL)
        return fail(reader, "this must be a text", name);
    /* The parser rejects zero bytes. */
    return **text != '\0' || fail(reader, "this text must not be empty", name);
}

static bool read_text(struct import_reader *reader, const char *name, const char **text)
{
    if (!read_text_or_null(reader, name, text))
        return false;
    if (*text != NULL)
        return true;
    fail(reader, "this must be a text", name);
    return false;
}

static bool read_count(struct import_reader *reader, const char *name, uint64_t *count)
{
    const json_t *value = member(reader, name);
    if (value == NULL)
        return false;
    if (!json_is_integer(value) || json_integer_value(value) < 0)
        return fail(reader, "this must be a whole number from 0", name);
    *count = (uint64_t)json_integer_value(value);
    return true;
}

static bool read_time(struct import_reader *reader, const char *name, int64_t *seconds)
{
    uint64_t count = 0;
    if (!read_count(reader, name, &count))
        return false;
    *seconds = (int64_t)count;
    return true;
}

static bool read_flag(struct import_reader *reader, const char *name, bool *flag)
{
    const json_t *value = member(reader, name);
    if (value == NULL)
        return false;
    *flag = json_is_true(value);
    return json_is_boolean(value) || fail(reader, "this must be true or false", name);
}

/* A flag that is left out where it is false, and in files of earlier versions. */
static bool read_new_flag(struct import_reader *reader, const char *name, bool *flag)
{
    *flag = false;
    return json_object_get(reader->record, name) == NULL || read_flag(reader, name, flag);
}

/* A number of 64 bits as text: decimal, or sixteen hexadecimal digits. */
static bool read_number_text(struct import_reader *reader, const char *name, int base, uint64_t *number)
{
    const char *text;
    if (!read_text(reader, name, &text))
        return false;
    size_t length = strlen(text);
    bool digits = strspn(text, base == 16 ? "0123456789abcdef" : "0123456789") == length;
    errno = 0;
    *number = strtoull(text, NULL, base);
    bool good = digits && errno == 0 && (base == 16 ? length == 16 : length == 1 || text[0] != '0');
    return good ||
           fail(reader,
                base == 16 ? "this must be a text of 16 hexadecimal digits" : "this must be a text of decimal digits",
                name);
}

static bool read_seconds(struct import_reader *reader, const char *name, double *seconds)
{
    const json_t *value = member(reader, name);
    if (value == NULL)
        return false;
    *seconds = json_number_value(value);
    return (json_is_number(value) && isfinite(*seconds) && *seconds >= 0) ||
           fail(reader, "this must be a number from 0", name);
}

/* The key of a record: unique in its list. */
static bool read_key(struct import_reader *reader, const char *name, const char **text)
{
    if (!read_text(reader, name, text))
        return false;
    if (json_object_get(reader->seen, *text) != NULL)
        return fail(reader, "this occurs twice", *text);
    json_object_set_new_nocheck(reader->seen, *text, json_true());
    return true;
}

static bool read_build_name(struct import_reader *reader, const char *name, const char **text)
{
    return read_text(reader, name, text) && (json_object_get(reader->builds, *text) != NULL ||
                                             fail(reader, "this build is not listed under \"builds\"", *text));
}

static bool no_others(struct import_reader *reader)
{
    return json_object_size(reader->record) == reader->members ||
           fail(reader, "there are members that this version does not have", "");
}

/* ---- records ---------------------------------------------------------------------------------------------------------- */

static bool check_times(struct import_reader *reader, int64_t first, int64_t last)
{
    return first <= last || fail(reader, "first_seen is after last_seen", "");
}

static bool read_build(struct import_reader *reader)
{
    struct memo_build build = {0};
    return read_key(reader, "name", &build.name) && read_time(reader, "first_seen", &build.first_seen) &&
           read_time(reader, "last_seen", &build.last_seen) && no_others(reader) &&
           check_times(reader, build.first_seen, build.last_seen) && reader->sink->build(&build, reader->sink->context);
}

static bool check_site(struct import_reader *reader, const char *text)
{
    struct sites *sites = sites_new();
    struct buffer again = {0};
    struct error error = {0};
    size_t length = 0;
    uint32_t site = sites_parse(sites, text, 1, &length, &error);
    bool good = site != SITE_ANY || fail(reader, "this is not a site", error.text);
    if (good) {
        sites_print(sites, site, SITE_FULL, &again);
        good = strcmp(buffer_text(&again), text) == 0 || fail(reader, "raddle would write this site differently", text);
    }
    buffer_free(&again);
    sites_free(sites);
    return good;
}

static bool read_site(struct import_reader *reader)
{
    struct memo_site site = {0};
    if (!read_key(reader, "text", &site.text) || !read_number_text(reader, "hint", 16, &site.hint) ||
        !read_build_name(reader, "first_build", &site.first_build) ||
        !read_build_name(reader, "last_build", &site.last_build) || !no_others(reader))
        return false;
    if (site.hint > INT64_MAX)
        return fail(reader, "the address is too large", "hint");
    return check_site(reader, site.text) && reader->sink->site(&site, reader->sink->context);
}

/* The text must be what raddle prints for the instance that it describes. */
static bool check_pattern(struct import_reader *reader, const struct pattern *pattern, const struct sites *sites,
                          const struct memo_instance *record)
{
    if (pattern->family == NULL || strcmp(pattern->family->name, record->family) != 0)
        return fail(reader, "the text is not of this family", record->family);
    struct instance instance = {.row = (uint8_t)family_row(pattern->family)};
    struct buffer again = {0};
    for (unsigned i = 0; i < pattern->count; i++) {
        instance.site[i] = pattern->steps[i].site;
        instance.kind[i] = pattern->steps[i].kind;
        if (instance.site[i] == SITE_ANY)
            return fail(reader, "each step must have a site", record->text);
    }
    instance_print(&instance, sites, SITE_FULL, &again);
    bool same = strcmp(buffer_text(&again), record->text) == 0;
    if (!same)
        fail(reader, "raddle would write this instance differently", buffer_text(&again));
    buffer_free(&again);
    return same;
}

static bool check_instance(struct import_reader *reader, const struct memo_instance *record)
{
    struct sites *sites = sites_new();
    struct pattern pattern = {0};
    struct error error = {0};
    bool good =
        pattern_parse(record->text, sites, &pattern, &error) || fail(reader, "this is not a pattern", error.text);
    good = good && check_pattern(reader, &pattern, sites, record);
    sites_free(sites);
    return good;
}

static bool read_instance(struct import_reader *reader)
{
    struct memo_instance instance = {0};
    return read_text(reader, "family", &instance.family) && read_key(reader, "text", &instance.text) &&
           read_count(reader, "covered", &instance.covered) && read_count(reader, "exposed", &instance.exposed) &&
           read_count(reader, "attempts", &instance.attempts) && read_count(reader, "failed", &instance.failed) &&
           read_flag(reader, "predicted", &instance.predicted) &&
           read_new_flag(reader, "impossible", &instance.impossible) &&
           read_text_or_null(reader, "verdict", &instance.verdict) &&
           read_build_name(reader, "build", &instance.build) && read_time(reader, "seen", &instance.seen) &&
           no_others(reader) && check_instance(reader, &instance) &&
           reader->sink->instance(&instance, reader->sink->context);
}

static bool is_random_name(const char *text)
{
    return strlen(text) == MEMO_NAME && strspn(text, "0123456789abcdef") == MEMO_NAME;
}

static bool is_family(struct import_reader *reader, const char *name)
{
    for (unsigned row = 0; row < family_count; row++)
        if (strcmp(families[row].name, name) == 0)
            return true;
    return fail(reader, "this is no family of patterns", name);
}

static bool read_core(struct import_reader *reader)
{
    struct memo_core core = {0};
    return read_key(reader, "key", &core.key) && read_text(reader, "family", &core.family) &&
           read_text(reader, "text", &core.text) && read_build_name(reader, "build", &core.build) &&
           read_time(reader, "seen", &core.seen) && no_others(reader) && is_family(reader, core.family) &&
           (is_random_name(core.key) || fail(reader, "this must be 16 hexadecimal digits", "key")) &&
           reader->sink->core(&core, reader->sink->context);
}

static bool read_run(struct import_reader *reader)
{
    struct memo_run run = {0};
    return read_key(reader, "id", &run.id) && read_build_name(reader, "build", &run.build) &&
           read_text(reader, "input", &run.input) && read_number_text(reader, "input_hash", 16, &run.input_hash) &&
           read_time(reader, "began", &run.began) && read_number_text(reader, "seed", 10, &run.seed) &&
           read_count(reader, "schedules", &run.schedules) && read_count(reader, "newly_covered", &run.newly_covered) &&
           read_seconds(reader, "seconds", &run.seconds) && no_others(reader) &&
           (is_random_name(run.id) || fail(reader, "this must be 16 hexadecimal digits", "id")) &&
           reader->sink->run(&run, reader->sink->context);
}

static bool read_failure(struct import_reader *reader)
{
    struct memo_failure failure = {0};
    return read_key(reader, "key", &failure.key) && read_text(reader, "kind", &failure.kind) &&
           read_text(reader, "site", &failure.site) && read_text_or_null(reader, "path", &failure.path) &&
           read_build_name(reader, "build", &failure.build) && read_time(reader, "first_seen", &failure.first_seen) &&
           read_time(reader, "last_seen", &failure.last_seen) && read_count(reader, "times", &failure.times) &&
           no_others(reader) && check_times(reader, failure.first_seen, failure.last_seen) &&
           reader->sink->failure(&failure, reader->sink->context);
}

/* ---- lists ------------------------------------------------------------------------------------------------------------ */

static void begin_record(struct import_reader *reader, const json_t *record)
{
    for (size_t i = 0; i < reader->texts.count; i++)
        free(reader->texts.data[i]);
    vector_clear(&reader->texts);
    reader->record = record;
    reader->members = 0;
}

static bool read_records(struct import_reader *reader, const char *program, const json_t *list, const char *name,
                         bool (*read)(struct import_reader *))
{
    size_t i;
    const json_t *record;
    snprintf(reader->place, sizeof reader->place, "%.60s: %s", program, name);
    if (!json_is_array(list))
        return fail(reader, "this list is missing", "");
    json_array_foreach(list, i, record)
    {
        snprintf(reader->place, sizeof reader->place, "%.60s: %s[%zu]", program, name, i);
        begin_record(reader, record);
        if (!json_is_object(record))
            return fail(reader, "this must be an object", "");
        if (!read(reader))
            return false;
    }
    return true;
}

static bool read_list(struct import_reader *reader, const char *program, const json_t *list, const char *name,
                      bool (*read)(struct import_reader *))
{
    reader->seen = json_object();
    bool good = read_records(reader, program, list, name, read);
    if (reader->builds == NULL)
        reader->builds = reader->seen; /* the list "builds" comes first */
    else
        json_decref(reader->seen);
    reader->seen = NULL;
    return good;
}

static bool read_program(struct import_reader *reader, const json_t *program)
{
    const char *name;
    begin_record(reader, program);
    if (!json_is_object(program))
        return fail(reader, "this must be an object", "");
    reader->seen = reader->programs;
    if (!read_key(reader, "name", &name))
        return false;
    const json_t *cores = json_object_get(program, "cores"); /* older versions did not write it */
    reader->members += 5 + (cores != NULL);                  /* the lists */
    if (!no_others(reader) || !reader->sink->program(name, reader->sink->context))
        return false;
    char *title = memory_copy_string(name); /* `name` is freed with the first record */
    bool good = read_list(reader, title, json_object_get(program, "builds"), "builds", read_build) &&
                read_list(reader, title, json_object_get(program, "sites"), "sites", read_site) &&
                read_list(reader, title, json_object_get(program, "instances"), "instances", read_instance) &&
                (cores == NULL || read_list(reader, title, cores, "cores", read_core)) &&
                read_list(reader, title, json_object_get(program, "runs"), "runs", read_run) &&
                read_list(reader, title, json_object_get(program, "failures"), "failures", read_failure);
    json_decref(reader->builds);
    reader->builds = NULL;
    free(title);
    return good;
}

static bool read_programs(struct import_reader *reader, const json_t *all, const struct memo_sink *sink)
{
    size_t i;
    const json_t *program;
    reader->sink = sink;
    reader->programs = json_object();
    bool good = true;
    json_array_foreach(json_object_get(all, "programs"), i, program)
    {
        snprintf(reader->place, sizeof reader->place, "programs[%zu]", i);
        good = good && read_program(reader, program);
    }
    begin_record(reader, NULL);
    reader->sink = NULL;
    json_decref(reader->programs);
    return good;
}

/* ---- the whole -------------------------------------------------------------------------------------------------------- */

static bool read_head(struct import_reader *reader, const json_t *all, struct memo_origins *origins)
{
    const char *format = json_string_value(json_object_get(all, "format"));
    const json_t *version = json_object_get(all, "version"), *merged = json_object_get(all, "merged"), *origin;
    const char *own = json_string_value(json_object_get(all, "origin"));
    snprintf(reader->place, sizeof reader->place, "head");
    if (format == NULL || strcmp(format, MEMO_JSON_FORMAT) != 0 || !json_is_integer(version))
        return error_set(reader->error, EXIT_USAGE,
                         "%s is not a memo: it does not begin like the output of 'raddle memo export'", reader->name);
    if (json_integer_value(version) != MEMO_JSON_VERSION)
        return error_set(reader->error, EXIT_USAGE,
                         "%s has version %lld of the exported memo, this raddle reads version %d: use the raddle that "
                         "wrote it",
                         reader->name, json_integer_value(version), (int)MEMO_JSON_VERSION);
    if (own == NULL || !is_random_name(own))
        return fail(reader, "this must be 16 hexadecimal digits", "origin");
    memcpy(origins->own, own, MEMO_NAME + 1);
    if (!json_is_array(merged) || !json_is_array(json_object_get(all, "programs")) || json_object_size(all) != 5)
        return fail(reader, "it must have format, version, origin, merged, programs and nothing else", "");
    size_t i;
    json_array_foreach(merged, i, origin)
    {
        const char *name = json_string_value(origin);
        if (name == NULL || !is_random_name(name) || strcmp(name, own) == 0)
            return fail(reader, "each must be 16 hexadecimal digits, and not the origin", "merged");
        vector_push(&origins->merged, memory_copy_string(name));
    }
    return true;
}

#define IGNORE(kind)                                                                                                   \
    static bool ignore_##kind(const struct memo_##kind *record, void *context)                                         \
    {                                                                                                                  \
        (void)record;                                                                                                  \
        (void)context;                                                                                                 \
        return true;                                                                                                   \
    }
IGNORE(build)
IGNORE(site)
IGNORE(instance)
IGNORE(core)
IGNORE(run)
IGNORE(failure)
#undef IGNORE

static bool ignore_program(const char *name, void *context)
{
    (void)name;
    (void)context;
    return true;
}

static const struct memo_sink nothing = {.program = ignore_program,
                                         .build = ignore_build,
                                         .site = ignore_site,
                                         .instance = ignore_instance,
                                         .core = ignore_core,
                                         .run = ignore_run,
                                         .failure = ignore_failure};

static bool count_program(const char *name, void *context)
{
    (void)name;
    ++*(size_t *)context;
    return true;
}

/* An empty memo becomes a copy, under the same name. */
static bool take_origins(struct memo *memo, const struct memo_origins *from, const char *name, enum memo_sum sum,
                         struct error *error)
{
    struct memo_origins own;
    size_t programs = 0;
    bool good = memo_read_origins(memo, &own, error) && memo_each_program(memo, count_program, &programs, error);
    bool empty = good && programs == 0 && own.merged.count == 0;
    memo_origins_free(&own);
    if (empty)
        good = memo_perform(memo_bind(memo, SQL_ADOPT_ORIGIN, error, "s", from->own), error);
    return good && memo_merge_origins(memo, from, name, empty ? MEMO_LARGEST : sum, error);
}

static bool store(struct memo *memo, struct import_reader *reader, const json_t *all,
                  const struct memo_origins *origins, enum memo_sum sum)
{
    struct memo_merger merger = {.memo = memo, .sum = sum};
    struct memo_sink sink = memo_merge_sink(&merger);
    if (!memo_begin(memo, reader->error))
        return false;
    bool good = take_origins(memo, origins, reader->name, sum, reader->error) && read_programs(reader, all, &sink);
    if (merger.failed)
        *reader->error = merger.error;
    return memo_end(memo, good, reader->error);
}

bool memo_import(struct memo *memo, const char *name, const char *text, size_t size, enum memo_sum sum,
                 struct error *error)
{
    json_error_t problem;
    json_t *all = json_loadb(text, size, JSON_REJECT_DUPLICATES, &problem);
    if (all == NULL)
        return error_set(error, EXIT_USAGE, "%s:%d: not JSON: %s", name, problem.line, problem.text);
    struct import_reader reader = {.name = name, .error = error};
    struct memo_origins origins = {0};
    bool good = read_head(&reader, all, &origins) && read_programs(&reader, all, &nothing) &&
                store(memo, &reader, all, &origins, sum);
    memo_origins_free(&origins);
    vector_free(&reader.texts);
    json_decref(all);
    return good;
}
