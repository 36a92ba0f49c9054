/* SPDX-License-Identifier: MIT
 *
 * cause_observe.c - which patterns each run shows.
 *
 * DESIGN
 *   A failing run often ends before the other half of its cause: a value is read too early and the program dies; the write would
 *   have come next.  So for each thread that had not ended, what it would have done next counts as done after the end of the
 *   run.  What that is, a passing run tells in which the thread had done exactly the same until there.  Each thread is
 *   looked ahead for alone: the order of what two of them would have done is not known.
 *
 *   In a deadlock, who waits and who holds what he waits for makes patterns of their own, with < : "a took the lock before b came
 *   for it" says nothing of the moment when b waits, so it is in every passing run too in which the same order leads to nothing.
 */
#include <string.h>

#include "explore/cause_private.h"
#include "explore/coverage_private.h"
#include "pattern/match.h"
#include "trace/schedule.h"
#include "trace/story.h"

enum {
    MOST_LOOSE = 16, /* triples that are made looser at a time */
    SPIN_PERIOD = 4, /* reads of a loop */
};

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

/* The number of the instance, which is made if it is new; SIZE_MAX: there are too many. */
static size_t number_of(struct cause_lab *lab, const struct instance *instance)
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

static void place_in_base(struct cause_lab *lab, struct cause_candidate *candidate, const struct witness *witnesses)
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

static void add_instance(struct cause_lab *lab, unsigned run, const struct instance *instance,
                         const struct witness *witnesses)
{
    size_t count = lab->candidates.count, number = number_of(lab, instance);
    if (number == SIZE_MAX)
        return;
    struct cause_candidate *candidate = &lab->candidates.data[number];
    if (number == count)
        memcpy(candidate->witnesses, witnesses, sizeof candidate->witnesses);
    cause_set_add(&candidate->seen, run);
    if (run == 0 && !candidate->in_base)
        place_in_base(lab, candidate, witnesses);
}

/* ---- observing ------------------------------------------------------------------------------------------------------ */

static void feed(struct cause_lab *lab, const struct wire_event *events, const uint32_t *sites, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct event event = event_from_wire(&events[i], sites[i]);
        observer_feed(lab->observer, &event);
    }
}

/* What the run shows, with what comes after its end. */
static void observe(struct cause_lab *lab, unsigned number, const struct wire_event *more, const uint32_t *sites,
                    size_t count)
{
    const struct lab_run *run = &lab->all.data[number];
    instances_clear(&lab->found);
    observer_restart(lab->observer);
    feed(lab, run->events.data, run->sites.data, run->events.count);
    feed(lab, more, sites, count);
    for (size_t i = 0; i < lab->found.all.count; i++)
        add_instance(lab, number, &lab->found.all.data[i], instances_witnesses(&lab->found, i));
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
    for (size_t i = 0; i < copy->events.count; i++) {
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
    cause_set_add(failing ? &lab->verdicts.failing : &lab->verdicts.passing, number);
    *(failing ? &lab->failing : &lab->passing) += 1;
    observe(lab, number, NULL, NULL, 0);
    return true;
}

/* ---- what would have come next ---------------------------------------------------------------------------------------- */

/* The next event of the task at *at or behind it; NULL: there is none. */
static const struct wire_event *next_of_task(const struct lab_run *run, uint16_t task, size_t *at)
{
    for (; *at < run->events.count; ++*at)
        if (run->events.data[*at].task == task && run->events.data[*at].pc != 0)
            return &run->events.data[(*at)++];
    return NULL;
}

/* How much two runs of a thread must have in common, to expect that they go on in the same way. */
enum likeness { SAME_VALUES, SAME_OUTCOMES, SAME_PLACES, LIKENESS_COUNT };

static bool are_alike(const struct wire_event *a, const struct wire_event *b, enum likeness likeness)
{
    return a->pc == b->pc && a->op == b->op && (likeness == SAME_PLACES || a->flags == b->flags) &&
           (likeness != SAME_VALUES || !(a->flags & EVENT_VALUE) || a->value == b->value);
}

/* Where the other run goes on when the task has done all that it did in this one; SIZE_MAX: it did something else. */
static size_t where_it_goes_on(const struct lab_run *run, const struct lab_run *other, uint16_t task,
                               enum likeness likeness)
{
    size_t here = 0, there = 0;
    for (;;) {
        const struct wire_event *done = next_of_task(run, task, &here);
        if (done == NULL)
            return there;
        const struct wire_event *same = next_of_task(other, task, &there);
        if (same == NULL || !are_alike(done, same, likeness))
            return SIZE_MAX;
    }
}

struct ahead {
    VECTOR(struct wire_event) events;
    site_list sites;
};

/* Of the thread that failed, only what it failed in. */
static void read_ahead(const struct lab_run *run, const struct lab_run *other, uint16_t task, size_t at,
                       struct ahead *ahead)
{
    size_t most = task == run->here.task ? 1 : LAB_AHEAD;
    while (ahead->events.count < most && next_of_task(other, task, &at) != NULL) {
        if (task == run->here.task && other->events.data[at - 1].pc != run->here.pc)
            return;
        vector_push(&ahead->events, other->events.data[at - 1]);
        vector_push(&ahead->sites, other->sites.data[at - 1]);
    }
}

static bool look_ahead(struct cause_lab *lab, unsigned number, uint16_t task)
{
    struct ahead ahead = {0};
    const struct lab_run *run = &lab->all.data[number];
    for (unsigned likeness = 0; likeness < LIKENESS_COUNT; likeness++)
        for (size_t i = 0; i < lab->all.count && ahead.events.count == 0; i++) {
            const struct lab_run *other = &lab->all.data[i];
            size_t at = other->failing ? SIZE_MAX : where_it_goes_on(run, other, task, likeness);
            if (at != SIZE_MAX)
                read_ahead(run, other, task, at, &ahead);
        }
    bool found = ahead.events.count > 0;
    if (found)
        observe(lab, number, ahead.events.data, ahead.sites.data, ahead.events.count);
    vector_free(&ahead.events);
    vector_free(&ahead.sites);
    return found;
}

static void look_ahead_in(struct cause_lab *lab, unsigned number)
{
    size_t left = 0;
    for (size_t i = 0; i < lab->all.data[number].open.count; i++) {
        uint16_t task = lab->all.data[number].open.data[i];
        if (!look_ahead(lab, number, task))
            lab->all.data[number].open.data[left++] = task;
    }
    lab->all.data[number].open.count = left;
}

/* ---- who waits for whom ------------------------------------------------------------------------------------------------ */

struct wait_edge {
    struct witness held, wanted;
    uint32_t held_site, wanted_site;
    uint8_t held_kind, wanted_kind;
    uint64_t address;
};

static enum access_kind acquiring_kind(const struct wire_event *event, uint32_t site)
{
    struct event as_event = event_from_wire(event, site);
    struct access accesses[EVENT_ACCESSES];
    unsigned count = event_accesses(&as_event, 0, accesses);
    if (count == 0 ||
        (accesses[0].kind != ACCESS_LOCK && accesses[0].kind != ACCESS_RDLOCK && accesses[0].kind != ACCESS_ACQUIRE))
        return ACCESS_ANY;
    return (enum access_kind)accesses[0].kind;
}

/* One line of a deadlock as two steps; false if it is not about a lock that somebody took. */
static bool make_edge(struct cause_lab *lab, const struct lab_run *run, const struct wire_blocked *wait,
                      struct wait_edge *edge)
{
    struct wire_event wanted = {.pc = wait->pc, .address = wait->address, .task = wait->task, .op = wait->op};
    *edge = (struct wait_edge){.address = wait->address, .wanted = {.task = wait->task, .operation = UINT64_MAX}};
    edge->wanted_kind = (uint8_t)acquiring_kind(&wanted, SITE_ANY);
    if (wait->holder == UINT16_MAX || wait->holder == wait->task || edge->wanted_kind == ACCESS_ANY)
        return false;
    site_list sites = {0};
    places_find(lab->places, &lab->symbols->modules, lab->symbols->symbols, &wanted, 1, &sites);
    edge->wanted_site = sites.data[0];
    vector_free(&sites);
    for (size_t i = run->events.count; i-- > 0;) {
        const struct wire_event *event = &run->events.data[i];
        enum access_kind kind = ACCESS_ANY;
        if (event->task == wait->holder && event->address == wait->address)
            kind = acquiring_kind(event, run->sites.data[i]);
        if (kind == ACCESS_ANY)
            continue;
        edge->held = (struct witness){.task = event->task, .operation = event->operation, .address = event->address};
        edge->held_site = run->sites.data[i];
        edge->held_kind = (uint8_t)kind;
        return true;
    }
    return false;
}

static void add_edge(struct cause_lab *lab, unsigned number, const struct wait_edge *edge)
{
    struct instance pair = {
        .site = {edge->held_site, edge->wanted_site}, .kind = {edge->held_kind, edge->wanted_kind}, .row = ROW_WAIT};
    struct witness witnesses[PATTERN_STEPS] = {edge->held, edge->wanted};
    add_instance(lab, number, &pair, witnesses);
}

static void add_cross(struct cause_lab *lab, unsigned number, const struct wait_edge *x, const struct wait_edge *y)
{
    struct instance cross = {.site = {x->held_site, y->held_site, x->wanted_site, y->wanted_site},
                             .kind = {x->held_kind, y->held_kind, x->wanted_kind, y->wanted_kind},
                             .row = ROW_CROSS};
    struct witness witnesses[PATTERN_STEPS] = {x->held, y->held, x->wanted, y->wanted};
    add_instance(lab, number, &cross, witnesses);
}

static void add_waits(struct cause_lab *lab, unsigned number)
{
    size_t count = lab->all.data[number].waits.count;
    for (size_t i = 0; i < count; i++) {
        struct wait_edge x, y;
        if (!make_edge(lab, &lab->all.data[number], &lab->all.data[number].waits.data[i], &x))
            continue;
        add_edge(lab, number, &x);
        for (size_t k = 0; k < count; k++)
            if (k != i && make_edge(lab, &lab->all.data[number], &lab->all.data[number].waits.data[k], &y) &&
                x.held.task == y.wanted.task && y.held.task == x.wanted.task && x.address != y.address &&
                (x.held_site < y.held_site || (x.held_site == y.held_site && x.held.task < y.held.task)))
                add_cross(lab, number, &x, &y);
    }
    lab->all.data[number].waits.count = 0;
}

/* ---- used after it was freed -------------------------------------------------------------------------------------------- */

/* The last event is the use: the observer has forgotten the block by then. */
static void add_freed(struct cause_lab *lab, unsigned number)
{
    const struct lab_run *run = &lab->all.data[number];
    if (run->events.count == 0 || (run->kind != KIND_USE_AFTER_FREE && run->kind != KIND_DOUBLE_FREE))
        return;
    size_t last = run->events.count - 1;
    const struct wire_event *use = &run->events.data[last];
    struct event as_event = event_from_wire(use, run->sites.data[last]);
    struct access accesses[EVENT_ACCESSES];
    if (use->task != run->here.task || use->pc != run->here.pc || event_accesses(&as_event, 0, accesses) == 0)
        return;
    for (size_t i = last; i-- > 0;) {
        const struct wire_event *event = &run->events.data[i];
        if (event->op != OP_FREE || event->task == use->task || use->address < event->address ||
            use->address >= event->address + event->size)
            continue;
        struct instance freed = {.site = {run->sites.data[i], run->sites.data[last]},
                                 .kind = {ACCESS_FREE, accesses[0].kind},
                                 .row = ROW_FREED};
        struct witness witnesses[PATTERN_STEPS] = {
            {.task = event->task, .operation = event->operation, .address = use->address},
            {.task = use->task, .operation = use->operation, .address = use->address}};
        add_instance(lab, number, &freed, witnesses);
        return;
    }
}

/* ---- what only the matcher finds ---------------------------------------------------------------------------------------- */

bool lab_shows(const struct cause_lab *lab, const struct lab_run *run, const struct pattern *pattern)
{
    return pattern_match(pattern, lab->sites, run->events.data, run->sites.data, run->events.count) != MATCH_NO;
}

/* The event may be the step; `first`: of the variable, NULL if this is it. */
static bool is_step(const struct cause_lab *lab, const struct instance *instance, unsigned step, size_t at,
                    const struct wire_event *first)
{
    const struct lab_run *base = &lab->all.data[0];
    const struct wire_event *event = &base->events.data[at];
    struct event as_event = event_from_wire(event, base->sites.data[at]);
    struct access accesses[EVENT_ACCESSES];
    return base->sites.data[at] == instance->site[step] && event_accesses(&as_event, 0, accesses) > 0 &&
           access_fits((enum access_kind)instance->kind[step], (enum access_kind)accesses[0].kind) &&
           (first == NULL ||
            ((event->task == first->task) == (step == 2) && event->address < first->address + first->size &&
             first->address < event->address + event->size));
}

/* Where the run that is to be explained shows a loose triple; false: it does not. */
static bool find_loose(const struct cause_lab *lab, const struct instance *instance, struct witness *witnesses)
{
    const struct lab_run *base = &lab->all.data[0];
    const struct wire_event *events = base->events.data;
    size_t count = base->events.count, at[3];
    for (at[0] = 0; at[0] < count; at[0]++) {
        if (!is_step(lab, instance, 0, at[0], NULL))
            continue;
        for (at[1] = at[0] + 1; at[1] < count && !is_step(lab, instance, 1, at[1], &events[at[0]]);)
            at[1]++;
        for (at[2] = at[1] + 1; at[2] < count && !is_step(lab, instance, 2, at[2], &events[at[0]]);)
            at[2]++;
        for (unsigned i = 0; i < 3 && at[2] < count; i++)
            witnesses[i] = (struct witness){
                .task = events[at[i]].task, .operation = events[at[i]].operation, .address = events[at[i]].address};
        if (at[2] < count)
            return true;
    }
    return false;
}

/* Three steps that are in no passing run: the same with any distance between them is in more failing ones, perhaps in all. */
static void add_loose(struct cause_lab *lab)
{
    size_t count = lab->candidates.count;
    unsigned added = 0;
    for (size_t i = 0; i < count && added < MOST_LOOSE; i++) {
        const struct cause_candidate *candidate = &lab->candidates.data[i];
        bool triple = candidate->instance.row < family_count && candidate->tier == TIER_TRIPLE;
        if (!triple || !cause_set_common(&candidate->seen, &lab->verdicts.failing) ||
            cause_set_common(&candidate->seen, &lab->verdicts.passing) || cause_fits(candidate, &lab->verdicts))
            continue;
        struct instance loose = candidate->instance;
        struct witness witnesses[PATTERN_STEPS] = {0};
        loose.row = ROW_LOOSE;
        added++;
        if (instances_has(&lab->numbers, &loose))
            continue;
        size_t number = number_of(lab, &loose);
        if (number != SIZE_MAX && find_loose(lab, &loose, witnesses))
            place_in_base(lab, &lab->candidates.data[number], witnesses);
    }
}

/* The observer does not know these patterns.  Those of a finding are known for the failing runs. */
static void match_own_rows(struct cause_lab *lab)
{
    for (size_t i = 0; i < lab->candidates.count; i++) {
        struct cause_candidate *candidate = &lab->candidates.data[i];
        if (candidate->instance.row < family_count)
            continue;
        struct pattern pattern = lab_pattern(&candidate->instance);
        for (unsigned run = candidate->matched; run < lab->all.count; run++) {
            bool failing = lab->all.data[run].failing;
            if ((!failing || candidate->instance.row == ROW_LOOSE) && lab_shows(lab, &lab->all.data[run], &pattern))
                cause_set_add(&candidate->seen, run);
        }
        candidate->matched = (uint32_t)lab->all.count;
    }
}

void lab_compare_runs(struct cause_lab *lab)
{
    for (unsigned i = 0; i < lab->all.count; i++) {
        if (lab->all.data[i].open.count > 0)
            look_ahead_in(lab, i);
        if (lab->all.data[i].waits.count > 0)
            add_waits(lab, i);
        add_freed(lab, i);
    }
    add_loose(lab);
    match_own_rows(lab);
}
