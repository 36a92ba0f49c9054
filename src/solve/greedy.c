/* SPDX-License-Identifier: MIT
 *
 * greedy.c - see greedy.h.
 */
#include "solve/greedy.h"

#include "solve/order_walk.h"

/* Which of the events that can be next is taken. */
enum preference {
    STEPS_LAST, /* no step of the pattern, while there is another one; then the first of the execution */
    AS_IT_WAS,  /* the first of the execution */
    PREFERENCES
};

struct greedy {
    const struct precedence *precedence;
    const struct rules *rules;
    const struct question *question;
    struct order_walk walk;
    enum preference preference;
    event_list limit;        /* by task: so many of its events are to be done */
    event_list of_condition; /* by condition: so many of its events were done */
    event_list *order;
};

static uint16_t task_of(const struct greedy *greedy, uint32_t event)
{
    return execution_event(greedy->rules->execution, event)->task;
}

static bool is_step(const struct greedy *greedy, uint32_t event)
{
    const struct question *question = greedy->question;
    bool step = event == question->changed;
    for (size_t i = 0; i < question->orders.count; i++)
        step |= event == question->orders.data[i].first || event == question->orders.data[i].second;
    return step;
}

/* All that must come before it has been done. */
static bool is_due(const struct greedy *greedy, uint32_t event)
{
    if (!precedence_must(greedy->precedence, event))
        return true;
    const uint32_t *clock = precedence_clock(greedy->precedence, event);
    for (uint32_t task = 0; task < greedy->precedence->tasks; task++)
        if (greedy->walk.next[task] < clock[task])
            return false;
    return true;
}

/* It would come between two steps, the first of which was done. */
static bool comes_between(const struct greedy *greedy, uint32_t event)
{
    for (size_t i = 0; i < greedy->question->orders.count; i++) {
        const struct question_order *order = &greedy->question->orders.data[i];
        if (order->immediate && order_walk_is_done(&greedy->walk, order->first) &&
            !order_walk_is_done(&greedy->walk, order->second) && question_order_is_hidden(greedy->rules, order, event))
            return true;
    }
    return false;
}

/* A task that has found something else does nothing more; what an update writes then is not known. */
static bool may_differ(const struct greedy *greedy, uint32_t event)
{
    const struct question *question = greedy->question;
    bool last = greedy->limit.data[task_of(greedy, event)] == greedy->rules->execution->place.data[event] + 1;
    return last && !question->same && !rules_event(greedy->rules, event)->writes;
}

/* In the order of the execution, so that the same waits are woken. */
static bool is_next_of_condition(const struct greedy *greedy, uint32_t event)
{
    uint32_t condition = greedy->rules->condition_of.data[event];
    return condition == 0 ||
           greedy->rules->conditions.data[condition - 1].all.data[greedy->of_condition.data[condition - 1]] == event;
}

/* A wait that ends by itself may have been over before: then other tasks are woken than the order of the events says. */
static bool ends_by_itself(const struct rules *rules, uint32_t event)
{
    return execution_event(rules->execution, event)->op == OP_COND_WAKE &&
           (execution_event(rules->execution, event)->flags & EVENT_TIMED) != 0;
}

/* The event that is to come out otherwise finds the value. */
static bool finds_changed(const struct greedy *greedy, uint32_t event)
{
    uint32_t location = rules_location(greedy->rules, event), writer;
    uint64_t written, value = greedy->question->value;
    if (location == UINT32_MAX)
        return false;
    writer = greedy->walk.writer[location];
    if (greedy->question->change == CHANGE_BEGINNING)
        return writer == 0;
    if (writer != 0)
        return rules_written(greedy->rules, writer - 1, &written) && written == value;
    const struct rule_location *facts = &greedy->rules->locations.data[location];
    return facts->initial_known && facts->initial == value;
}

static bool finds_what_it_may(const struct greedy *greedy, uint32_t event)
{
    if (event == greedy->question->changed)
        return finds_changed(greedy, event);
    return may_differ(greedy, event) || !order_walk_differs(&greedy->walk, event);
}

static bool is_possible(const struct greedy *greedy, uint32_t event)
{
    return is_due(greedy, event) && order_walk_can(&greedy->walk, event) && !comes_between(greedy, event) &&
           is_next_of_condition(greedy, event) && !ends_by_itself(greedy->rules, event) &&
           finds_what_it_may(greedy, event);
}

static uint32_t next_of(const struct greedy *greedy, uint32_t task)
{
    uint32_t place = greedy->walk.next[task];
    return place < greedy->limit.data[task] ? execution_event_at(greedy->rules->execution, (uint16_t)task, place)
                                            : EVENT_NONE;
}

static bool is_better(const struct greedy *greedy, uint32_t event, uint32_t best)
{
    if (best == EVENT_NONE)
        return true;
    bool later = greedy->preference == STEPS_LAST && is_step(greedy, event),
         best_later = greedy->preference == STEPS_LAST && is_step(greedy, best);
    return later != best_later ? best_later : event < best;
}

/* The end of the process comes last. */
static bool is_early_exit(const struct greedy *greedy, uint32_t event)
{
    if (event != greedy->rules->exit)
        return false;
    for (uint32_t task = 0; task < greedy->precedence->tasks; task++)
        if (task != task_of(greedy, event) && next_of(greedy, task) != EVENT_NONE)
            return true;
    return false;
}

static uint32_t choose(const struct greedy *greedy)
{
    uint32_t best = EVENT_NONE;
    for (uint32_t task = 0; task < greedy->precedence->tasks; task++) {
        uint32_t event = next_of(greedy, task);
        if (event != EVENT_NONE && is_better(greedy, event, best) && !is_early_exit(greedy, event) &&
            is_possible(greedy, event))
            best = event;
    }
    return best;
}

/* A section that is begun and keeps a task from going on is to end.  False: there is none. */
static bool end_a_section(struct greedy *greedy)
{
    const struct rules *rules = greedy->rules;
    for (uint32_t task = 0; task < greedy->precedence->tasks; task++) {
        uint32_t event = next_of(greedy, task);
        if (event == EVENT_NONE || rules_event(rules, event)->role != ROLE_TAKES)
            continue;
        uint32_t lock = rules_event(rules, event)->object;
        for (size_t i = 0; i < greedy->walk.open[lock].count; i++) {
            const struct rule_section *section =
                &rules->locks.data[lock].sections.data[greedy->walk.open[lock].data[i]];
            uint32_t *limit = &greedy->limit.data[section->task];
            bool stays =
                greedy->question->changed != EVENT_NONE && section->task == task_of(greedy, greedy->question->changed);
            if (section->task == task || section->last == EVENT_NONE || stays ||
                rules->execution->place.data[section->last] < *limit)
                continue;
            *limit = rules->execution->place.data[section->last] + 1;
            return true;
        }
    }
    return false;
}

/* How many more events its task would have to do; UINT32_MAX: it is to be done in any case, or cannot be. */
static uint32_t distance_to(const struct greedy *greedy, uint32_t write)
{
    uint16_t task = task_of(greedy, write);
    uint32_t place = greedy->rules->execution->place.data[write], changed = greedy->question->changed;
    bool stays = changed != EVENT_NONE && task == task_of(greedy, changed);
    return stays || place < greedy->limit.data[task] ? UINT32_MAX : place - greedy->walk.next[task];
}

/* The nearest write that gives the read what it found.  False: there is none. */
static bool do_a_write_for(struct greedy *greedy, uint32_t event)
{
    const struct rules *rules = greedy->rules;
    uint64_t value, written;
    uint32_t best = EVENT_NONE, least = UINT32_MAX;
    if (rules_location(rules, event) == UINT32_MAX || !rules_read(rules, event, &value))
        return false;
    struct event_range writes = execution_writes(rules->execution, rules_location(rules, event));
    for (uint32_t i = 0; i < writes.count; i++) {
        uint32_t write = writes.data[i], distance = distance_to(greedy, write);
        if (task_of(greedy, write) == task_of(greedy, event) || distance >= least ||
            !rules_written(rules, write, &written) || written != value)
            continue;
        best = write;
        least = distance;
    }
    if (best != EVENT_NONE)
        greedy->limit.data[task_of(greedy, best)] = rules->execution->place.data[best] + 1;
    return best != EVENT_NONE;
}

/* A read that keeps its task from going on is to find what it found. */
static bool do_a_write(struct greedy *greedy)
{
    for (uint32_t task = 0; task < greedy->precedence->tasks; task++) {
        uint32_t event = next_of(greedy, task);
        if (event != EVENT_NONE && event != greedy->question->changed && rules_event(greedy->rules, event)->reads &&
            is_due(greedy, event) && !finds_what_it_may(greedy, event) && do_a_write_for(greedy, event))
            return true;
    }
    return false;
}

static void take(struct greedy *greedy, uint32_t event)
{
    uint32_t condition = greedy->rules->condition_of.data[event];
    order_walk_do(&greedy->walk, event);
    if (condition != 0)
        greedy->of_condition.data[condition - 1]++;
    vector_push(greedy->order, event);
}

static bool is_complete(const struct greedy *greedy)
{
    for (uint32_t task = 0; task < greedy->precedence->tasks; task++)
        if (next_of(greedy, task) != EVENT_NONE)
            return false;
    return true;
}

/* One of each list of others is done. */
static bool has_others(const struct greedy *greedy)
{
    const event_list *others = &greedy->question->others;
    bool any = false;
    for (size_t i = 0; i < others->count; i++) {
        if (others->data[i] != EVENT_NONE) {
            any |= order_walk_is_done(&greedy->walk, others->data[i]);
            continue;
        }
        if (!any)
            return false;
        any = false;
    }
    return true;
}

/* What the walk does not know about changes. */
static bool may_try(const struct precedence *precedence)
{
    const struct rules *rules = precedence->rules;
    const struct question *question = precedence->question;
    bool value = question->change == CHANGE_VALUE || question->change == CHANGE_BEGINNING;
    if (question->stuck || (question->changed != EVENT_NONE && !value))
        return false;
    return question->changed == EVENT_NONE || rules_event(rules, question->changed)->role != ROLE_LOOKS;
}

static bool try_to_find(struct greedy *greedy)
{
    for (;;) {
        uint32_t event = choose(greedy);
        if (event != EVENT_NONE)
            take(greedy, event);
        else if (is_complete(greedy))
            return has_others(greedy);
        else if (!end_a_section(greedy) && !do_a_write(greedy))
            return false;
    }
}

static void begin(struct greedy *greedy)
{
    vector_clear(greedy->order);
    vector_clear(&greedy->limit);
    vector_clear(&greedy->of_condition);
    vector_append(&greedy->limit, greedy->precedence->must.data, greedy->precedence->tasks);
    for (size_t i = 0; i < greedy->rules->conditions.count; i++)
        vector_push(&greedy->of_condition, 0);
    order_walk_begin(&greedy->walk, greedy->rules, greedy->question->changed);
}

bool greedy_find(const struct precedence *precedence, struct answer *answer)
{
    struct greedy greedy = {.precedence = precedence,
                            .rules = precedence->rules,
                            .question = precedence->question,
                            .order = &answer->order};
    bool found = false;
    assert(!precedence->impossible);
    if (!may_try(precedence))
        return false;
    for (unsigned i = 0; i < PREFERENCES && !found; i++) {
        greedy.preference = (enum preference)i;
        begin(&greedy);
        found = try_to_find(&greedy);
        order_walk_end(&greedy.walk);
    }
    if (!found)
        vector_clear(&answer->order);
    vector_free(&greedy.limit);
    vector_free(&greedy.of_condition);
    return found;
}
