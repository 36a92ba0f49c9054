/* SPDX-License-Identifier: MIT
 *
 * cause_observe.c - which patterns each run shows.
 */
#include <string.h>

#include "explain/cause_private.h"
#include "trace/headline.h"
#include "trace/schedule.h"
#include "util/stop.h"

enum { SPIN_PERIOD = 4 }; /* reads of a loop */

/* ---- life --------------------------------------------------------------------------------------------------------- */

/* Two and three steps; with four on two variables too, if runs are short. */
static family_mask rows_for(size_t events)
{
    struct error error;
    return family_by_name(events > EXPERIMENT_LONG
                              ? "idiom.1,idiom.2"
                              : "idiom,map.9,map.10,map.11,map.12,map.13,map.14,map.15,map.16,map.17",
                          &error);
}

void experiment_open(struct experiment *experiment)
{
    experiment->sites = sites_new();
    experiment->site_map = site_map_new(experiment->sites);
    experiment->numbers.bare = true;
}

static void run_free(struct experiment_run *run)
{
    execution_free(&run->execution);
    vector_free(&run->waits);
    vector_free(&run->open);
}

void experiment_forget_runs(struct experiment *experiment)
{
    for (size_t i = 0; i < experiment->all.count; i++)
        run_free(&experiment->all.data[i]);
    vector_clear(&experiment->all);
    vector_clear(&experiment->candidates);
    instances_clear(&experiment->numbers);
    table_clear(&experiment->schedules);
    vector_clear(&experiment->forced);
    experiment->verdicts = (struct cause_verdicts){0};
    experiment->failing = experiment->passing = experiment->passed = 0;
    experiment->event_count = 0;
    experiment->full = false;
}

void experiment_close(struct experiment *experiment)
{
    experiment_forget_runs(experiment);
    vector_free(&experiment->all);
    vector_free(&experiment->candidates);
    vector_free(&experiment->application);
    observer_free(experiment->observer);
    execution_free(&experiment->ahead);
    instances_free(&experiment->found);
    instances_free(&experiment->numbers);
    table_free(&experiment->schedules);
    vector_free(&experiment->forced);
    site_map_free(experiment->site_map);
    sites_free(experiment->sites);
    wire_copy_free(&experiment->copy);
}

/* ---- candidates ----------------------------------------------------------------------------------------------------- */

struct pattern experiment_pattern(const struct instance *instance)
{
    static const char *const shapes[] = {"a:*(x) < b:*(x)", "a:*(x) | b:*(y) < b:*(x) | a:*(y)", "a:*(x) << b:*(x)",
                                         "a:*(x) < b:*(x) < a:*(x)"};
    if (instance->row < family_count)
        return instance_pattern(instance);
    struct pattern pattern = {0};
    struct error error;
    pattern_parse(shapes[instance->row - ROW_WAIT], NULL, &pattern, &error);
    for (unsigned i = 0; i < pattern.count; i++) {
        pattern.steps[i].site = instance->site[i];
        pattern.steps[i].kind = instance->kind[i];
    }
    return pattern;
}

static bool is_handing_on(const struct instance *instance)
{
    return instance->kind[0] == ACCESS_UNLOCK || instance->kind[0] == ACCESS_RDUNLOCK ||
           instance->kind[0] == ACCESS_RELEASE;
}

static uint8_t tier_of(const struct instance *instance, unsigned steps)
{
    bool data = true;
    if (instance->row == ROW_WAIT || instance->row == ROW_CROSS)
        return TIER_WAIT;
    for (unsigned i = 0; i < steps; i++)
        data &= access_is_data((enum access_kind)instance->kind[i]);
    if (steps == 2 && instance->kind[0] == ACCESS_FREE && instance->kind[1] == ACCESS_FREE)
        return TIER_ECHO;
    if (steps == 2)
        return is_handing_on(instance) ? TIER_HANDED : TIER_PAIR;
    if (!data)
        return TIER_OTHER;
    return steps == 3 ? TIER_TRIPLE : TIER_QUAD;
}

static bool is_application(const struct experiment *experiment, uint32_t site)
{
    return site < experiment->application.count && experiment->application.data[site] == 2;
}

/* A campaign has seen it in a run that passed. */
static bool is_known_to_pass(const struct experiment *experiment, const struct instance *instance)
{
    if (experiment->seen == NULL || instance->row >= family_count ||
        !(coverage_families(experiment->seen) >> instance->row & 1))
        return false;
    struct instance there = *instance;
    uint8_t order[PATTERN_STEPS];
    for (unsigned i = 0; i < PATTERN_STEPS; i++)
        if (instance->site[i] != SITE_ANY) {
            struct site_key key = *sites_get(experiment->sites, instance->site[i]);
            key.ordinal = 0;
            there.site[i] = sites_add_instruction(coverage_sites(experiment->seen), &key);
        }
    instance_canonical(&there, order);
    size_t number = coverage_find(experiment->seen, &there);
    return number != SIZE_MAX && coverage_passed(experiment->seen, number) > 0;
}

size_t experiment_number(struct experiment *experiment, const struct instance *instance)
{
    size_t number = instances_find(&experiment->numbers, instance);
    if (number != SIZE_MAX || experiment->candidates.count >= EXPERIMENT_INSTANCES)
        return number;
    instances_add(&experiment->numbers, instance, NULL);
    unsigned steps = experiment_pattern(instance).count;
    struct cause_candidate candidate = {.instance = *instance, .tier = tier_of(instance, steps)};
    unsigned foreign = 0;
    for (unsigned i = 0; i < steps; i++)
        foreign += !is_application(experiment, instance->site[i]);
    candidate.foreign = foreign == 0 ? 0 : foreign < steps ? 1 : 2;
    vector_push(&experiment->candidates, candidate);
    return experiment->candidates.count - 1;
}

/* The event of the run that is the step; EVENT_NONE if it was not done. */
static uint32_t event_of(const struct experiment_run *run, const struct witness *witness, uint32_t site)
{
    struct event_range own = execution_task(&run->execution, witness->task);
    for (uint32_t i = 0; i < own.count; i++) {
        const struct event *event = execution_event(&run->execution, own.data[i]);
        if (event->operation == witness->operation && event->site == site)
            return own.data[i];
    }
    return EVENT_NONE;
}

void experiment_place_in_base(struct experiment *experiment, struct cause_candidate *candidate,
                              const struct witness *witnesses)
{
    const struct experiment_run *base = &experiment->all.data[0];
    candidate->in_base = true;
    candidate->refused = is_known_to_pass(experiment, &candidate->instance);
    memcpy(candidate->witnesses, witnesses, sizeof candidate->witnesses);
    for (unsigned i = 0; i < experiment_pattern(&candidate->instance).count; i++) {
        uint32_t at = event_of(base, &witnesses[i], candidate->instance.site[i]);
        candidate->at[i] = at;
        if (at == EVENT_NONE)
            candidate->pending++;
        else if (at > candidate->last)
            candidate->last = at;
    }
    if (candidate->tier == TIER_TRIPLE && candidate->pending > 0)
        candidate->tier = TIER_CUT;
}

void experiment_add_instance(struct experiment *experiment, unsigned run, const struct instance *instance,
                             const struct witness *witnesses)
{
    size_t count = experiment->candidates.count, number = experiment_number(experiment, instance);
    if (number == SIZE_MAX)
        return;
    struct cause_candidate *candidate = &experiment->candidates.data[number];
    if (number == count)
        memcpy(candidate->witnesses, witnesses, sizeof candidate->witnesses);
    cause_set_add(&candidate->seen, run);
    if (run == 0 && !candidate->in_base)
        experiment_place_in_base(experiment, candidate, witnesses);
}

/* ---- observing ------------------------------------------------------------------------------------------------------ */

void experiment_observe(struct experiment *experiment, unsigned number, const struct execution *execution)
{
    instances_clear(&experiment->found);
    observer_observe(experiment->observer, execution, 0);
    for (size_t i = 0; i < experiment->found.all.count; i++)
        experiment_add_instance(experiment, number, &experiment->found.all.data[i],
                                instances_witnesses(&experiment->found, i));
}

/* ---- keeping -------------------------------------------------------------------------------------------------------- */

typedef VECTOR(struct event) recorded_events;

static bool is_same_look(const struct event *a, const struct event *b)
{
    struct access accesses[EVENT_ACCESSES];
    return a->task == b->task && a->pc == b->pc && a->op == b->op && a->address == b->address && a->value == b->value &&
           event_accesses(b, 0, accesses) == 1 && accesses[0].kind == ACCESS_READ;
}

/* A loop that looks again and again at what does not change, alone: once is enough. */
static void drop_repetition(recorded_events *events)
{
    for (size_t period = 1; period <= SPIN_PERIOD && 2 * period <= events->count; period++) {
        const struct event *last = events->data + events->count - period;
        size_t same = 0;
        while (same < period && is_same_look(&last[same] - period, &last[same]) && last[same].task == last[0].task)
            same++;
        if (same == period) {
            events->count -= period;
            return;
        }
    }
}

static void read_events(const struct wire_copy *copy, recorded_events *events)
{
    for (size_t i = 0; i < copy->events.count && !stop_requested(); i++) {
        vector_push(events, event_from_wire(&copy->events.data[i]));
        drop_repetition(events);
    }
}

/* The operation that failed was not done, so it is not among the events; but everything was ready for it. */
static void add_failing_operation(const struct wire_finding *finding, recorded_events *events)
{
    const struct wire_access *here = &finding->here;
    if (here->op == OP_NONE || here->op >= WIRE_OP_COUNT || here->address == 0)
        return;
    uint64_t last = 0;
    for (size_t i = 0; i < events->count; i++) {
        const struct event *event = &events->data[i];
        if (event->task != here->task)
            continue;
        last = event->operation;
        if (event->operation >= here->operation && event->pc == here->pc && event->op == here->op)
            return;
    }
    struct event event = {.operation = here->operation > last ? here->operation : last + 1,
                          .pc = here->pc,
                          .address = here->address,
                          .size = here->size,
                          .task = here->task,
                          .op = here->op,
                          .flags = here->flags};
    if (event.op == OP_FREE && finding->block != 0) {
        event.address = finding->block;
        event.size = finding->block_size < UINT32_MAX ? (uint32_t)finding->block_size : UINT32_MAX;
    }
    vector_push(events, event);
}

/* The events become the execution of the run, which is in experiment->run. */
static void make_execution(struct experiment *experiment, recorded_events *events, struct execution *execution)
{
    const struct wire_result *result = &experiment->copy.result;
    site_map_find(experiment->site_map, &experiment->symbols->modules, experiment->symbols->symbols, events->data,
                  events->count);
    for (size_t i = 0; i < events->count; i++) {
        const struct event *event = &events->data[i];
        execution_add(execution, event);
        if (event->op == OP_START && event->task < result->task_count)
            execution_set_stack(execution, event->task, result->tasks[event->task].stack_lo,
                                result->tasks[event->task].stack_hi);
    }
    execution_end(execution);
}

static void list_open_tasks(struct experiment_run *run, uint32_t task_count)
{
    uint8_t *ended = memory_allocate(WIRE_TASKS, 1);
    for (uint32_t i = 0; i < execution_count(&run->execution); i++)
        if (execution_event(&run->execution, i)->op == OP_END)
            ended[execution_event(&run->execution, i)->task] = 1;
    for (uint32_t task = 0; task < task_count && run->open.count < EXPERIMENT_TASKS; task++)
        if (!ended[task])
            vector_push(&run->open, (uint16_t)task);
    free(ended);
}

static void note_application(struct experiment *experiment, const struct experiment_run *run)
{
    for (uint32_t i = 0; i < execution_count(&run->execution); i++) {
        const struct event *event = execution_event(&run->execution, i);
        uint32_t site = event->site;
        while (experiment->application.count <= site)
            vector_push(&experiment->application, 0);
        if (experiment->application.data[site] == 0)
            experiment->application.data[site] =
                headline_is_application(symbols_site(experiment->symbols->symbols, event->pc)) ? 2 : 1;
    }
}

unsigned experiment_count_forced(const struct experiment *experiment, const struct cause_candidate *candidate)
{
    struct cause_set runs = {0};
    for (size_t i = 0; i < experiment->forced.count; i++) {
        const struct experiment_forced *forced = &experiment->forced.data[i];
        if (forced->run != 0 && cause_set_has(&candidate->seen, forced->run) &&
            instance_equal(&forced->aimed, &candidate->instance))
            cause_set_add(&runs, forced->run);
    }
    return cause_set_count(&runs);
}

uint32_t experiment_keep_run(struct experiment *experiment, bool failing)
{
    uint64_t *known =
        table_put(&experiment->schedules, schedule_hash(experiment->copy.steps.data, experiment->copy.steps.count));
    experiment->passed += !failing;
    experiment->full |= experiment->all.count >= CAUSE_RUNS || experiment->event_count > EXPERIMENT_EVENTS;
    if (*known > 0)
        return (uint32_t)*known - 1;
    if (experiment->full)
        return EVENT_NONE;
    server_symbols_get(experiment->symbols, experiment->server);
    struct experiment_run run = {.failing = failing};
    recorded_events events = {0};
    read_events(&experiment->copy, &events);
    if (failing) {
        run.kind = experiment->judgement.finding.kind;
        run.here = experiment->judgement.finding.here;
        add_failing_operation(&experiment->judgement.finding, &events);
        vector_append(&run.waits, experiment->copy.result.blocked, experiment->copy.result.blocked_count);
    }
    make_execution(experiment, &events, &run.execution);
    vector_free(&events);
    if (failing)
        list_open_tasks(&run, experiment->copy.result.task_count);
    note_application(experiment, &run);
    if (experiment->observer == NULL) {
        experiment->rows = rows_for(execution_count(&run.execution));
        struct observer_options options = {.wanted = experiment->rows, .clears_found = true};
        experiment->observer = observer_new(&options, &experiment->found);
    }
    unsigned number = (unsigned)experiment->all.count;
    *known = number + 1;
    vector_push(&experiment->all, run);
    experiment->event_count += execution_count(&run.execution);
    experiment_observe(experiment, number, &run.execution);
    if (stop_requested()) /* what it shows is not known */
        return EVENT_NONE;
    cause_set_add(failing ? &experiment->verdicts.failing : &experiment->verdicts.passing, number);
    *(failing ? &experiment->failing : &experiment->passing) += 1;
    return number;
}

/* ---- all runs ------------------------------------------------------------------------------------------------------- */

void experiment_compare_runs(struct experiment *experiment)
{
    for (unsigned i = 0; i < experiment->all.count && !stop_requested(); i++) {
        if (experiment->all.data[i].open.count > 0)
            experiment_look_ahead(experiment, i);
        experiment_add_findings(experiment, i);
    }
    experiment_match_own_rows(experiment);
}
