/* SPDX-License-Identifier: MIT
 *
 * changes.c - see changes.h.
 */
#include "solve/changes.h"

#include "solve/scope.h"
#include "util/hash.h"

static void add(struct changes *changes, uint32_t event, enum question_change kind, uint64_t value)
{
    vector_push(&changes->all, ((struct change){event, kind, value}));
}

static bool is_known(const struct changes *changes, size_t first, uint64_t value)
{
    for (size_t i = first; i < changes->all.count; i++)
        if (changes->all.data[i].value == value)
            return true;
    return false;
}

/* Every other value that a write, or the beginning, could give it. */
static void find_values(const struct rules *rules, uint32_t event, struct changes *changes)
{
    const struct execution *execution = rules->execution;
    uint32_t location = rules_location(rules, event);
    uint64_t own, value;
    size_t first = changes->all.count;
    bool known = rules_read(rules, event, &own);
    if (location == UINT32_MAX || (!known && !rules_reads_beginning(rules, event))) {
        changes->certain = false;
        return;
    }
    event_list sources = {0};
    struct event_range writes = execution_writes(execution, location);
    for (uint32_t i = 0; i < writes.count; i++) {
        if (!rules_written(rules, writes.data[i], &value)) {
            changes->certain = false;
            continue;
        }
        if ((known && value == own) || is_known(changes, first, value))
            continue;
        scope_sources(rules, event, value, &sources);
        if (sources.count > 0)
            add(changes, event, CHANGE_VALUE, value);
    }
    const struct rule_location *facts = &rules->locations.data[location];
    if (facts->initial_known && known && facts->initial != own && !is_known(changes, first, facts->initial) &&
        scope_sources(rules, event, facts->initial, &sources))
        add(changes, event, CHANGE_VALUE, facts->initial);
    if (known && scope_may_find_unknown(rules, event))
        add(changes, event, CHANGE_BEGINNING, 0);
    vector_free(&sources);
}

/* Every other value of a semaphore that is looked at. */
static void find_counts(const struct rules *rules, uint32_t event, struct changes *changes)
{
    const struct rule_semaphore *semaphore = &rules->semaphores.data[rules_event(rules, event)->object];
    for (uint64_t value = 0; value <= semaphore->initial + semaphore->posts.count; value++)
        if (value != execution_event(rules->execution, event)->value)
            add(changes, event, CHANGE_VALUE, value);
}

/* A wait for a condition variable. */
static void find_ends(const struct rules *rules, uint32_t event, struct changes *changes)
{
    const struct rule_condition *condition = &rules->conditions.data[rules->condition_of.data[event] - 1];
    for (size_t i = 0; i < condition->waits.count; i++) {
        const struct rule_wait *wait = &condition->waits.data[i];
        if (wait->begin == event && wait->end == EVENT_NONE)
            add(changes, event, CHANGE_GETS, 0);
        if (wait->end == event && wait->woken && wait->timed)
            add(changes, event, CHANGE_FINDS_NONE, 0);
        if (wait->end == event && !wait->woken)
            add(changes, event, CHANGE_GETS, 0);
    }
}

static void find_outcomes(const struct rules *rules, uint32_t event, struct changes *changes)
{
    const struct event *own = execution_event(rules->execution, event);
    switch (rules_event(rules, event)->role) {
    case ROLE_TAKES:
    case ROLE_WAITS:
        if (rules_may_fail(rules, event) && own->op != OP_COND_WAKE)
            add(changes, event, CHANGE_FINDS_NONE, 0);
        break;
    case ROLE_FAILS:
        add(changes, event, CHANGE_GETS, 0);
        break;
    case ROLE_LOOKS:
        find_counts(rules, event, changes);
        break;
    case ROLE_FINDS_NONE:
        add(changes, event, CHANGE_GETS, 0);
        break;
    default:
        break;
    }
    if (rules->condition_of.data[event] != 0)
        find_ends(rules, event, changes);
}

void changes_find(const struct rules *rules, struct changes *changes)
{
    vector_clear(&changes->all);
    changes->certain = rules->certain;
    for (uint32_t event = 0; event < execution_count(rules->execution); event++) {
        if (rules_event(rules, event)->reads)
            find_values(rules, event, changes);
        find_outcomes(rules, event, changes);
    }
}

void changes_free(struct changes *changes)
{
    vector_free(&changes->all);
}

/* What the event found.  What was there at the beginning is a value of its own where it is not known. */
static uint64_t found_hash(const struct rules *rules, uint32_t event)
{
    enum { OUTCOMES_OF = EVENT_TIMEOUT | EVENT_FAILED | EVENT_SIGNALLED, BEGINNING = 1 << 16 };
    const struct event *own = execution_event(rules->execution, event);
    uint64_t value = 0, how = own->flags & OUTCOMES_OF;
    bool looks = rules_event(rules, event)->reads || rules_event(rules, event)->role == ROLE_LOOKS;
    if (looks && !rules_read(rules, event, &value)) {
        value = own->value;
        how |= rules_reads_beginning(rules, event) ? BEGINNING : 0;
    }
    return hash_combine(value, how);
}

/* Not the number of the operation: it depends on whether the task had to wait. */
static uint64_t event_hash(const struct rules *rules, uint32_t event, const struct change *change)
{
    const struct event *own = execution_event(rules->execution, event);
    uint64_t found = change != NULL ? hash_combine(change->value, ~(uint64_t)change->kind) : found_hash(rules, event);
    return hash_combine(hash_combine(own->op, own->pc), found);
}

uint64_t change_history(const struct rules *rules, uint32_t event, const struct change *change)
{
    if (event == EVENT_NONE)
        return 0;
    const struct execution *execution = rules->execution;
    uint16_t task = execution_event(execution, event)->task;
    uint64_t hash = hash_mix(task + 1);
    for (uint32_t place = 0; place < execution->place.data[event]; place++)
        hash = hash_combine(hash, event_hash(rules, execution_event_at(execution, task, place), NULL));
    return hash_combine(hash, event_hash(rules, event, change));
}

bool change_came_out(const struct rules *rules, uint32_t event, const struct change *change)
{
    const struct event *own = execution_event(rules->execution, event);
    bool waits = own->op == OP_COND_WAIT; /* what matters is how it ends */
    uint32_t end = waits ? rules_next(rules, event) : event;
    uint64_t value;
    if (end == EVENT_NONE)
        return false;
    bool failed = (execution_event(rules->execution, end)->flags & (EVENT_FAILED | EVENT_TIMEOUT)) != 0;
    switch (change->kind) {
    case CHANGE_VALUE:
        if (rules_event(rules, event)->role == ROLE_LOOKS)
            return own->value == change->value;
        return rules_read(rules, event, &value) && value == change->value;
    case CHANGE_BEGINNING: {
        uint32_t count;
        const struct execution_piece *pieces = execution_pieces(rules->execution, event, &count);
        return count > 0 && pieces[0].writer == EVENT_NONE;
    }
    case CHANGE_FINDS_NONE:
        return failed;
    default:
        return !failed;
    }
}
