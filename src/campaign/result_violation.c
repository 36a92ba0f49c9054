/* SPDX-License-Identifier: MIT
 *
 * result_violation.c - see result_violation.h.
 */
#include "campaign/result_violation.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "campaign/result.h"
#include "trace/headline.h"
#include "util/text.h"

void result_monitor_free(struct result_monitor *monitor)
{
    for (size_t i = 0; i < monitor->violations.count; i++) {
        struct result_violation *violation = &monitor->violations.data[i];
        char *texts[] = {violation->key,      violation->pattern,  violation->set,      violation->units[0],
                         violation->units[1], violation->calls[0], violation->calls[1], violation->text};
        for (size_t j = 0; j < sizeof texts / sizeof texts[0]; j++)
            free(texts[j]);
        violation_free_names(&violation->objects);
        violation_free_names(&violation->sites);
    }
    vector_free(&monitor->violations);
    vector_free(&monitor->accesses);
    table_free(&monitor->known);
}

/* ---- a violation --------------------------------------------------------------------------------------------------- */

static char *call_place(const struct violation_run *run, const struct unit_label *unit)
{
    uint64_t pc = unit->call != 0 ? run->copy->calls.data[unit->call - 1].pc : 0;
    return memory_copy_string(pc != 0 ? headline_where(run->symbols, pc) : "");
}

static bool is_benign(const struct violation_run *run, const struct unit_label *unit)
{
    return unit->function != 0 && atomic_sets_function(run->sets, unit->function)->is_benign;
}

static void list_sites(const struct violation_run *run, const struct violation *violation, violation_names *sites)
{
    uint32_t events[SERIALIZABILITY_EVENTS];
    unsigned count = violation_events(run, violation, events);
    for (unsigned i = 0; i < count; i++) {
        uint64_t pc = execution_event(run->execution, events[i])->pc;
        vector_push(sites, memory_copy_string(headline_where(run->symbols, pc)));
    }
}

static struct result_violation describe(const struct violation_run *run, const struct violation *violation)
{
    struct result_violation told = {
        .key = violation_key(run, violation),
        .pattern = memory_copy_string(violation_pattern(violation)),
        .set = memory_copy_string(violation_set(run, violation)),
        .text = violation_text(run, violation),
    };
    for (unsigned which = 0; which < 2; which++) {
        const struct unit_label *unit = violation_unit(run, violation, which);
        told.units[which] = memory_copy_string(violation_function(run, unit));
        told.calls[which] = call_place(run, unit);
        told.is_benign |= is_benign(run, unit);
    }
    violation_list_objects(run, violation, &told.objects);
    list_sites(run, violation, &told.sites);
    return told;
}

/* NULL: there is no room. */
static struct result_violation *find_or_add(struct result_seen_run *seen, const struct violation *violation)
{
    struct result_monitor *monitor = &seen->results->monitor;
    uint64_t *index = table_put(&monitor->known, violation_hash(&seen->run, violation));
    if (*index == 0) {
        if (monitor->violations.count >= RESULT_VIOLATIONS)
            return NULL;
        vector_push(&monitor->violations, describe(&seen->run, violation));
        *index = monitor->violations.count;
    }
    return &monitor->violations.data[*index - 1];
}

/* One schedule may show the same several times. */
static bool count_outcome(struct result_outcome *outcome, const struct result_seen_run *seen)
{
    if (outcome->last == seen->schedule)
        return false;
    if (outcome->count++ == 0)
        outcome->schedule = seen->schedule;
    outcome->last = seen->schedule;
    outcome->failed += seen->failed;
    return true;
}

/* ---- warnings ------------------------------------------------------------------------------------------------------ */

static struct result_warning *find_warning(struct results *results, const char *key)
{
    for (size_t i = 0; i < results->warnings.count; i++)
        if (strcmp(results->warnings.data[i].key, key) == 0)
            return &results->warnings.data[i];
    struct result_warning warning = {.key = memory_copy_string(key),
                                     .kind = memory_copy_string(result_kind_name(KIND_SERIALIZABILITY))};
    vector_push(&results->warnings, warning);
    return &results->warnings.data[results->warnings.count - 1];
}

static void warn(struct result_seen_run *seen, const struct result_violation *violation)
{
    struct result_warning *warning = find_warning(seen->results, violation->key);
    if (warning->text == NULL) {
        warning->text = memory_copy_string(violation->text);
        if (violation->objects.count > 0)
            warning->variable = memory_copy_string(violation->objects.data[0]);
        warning->site = memory_copy_string(violation->sites.data[violation->sites.count - 1]);
    }
    count_outcome(&warning->outcome, seen);
    warning->schedule = warning->outcome.schedule;
    warning->count = warning->outcome.count;
}

void results_violation(struct result_seen_run *seen, const struct violation *violation)
{
    struct result_monitor *monitor = &seen->results->monitor;
    struct result_violation *known = find_or_add(seen, violation);
    if (known == NULL) {
        monitor->left_out++;
        return;
    }
    count_outcome(&known->outcome, seen);
    if (known->is_benign) {
        monitor->benign += monitor->last_benign != seen->schedule;
        monitor->last_benign = seen->schedule;
    } else if (seen->warn) {
        warn(seen, known);
    }
}

/* "12 schedules, 3 failed, in 2 what belongs together was left inconsistent" */
static char *outcome_text(const struct result_outcome *outcome)
{
    struct buffer text = {0};
    if (outcome->failed > 0)
        buffer_printf(&text, "%" PRIu64 " of these schedules failed", outcome->failed);
    if (outcome->inconsistent > 0)
        buffer_printf(&text, "%sin %" PRIu64 " an invariant did not hold afterwards", text.size > 0 ? ", " : "",
                      outcome->inconsistent);
    if (text.size == 0)
        buffer_add_string(&text, "none of these schedules failed");
    return buffer_take(&text);
}

void results_tell_violations(struct results *results)
{
    for (size_t i = 0; i < results->warnings.count; i++) {
        struct result_warning *warning = &results->warnings.data[i];
        if (warning->outcome.count > 0)
            warning->orders = outcome_text(&warning->outcome);
    }
}
