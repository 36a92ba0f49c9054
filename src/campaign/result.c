/* SPDX-License-Identifier: MIT
 *
 * result.c - what a campaign has found so far.
 */
#include "campaign/result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/headline.h"
#include "trace/schedule.h"
#include "util/hash.h"

enum { DISTINCT_LIMIT = 100000 }; /* schedules that are told apart: memory does not grow with the campaign */

static void free_failures(result_failures *list)
{
    for (size_t i = 0; i < list->count; i++) {
        struct result_failure *failure = &list->data[i];
        char *texts[] = {failure->key,  failure->kind,  failure->site,     failure->text,
                         failure->path, failure->early, failure->strategy, failure->pattern};
        for (size_t j = 0; j < sizeof texts / sizeof texts[0]; j++)
            free(texts[j]);
        for (size_t j = 0; j < failure->also.count; j++)
            free(failure->also.data[j]);
        vector_free(&failure->also);
    }
    vector_free(list);
}

void results_free(struct results *results)
{
    technique_end_free(&results->end);
    free_failures(&results->failures);
    free_failures(&results->unconfirmed);
    for (size_t i = 0; i < results->warnings.count; i++) {
        struct result_warning *warning = &results->warnings.data[i];
        char *texts[] = {warning->key,    warning->kind,   warning->site,    warning->text,
                         warning->stacks, warning->orders, warning->variable};
        for (size_t j = 0; j < sizeof texts / sizeof texts[0]; j++)
            free(texts[j]);
    }
    free(results->last_words);
    vector_free(&results->warnings);
    for (size_t i = 0; i < results->leaks.count; i++) {
        free(results->leaks.data[i].key);
        free(results->leaks.data[i].site);
    }
    vector_free(&results->leaks);
    for (size_t i = 0; i < results->suppressed.count; i++)
        free(results->suppressed.data[i]);
    vector_free(&results->suppressed);
    table_free(&results->seen_suppressed);
    vector_free(&results->uncontrolled);
    vector_free(&results->used_up);
    blind_free(&results->blind);
    coverage_free(results->coverage);
    result_monitor_free(&results->monitor);
    table_free(&results->seen);
    table_free(&results->distinct);
}

const char *result_kind_name(uint32_t kind)
{
    static const char *const names[WIRE_KIND_COUNT] = {
#define X(name, text, failure) text,
        WIRE_KINDS(X)
#undef X
    };
    return kind < WIRE_KIND_COUNT ? names[kind] : "?";
}

static void count_uncontrolled(struct results *results, const struct wire_uncontrolled *call)
{
    for (size_t i = 0; i < results->uncontrolled.count; i++)
        if (strcmp(results->uncontrolled.data[i].name, call->name) == 0) {
            results->uncontrolled.data[i].count += call->count;
            return;
        }
    struct result_uncontrolled entry = {.count = call->count};
    memcpy(entry.name, call->name, sizeof entry.name);
    vector_push(&results->uncontrolled, entry);
}

static void count_used_up(struct results *results, const char *call)
{
    size_t i = 0;
    if (*call == '\0')
        return;
    while (i < results->used_up.count && strcmp(results->used_up.data[i].name, call) != 0)
        i++;
    struct result_uncontrolled entry = {.count = 0};
    snprintf(entry.name, sizeof entry.name, "%s", call);
    if (i == results->used_up.count)
        vector_push(&results->used_up, entry);
    results->used_up.data[i].count++;
}

static void raise(uint64_t *most, uint64_t value)
{
    if (value > *most)
        *most = value;
}

static bool is_io(const struct wire_event *event)
{
    return op_class(event->op) == CLASS_IO;
}

void results_count(struct results *results, const struct wire_copy *copy)
{
    const struct wire_result *result = &copy->result;
    results->schedules++;
    results->points += result->points;
    results->operations += result->operations;
    if (result->task_count > results->threads)
        results->threads = result->task_count;
    raise(&results->shared_sites, result->shared_sites);
    raise(&results->shared_locations, result->shared_locations);
    raise(&results->locks, result->locks);
    results->lost_tables |= result->lost;
    for (uint32_t i = 0; i < result->uncontrolled_count; i++)
        count_uncontrolled(results, &result->uncontrolled[i]);
    count_used_up(results, result->used_up);
    for (size_t i = 0; i < copy->events.count && !results->talk; i++)
        results->talk = copy->events.data[i].task != 0 && is_io(&copy->events.data[i]);
    if (results->distinct.count < DISTINCT_LIMIT)
        *table_put(&results->distinct, schedule_hash(copy->steps.data, copy->steps.count)) += 1;
}

uint64_t results_distinct(const struct results *results)
{
    return results->distinct.count;
}

bool results_told_apart(const struct results *results)
{
    return results->distinct.count < DISTINCT_LIMIT;
}

static struct result_warning *find_warning(struct results *results, const char *key)
{
    for (size_t i = 0; i < results->warnings.count; i++)
        if (strcmp(results->warnings.data[i].key, key) == 0)
            return &results->warnings.data[i];
    return NULL;
}

/* One schedule may show the same pair of places several times. */
static void count_warning(struct result_warning *warning, uint64_t schedule)
{
    warning->count += warning->last != schedule;
    warning->last = schedule;
}

static char *variable_name(struct symbols *symbols, const struct wire_copy *copy, const struct wire_finding *finding)
{
    struct headline_names names;
    headline_names(symbols, &copy->result, finding, copy->events.data, (uint32_t)copy->events.count, &names);
    if (names.count == 2)
        return memory_format("%s, %s", names.names[0], names.names[1]);
    return names.count == 1 ? memory_copy_string(names.names[0]) : NULL;
}

/* Blocks and what is on stacks have their names from the events of the run; without them only numbers. */
static void name_warning(struct result_warning *warning, struct symbols *symbols, const struct wire_copy *copy,
                         const struct wire_finding *finding)
{
    free(warning->text);
    free(warning->variable);
    warning->text = headline_text(symbols, &copy->result, finding, copy->events.data, (uint32_t)copy->events.count);
    warning->variable = variable_name(symbols, copy, finding);
    warning->unnamed = copy->events.count == 0 && warning->variable != NULL && strchr(warning->variable, '#') != NULL;
}

static void see_again(struct result_warning *warning, struct symbols *symbols, const struct wire_copy *copy,
                      const struct wire_finding *finding, uint64_t schedule)
{
    count_warning(warning, schedule);
    if (warning->unnamed && copy->events.count > 0)
        name_warning(warning, symbols, copy, finding);
}

struct result_warning *results_warn(struct results *results, struct symbols *symbols, const struct wire_copy *copy,
                                    const struct wire_finding *finding, uint64_t schedule)
{
    uint64_t *index = table_put(&results->seen, failure_raw_place(finding));
    if (*index != 0) {
        see_again(&results->warnings.data[*index - 1], symbols, copy, finding, schedule);
        return NULL;
    }
    char *key = failure_key(symbols, &copy->result, finding);
    struct result_warning *known = find_warning(results, key);
    if (known != NULL) {
        see_again(known, symbols, copy, finding, schedule);
        *index = (uint64_t)(known - results->warnings.data) + 1;
        free(key);
        return NULL;
    }
    struct result_warning warning = {
        .key = key,
        .schedule = schedule,
        .count = 1,
        .last = schedule,
        .kind = memory_copy_string(result_kind_name(finding->kind)),
        .site = memory_copy_string(headline_site(symbols, &copy->result, finding)),
        .stacks = headline_stacks(symbols, finding),
    };
    name_warning(&warning, symbols, copy, finding);
    vector_push(&results->warnings, warning);
    *index = results->warnings.count;
    return &results->warnings.data[results->warnings.count - 1];
}

struct result_warning *results_warning_of(struct results *results, struct symbols *symbols,
                                          const struct wire_copy *copy, const struct wire_finding *finding)
{
    char *key = failure_key(symbols, &copy->result, finding);
    struct result_warning *warning = find_warning(results, key);
    free(key);
    return warning;
}

/* As for warnings raw addresses are compared first. */
void results_suppress(struct results *results, struct symbols *symbols, const struct wire_copy *copy,
                      const struct wire_finding *finding, struct suppression *suppression)
{
    uint64_t *known = table_put(&results->seen_suppressed, failure_raw_place(finding));
    if ((*known)++ > 0)
        return;
    char *key = failure_key(symbols, &copy->result, finding);
    for (size_t i = 0; i < results->suppressed.count; i++)
        if (strcmp(results->suppressed.data[i], key) == 0) {
            free(key);
            return;
        }
    vector_push(&results->suppressed, key);
    suppress_count(suppression);
}

double results_rate(const struct results *results)
{
    double seconds = results->seconds - results->seconds_telling;
    return seconds > 0 ? (double)results->schedules / seconds : 0;
}

static bool has_key(const struct result_failure *failure, const char *key)
{
    bool has = strcmp(failure->key, key) == 0;
    for (size_t i = 0; i < failure->also.count && !has; i++)
        has = strcmp(failure->also.data[i], key) == 0;
    return has;
}

static struct result_failure *find(const result_failures *list, const char *key)
{
    for (size_t i = 0; i < list->count; i++)
        if (has_key(&list->data[i], key))
            return &list->data[i];
    return NULL;
}

struct result_failure *results_find_cause(struct results *results, const char *pattern)
{
    for (size_t i = 0; i < results->failures.count && pattern != NULL; i++)
        if (results->failures.data[i].pattern != NULL && strcmp(results->failures.data[i].pattern, pattern) == 0)
            return &results->failures.data[i];
    return NULL;
}

struct result_failure *results_find(struct results *results, const char *key)
{
    return find(&results->failures, key);
}

struct result_failure *results_find_unconfirmed(struct results *results, const char *key)
{
    return find(&results->unconfirmed, key);
}
