/* SPDX-License-Identifier: MIT
 *
 * html_coverage.c - coverage per line, from the coverage.json that the last campaign left (coverage/coverage_json.c).
 *
 * The page trusts its data, so everything is checked here.  A wrong index or type makes the whole file unusable; one
 * sentence says so.
 */
#include <stdlib.h>
#include <string.h>

#include "report/html_private.h"
#include "trace/campaign_files.h"
#include "util/file.h"

static bool is_count(const json_t *value)
{
    return json_is_integer(value) && json_integer_value(value) >= 0;
}

static bool is_index(const json_t *value, size_t count)
{
    return is_count(value) && (size_t)json_integer_value(value) < count;
}

static bool is_site(json_t *site)
{
    return json_is_object(site) && json_is_string(json_object_get(site, "file")) &&
           json_is_string(json_object_get(site, "function")) && json_is_string(json_object_get(site, "where")) &&
           is_count(json_object_get(site, "line"));
}

static bool is_family(json_t *family)
{
    return json_is_object(family) && json_is_string(json_object_get(family, "name")) &&
           json_is_string(json_object_get(family, "meaning")) && json_is_string(json_object_get(family, "shape"));
}

/* name, and lines as [number, text] in ascending order */
static bool is_file(json_t *file)
{
    json_t *lines = json_object_get(file, "lines"), *line;
    json_int_t last = 0;
    size_t i;
    if (!json_is_string(json_object_get(file, "name")) || !json_is_array(lines))
        return false;
    json_array_foreach(lines, i, line)
    {
        const json_t *number = json_array_get(line, 0);
        if (!json_is_integer(number) || json_integer_value(number) <= last || !json_is_string(json_array_get(line, 1)))
            return false;
        last = json_integer_value(number);
    }
    return true;
}

static bool is_list(const json_t *list, bool (*is_member)(json_t *member))
{
    json_t *member;
    size_t i;
    if (!json_is_array(list))
        return false;
    json_array_foreach(list, i, member)
    {
        if (!is_member(member))
            return false;
    }
    return true;
}

/* [family, [site…], [kind…], seen, predicted, attempts, given up, impossible]; earlier versions do not have the last */
static bool is_instance(const json_t *instance, size_t families, size_t sites)
{
    json_t *steps = json_array_get(instance, 1), *kinds = json_array_get(instance, 2), *step;
    size_t i;
    if (!is_index(json_array_get(instance, 0), families) || !json_is_array(steps) || !json_is_array(kinds) ||
        json_array_size(steps) < 2 || json_array_size(steps) != json_array_size(kinds))
        return false;
    json_array_foreach(steps, i, step)
    {
        if (!is_index(step, sites) || !json_is_string(json_array_get(kinds, i)))
            return false;
    }
    for (i = 3; i < 7 || i < json_array_size(instance); i++)
        if (!is_count(json_array_get(instance, i)))
            return false;
    return true;
}

/* [instance, sentence]; earlier versions do not have the list */
static bool is_reason(json_t *reason)
{
    return is_count(json_array_get(reason, 0)) && json_is_string(json_array_get(reason, 1));
}

static bool is_coverage(json_t *all)
{
    json_t *families = json_object_get(all, "families"), *sites = json_object_get(all, "sites");
    json_t *instances = json_object_get(all, "instances"), *instance;
    size_t i;
    if (!is_count(json_object_get(all, "total")) || !is_list(families, is_family) || !is_list(sites, is_site) ||
        !is_list(json_object_get(all, "files"), is_file) || !json_is_array(instances))
        return false;
    if (json_object_get(all, "reasons") != NULL && !is_list(json_object_get(all, "reasons"), is_reason))
        return false;
    json_array_foreach(instances, i, instance)
    {
        if (!is_instance(instance, json_array_size(families), json_array_size(sites)))
            return false;
    }
    return true;
}

json_t *html_coverage(const char *directory, char **problem)
{
    char *path = file_join(directory, CAMPAIGN_FILE_COVERAGE);
    struct buffer text = {0};
    struct error error = {0};
    json_t *all = NULL;
    *problem = NULL;
    if (file_exists(path)) {
        if (!file_read(path, REPORT_LIMIT, &text, &error)) {
            *problem = memory_copy_string(error.text);
        } else {
            all = json_loadb(buffer_text(&text), text.size, JSON_REJECT_DUPLICATES, NULL);
            if (all == NULL || !is_coverage(all)) {
                *problem = memory_format("%s is damaged: coverage per line is not shown; run the program again", path);
                json_decref(all);
                all = NULL;
            }
        }
    }
    buffer_free(&text);
    free(path);
    return all;
}
