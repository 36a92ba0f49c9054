/* SPDX-License-Identifier: MIT
 *
 * campaign.c - reads campaign.json and the lines of campaigns.jsonl (campaign/result_json.c writes them).
 *
 * The first error is remembered with the name of the member.  All values read after it are empty, so the caller checks
 * once at the end.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "report/model.h"

struct campaign_reader {
    const char *name; /* of the file */
    struct error *error;
    bool bad;
};

static void refuse(struct campaign_reader *reader, const char *member, const char *wanted)
{
    if (!reader->bad)
        error_set(reader->error, EXIT_USAGE, "%s is damaged: '%s' must be %s; the next 'raddle run' writes it again",
                  reader->name, member, wanted);
    reader->bad = true;
}

static char *take_text(struct campaign_reader *reader, const json_t *object, const char *member)
{
    const char *text = json_string_value(json_object_get(object, member));
    if (text == NULL)
        refuse(reader, member, "a text");
    return memory_copy_string(text != NULL ? text : "");
}

static char *take_text_or_null(struct campaign_reader *reader, const json_t *object, const char *member)
{
    return json_is_null(json_object_get(object, member)) ? NULL : take_text(reader, object, member);
}

/* A member that campaigns of earlier versions do not have. */
static char *take_new_text(struct campaign_reader *reader, const json_t *object, const char *member)
{
    return json_object_get(object, member) == NULL ? NULL : take_text_or_null(reader, object, member);
}

static int64_t take_integer(struct campaign_reader *reader, const json_t *object, const char *member)
{
    const json_t *value = json_object_get(object, member);
    if (!json_is_integer(value))
        refuse(reader, member, "a whole number");
    return json_integer_value(value);
}

static uint64_t take_number(struct campaign_reader *reader, const json_t *object, const char *member)
{
    int64_t value = take_integer(reader, object, member);
    if (value < 0)
        refuse(reader, member, "a whole number from 0");
    return value < 0 ? 0 : (uint64_t)value;
}

static double take_fraction(struct campaign_reader *reader, const json_t *object, const char *member)
{
    const json_t *value = json_object_get(object, member);
    if (!json_is_number(value) || json_number_value(value) < 0)
        refuse(reader, member, "a number from 0");
    return json_number_value(value);
}

static bool take_truth(struct campaign_reader *reader, const json_t *object, const char *member)
{
    const json_t *value = json_object_get(object, member);
    if (!json_is_boolean(value))
        refuse(reader, member, "true or false");
    return json_is_true(value);
}

static const json_t *take_list(struct campaign_reader *reader, const json_t *object, const char *member)
{
    const json_t *value = json_object_get(object, member);
    if (!json_is_array(value))
        refuse(reader, member, "a list");
    return value;
}

static json_t *take_object(struct campaign_reader *reader, const json_t *object, const char *member)
{
    json_t *value = json_object_get(object, member);
    if (!json_is_object(value))
        refuse(reader, member, "an object");
    return value;
}

/* An element of a list must be an object. */
static const json_t *take_entry(struct campaign_reader *reader, const json_t *list, size_t index, const char *member)
{
    const json_t *value = json_array_get(list, index);
    if (!json_is_object(value))
        refuse(reader, member, "a list of objects");
    return value;
}

/* ---- coverage ------------------------------------------------------------------------------------------------------------ */

/* Members that campaigns of earlier versions do not have. */
static uint64_t take_new_number(struct campaign_reader *reader, const json_t *object, const char *member)
{
    return json_object_get(object, member) == NULL ? 0 : take_number(reader, object, member);
}

static struct report_estimate take_estimate(struct campaign_reader *reader, const json_t *object)
{
    const json_t *estimate = json_object_get(object, "estimate");
    if (estimate == NULL)
        return (struct report_estimate){0};
    return (struct report_estimate){.known = true,
                                    .total = take_fraction(reader, estimate, "total"),
                                    .covered = take_number(reader, estimate, "covered"),
                                    .variables = take_number(reader, estimate, "variables")};
}

static struct report_count take_count(struct campaign_reader *reader, const char *name, const json_t *object)
{
    if (!json_is_object(object))
        refuse(reader, name, "an object");
    return (struct report_count){.name = memory_copy_string(name),
                                 .covered = take_number(reader, object, "covered"),
                                 .predicted = take_number(reader, object, "predicted"),
                                 .open = take_number(reader, object, "open"),
                                 .impossible = take_new_number(reader, object, "impossible"),
                                 .corrected = take_new_number(reader, object, "corrected"),
                                 .estimate = take_estimate(reader, object),
                                 .chance_of_new = -1};
}

static void take_families(struct campaign_reader *reader, json_t *families, struct report_coverage *coverage)
{
    const char *name, *member;
    json_t *value, *inner;
    json_object_foreach(families, name, value)
    {
        struct report_family family = {.count = take_count(reader, name, value)};
        family.count.chance_of_new = take_fraction(reader, value, "chance_of_new");
        json_t *members = take_object(reader, value, "members");
        json_object_foreach(members, member, inner) vector_push(&family.members, take_count(reader, member, inner));
        vector_push(&coverage->families, family);
    }
}

static void take_curve(struct campaign_reader *reader, const json_t *curve, struct report_coverage *coverage)
{
    for (size_t i = 0; i < json_array_size(curve); i++) {
        const json_t *pair = json_array_get(curve, i);
        const json_t *schedule = json_array_get(pair, 0), *covered = json_array_get(pair, 1);
        struct report_point point = {(uint64_t)json_integer_value(schedule), (uint64_t)json_integer_value(covered)};
        const struct report_point *last = i > 0 ? &coverage->curve.data[coverage->curve.count - 1] : NULL;
        if (!json_is_integer(schedule) || !json_is_integer(covered) || json_integer_value(schedule) < 0 ||
            json_integer_value(covered) < 0 ||
            (last != NULL && (point.schedule < last->schedule || point.covered < last->covered))) {
            refuse(reader, "curve", "a list of pairs of numbers that grow");
            return;
        }
        vector_push(&coverage->curve, point);
    }
}

static struct report_looked take_looked_at(struct campaign_reader *reader, const json_t *coverage)
{
    if (json_object_get(coverage, "looked_at") == NULL)
        return (struct report_looked){0};
    const json_t *object = take_object(reader, coverage, "looked_at");
    return (struct report_looked){.events = take_number(reader, object, "events"),
                                  .events_left_out = take_number(reader, object, "events_left_out"),
                                  .dependencies = take_number(reader, object, "dependencies"),
                                  .dependencies_passed_over = take_number(reader, object, "dependencies_passed_over")};
}

static void take_coverage(struct campaign_reader *reader, const json_t *object, struct report_coverage *coverage)
{
    coverage->distinct_schedules = take_number(reader, object, "distinct_schedules");
    coverage->shared_sites = take_number(reader, object, "shared_sites");
    coverage->shared_locations = take_number(reader, object, "shared_locations");
    coverage->measured = json_object_get(object, "families") != NULL;
    if (!coverage->measured)
        return;
    take_families(reader, take_object(reader, object, "families"), coverage);
    coverage->observed_schedules = take_number(reader, object, "observed_schedules");
    coverage->profiled_schedules = take_number(reader, object, "profiled_schedules");
    coverage->looked_at = take_looked_at(reader, object);
    coverage->chance_of_new = take_fraction(reader, object, "chance_of_new");
    coverage->saturated = take_truth(reader, object, "saturated");
    take_curve(reader, take_list(reader, object, "curve"), coverage);
}

/* ---- lists --------------------------------------------------------------------------------------------------------------- */

static void take_command(struct campaign_reader *reader, const json_t *all, struct report_campaign *campaign)
{
    const json_t *words = take_list(reader, all, "command");
    size_t count = json_array_size(words);
    campaign->command = memory_allocate(count + 1, sizeof *campaign->command);
    for (size_t i = 0; i < count; i++) {
        const char *word = json_string_value(json_array_get(words, i));
        if (word == NULL)
            refuse(reader, "command", "a list of texts");
        campaign->command[i] = memory_copy_string(word != NULL ? word : "");
    }
    if (count == 0)
        refuse(reader, "command", "a list of at least one text");
}

static void take_shares(struct campaign_reader *reader, const json_t *all, struct report_campaign *campaign)
{
    const json_t *list = take_list(reader, all, "shares");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *entry = take_entry(reader, list, i, "shares");
        struct report_share share = {.strategy = take_text(reader, entry, "strategy"),
                                     .schedules = take_number(reader, entry, "schedules"),
                                     .observed = take_number(reader, entry, "observed"),
                                     .newly_covered = take_number(reader, entry, "newly_covered")};
        const json_t *parts = json_object_get(entry, "over_time");
        for (size_t k = 0; k < json_array_size(parts); k++) {
            json_int_t part = json_integer_value(json_array_get(parts, k));
            if (part < 0)
                refuse(reader, "over_time", "a list of numbers from 0");
            vector_push(&share.over_time, part < 0 ? 0 : (uint64_t)part);
        }
        vector_push(&campaign->shares, share);
    }
}

static void take_warnings(struct campaign_reader *reader, const json_t *all, struct report_campaign *campaign)
{
    const json_t *list = take_list(reader, all, "warnings");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *entry = take_entry(reader, list, i, "warnings");
        struct report_warning warning = {.kind = take_text(reader, entry, "kind"),
                                         .site = take_text_or_null(reader, entry, "site"),
                                         .text = take_text(reader, entry, "text"),
                                         .variable = take_new_text(reader, entry, "variable"),
                                         .stacks = take_new_text(reader, entry, "stacks"),
                                         .orders = take_new_text(reader, entry, "orders"),
                                         .schedule = take_number(reader, entry, "schedule"),
                                         .count = take_number(reader, entry, "count")};
        vector_push(&campaign->warnings, warning);
    }
}

static void take_texts(struct campaign_reader *reader, const json_t *object, const char *member, report_texts *texts)
{
    const json_t *list = take_list(reader, object, member);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *text = json_string_value(json_array_get(list, i));
        if (text == NULL)
            refuse(reader, member, "a list of texts");
        vector_push(texts, memory_copy_string(text != NULL ? text : ""));
    }
}

static void take_violation(struct campaign_reader *reader, const json_t *entry, struct report_campaign *campaign)
{
    struct report_violation violation = {.pattern = take_text(reader, entry, "pattern"),
                                         .set = take_text(reader, entry, "set"),
                                         .text = take_text(reader, entry, "text"),
                                         .schedule = take_number(reader, entry, "schedule"),
                                         .count = take_number(reader, entry, "count"),
                                         .failed = take_number(reader, entry, "failed"),
                                         .inconsistent = take_number(reader, entry, "inconsistent"),
                                         .benign = take_truth(reader, entry, "benign"),
                                         .guarded_apart = take_truth(reader, entry, "guarded_apart")};
    take_texts(reader, entry, "units", &violation.units);
    take_texts(reader, entry, "calls", &violation.calls);
    take_texts(reader, entry, "sites", &violation.sites);
    take_texts(reader, entry, "objects", &violation.objects);
    vector_push(&campaign->violations, violation);
}

/* Campaigns of earlier versions have none. */
static void take_violations(struct campaign_reader *reader, const json_t *all, struct report_campaign *campaign)
{
    if (json_object_get(all, "violations") == NULL)
        return;
    const json_t *list = take_list(reader, all, "violations");
    for (size_t i = 0; i < json_array_size(list); i++)
        take_violation(reader, take_entry(reader, list, i, "violations"), campaign);
}

static void free_texts(report_texts *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        free(texts->data[i]);
    vector_free(texts);
}

static void free_violation(struct report_violation *violation)
{
    free(violation->pattern);
    free(violation->set);
    free(violation->text);
    free_texts(&violation->units);
    free_texts(&violation->calls);
    free_texts(&violation->sites);
    free_texts(&violation->objects);
}

static void take_uncontrolled(struct campaign_reader *reader, const json_t *all, struct report_campaign *campaign)
{
    const json_t *list = take_list(reader, all, "uncontrolled");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *entry = take_entry(reader, list, i, "uncontrolled");
        struct report_uncontrolled call = {take_text(reader, entry, "name"), take_number(reader, entry, "count")};
        vector_push(&campaign->uncontrolled, call);
    }
}

static void take_limits(struct campaign_reader *reader, const json_t *all, struct report_campaign *campaign)
{
    const json_t *list = take_list(reader, all, "limits");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *limit = json_string_value(json_array_get(list, i));
        if (limit == NULL)
            refuse(reader, "limits", "a list of texts");
        else
            vector_push(&campaign->limits, memory_copy_string(limit));
    }
}

static void take_failures(struct campaign_reader *reader, const json_t *all, struct report_campaign *campaign)
{
    const json_t *list = take_list(reader, all, "failures");
    campaign->failures = json_array_size(list);
    for (size_t i = 0; i < campaign->failures; i++) {
        const json_t *entry = take_entry(reader, list, i, "failures");
        struct report_seen seen = {.key = take_text(reader, entry, "key"),
                                   .count = take_number(reader, entry, "count")};
        vector_push(&campaign->seen, seen);
    }
}

/* ---- the whole ----------------------------------------------------------------------------------------------------------- */

static void take_technique(struct campaign_reader *reader, const json_t *all, const char *name,
                           struct report_campaign *campaign)
{
    struct report_technique technique = {.name = memory_copy_string(name)};
    json_t *object = take_object(reader, all, name), *value;
    const char *counted;
    json_object_foreach(object, counted, value)
    {
        struct report_counter counter = {memory_copy_string(counted), take_number(reader, object, counted)};
        vector_push(&technique.counters, counter);
    }
    vector_push(&campaign->techniques, technique);
}

/* Each technique that counts something has an object of its name.  Campaigns of earlier versions have no list of them, and maple only. */
static void take_techniques(struct campaign_reader *reader, const json_t *all, struct report_campaign *campaign)
{
    const json_t *names = json_object_get(all, "techniques");
    if (names == NULL) {
        take_technique(reader, all, "maple", campaign);
        return;
    }
    names = take_list(reader, all, "techniques");
    for (size_t i = 0; i < json_array_size(names); i++) {
        const char *name = json_string_value(json_array_get(names, i));
        if (name == NULL)
            refuse(reader, "techniques", "a list of texts");
        else
            take_technique(reader, all, name, campaign);
    }
}

static void take_counters(struct campaign_reader *reader, const json_t *object, const struct campaign_counter *counter,
                          void *counts)
{
    for (; counter->name != NULL; counter++)
        if (counter->required || json_object_get(object, counter->name) != NULL)
            *counter_in(counts, counter) = take_number(reader, object, counter->name);
}

static void take_numbers(struct campaign_reader *reader, const json_t *all, struct report_campaign *campaign)
{
    campaign->version = take_text(reader, all, "version");
    campaign->strategy = take_text(reader, all, "strategy");
    campaign->seed = (uint64_t)take_integer(reader, all, "seed");
    campaign->began = (int64_t)take_number(reader, all, "began");
    campaign->seconds = take_fraction(reader, all, "seconds");
    if (json_object_get(all, "seconds_telling") != NULL)
        campaign->seconds_telling = take_fraction(reader, all, "seconds_telling");
    campaign->exit_code = (int)take_integer(reader, all, "exit_code");
    campaign->error = take_text_or_null(reader, all, "error");
    campaign->interrupted = take_truth(reader, all, "interrupted");
    take_counters(reader, all, campaign_counters, &campaign->count);
    campaign->has_first = json_is_integer(json_object_get(all, "schedules_to_first_failure"));
    if (campaign->has_first)
        campaign->schedules_to_first = take_number(reader, all, "schedules_to_first_failure");
    if (json_is_number(json_object_get(all, "seconds_to_first_failure")))
        campaign->seconds_to_first = take_fraction(reader, all, "seconds_to_first_failure");
}

static json_t *load(struct campaign_reader *reader, const char *text, size_t size)
{
    json_error_t problem;
    json_t *all = json_loadb(text, size, JSON_REJECT_DUPLICATES, &problem);
    if (all == NULL)
        error_set(reader->error, EXIT_USAGE, "%s:%d: not JSON: %s; the next 'raddle run' writes it again", reader->name,
                  problem.line, problem.text);
    else if (!json_is_object(all)) {
        error_set(reader->error, EXIT_USAGE, "%s does not describe a campaign of raddle", reader->name);
        json_decref(all);
        all = NULL;
    }
    return all;
}

bool report_parse_campaign(struct report_campaign *campaign, const char *name, const char *text, size_t size,
                           struct error *error)
{
    struct campaign_reader reader = {.name = name, .error = error};
    *campaign = (struct report_campaign){0};
    json_t *all = load(&reader, text, size);
    if (all == NULL)
        return false;
    take_numbers(&reader, all, campaign);
    take_command(&reader, all, campaign);
    take_coverage(&reader, take_object(&reader, all, "coverage"), &campaign->coverage);
    take_techniques(&reader, all, campaign);
    take_shares(&reader, all, campaign);
    take_warnings(&reader, all, campaign);
    take_violations(&reader, all, campaign);
    take_uncontrolled(&reader, all, campaign);
    take_limits(&reader, all, campaign);
    take_failures(&reader, all, campaign);
    json_decref(all);
    if (reader.bad)
        report_free_campaign(campaign);
    return !reader.bad;
}

bool report_parse_past(struct report_past *past, const char *name, const char *text, size_t size, struct error *error)
{
    struct campaign_reader reader = {.name = name, .error = error};
    *past = (struct report_past){0};
    json_t *all = load(&reader, text, size);
    if (all == NULL)
        return false;
    past->began = (int64_t)take_number(&reader, all, "began");
    past->seconds = take_fraction(&reader, all, "seconds");
    past->version = take_text(&reader, all, "version");
    past->strategy = take_text(&reader, all, "strategy");
    past->seed = (uint64_t)take_integer(&reader, all, "seed");
    take_counters(&reader, all, history_counters, &past->count);
    past->exit_code = (int)take_integer(&reader, all, "exit_code");
    past->interrupted = take_truth(&reader, all, "interrupted");
    json_decref(all);
    if (reader.bad)
        report_free_past(past);
    return !reader.bad;
}

void report_free_past(struct report_past *past)
{
    free(past->version);
    free(past->strategy);
    *past = (struct report_past){0};
}

static void free_coverage(struct report_coverage *coverage)
{
    for (size_t i = 0; i < coverage->families.count; i++) {
        struct report_family *family = &coverage->families.data[i];
        free(family->count.name);
        for (size_t k = 0; k < family->members.count; k++)
            free(family->members.data[k].name);
        vector_free(&family->members);
    }
    vector_free(&coverage->families);
    vector_free(&coverage->curve);
}

static void free_technique(struct report_technique *technique)
{
    free(technique->name);
    for (size_t i = 0; i < technique->counters.count; i++)
        free(technique->counters.data[i].name);
    vector_free(&technique->counters);
}

void report_free_campaign(struct report_campaign *campaign)
{
    free(campaign->version);
    free(campaign->strategy);
    free(campaign->error);
    for (char **word = campaign->command; word != NULL && *word != NULL; word++)
        free(*word);
    free(campaign->command);
    free_coverage(&campaign->coverage);
    for (size_t i = 0; i < campaign->techniques.count; i++)
        free_technique(&campaign->techniques.data[i]);
    vector_free(&campaign->techniques);
    for (size_t i = 0; i < campaign->shares.count; i++) {
        free(campaign->shares.data[i].strategy);
        vector_free(&campaign->shares.data[i].over_time);
    }
    vector_free(&campaign->shares);
    for (size_t i = 0; i < campaign->warnings.count; i++) {
        free(campaign->warnings.data[i].kind);
        free(campaign->warnings.data[i].site);
        free(campaign->warnings.data[i].text);
        free(campaign->warnings.data[i].variable);
        free(campaign->warnings.data[i].stacks);
        free(campaign->warnings.data[i].orders);
    }
    vector_free(&campaign->warnings);
    for (size_t i = 0; i < campaign->violations.count; i++)
        free_violation(&campaign->violations.data[i]);
    vector_free(&campaign->violations);
    for (size_t i = 0; i < campaign->uncontrolled.count; i++)
        free(campaign->uncontrolled.data[i].name);
    vector_free(&campaign->uncontrolled);
    for (size_t i = 0; i < campaign->limits.count; i++)
        free(campaign->limits.data[i]);
    vector_free(&campaign->limits);
    for (size_t i = 0; i < campaign->seen.count; i++)
        free(campaign->seen.data[i].key);
    vector_free(&campaign->seen);
    *campaign = (struct report_campaign){0};
}
