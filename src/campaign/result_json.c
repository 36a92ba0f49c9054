/* SPDX-License-Identifier: MIT
 *
 * result_json.c - a campaign as JSON.  The names are a stable interface: they may be added to, not changed.
 */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "campaign/result.h"
#include "technique/portfolio.h"
#include "trace/campaign_counters.h"
#include "util/file.h"
#include "util/json.h"

#ifndef RADDLE_VERSION
#define RADDLE_VERSION "unknown"
#endif

static json_t *number(uint64_t value)
{
    return json_integer((json_int_t)value);
}

/* What failures and warnings have in common. */
static json_t *finding(const char *kind, const char *site, const char *what, uint64_t schedule, uint64_t count)
{
    json_t *entry = json_object();
    json_object_set_new(entry, "kind", json_from_text(kind));
    json_object_set_new(entry, "site", json_from_text(site));
    json_object_set_new(entry, "text", json_from_text(what));
    json_object_set_new(entry, "schedule", number(schedule));
    json_object_set_new(entry, "count", number(count));
    return entry;
}

static json_t *failures(const struct results *results)
{
    json_t *list = json_array();
    for (size_t i = 0; i < results->failures.count; i++) {
        const struct result_failure *failure = &results->failures.data[i];
        json_t *entry = finding(failure->kind, failure->site, failure->text, failure->schedule, failure->count);
        json_object_set_new(entry, "path", json_from_text(failure->path));
        json_object_set_new(entry, "strategy", json_from_text(failure->strategy));
        json_object_set_new(entry, "preemptions", number(failure->preemptions));
        json_object_set_new(entry, "preemptions_found", number(failure->preemptions_found));
        json_object_set_new(entry, "early_end", json_from_text(failure->early));
        json_object_set_new(entry, "confirmed", json_boolean(failure->confirmed));
        json_object_set_new(entry, "key", json_from_text(failure->key));
        json_array_append_new(list, entry);
    }
    return list;
}

static json_t *warnings(const struct results *results)
{
    json_t *list = json_array();
    for (size_t i = 0; i < results->warnings.count; i++) {
        const struct result_warning *warning = &results->warnings.data[i];
        json_t *entry = finding(warning->kind, warning->site, warning->text, warning->schedule, warning->count);
        json_object_set_new(entry, "variable", json_from_text(warning->variable));
        json_object_set_new(entry, "stacks", json_from_text(warning->stacks));
        json_object_set_new(entry, "orders", json_from_text(warning->orders));
        json_array_append_new(list, entry);
    }
    return list;
}

/* Lines that suppressed nothing are listed too. */
static json_t *suppressions(const struct results *results)
{
    json_t *list = json_array();
    for (size_t i = 0; i < suppress_line_count(results->suppressions); i++) {
        const struct suppression *line = suppress_line(results->suppressions, i);
        json_t *entry = json_object();
        json_object_set_new(entry, "file", json_from_text(suppress_name(results->suppressions)));
        json_object_set_new(entry, "line", number(line->line));
        json_object_set_new(entry, "text", json_from_text(line->text));
        json_object_set_new(entry, "findings", number(line->findings));
        json_array_append_new(list, entry);
    }
    return list;
}

static json_t *texts(char *const *data, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_from_text(data[i]));
    return list;
}

static json_t *violation_as_json(const struct result_violation *violation)
{
    const struct result_outcome *outcome = &violation->outcome;
    json_t *entry = json_object();
    json_object_set_new(entry, "pattern", json_from_text(violation->pattern));
    json_object_set_new(entry, "set", json_from_text(violation->set));
    json_object_set_new(entry, "objects", texts(violation->objects.data, violation->objects.count));
    json_object_set_new(entry, "units", texts(violation->units, 2));
    json_object_set_new(entry, "calls", texts(violation->calls, 2));
    json_object_set_new(entry, "sites", texts(violation->sites.data, violation->sites.count));
    json_object_set_new(entry, "text", json_from_text(violation->text));
    json_object_set_new(entry, "schedule", number(outcome->schedule));
    json_object_set_new(entry, "count", number(outcome->count));
    json_object_set_new(entry, "failed", number(outcome->failed));
    json_object_set_new(entry, "inconsistent", number(outcome->inconsistent));
    json_object_set_new(entry, "led_to_failure", json_boolean(outcome->failed > 0));
    json_object_set_new(entry, "benign", json_boolean(violation->is_benign));
    json_object_set_new(entry, "guarded_apart", json_boolean(violation->is_apart));
    return entry;
}

static json_t *violations(const struct result_monitor *monitor)
{
    json_t *list = json_array();
    for (size_t i = 0; i < monitor->violations.count; i++)
        json_array_append_new(list, violation_as_json(&monitor->violations.data[i]));
    return list;
}

static json_t *uncontrolled(const struct results *results)
{
    json_t *list = json_array();
    for (size_t i = 0; i < results->uncontrolled.count; i++) {
        json_t *entry = json_object();
        json_object_set_new(entry, "name", json_from_text(results->uncontrolled.data[i].name));
        json_object_set_new(entry, "count", number(results->uncontrolled.data[i].count));
        json_array_append_new(list, entry);
    }
    return list;
}

/* Schedules by technique; one that is in the list twice has all of its own. */
static json_t *by_strategy(const struct portfolio *portfolio)
{
    json_t *object = json_object();
    for (uint32_t i = 0; i < portfolio->count; i++) {
        const struct portfolio_member *member = &portfolio->members[i];
        json_int_t before = json_integer_value(json_object_get(object, member->technique->name));
        if (member->runs > 0)
            json_object_set_new(object, member->technique->name, json_integer(before + (json_int_t)member->runs));
    }
    return object;
}

/* What each got, and what came of it: the portfolio's choice. */
static json_t *shares(const struct portfolio *portfolio)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < portfolio->count; i++) {
        const struct portfolio_member *member = &portfolio->members[i];
        json_t *entry = json_object();
        json_object_set_new(entry, "strategy", json_from_text(member->technique->name));
        json_object_set_new(entry, "schedules", number(member->runs));
        json_object_set_new(entry, "observed", number(portfolio->arms[i].tried));
        json_object_set_new(entry, "newly_covered", number(member->covered));
        json_t *parts = json_array();
        for (size_t k = 0; k < portfolio_part_count(portfolio); k++)
            json_array_append_new(parts, number(member->parts[k]));
        json_object_set_new(entry, "over_time", parts);
        json_array_append_new(list, entry);
    }
    return list;
}

/* An object of its own for each technique that counts something, and the list of their names. */
static void add_technique(void *context, const char *technique, const char *const *names, const uint64_t *values,
                          size_t count)
{
    json_t *all = context, *object = json_object();
    for (size_t i = 0; i < count; i++)
        json_object_set_new(object, names[i], number(values[i]));
    json_object_set_new(all, technique, object);
    json_array_append_new(json_object_get(all, "techniques"), json_string(technique));
}

static void add_techniques(json_t *all, const struct portfolio *portfolio)
{
    json_object_set_new(all, "techniques", json_array());
    portfolio_counts(portfolio, add_technique, all);
}

/* MAP-coverage; nothing for families that have no estimate. */
static void add_estimate(json_t *object, const struct coverage *coverage, family_mask rows)
{
    struct coverage_estimate estimate;
    if (!coverage_estimate(coverage, rows, &estimate))
        return;
    json_t *map = json_object();
    json_object_set_new(map, "total", json_real(estimate.total));
    json_object_set_new(map, "covered", number(estimate.covered));
    json_object_set_new(map, "share", json_real(coverage_estimate_share(&estimate)));
    json_object_set_new(map, "variables", number(estimate.variables));
    json_object_set_new(object, "estimate", map);
}

static json_t *counts(const struct coverage *coverage, family_mask rows)
{
    struct coverage_count count = coverage_count(coverage, rows);
    json_t *object = json_object();
    json_object_set_new(object, "covered", number(count.covered));
    json_object_set_new(object, "predicted", number(count.predicted));
    json_object_set_new(object, "open", number(count.open));
    json_object_set_new(object, "impossible", number(count.impossible));
    json_object_set_new(object, "corrected", number(count.corrected));
    json_object_set_new(object, "share", json_real(coverage_share(&count)));
    add_estimate(object, coverage, rows);
    return object;
}

/* Each member of a family; a name that several rows have is one. */
static json_t *members(const struct coverage *coverage, family_mask rows)
{
    json_t *object = json_object();
    for (unsigned row = 0; row < family_count; row++) {
        family_mask same = 0;
        for (unsigned other = 0; other < family_count; other++)
            if ((rows >> other & 1) && strcmp(families[other].name, families[row].name) == 0)
                same |= (family_mask)1 << other;
        if (rows >> row & 1)
            json_object_set_new(object, families[row].name, counts(coverage, same));
    }
    return object;
}

static json_t *pattern_families(const struct coverage *coverage)
{
    json_t *object = json_object();
    for (size_t i = 0; i < coverage_group_count(coverage); i++) {
        const struct coverage_group *group = coverage_group(coverage, i);
        json_t *entry = counts(coverage, group->rows);
        json_object_set_new(entry, "chance_of_new", json_real(coverage_chance_of_new(coverage, (int)i)));
        json_object_set_new(entry, "members", members(coverage, group->rows));
        json_object_set_new(object, group->name, entry);
    }
    return object;
}

static json_t *curve(const struct coverage *coverage)
{
    json_t *list = json_array();
    size_t count;
    const struct coverage_point *points = coverage_curve(coverage, &count);
    for (size_t i = 0; i < count; i++) {
        json_t *point = json_array();
        json_array_append_new(point, number(points[i].schedule));
        json_array_append_new(point, number(points[i].covered));
        json_array_append_new(list, point);
    }
    return list;
}

/* How much of the observed schedules was looked at. */
static json_t *looked_at(const struct coverage *coverage)
{
    struct coverage_looked looked = coverage_looked(coverage);
    json_t *object = json_object();
    json_object_set_new(object, "events", number(looked.events));
    json_object_set_new(object, "events_left_out", number(looked.left_out));
    json_object_set_new(object, "dependencies", number(looked.dependencies));
    json_object_set_new(object, "dependencies_passed_over", number(looked.passed_over));
    return object;
}

static void add_patterns(json_t *object, const struct results *results)
{
    const struct coverage *coverage = results->coverage;
    json_object_set_new(object, "families", pattern_families(coverage));
    json_object_set_new(object, "observed_schedules", number(coverage_observed(coverage)));
    json_object_set_new(object, "profiled_schedules", number(coverage_profiled(coverage)));
    json_object_set_new(object, "looked_at", looked_at(coverage));
    json_object_set_new(object, "chance_of_new", json_real(coverage_chance_of_new(coverage, COVERAGE_ALL)));
    json_object_set_new(object, "saturated", json_boolean(results->saturated));
    json_object_set_new(object, "curve", curve(coverage));
}

static json_t *coverage(const struct results *results)
{
    json_t *object = json_object();
    json_object_set_new(object, "distinct_schedules", number(results_distinct(results)));
    json_object_set_new(object, "shared_sites", number(results->shared_sites));
    json_object_set_new(object, "shared_locations", number(results->shared_locations));
    if (results->coverage != NULL)
        add_patterns(object, results);
    return object;
}

static json_t *limits(const struct results *results)
{
    json_t *list = json_array();
    if (results->preload)
        json_array_append_new(list, json_string("preload"));
    if (results->randomised)
        json_array_append_new(list, json_string("address-randomisation"));
    if (results->free_processes > 0)
        json_array_append_new(list, json_string("processes-run-free"));
    if (results->lost_tables != 0 || results->many_modules)
        json_array_append_new(list, json_string("tables-full"));
    if (results->coverage != NULL && coverage_has_lost_events(results->coverage))
        json_array_append_new(list, json_string("coverage-of-part"));
    if (results->coverage != NULL && coverage_is_cut(results->coverage))
        json_array_append_new(list, json_string("predictions-cut"));
    for (size_t i = 0; i < results->end.left_out.count; i++)
        json_array_append_new(list, json_from_text(results->end.left_out.data[i]));
    if (results->blind.libraries.count > 0)
        json_array_append_new(list, json_string("libraries-not-instrumented"));
    if (results->blind.assembler.count > 0)
        json_array_append_new(list, json_string("assembler-not-seen"));
    return list;
}

/* A search for all behaviours; null: there was none. */
static json_t *search_of(const struct technique_search *search)
{
    if (!search->ran)
        return json_null();
    json_t *object = json_object();
    json_object_set_new(object, "complete", json_boolean(search->complete));
    json_object_set_new(object, "ended", json_boolean(search->ended));
    json_object_set_new(object, "executions", number(search->executions));
    json_object_set_new(object, "failing", number(search->failing));
    json_object_set_new(object, "abandoned", number(search->abandoned));
    json_object_set_new(object, "bound", search->bound < UNBOUNDED ? number(search->bound) : json_null());
    return object;
}

static json_t *not_seen(const struct blind *blind)
{
    json_t *object = json_object();
    json_object_set_new(object, "libraries", texts(blind->libraries.data, blind->libraries.count));
    json_object_set_new(object, "assembler", texts(blind->assembler.data, blind->assembler.count));
    return object;
}

static void add_counters(json_t *object, const struct results *results, enum counter_group group)
{
    const struct campaign_counts counts = {
#define X(of, member, name, value, required, words) .member = value,
        CAMPAIGN_COUNTERS(X)
#undef X
    };
    for (const struct campaign_counter *counter = campaign_counters; counter->name != NULL; counter++)
        if (counter->group == group)
            json_object_set_new(object, counter->name, number(counter_value(&counts, counter)));
}

static json_t *build(const struct results *results, const struct result_context *context)
{
    json_t *all = json_object();
    json_object_set_new(all, "version", json_string(RADDLE_VERSION));
    json_t *command = json_array();
    for (char *const *word = context->command; *word != NULL; word++)
        json_array_append_new(command, json_from_text(*word));
    json_object_set_new(all, "command", command);
    json_object_set_new(all, "program", json_from_text(context->program));
    json_object_set_new(all, "out", json_from_text(context->out));
    json_object_set_new(all, "seed", number(context->seed));
    json_object_set_new(all, "strategy", json_from_text(context->strategy));
    json_object_set_new(all, "began", json_integer(context->began));
    json_object_set_new(all, "exit_code", json_integer(context->exit_code));
    json_object_set_new(all, "error", json_from_text(context->error));
    json_object_set_new(all, "interrupted", json_boolean(results->interrupted));
    add_counters(all, results, COUNTERS_OF_ALL);
    json_object_set_new(all, "schedules_to_first_failure",
                        results->failures.count > 0 ? number(results->first_failure) : json_null());
    json_object_set_new(all, "seconds_to_first_failure",
                        results->first_failure > 0 ? json_real(results->first_failure_seconds) : json_null());
    add_counters(all, results, COUNTERS_OF_ENDS);
    json_object_set_new(all, "schedules_by_strategy", by_strategy(context->portfolio));
    add_counters(all, results, COUNTERS_OF_SEARCH);
    json_object_set_new(all, "shares", shares(context->portfolio));
    add_techniques(all, context->portfolio);
    json_object_set_new(all, "seconds", json_real(results->seconds));
    json_object_set_new(all, "seconds_telling", json_real(results->seconds_telling));
    json_object_set_new(all, "schedules_per_second", json_real(results_rate(results)));
    add_counters(all, results, COUNTERS_OF_PROGRAM);
    json_object_set_new(all, "uncontrolled", uncontrolled(results));
    json_object_set_new(all, "coverage", coverage(results));
    json_object_set_new(all, "limits", limits(results));
    json_object_set_new(all, "search", search_of(&results->end.search));
    json_object_set_new(all, "not_seen", not_seen(&results->blind));
    json_object_set_new(all, "failures", failures(results));
    json_object_set_new(all, "exit_status_of_all",
                        results->same_exits > 0 && !results->exits_differ ? json_integer(results->exit_status)
                                                                          : json_null());
    add_counters(all, results, COUNTERS_OF_DOUBT);
    json_object_set_new(all, "warnings", warnings(results));
    json_object_set_new(all, "suppressions", suppressions(results));
    json_object_set_new(all, "violations", violations(&results->monitor));
    add_counters(all, results, COUNTERS_OF_PROGRESS);
    return all;
}

bool results_write_json(const struct results *results, const struct result_context *context, const char *path,
                        struct error *error)
{
    json_t *all = build(results, context);
    char *dump = json_dumps(all, JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(9));
    json_decref(all);
    if (dump == NULL)
        return error_set(error, EXIT_INTERNAL, "the result could not be written as JSON");
    char *line = memory_format("%s\n", dump);
    bool good;
    if (strcmp(path, "-") != 0)
        good = file_write(path, line, strlen(line), error);
    else
        good = file_write_all(STDOUT_FILENO, line, strlen(line)) ||
               error_set(error, EXIT_USAGE, "cannot write to the standard output: %s", strerror(errno));
    free(dump);
    free(line);
    return good;
}
