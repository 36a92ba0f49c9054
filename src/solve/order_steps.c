/* SPDX-License-Identifier: MIT
 *
 * order_steps.c - see order_steps.h.
 */
#include "solve/order_steps.h"

#include "solve/order_walk.h"

/* ---- is it possible --------------------------------------------------------------------------------------------------- */

bool order_is_possible(const struct rules *rules, const event_list *order, uint32_t changed, size_t *where)
{
    struct order_walk walk;
    size_t i = 0;
    order_walk_begin(&walk, rules, changed);
    for (; i < order->count && order_walk_can(&walk, order->data[i]); i++)
        order_walk_do(&walk, order->data[i]);
    *where = i;
    order_walk_end(&walk);
    return i == order->count;
}

void answer_extend(const struct rules *rules, struct answer *answer, uint32_t changed)
{
    event_list *order = &answer->order;
    struct order_walk walk;
    order_walk_begin(&walk, rules, changed);
    for (size_t i = 0; i < order->count; i++)
        order_walk_do(&walk, order->data[i]);
    for (uint32_t event = 0; event < execution_count(rules->execution); event++) {
        if (rules->condition_of.data[event] != 0 || event == rules->exit || !order_walk_can(&walk, event) ||
            order_walk_differs(&walk, event))
            continue;
        order_walk_do(&walk, event);
        vector_push(order, event);
    }
    order_walk_end(&walk);
}

void answer_cut(struct answer *answer, uint32_t end, uint32_t last)
{
    event_list *order = &answer->order;
    size_t kept = 0, leave = 0;
    assert(order->count > 0);
    for (size_t i = 0; i < order->count; i++) {
        for (; leave < answer->leaves.count && answer->leaves.data[leave].before <= i; leave++)
            answer->leaves.data[leave].before = kept;
        if (order->data[i] == end)
            break;
        if (order->data[i] != last)
            order->data[kept++] = order->data[i];
    }
    order->data[kept++] = last;
    order->count = kept;
    answer->leaves.count = leave;
}

/* ---- the schedule ------------------------------------------------------------------------------------------------------- */

/* A step may begin with a wait that ends early. */
enum { MAY_WAKE = 1 };

/* What may end by itself has a step of its own. */
static bool is_alone(const struct rules *rules, uint32_t event)
{
    const struct event *own = execution_event(rules->execution, event);
    return (own->flags & EVENT_TIMEOUT) || own->op == OP_COND_WAKE ||
           (rules_may_fail(rules, event) && !op_facts_of(own->op)->try);
}

/* A schedule that is being written.  Calls take another number of operations if they have to wait: `shift` is by how much the numbers of a
   task's operations differ from those in the execution. */
struct writing {
    const struct rules *rules;
    const struct answer *answer;
    int64_t *shift; /* by task */
    goal_steps *steps;
};

static void push_step(struct writing *writing, uint16_t task, uint32_t value, uint64_t until)
{
    vector_push(writing->steps, ((struct wire_step){.type = STEP_RUN, .task = task, .value = value, .until = until}));
}

/* Where the wait began that the event ends; EVENT_NONE. */
static uint32_t begin_of_wait(const struct rules *rules, uint32_t end)
{
    if (rules->condition_of.data[end] == 0)
        return EVENT_NONE;
    const struct rule_condition *condition = &rules->conditions.data[rules->condition_of.data[end] - 1];
    for (size_t i = 0; i < condition->waits.count; i++)
        if (condition->waits.data[i].end == end)
            return condition->waits.data[i].begin;
    return EVENT_NONE;
}

static bool leaves_early(const struct answer *answer, uint32_t end)
{
    for (size_t i = 0; i < answer->leaves.count; i++)
        if (answer->leaves.data[i].end == end)
            return true;
    return false;
}

/* A join finds its thread ended.  A wait that is over early has waited for its mutex once more. */
static void shift_operations(struct writing *writing, uint32_t number)
{
    const struct execution *execution = writing->rules->execution;
    const struct event *event = execution_event(execution, number);
    int64_t *shift = &writing->shift[event->task];
    if (event->op == OP_JOIN && (event->flags & EVENT_WAITED))
        --*shift;
    uint32_t begin = event->op == OP_COND_WAKE ? begin_of_wait(writing->rules, number) : EVENT_NONE;
    if (begin == EVENT_NONE)
        return;
    uint64_t operations = event->operation - execution_event(execution, begin)->operation;
    *shift += 1 + leaves_early(writing->answer, number) - (int64_t)operations;
}

static uint64_t operation_of(const struct writing *writing, uint32_t number)
{
    const struct event *event = execution_event(writing->rules->execution, number);
    return event->operation + (uint64_t)writing->shift[event->task];
}

static void write_step(struct writing *writing, uint32_t number)
{
    const struct event *event = execution_event(writing->rules->execution, number);
    goal_steps *steps = writing->steps;
    shift_operations(writing, number);
    if (steps->count == 0 || steps->data[steps->count - 1].task != event->task || is_alone(writing->rules, number))
        push_step(writing, event->task, MAY_WAKE, 0);
    steps->data[steps->count - 1].until = event->op == OP_END ? UINT64_MAX : operation_of(writing, number) + 1;
}

/* The task stops waiting, and then waits for its mutex: it cannot go on, as is expected. */
static void write_leave(struct writing *writing, const struct answer_leave *leave)
{
    uint32_t begin = begin_of_wait(writing->rules, leave->end);
    assert(begin != EVENT_NONE);
    push_step(writing, execution_event(writing->rules->execution, leave->end)->task, STEP_AS_FAR,
              operation_of(writing, begin) + 2);
}

/* Waiting tasks of a condition variable, in the order in which they came. */
struct queue {
    VECTOR(const struct rule_wait *) waits;
};

/* The wait is woken in this order, unless it is known that it is not. */
static bool may_be_woken(const struct answer *answer, const struct rule_wait *wait)
{
    if (answer->change != CHANGE_NOTHING && wait->end == answer->changed)
        return answer->change == CHANGE_GETS;
    return wait->woken || wait->end == EVENT_NONE;
}

/* The wait that goes on first: one that was woken in the execution, the sooner in the order the better; then one that is to be woken after
   all. */
static size_t choose_wait(const struct answer *answer, const struct queue *queue, const uint32_t *rank)
{
    size_t best = 0;
    uint32_t best_rank = UINT32_MAX;
    for (size_t i = 0; i < queue->waits.count; i++) {
        const struct rule_wait *wait = queue->waits.data[i];
        uint32_t own = wait->end != EVENT_NONE && rank[wait->end] != 0 ? rank[wait->end] : UINT32_MAX - 1;
        if (answer->change == CHANGE_GETS && wait->begin == answer->changed)
            own = UINT32_MAX - 2;
        if (!may_be_woken(answer, wait))
            own = UINT32_MAX;
        if (own < best_rank) {
            best_rank = own;
            best = i;
        }
    }
    return best;
}

static void drop_wait(struct queue *queue, size_t index)
{
    memmove(&queue->waits.data[index], &queue->waits.data[index + 1],
            (queue->waits.count - index - 1) * sizeof *queue->waits.data);
    queue->waits.count--;
}

static void follow_wait(const struct rule_condition *condition, struct queue *queue, uint32_t event)
{
    for (size_t i = 0; i < condition->waits.count; i++)
        if (condition->waits.data[i].begin == event)
            vector_push(&queue->waits, &condition->waits.data[i]);
    for (size_t i = 0; i < queue->waits.count; i++)
        if (queue->waits.data[i]->end == event) {
            drop_wait(queue, i);
            return;
        }
}

/* The choices of signals, as the tasks wait in this order. */
static void write_signals(struct writing *writing)
{
    const struct rules *rules = writing->rules;
    const event_list *order = &writing->answer->order;
    struct queue *queues = memory_allocate(rules->conditions.count + 1, sizeof *queues);
    uint32_t *rank = memory_allocate(rules->events.count + 1, sizeof *rank);
    for (size_t i = 0; i < order->count; i++)
        rank[order->data[i]] = (uint32_t)i + 1;
    for (size_t i = 0; i < order->count; i++) {
        uint32_t number = order->data[i], condition = rules->condition_of.data[number];
        const struct event *event = execution_event(rules->execution, number);
        if (condition == 0)
            continue;
        struct queue *queue = &queues[condition - 1];
        if (event->op == OP_COND_BROADCAST) {
            vector_clear(&queue->waits);
        } else if (event->op != OP_COND_SIGNAL) {
            follow_wait(&rules->conditions.data[condition - 1], queue, number);
        } else if (queue->waits.count > 0) {
            size_t chosen = choose_wait(writing->answer, queue, rank);
            struct wire_step step = {
                .type = STEP_CHOICE, .task = event->task, .value = (uint32_t)chosen, .until = event->operation};
            if (queue->waits.count > 1)
                vector_push(writing->steps, step);
            drop_wait(queue, chosen);
        }
    }
    for (size_t i = 0; i < rules->conditions.count; i++)
        vector_free(&queues[i].waits);
    free(queues);
    free(rank);
}

static bool is_signal(const struct rules *rules, const struct wire_step *choice)
{
    struct event_range own = execution_task(rules->execution, choice->task);
    for (uint32_t i = 0; i < own.count; i++) {
        const struct event *event = execution_event(rules->execution, own.data[i]);
        if (event->operation == choice->until && event->op == OP_COND_SIGNAL)
            return true;
    }
    return false;
}

void answer_append_steps(const struct rules *rules, const struct answer *answer, uint32_t done, goal_steps *steps)
{
    const struct execution *execution = rules->execution;
    const event_list *order = &answer->order;
    struct writing writing = {.rules = rules, .answer = answer, .steps = steps};
    size_t leave = 0;
    writing.shift = memory_allocate(execution_task_count(execution) + 1, sizeof *writing.shift);
    for (size_t i = 0; i < order->count; i++) {
        for (; leave < answer->leaves.count && answer->leaves.data[leave].before <= i; leave++)
            write_leave(&writing, &answer->leaves.data[leave]);
        if (order->data[i] >= done)
            write_step(&writing, order->data[i]);
    }
    write_signals(&writing);
    for (size_t i = 0; i < execution->steps.count; i++)
        if (execution->steps.data[i].type == STEP_CHOICE && !is_signal(rules, &execution->steps.data[i]))
            vector_push(steps, execution->steps.data[i]);
    free(writing.shift);
}

void answer_write_steps(const struct rules *rules, const struct answer *answer, goal_steps *steps)
{
    vector_clear(steps);
    answer_append_steps(rules, answer, 0, steps);
}
