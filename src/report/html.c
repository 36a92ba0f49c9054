/* SPDX-License-Identifier: MIT
 *
 * html.c - assembles the page; see html.h.
 */
#include "report/html.h"

#include <stdlib.h>
#include <string.h>

#include "pattern/family.h"
#include "report/formats.h"
#include "report/html_private.h"
#include "report/text.h"
#include "util/file.h"

static const char *const op_names[] = {
#define X(name, text, ...) text,
    WIRE_OPS(X)
#undef X
};
static const char *const op_classes[] = {
#define X(name, text, class, ...) #class,
    WIRE_OPS(X)
#undef X
};

static json_t *operations(void)
{
    json_t *list = json_array();
    for (unsigned op = 0; op < WIRE_OP_COUNT; op++)
        json_array_append_new(list, json_pack("[s, s]", op_names[op], op_classes[op]));
    return list;
}

/* What the families mean, by name. */
static json_t *meanings(void)
{
    json_t *object = json_object();
    for (unsigned row = 0; row < family_count; row++)
        json_object_set_new(object, families[row].name, json_string(families[row].meaning));
    return object;
}

static json_t *failure(const struct report_failure *failure)
{
    const struct failure *about = &failure->about;
    char *command = report_command(about->command);
    json_t *object =
        json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:b, s:o, s:o, s:o}", "name", json_from_text(failure->name),
                  "headline", json_from_text(report_headline(failure)), "kind", json_from_text(about->kind), "site",
                  json_from_text(about->site), "text", json_from_text(about->text), "path", json_from_text(about->path),
                  "fixed", about->fixed, "confirmed", about->confirmed, "strategy", json_from_text(about->strategy),
                  "seed", json_from_number(about->campaign_seed), "schedule", json_from_number(about->schedule_number));
    json_object_set_new(object, "preemptions", json_from_number(report_preemptions(failure)));
    char *path = text_quoted(about->path), *replay = memory_format("raddle replay %s", path);
    json_object_set_new(object, "replay", json_from_text(replay));
    free(path);
    free(replay);
    json_object_set_new(object, "threads", json_from_number(about->threads));
    json_object_set_new(object, "count", json_from_number(failure->count));
    json_object_set_new(object, "command", json_from_text(command));
    json_object_set_new(object, "output", json_from_text(failure->output));
    json_object_set_new(object, "output_cut", json_boolean(failure->output_cut));
    json_object_set_new(object, "errors", json_from_text(failure->errors));
    json_object_set_new(object, "errors_cut", json_boolean(failure->errors_cut));
    json_object_set_new(object, "tale", json_boolean(failure->has_tale));
    free(command);
    return object;
}

static json_t *program(const struct report_program *program, bool has_coverage)
{
    json_t *object = json_object(), *history = json_array(), *failures = json_array();
    for (size_t i = 0; i < program->history.count; i++)
        json_array_append_new(history, html_past(&program->history.data[i]));
    for (size_t i = 0; i < program->failures.count; i++)
        json_array_append_new(failures, failure(&program->failures.data[i]));
    json_object_set_new(object, "name", json_from_text(program->name));
    json_object_set_new(object, "path", json_from_text(program->path));
    json_object_set_new(object, "campaign", program->has_campaign ? html_campaign(&program->campaign) : json_null());
    json_object_set_new(object, "history", history);
    json_object_set_new(object, "failures", failures);
    json_object_set_new(object, "coverage", json_boolean(has_coverage));
    return object;
}

/* The coverage of each program, one element each; damaged files are added to the problems. */
static bool add_coverage(struct buffer *page, const struct report *report, size_t number, json_t *problems)
{
    char *problem;
    json_t *coverage = html_coverage(report->programs.data[number].path, &problem);
    if (problem != NULL)
        json_array_append_new(problems, json_from_text(problem));
    free(problem);
    if (coverage == NULL)
        return false;
    html_begin_data(page, "coverage", number, 0);
    html_add_json(page, coverage);
    html_end_data(page);
    return true;
}

static void add_tales(struct buffer *page, const struct report_program *program, size_t number, size_t *events)
{
    for (size_t i = 0; i < program->failures.count; i++) {
        const struct report_failure *failure = &program->failures.data[i];
        if (!failure->has_tale)
            continue;
        bool whole = *events + failure->tale.events.count <= HTML_EVENTS;
        if (whole)
            *events += failure->tale.events.count;
        html_begin_data(page, "tale", number, i);
        html_add_tale(page, &failure->tale, whole);
        html_end_data(page);
    }
}

static void add_data(struct buffer *page, const struct report *report)
{
    json_t *programs = json_array(), *problems = json_array();
    size_t events = 0;
    for (size_t i = 0; i < report->problems.count; i++)
        json_array_append_new(problems, json_from_text(report->problems.data[i]));
    for (size_t i = 0; i < report->programs.count; i++) {
        bool has_coverage = add_coverage(page, report, i, problems);
        add_tales(page, &report->programs.data[i], i, &events);
        json_array_append_new(programs, program(&report->programs.data[i], has_coverage));
    }
    html_begin_data(page, "report", 0, 0);
    html_add_json(page, json_pack("{s:s, s:o, s:o, s:o, s:o}", "version", RADDLE_VERSION, "operations", operations(),
                                  "meanings", meanings(), "problems", problems, "programs", programs));
    html_end_data(page);
}

static void add_title(struct buffer *page, const struct report *report)
{
    const char *name = report->programs.count == 1 ? report->programs.data[0].name : "report";
    for (; *name != '\0'; name++) {
        if (strchr("<>&\"'", *name) != NULL)
            buffer_printf(page, "&#%d;", *name);
        else
            buffer_add_char(page, *name);
    }
    buffer_add_string(page, " - raddle");
}

/* The page, with {{NAME}} replaced. */
static void add_page(struct buffer *page, const struct report *report)
{
    const struct {
        const char *name, *text;
    } parts[] = {
        {"STYLE_HASH", page_css_hash}, {"SCRIPT_HASH", page_js_hash}, {"STYLE", page_css}, {"SCRIPT", page_js}};
    const char *rest = page_html;
    for (const char *mark; (mark = strstr(rest, "{{")) != NULL;) {
        const char *name = mark + 2, *end = strstr(name, "}}");
        size_t length = (size_t)(end - name);
        buffer_add(page, rest, (size_t)(mark - rest));
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
            if (strlen(parts[i].name) == length && memcmp(parts[i].name, name, length) == 0)
                buffer_add_string(page, parts[i].text);
        if (length == strlen("TITLE") && memcmp(name, "TITLE", length) == 0)
            add_title(page, report);
        if (length == strlen("DATA") && memcmp(name, "DATA", length) == 0)
            add_data(page, report);
        rest = end + 2;
    }
    buffer_add_string(page, rest);
}

bool report_html(const struct report *report, const char *path, struct error *error)
{
    struct buffer page = {0};
    add_page(&page, report);
    bool good = report_output(path, &page, error);
    buffer_free(&page);
    return good;
}
