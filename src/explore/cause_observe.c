/* SPDX-License-Identifier: MIT
 *
 * cause_observe.c - which patterns each run shows.
 */
#include <string.h>

#include "explore/cause_private.h"
#include "explore/coverage_private.h"
#include "trace/schedule.h"
#include "trace/story.h"
#include "util/stop.h"

enum { SPIN_PERIOD = 4 }; /* reads of a loop */

/* ---- life --------------------------------------------------------------------------------------------------------- */

/* Two and three steps; with four on two variables too, if runs are short. */
static family_mask rows_for(size_t events)
{
    struct error error;
    return family_by_name(events > LAB_LONG ? "idiom.1,idiom.2"
                                            : "idiom,map.9,map.10,map.11,map.12,map.13,map.14,map.15,map.16,map.17",
                          &error);
}

void lab_open(struct cause_lab *lab)
{
    lab->sites = sites_new();
    lab->places = places_new(lab->sites);
    lab->numbers.bare = true;
}

static void run_free(struct lab_run *run)
{
    vector_free(&run->events);
    vector_free(&run->sites);
    vector_free(&run->waits);
    vector_free(&run->open);
}

void lab_forget_runs(struct cause_lab *lab)
{
    for (size_t i = 0; i < lab->all.count; i++)
        run_free(&lab->all.data[i]);
    vector_clear(&lab->all);
    vector_clear(&lab->candidates);
    instances_clear(&lab->numbers);
    table_clear(&lab->schedules);
    lab->verdicts = (struct cause_verdicts){0};
    lab->failing = lab->passing = lab->passed = 0;
    lab->event_count = 0;
    lab->full = false;
}

void lab_close(struct cause_lab *lab)
{
    lab_forget_runs(lab);
    vector_free(&lab->all);
    vector_free(&lab->candidates);
    vector_free(&lab->application);
    observer_free(lab->observer);
    instances_free(&lab->found);
    instances_free(&lab->numbers);
    table_free(&lab->schedules);
    places_free(lab->places);
    sites_free(lab->sites);
    wire_copy_free(&lab->copy);
}

/* ---- candidates ----------------------------------------------------------------------------------------------------- */

struct pattern lab_pattern(const struct instance *instance)
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

static bool is_application(const struct cause_lab *lab, uint32_t site)
{
    return site < lab->application.count && lab->application.data[site] == 2;
}

/* A campaign has seen it in a run that passed. */
static bool is_known_to_pass(const struct cause_lab *lab, const struct instance *instance)
{
    if (lab->seen == NULL || instance->row >= family_count || !(coverage_families(lab->seen) >> instance->row & 1))
        return false;
    struct instance there = *instance;
    uint8_t order[PATTERN_STEPS];
    for (unsigned i = 0; i < PATTERN_STEPS; i++)
        if (instance->site[i] != SITE_ANY) {
            struct site_key key = *sites_get(lab->sites, instance->site[i]);
            key.ordinal = 0;
            there.site[i] = sites_add_instruction(coverage_sites(lab->seen), &key);
        }
    instance_canonical(&there, order);
    size_t number = coverage_find(lab->seen, &there);
    return number != SIZE_MAX && coverage_passed(lab->seen, number) > 0;
}

size_t lab_number(struct cause_lab *lab, const struct instance *instance)
{
    size_t number = instances_find(&lab->numbers, instance);
    if (number != SIZE_MAX || lab->candidates.count >= LAB_INSTANCES)
        return number;
    instances_add(&lab->numbers, instance, NULL);
    unsigned steps = lab_pattern(instance).count;
    struct cause_candidate candidate = {.instance = *instance, .tier = tier_of(instance, steps)};
    unsigned foreign = 0;
    for (unsigned i = 0; i < steps; i++)
        foreign += !is_application(lab, instance->site[i]);
    candidate.foreign = foreign == 0 ? 0 : foreign < steps ? 1 : 2;
    vector_push(&lab->candidates, candidate);
    return lab->candidates.count - 1;
}

/* The place of a step among the events of the run; the count of events if it was not done. */
static size_t event_of(const struct lab_run *run, const struct witness *witness, uint32_t site)
{
    for (size_t i = 0; i < run->events.count; i++)
        if (run->events.data[i].task == witness->task && run->events.data[i].operation == witness->operation &&
            run->sites.data[i] == site)
            return i;
    return run->events.count;
}

void lab_place_in_base(struct cause_lab *lab, struct cause_candidate *candidate, const struct witness *witnesses)
{
    const struct lab_run *base = &lab->all.data[0];
    candidate->in_base = true;
    candidate->refused = is_known_to_pass(lab, &candidate->instance);
    memcpy(candidate->witnesses, witnesses, sizeof candidate->witnesses);
    for (unsigned i = 0; i < lab_pattern(&candidate->instance).count; i++) {
        size_t at = event_of(base, &witnesses[i], candidate->instance.site[i]);
        if (at == base->events.count)
            candidate->pending++;
        else if (at > candidate->last)
            candidate->last = (uint32_t)at;
    }
    if (candidate->tier == TIER_TRIPLE && candidate->pending > 0)
        candidate->tier = TIER_CUT;
}

void lab_add_instance(struct cause_lab *lab, unsigned run, const struct instance *instance,
                      const struct witness *witnesses)
{
    size_t count = lab->candidates.count, number = lab_number(lab, instance);
    if (number == SIZE_MAX)
        return;
    struct cause_candidate *candidate = &lab->candidates.data[number];
    if (number == count)
        memcpy(candidate->witnesses, witnesses, sizeof candidate->witnesses);
    cause_set_add(&candidate->seen, run);
    if (run == 0 && !candidate->in_base)
        lab_place_in_base(lab, candidate, witnesses);
}

/* ---- observing ------------------------------------------------------------------------------------------------------ */

static void feed(struct cause_lab *lab, const struct wire_event *events, const uint32_t *sites, size_t count)
{
    for (size_t i = 0; i < count && !stop_requested(); i++) {
        struct event event = event_from_wire(&events[i], sites[i]);
        observer_feed(lab->observer, &event);
    }
}

void lab_observe(struct cause_lab *lab, unsigned number, const struct wire_event *more, const uint32_t *sites,
                 size_t count)
{
    const struct lab_run *run = &lab->all.data[number];
    instances_clear(&lab->found);
    observer_restart(lab->observer);
    feed(lab, run->events.data, run->sites.data, run->events.count);
    feed(lab, more, sites, count);
    for (size_t i = 0; i < lab->found.all.count; i++)
        lab_add_instance(lab, number, &lab->found.all.data[i], instances_witnesses(&lab->found, i));
}

/* ---- keeping -------------------------------------------------------------------------------------------------------- */

static bool is_same_look(const struct wire_event *a, const struct wire_event *b)
{
    struct event as_event = event_from_wire(b, SITE_ANY);
    struct access accesses[EVENT_ACCESSES];
    return a->task == b->task && a->pc == b->pc && a->op == b->op && a->address == b->address && a->value == b->value &&
           event_accesses(&as_event, 0, accesses) == 1 && accesses[0].kind == ACCESS_READ;
}

/* A loop that looks again and again at what does not change, alone: once is enough. */
static void drop_repetition(struct lab_run *run)
{
    for (size_t period = 1; period <= SPIN_PERIOD && 2 * period <= run->events.count; period++) {
        const struct wire_event *last = run->events.data + run->events.count - period;
        size_t same = 0;
        while (same < period && is_same_look(&last[same] - period, &last[same]) && last[same].task == last[0].task)
            same++;
        if (same == period) {
            run->events.count -= period;
            return;
        }
    }
}

static void copy_events(struct cause_lab *lab, struct lab_run *run)
{
    const struct wire_copy *copy = &lab->copy;
    for (size_t i = 0; i < copy->events.count && !stop_requested(); i++) {
        if (copy->events.data[i].op == OP_START) {
            struct event stack = coverage_new_stack(copy, copy->events.data[i].task);
            vector_push(
                &run->events,
                (struct wire_event){.op = OP_ALLOC, .task = stack.task, .address = stack.address, .size = stack.size});
        }
        vector_push(&run->events, copy->events.data[i]);
        drop_repetition(run);
    }
}

/* The operation that failed was not done, so it is not among the events; but everything was ready for it. */
static void add_failing_operation(struct cause_lab *lab, struct lab_run *run)
{
    const struct wire_finding *finding = &lab->judgement.finding;
    const struct wire_access *here = &finding->here;
    if (here->op == OP_NONE || here->op >= WIRE_OP_COUNT || here->address == 0)
        return;
    uint64_t last = 0;
    for (size_t i = 0; i < run->events.count; i++) {
        const struct wire_event *event = &run->events.data[i];
        if (event->task != here->task)
            continue;
        last = event->operation;
        if (event->operation >= here->operation && event->pc == here->pc && event->op == here->op)
            return;
    }
    struct wire_event event = {.operation = here->operation > last ? here->operation : last + 1,
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
    vector_push(&run->events, event);
}

static void list_open_tasks(struct lab_run *run, uint32_t task_count)
{
    uint8_t *ended = memory_allocate(WIRE_TASKS, 1);
    for (size_t i = 0; i < run->events.count; i++)
        if (run->events.data[i].op == OP_END)
            ended[run->events.data[i].task] = 1;
    for (uint32_t task = 0; task < task_count && run->open.count < LAB_TASKS; task++)
        if (!ended[task])
            vector_push(&run->open, (uint16_t)task);
    free(ended);
}

static void note_application(struct cause_lab *lab, const struct lab_run *run)
{
    for (size_t i = 0; i < run->events.count; i++) {
        uint32_t site = run->sites.data[i];
        while (lab->application.count <= site)
            vector_push(&lab->application, 0);
        if (lab->application.data[site] == 0)
            lab->application.data[site] =
                story_is_application(symbols_site(lab->symbols->symbols, run->events.data[i].pc)) ? 2 : 1;
    }
}

bool lab_keep_run(struct cause_lab *lab, bool failing)
{
    uint64_t *known = table_put(&lab->schedules, schedule_hash(lab->copy.steps.data, lab->copy.steps.count));
    lab->passed += !failing;
    lab->full |= lab->all.count >= CAUSE_RUNS || lab->event_count > LAB_EVENTS;
    if (++*known > 1 || lab->full)
        return false;
    server_symbols_get(lab->symbols, lab->server);
    struct lab_run run = {.failing = failing};
    copy_events(lab, &run);
    if (failing) {
        run.kind = lab->judgement.finding.kind;
        run.here = lab->judgement.finding.here;
        add_failing_operation(lab, &run);
        list_open_tasks(&run, lab->copy.result.task_count);
        vector_append(&run.waits, lab->copy.result.blocked, lab->copy.result.blocked_count);
    }
    places_find(lab->places, &lab->symbols->modules, lab->symbols->symbols, run.events.data, run.events.count,
                &run.sites);
    note_application(lab, &run);
    if (lab->observer == NULL) {
        lab->rows = rows_for(run.events.count);
        struct observer_options options = {.wanted = lab->rows, .anew = true};
        lab->observer = observer_new(&options, &lab->found);
    }
    unsigned number = (unsigned)lab->all.count;
    vector_push(&lab->all, run);
    lab->event_count += run.events.count;
    lab_observe(lab, number, NULL, NULL, 0);
    if (stop_requested()) /* what it shows is not known */
        return false;
    cause_set_add(failing ? &lab->verdicts.failing : &lab->verdicts.passing, number);
    *(failing ? &lab->failing : &lab->passing) += 1;
    return true;
}

/* ---- all runs ------------------------------------------------------------------------------------------------------- */

void lab_compare_runs(struct cause_lab *lab)
{
    for (unsigned i = 0; i < lab->all.count && !stop_requested(); i++) {
        if (lab->all.data[i].open.count > 0)
            lab_look_ahead(lab, i);
        lab_add_findings(lab, i);
    }
    lab_match_own_rows(lab);
}
