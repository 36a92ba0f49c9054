/* SPDX-License-Identifier: MIT
 *
 * html_campaign.c - the last campaign and those before it, as data of the page.
 */
#include "report/html_private.h"

/* null where there is none. */
static json_t *estimate(const struct report_estimate *estimate)
{
    if (!estimate->known)
        return json_null();
    return json_pack("{s:f, s:o, s:o}", "total", estimate->total, "covered", json_from_number(estimate->covered),
                     "variables", json_from_number(estimate->variables));
}

static json_t *count(const struct report_count *count)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name", json_from_text(count->name), "covered",
                     json_from_number(count->covered), "predicted", json_from_number(count->predicted), "open",
                     json_from_number(count->open), "impossible", json_from_number(count->impossible), "corrected",
                     json_from_number(count->corrected), "estimate", estimate(&count->estimate), "chance",
                     count->chance_of_new >= 0 ? json_real(count->chance_of_new) : json_null());
}

static json_t *families_of(const struct report_coverage *coverage)
{
    json_t *list = json_array();
    for (size_t i = 0; i < coverage->families.count; i++) {
        const struct report_family *family = &coverage->families.data[i];
        json_t *entry = count(&family->count), *members = json_array();
        for (size_t k = 0; k < family->members.count; k++)
            json_array_append_new(members, count(&family->members.data[k]));
        json_object_set_new(entry, "members", members);
        json_array_append_new(list, entry);
    }
    return list;
}

static json_t *curve(const struct report_coverage *coverage)
{
    json_t *list = json_array();
    for (size_t i = 0; i < coverage->curve.count; i++)
        json_array_append_new(list, json_pack("[o, o]", json_from_number(coverage->curve.data[i].schedule),
                                              json_from_number(coverage->curve.data[i].covered)));
    return list;
}

static json_t *coverage_of(const struct report_coverage *coverage)
{
    return json_pack("{s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:f, s:b, s:o}", "measured", coverage->measured, "distinct",
                     json_from_number(coverage->distinct_schedules), "sites", json_from_number(coverage->shared_sites),
                     "locations", json_from_number(coverage->shared_locations), "families", families_of(coverage),
                     "observed", json_from_number(coverage->observed_schedules), "profiled",
                     json_from_number(coverage->profiled_schedules), "chance", coverage->chance_of_new, "saturated",
                     coverage->saturated, "curve", curve(coverage));
}

static json_t *techniques(const struct report_campaign *campaign)
{
    json_t *list = json_array();
    for (size_t i = 0; i < campaign->techniques.count; i++) {
        const struct report_technique *technique = &campaign->techniques.data[i];
        json_t *counters = json_array();
        for (size_t k = 0; k < technique->counters.count; k++)
            json_array_append_new(counters, json_pack("[o, o]", json_from_text(technique->counters.data[k].name),
                                                      json_from_number(technique->counters.data[k].value)));
        json_array_append_new(list,
                              json_pack("{s:o, s:o}", "name", json_from_text(technique->name), "counters", counters));
    }
    return list;
}

static void add_counters(json_t *object, const struct campaign_counter *counter, const void *counts)
{
    for (; counter->name != NULL; counter++)
        json_object_set_new(object, counter->member, json_from_number(counter_value(counts, counter)));
}

/* A remark for each counter that is not 0. */
static json_t *remarks(const struct report_campaign *campaign)
{
    json_t *list = json_array();
    for (const struct campaign_counter *counter = campaign_counters; counter->name != NULL; counter++)
        if (counter->words != NULL && counter_value(&campaign->count, counter) > 0)
            json_array_append_new(
                list, json_pack("[o, s]", json_from_number(counter_value(&campaign->count, counter)), counter->words));
    return list;
}

static json_t *shares(const struct report_campaign *campaign)
{
    json_t *list = json_array();
    for (size_t i = 0; i < campaign->shares.count; i++) {
        const struct report_share *share = &campaign->shares.data[i];
        json_t *parts = json_array();
        for (size_t k = 0; k < share->over_time.count; k++)
            json_array_append_new(parts, json_from_number(share->over_time.data[k]));
        json_array_append_new(list, json_pack("{s:o, s:o, s:o, s:o, s:o}", "over_time", parts, "strategy",
                                              json_from_text(share->strategy), "schedules",
                                              json_from_number(share->schedules), "observed",
                                              json_from_number(share->observed), "newly_covered",
                                              json_from_number(share->newly_covered)));
    }
    return list;
}

static json_t *warnings(const struct report_campaign *campaign)
{
    json_t *list = json_array();
    for (size_t i = 0; i < campaign->warnings.count; i++) {
        const struct report_warning *warning = &campaign->warnings.data[i];
        json_array_append_new(
            list, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "kind", json_from_text(warning->kind),
                            "variable", json_from_text(warning->variable), "orders", json_from_text(warning->orders),
                            "site", json_from_text(warning->site), "text", json_from_text(warning->text), "stacks",
                            json_from_text(warning->stacks), "schedule", json_from_number(warning->schedule), "count",
                            json_from_number(warning->count)));
    }
    return list;
}

static json_t *texts(const report_texts *list)
{
    json_t *array = json_array();
    for (size_t i = 0; i < list->count; i++)
        json_array_append_new(array, json_from_text(list->data[i]));
    return array;
}

static json_t *violations(const struct report_campaign *campaign)
{
    json_t *list = json_array();
    for (size_t i = 0; i < campaign->violations.count; i++) {
        const struct report_violation *violation = &campaign->violations.data[i];
        json_t *entry = json_pack("{s:o, s:o, s:o, s:o, s:o}", "pattern", json_from_text(violation->pattern), "set",
                                  json_from_text(violation->set), "units", texts(&violation->units), "sites",
                                  texts(&violation->sites), "objects", texts(&violation->objects));
        json_object_set_new(entry, "count", json_from_number(violation->count));
        json_object_set_new(entry, "failed", json_from_number(violation->failed));
        json_object_set_new(entry, "inconsistent", json_from_number(violation->inconsistent));
        json_object_set_new(entry, "benign", json_boolean(violation->benign));
        json_object_set_new(entry, "apart", json_boolean(violation->guarded_apart));
        json_array_append_new(list, entry);
    }
    return list;
}

static json_t *words(char *const *word)
{
    json_t *list = json_array();
    for (; word != NULL && *word != NULL; word++)
        json_array_append_new(list, json_from_text(*word));
    return list;
}

static void add_lists(json_t *object, const struct report_campaign *campaign)
{
    json_t *uncontrolled = json_array(), *limits = json_array();
    for (size_t i = 0; i < campaign->uncontrolled.count; i++)
        json_array_append_new(uncontrolled,
                              json_pack("{s:o, s:o}", "name", json_from_text(campaign->uncontrolled.data[i].name),
                                        "count", json_from_number(campaign->uncontrolled.data[i].count)));
    for (size_t i = 0; i < campaign->limits.count; i++)
        json_array_append_new(limits, json_from_text(campaign->limits.data[i]));
    json_object_set_new(object, "command", words(campaign->command));
    json_object_set_new(object, "shares", shares(campaign));
    json_object_set_new(object, "warnings", warnings(campaign));
    json_object_set_new(object, "violations", violations(campaign));
    json_object_set_new(object, "uncontrolled", uncontrolled);
    json_object_set_new(object, "limits", limits);
    json_object_set_new(object, "coverage", coverage_of(&campaign->coverage));
    json_object_set_new(object, "techniques", techniques(campaign));
    json_object_set_new(object, "remarks", remarks(campaign));
}

json_t *html_campaign(const struct report_campaign *campaign)
{
    json_t *object =
        json_pack("{s:o, s:o, s:o, s:I, s:f, s:i, s:o, s:b}", "version", json_from_text(campaign->version), "strategy",
                  json_from_text(campaign->strategy), "seed", json_from_number(campaign->seed), "began",
                  (json_int_t)campaign->began, "seconds", campaign->seconds, "exit_code", campaign->exit_code, "error",
                  json_from_text(campaign->error), "interrupted", campaign->interrupted);
    add_counters(object, campaign_counters, &campaign->count);
    json_object_set_new(object, "first",
                        campaign->has_first
                            ? json_pack("{s:o, s:f}", "schedules", json_from_number(campaign->schedules_to_first),
                                        "seconds", campaign->seconds_to_first)
                            : json_null());
    json_object_set_new(object, "failures", json_from_number(campaign->failures));
    add_lists(object, campaign);
    return object;
}

json_t *html_past(const struct report_past *past)
{
    json_t *object =
        json_pack("{s:I, s:f, s:o, s:o, s:o, s:i, s:b}", "began", (json_int_t)past->began, "seconds", past->seconds,
                  "version", json_from_text(past->version), "strategy", json_from_text(past->strategy), "seed",
                  json_from_number(past->seed), "exit_code", past->exit_code, "interrupted", past->interrupted);
    add_counters(object, history_counters, &past->count);
    return object;
}
