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
#include "util/buffer.h"

void result_monitor_free(struct result_monitor *monitor)
{
    for (size_t i = 0; i < monitor->violations.count; i++) {
        struct result_violation *violation = &monitor->violations.data[i];
        char *texts[] = {violation->key,      violation->pattern,  violation->set,
                         violation->units[0], violation->units[1], violation->calls[0],
                         violation->calls[1], violation->text,     violation->stacks};
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
        .stacks = violation_calls(run, violation),
    };
    for (unsigned which = 0; which < 2; which++) {
        const struct unit_label *unit = violation_unit(run, violation, which);
        told.units[which] = memory_copy_string(violation_function(run, unit));
        told.calls[which] = call_place(run, unit);
    }
    told.is_benign = violation_is_benign(run, violation);
    told.is_apart = violation_is_apart(run, violation);
    violation_list_objects(run, violation, &told.objects);
    list_sites(run, violation, &told.sites);
    return told;
}

static void suppress(struct result_seen_run *seen, const struct violation *violation, struct result_violation *told)
{
    struct wire_finding finding;
    violation_finding(&seen->run, violation, &finding);
    struct suppression *line = oracle_suppressed(seen->oracle, seen->server, seen->run.copy, &finding);
    if (line == NULL || told->is_apart)
        return;
    results_suppress(seen->results, seen->run.symbols, seen->run.copy, &finding, line);
    told->is_benign = true;
}

/* NULL: there is no room. */
static struct result_violation *find_or_add(struct result_seen_run *seen, const struct violation *violation)
{
    struct result_monitor *monitor = &seen->results->monitor;
    uint64_t *index = table_put(&monitor->known, violation_hash(&seen->run, violation));
    if (*index == 0) {
        if (monitor->violations.count >= RESULT_VIOLATIONS) {
            monitor->left_out++;
            return NULL;
        }
        vector_push(&monitor->violations, describe(&seen->run, violation));
        suppress(seen, violation, &monitor->violations.data[monitor->violations.count - 1]);
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
        warning->stacks = memory_copy_string(violation->stacks);
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
    if (known == NULL)
        return;
    count_outcome(&known->outcome, seen);
    struct result_shown shown = {(size_t)(known - monitor->violations.data), *violation};
    vector_push(&seen->shown, shown);
    if (known->is_benign) {
        monitor->benign += monitor->last_benign != seen->schedule;
        monitor->last_benign = seen->schedule;
    } else if (seen->warn && !known->is_apart) {
        warn(seen, known);
    }
}

/* ---- invariants ---------------------------------------------------------------------------------------------------- */

/* The violation is on the object, and came before. */
static bool is_about(const struct violation_run *run, const struct violation *violation, uint32_t at)
{
    const struct event *invariant = execution_event(run->execution, at);
    for (unsigned i = 0; i < violation->count; i++) {
        const struct event *event = violation_event(run, violation, i);
        if (run->accesses[violation->accesses[i]].event > at || event->address < invariant->address ||
            event->address - invariant->address >= invariant->size)
            return false;
    }
    return true;
}

static void count_inconsistent(struct result_outcome *outcome, uint64_t schedule)
{
    outcome->inconsistent += outcome->last_inconsistent != schedule;
    outcome->last_inconsistent = schedule;
}

static void see_broken(struct result_seen_run *seen, uint32_t at)
{
    for (size_t i = 0; i < seen->shown.count; i++) {
        const struct result_shown *shown = &seen->shown.data[i];
        struct result_violation *violation = &seen->results->monitor.violations.data[shown->number];
        if (!is_about(&seen->run, &shown->violation, at))
            continue;
        count_inconsistent(&violation->outcome, seen->schedule);
        if (seen->warn && !violation->is_benign && !violation->is_apart)
            count_inconsistent(&find_warning(seen->results, violation->key)->outcome, seen->schedule);
    }
}

void result_seen_run_end(struct result_seen_run *seen)
{
    for (uint32_t i = 0; seen->shown.count > 0 && i < execution_count(seen->run.execution); i++) {
        const struct event *event = execution_event(seen->run.execution, i);
        if (event->op == OP_INVARIANT && event->value == 0)
            see_broken(seen, i);
    }
    vector_free(&seen->shown);
}

/* ---- what it led to ------------------------------------------------------------------------------------------------ */

/* "; 3 of these schedules failed; in 2 an invariant did not hold afterwards"; nothing if nothing was seen. */
static void add_outcome(const struct result_outcome *outcome, struct buffer *text)
{
    if (outcome->failed > 0)
        buffer_printf(text, "; %" PRIu64 " of these schedules failed", outcome->failed);
    if (outcome->inconsistent > 0)
        buffer_printf(text, "; in %" PRIu64 " an invariant did not hold afterwards", outcome->inconsistent);
}

static void tell(struct result_warning *warning)
{
    struct buffer text = {0};
    buffer_add_string(&text, warning->text);
    add_outcome(&warning->outcome, &text);
    free(warning->text);
    warning->text = buffer_take(&text);
}

void results_tell_violations(struct results *results)
{
    for (size_t i = 0; i < results->warnings.count; i++)
        if (results->warnings.data[i].outcome.count > 0)
            tell(&results->warnings.data[i]);
}
