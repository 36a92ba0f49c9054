/* SPDX-License-Identifier: MIT
 *
 * page.c - see page.h.
 */
#include "generate/page.h"

#include <inttypes.h>
#include <string.h>

#include "util/file.h"

static const char style[] =
    "body{font:15px/1.45 sans-serif;margin:2em auto;max-width:70em;padding:0 1em;color:#222}"
    "table{border-collapse:collapse;margin:1em 0}td,th{border:1px solid #bbb;padding:.25em .6em;text-align:right}"
    "th{font-weight:normal;background:#f3f3f3}td.f{background:#f7c9c4;font-weight:bold}td.c{background:#d9ead3}"
    "td.p{background:#fff2cc}td.n{color:#999}pre{background:#f3f3f3;padding:.6em;overflow-x:auto}.l{text-align:left}";

static void add_text(struct buffer *to, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '<')
            buffer_add_string(to, "&lt;");
        else if (*text == '&')
            buffer_add_string(to, "&amp;");
        else if (*text == '"')
            buffer_add_string(to, "&quot;");
        else
            buffer_add_char(to, *text);
    }
}

static const struct generate_pair *find_pair(const struct generate_results *results, uint32_t a, uint32_t b)
{
    for (size_t i = 0; i < results->pairs.count; i++)
        if (results->pairs.data[i].a == (a < b ? a : b) && results->pairs.data[i].b == (a < b ? b : a))
            return &results->pairs.data[i];
    return NULL;
}

static bool was_tried(const struct generate_results *results, uint32_t function)
{
    for (size_t i = 0; i < results->pairs.count; i++)
        if (results->pairs.data[i].a == function || results->pairs.data[i].b == function)
            return true;
    return false;
}

static void add_cell(struct buffer *to, const struct generate_pair *pair)
{
    if (pair == NULL) {
        buffer_add_string(to, "<td class=n>-</td>");
        return;
    }
    const char *class = pair->faults > 0 ? "f" : pair->predicted > 0 ? "p" : "c";
    buffer_printf(to, "<td class=%s title=\"%" PRIu64 " schedules\">%" PRIu64 "%s</td>", class, pair->schedules,
                  pair->tests, pair->faults > 0 ? " &#10007;" : "");
}

static void add_table(struct buffer *to, const struct generate_results *results, const struct api *api)
{
    buffer_add_string(
        to, "<h2>Pairs of functions</h2><p>How many tests had a call of the one in one thread and of the other in "
            "another. Red: a fault was found. Yellow: something was predicted to go wrong. Green: tried.</p>"
            "<table><tr><th></th>");
    for (uint32_t i = 0; i < api->functions.count; i++)
        if (was_tried(results, i)) {
            buffer_add_string(to, "<th>");
            add_text(to, api->functions.data[i].name);
            buffer_add_string(to, "</th>");
        }
    buffer_add_string(to, "</tr>");
    for (uint32_t i = 0; i < api->functions.count; i++) {
        if (!was_tried(results, i))
            continue;
        buffer_add_string(to, "<tr><th class=l>");
        add_text(to, api->functions.data[i].name);
        buffer_add_string(to, "</th>");
        for (uint32_t k = 0; k < api->functions.count; k++)
            if (was_tried(results, k))
                add_cell(to, find_pair(results, i, k));
        buffer_add_string(to, "</tr>");
    }
    buffer_add_string(to, "</table>");
}

static void add_file(struct buffer *to, const char *directory, const char *name)
{
    struct buffer content = {0};
    struct error unreadable = {0};
    char *path = file_join(directory, name);
    if (file_read(path, 1 << 20, &content, &unreadable)) {
        buffer_add_string(to, "<details><summary>");
        add_text(to, name);
        buffer_add_string(to, "</summary><pre>");
        add_text(to, buffer_text(&content));
        buffer_add_string(to, "</pre></details>");
    }
    buffer_free(&content);
    free(path);
}

static void add_faults(struct buffer *to, const struct generate_results *results, bool plus)
{
    buffer_printf(to, "<h2>%zu fault%s</h2>", results->faults.count, results->faults.count == 1 ? "" : "s");
    for (size_t i = 0; i < results->faults.count; i++) {
        const struct generate_fault *fault = &results->faults.data[i];
        buffer_printf(to, "<h3>%zu. ", i + 1);
        add_text(to, fault->text);
        buffer_add_string(to, "</h3><pre>");
        add_text(to, fault->test);
        buffer_printf(to, "</pre><p>Seen in test %" PRIu64 ", after %.2f s. ", fault->tests, fault->seconds);
        add_text(to, fault->directory);
        buffer_add_string(to, "</p>");
        add_file(to, fault->directory, "story.txt");
        add_file(to, fault->directory, plus ? "test.cc" : "test.c");
    }
}

static void add_functions(struct buffer *to, const struct generate_results *results, const struct api *api)
{
    buffer_add_string(to, "<h2>Functions that were not called</h2><ul>");
    for (uint32_t i = 0; i < api->functions.count; i++) {
        const struct api_function *function = &api->functions.data[i];
        if (function->role == ROLE_CREATE || function->role == ROLE_DESTROY || was_tried(results, i))
            continue;
        buffer_add_string(to, "<li>");
        add_text(to, function->name);
        if (function->why != NULL || function->role == ROLE_NONE)
            buffer_add_string(to, ": ");
        add_text(to, function->why != NULL ? function->why : function->role == ROLE_NONE ? "it takes no object" : "");
        buffer_add_string(to, "</li>");
    }
    buffer_add_string(to, "</ul>");
}

bool page_write(const struct generate_results *results, const struct api *api, const struct generate_options *options,
                struct error *error)
{
    struct buffer text = {0};
    const char *header = file_base_name(options->input.headers.data[0]);
    buffer_add_string(&text, "<!DOCTYPE html><html lang=en><meta charset=utf-8><title>raddle gen: ");
    add_text(&text, header);
    buffer_printf(&text, "</title><style>%s</style><h1>raddle gen: ", style);
    add_text(&text, header);
    buffer_printf(&text,
                  "</h1><p>%" PRIu64 " tests, %" PRIu64 " schedules, %" PRIu64 " sequences with %" PRIu64
                  " traces of calls, in %.1f s; seed %" PRIu64 ".</p>",
                  results->tests, results->schedules, results->sequences, results->traces, results->seconds,
                  options->seed);
    add_faults(&text, results, options->input.plus);
    add_table(&text, results, api);
    add_functions(&text, results, api);
    buffer_add_string(&text, "</html>\n");
    bool good = file_write(options->html, text.data, text.size, error);
    buffer_free(&text);
    return good;
}
