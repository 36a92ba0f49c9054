/* SPDX-License-Identifier: MIT
 *
 * coverage_json.c - see coverage_json.h.
 */
#include "coverage/coverage_json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "coverage/core_words.h"
#include "trace/campaign_files.h"
#include "util/file.h"
#include "util/json.h"

/* A line of source that is to be kept. */
struct wanted {
    const char *name; /* as the sites call the file */
    const char *path; /* where it is now */
    uint32_t line;    /* of a site */
};

typedef VECTOR(struct wanted) wanted_list;

static void add_member(struct buffer *text, const char *name, json_t *value)
{
    char *dump = json_dumps(value, JSON_COMPACT | JSON_PRESERVE_ORDER);
    buffer_printf(text, ",\n\"%s\":%s", name, dump != NULL ? dump : "[]");
    free(dump);
    json_decref(value);
}

static json_t *families_of(void)
{
    json_t *list = json_array();
    for (unsigned row = 0; row < family_count; row++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "name", families[row].name, "shape",
                                              families[row].shape, "meaning", families[row].meaning));
    return list;
}

static json_t *sites_of(const struct sites *sites)
{
    json_t *list = json_array();
    struct buffer where = {0};
    for (uint32_t number = 1; number <= sites_count(sites); number++) {
        const struct site_key *site = sites_get(sites, number);
        buffer_clear(&where);
        sites_print(sites, number, SITE_SHORT, &where);
        json_array_append_new(list, json_pack("{s:o, s:i, s:o, s:o}", "file", json_from_text(site->file), "line",
                                              (int)site->line, "function", json_from_text(site->function), "where",
                                              json_from_text(buffer_text(&where))));
    }
    buffer_free(&where);
    return list;
}

/* ---- source ------------------------------------------------------------------------------------------------------------- */

static int compare_wanted(const void *left, const void *right)
{
    const struct wanted *a = left, *b = right;
    int order = strcmp(a->name, b->name);
    if (order == 0)
        order = strcmp(a->path, b->path);
    return order != 0 ? order : (a->line > b->line) - (a->line < b->line);
}

/* The lines of sites whose source is there and is what was compiled (symbols_source knows). */
static void want_lines(const struct coverage *coverage, const struct server_symbols *loaded, wanted_list *wanted)
{
    const struct sites *sites = coverage_sites(coverage);
    for (uint32_t number = 1; number <= sites_count(sites); number++) {
        uint64_t pc;
        if (coverage_pcs(coverage, number, &loaded->modules, &pc, 1) == 0)
            continue;
        const struct site *site = symbols_site(loaded->symbols, pc);
        if (symbols_source(loaded->symbols, site) != NULL)
            vector_push(wanted, (struct wanted){sites_get(sites, number)->file, site->path, site->line});
    }
    if (wanted->count > 0)
        qsort(wanted->data, wanted->count, sizeof *wanted->data, compare_wanted);
}

/* Lines of one file: [number, text].  `wanted` are ascending. */
static json_t *lines_of(const char *text, const struct wanted *wanted, size_t count, size_t *left)
{
    json_t *lines = json_array();
    size_t next = 0;
    uint32_t number = 1;
    for (const char *line = text; *line != '\0' && *left > 0; number++) {
        size_t length = strcspn(line, "\n");
        while (next < count && wanted[next].line + COVERAGE_JSON_AROUND < number)
            next++;
        if (next < count && number + COVERAGE_JSON_AROUND >= wanted[next].line) {
            char *kept = memory_format("%.*s", (int)(length < COVERAGE_JSON_LINE ? length : COVERAGE_JSON_LINE), line);
            json_array_append_new(lines, json_pack("[i, o]", (int)number, json_from_text(kept)));
            free(kept);
            --*left;
        }
        line += length + (line[length] == '\n');
    }
    return lines;
}

static json_t *files_of(const struct coverage *coverage, const struct server_symbols *loaded)
{
    json_t *files = json_array();
    wanted_list wanted = {0};
    size_t left = COVERAGE_JSON_LINES;
    if (loaded != NULL && loaded->symbols != NULL)
        want_lines(coverage, loaded, &wanted);
    for (size_t i = 0, end; i < wanted.count; i = end) {
        struct buffer text = {0};
        struct error ignored; /* then its lines are not shown */
        for (end = i + 1; end < wanted.count && strcmp(wanted.data[end].path, wanted.data[i].path) == 0 &&
                          strcmp(wanted.data[end].name, wanted.data[i].name) == 0;)
            end++;
        bool same_name = i > 0 && strcmp(wanted.data[i - 1].name, wanted.data[i].name) == 0; /* two files of one name */
        if (!same_name && file_read(wanted.data[i].path, COVERAGE_JSON_FILE, &text, &ignored))
            json_array_append_new(files, json_pack("{s:o, s:o}", "name", json_from_text(wanted.data[i].name), "lines",
                                                   lines_of(buffer_text(&text), &wanted.data[i], end - i, &left)));
        buffer_free(&text);
    }
    vector_free(&wanted);
    return files;
}

/* ---- instances ---------------------------------------------------------------------------------------------------------- */

static void add_instance(struct buffer *text, const struct coverage *coverage, const struct targets *targets,
                         size_t number)
{
    const struct instance *instance = coverage_instance(coverage, number);
    const struct target *target = targets_find(targets, number);
    uint32_t attempts = target != NULL ? target->attempts : 0;
    uint64_t seen = coverage_seen(coverage, number);
    unsigned steps = family_shape(instance->row)->count;
    buffer_printf(text, "[%u,[", (unsigned)instance->row);
    for (unsigned i = 0; i < steps; i++)
        buffer_printf(text, "%s%" PRIu32, i > 0 ? "," : "", instance->site[i] - 1);
    buffer_add_string(text, "],[");
    for (unsigned i = 0; i < steps; i++)
        buffer_printf(text, "%s\"%s\"", i > 0 ? "," : "", access_kind_name((enum access_kind)instance->kind[i]));
    buffer_printf(text, "],%" PRIu64 ",%d,%" PRIu32 ",%d,%d]", seen, coverage_is_predicted(coverage, number), attempts,
                  seen == 0 && attempts > 0 && attempts >= targets->give_up, coverage_is_impossible(coverage, number));
}

/* [index in `instances`, sentence] */
static void add_reason(json_t *reasons, const struct coverage *coverage, const struct server_symbols *loaded,
                       size_t number, size_t index)
{
    const struct core *core = coverage_core(coverage, number);
    struct buffer words = {0};
    if (core == NULL || json_array_size(reasons) == COVERAGE_JSON_REASONS)
        return;
    core_words(core, coverage_sites(coverage), loaded != NULL ? loaded->symbols : NULL, &words);
    json_array_append_new(reasons, json_pack("[i, o]", (int)index, json_from_text(buffer_text(&words))));
    buffer_free(&words);
}

static bool has_sites(const struct instance *instance)
{
    for (unsigned i = 0; i < family_shape(instance->row)->count; i++)
        if (instance->site[i] == SITE_ANY)
            return false;
    return true;
}

static void add_instances(struct buffer *text, const struct coverage *coverage, const struct targets *targets,
                          const struct server_symbols *loaded)
{
    size_t kept = 0, count = coverage_instance_count(coverage);
    json_t *reasons = json_array();
    buffer_add_string(text, ",\n\"instances\":[");
    for (int pass = 0; pass < 2; pass++)
        for (size_t number = 0; number < count && kept < COVERAGE_JSON_INSTANCES; number++) {
            const struct instance *instance = coverage_instance(coverage, number);
            if ((family_shape(instance->row)->count > 2) != (pass == 1) || !has_sites(instance))
                continue;
            buffer_add_string(text, kept++ > 0 ? ",\n" : "\n");
            add_instance(text, coverage, targets, number);
            add_reason(reasons, coverage, loaded, number, kept - 1);
        }
    buffer_add_string(text, "]");
    add_member(text, "reasons", reasons);
}

bool coverage_write_json(const struct coverage *coverage, const struct targets *targets,
                         const struct server_symbols *loaded, const char *directory, struct error *error)
{
    struct buffer text = {0};
    buffer_printf(&text, "{\"format\":\"raddle coverage\",\"version\":1,\"total\":%zu",
                  coverage_instance_count(coverage));
    add_member(&text, "families", families_of());
    add_member(&text, "sites", sites_of(coverage_sites(coverage)));
    add_member(&text, "files", files_of(coverage, loaded));
    add_instances(&text, coverage, targets, loaded);
    buffer_add_string(&text, "}\n");
    char *path = file_join(directory, CAMPAIGN_FILE_COVERAGE);
    bool good = file_write(path, text.data, text.size, error);
    free(path);
    buffer_free(&text);
    return good;
}
