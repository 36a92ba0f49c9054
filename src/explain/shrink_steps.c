/* SPDX-License-Identifier: MIT
 *
 * shrink_steps.c - compares schedules by simplicity, and makes plans from some of their steps.
 */
#include "explain/shrink_steps.h"

#include <assert.h>

#include "trace/schedule.h"

struct steps_cost steps_cost(const struct wire_step *steps, size_t count)
{
    assert(steps != NULL || count == 0);
    struct steps_cost cost = {.preemptions = schedule_preemptions(steps, count)};
    bool *seen = memory_allocate(WIRE_TASKS, sizeof *seen);
    uint32_t segments = 0;
    for (size_t i = 0; i < count; i++) {
        if (steps[i].type == STEP_CHOICE) {
            cost.choices += steps[i].value != 0;
            continue;
        }
        segments++;
        cost.threads += !seen[steps[i].task % WIRE_TASKS];
        seen[steps[i].task % WIRE_TASKS] = true;
    }
    assert(cost.threads <= segments && cost.threads <= WIRE_TASKS);
    cost.switches = segments > 0 ? segments - 1 : 0;
    free(seen);
    return cost;
}

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

int steps_compare(const struct wire_step *a, size_t a_count, const struct wire_step *b, size_t b_count)
{
    struct steps_cost left = steps_cost(a, a_count), right = steps_cost(b, b_count);
    int order = compare(left.preemptions, right.preemptions);
    if (order == 0)
        order = compare(left.switches, right.switches);
    if (order == 0)
        order = compare(left.threads, right.threads);
    if (order == 0)
        order = compare(left.choices, right.choices);
    for (size_t i = 0; order == 0 && i < a_count && i < b_count; i++) {
        order = compare(a[i].task, b[i].task);
        if (order == 0)
            order = a[i].type == STEP_CHOICE && b[i].type == STEP_CHOICE ? compare(a[i].value, b[i].value)
                                                                         : compare(b[i].until, a[i].until);
    }
    return order;
}

void steps_exchange_tasks(struct wire_step *steps, size_t count, uint16_t a, uint16_t b)
{
    assert(a != b);
    for (size_t i = 0; i < count; i++)
        if (steps[i].task == a || steps[i].task == b)
            steps[i].task = steps[i].task == a ? b : a;
}

/* Choices of a thread at the same operation must stay together; else a later one would be applied as the first. */
static bool belongs_to_last(const struct wire_step *steps, size_t i)
{
    return i > 0 && steps[i - 1].type == STEP_CHOICE && steps[i - 1].task == steps[i].task &&
           steps[i - 1].until == steps[i].until;
}

static bool is_other_way(const struct wire_step *steps, size_t count, size_t i)
{
    assert(i < count);
    size_t first = i, last = i;
    while (belongs_to_last(steps, first))
        first--;
    while (last + 1 < count && steps[last + 1].type == STEP_CHOICE && belongs_to_last(steps, last + 1))
        last++;
    for (size_t k = first; k <= last; k++)
        if (steps[k].value != 0)
            return true;
    return false;
}

void steps_meaningful(const struct wire_step *steps, size_t count, struct steps_indices *indices)
{
    assert(steps != NULL || count == 0);
    vector_clear(&indices->list);
    for (size_t i = 0; i < count; i++)
        if (steps[i].type == STEP_RUN || is_other_way(steps, count, i))
            vector_push(&indices->list, i);
}

void steps_plan(const struct wire_step *steps, size_t count, const unsigned char *fates, unsigned how,
                struct steps *plan)
{
    assert((how & ~(unsigned)(STEPS_EXACT | STEPS_EARLY)) == 0);
    assert(fates != NULL || count == 0);
    assert(plan->list.data != steps || count == 0);
    uint64_t *next_stop = memory_allocate(WIRE_TASKS, sizeof *next_stop),
             *until = memory_allocate(count + 1, sizeof *until);
    for (size_t i = 0; i < WIRE_TASKS; i++)
        next_stop[i] = UINT64_MAX;
    for (size_t i = count; i-- > 0;) {
        if (steps[i].type != STEP_RUN || fates[i] == STEP_DROPPED)
            continue;
        uint64_t *stop = &next_stop[steps[i].task % WIRE_TASKS];
        if (fates[i] == STEP_KEPT && ((how & STEPS_EXACT) || steps[i].value != 0))
            *stop = steps[i].until;
        until[i] = *stop;
    }
    vector_clear(&plan->list);
    for (size_t i = 0; i < count; i++) {
        if (steps[i].type != STEP_RUN || fates[i] == STEP_DROPPED)
            continue;
        struct wire_step step = {
            .type = STEP_RUN, .task = steps[i].task, .value = (how & STEPS_EARLY) != 0, .until = until[i]};
        struct wire_step *last = plan->list.count > 0 ? &plan->list.data[plan->list.count - 1] : NULL;
        if (last != NULL && last->task == step.task)
            *last = step;
        else
            vector_push(&plan->list, step);
    }
    for (size_t i = 0; i < count; i++)
        if (steps[i].type == STEP_CHOICE && fates[i] != STEP_DROPPED && is_other_way(steps, count, i))
            vector_push(&plan->list, steps[i]);
    assert(plan->list.count <= count);
    free(next_stop);
    free(until);
}

void steps_plan_one(uint16_t task, uint64_t until, uint32_t tasks, bool older_first, struct steps *plan)
{
    vector_clear(&plan->list);
    if (task != 0)
        vector_push(&plan->list, (struct wire_step){.type = STEP_RUN, .task = 0, .until = UINT64_MAX});
    vector_push(&plan->list, (struct wire_step){.type = STEP_RUN, .task = task, .until = until});
    for (uint32_t i = 1; i < tasks; i++) {
        uint32_t other = (task + (older_first ? tasks - i : i)) % tasks;
        vector_push(&plan->list, (struct wire_step){.type = STEP_RUN, .task = (uint16_t)other, .until = UINT64_MAX});
    }
}

static void push_run(struct steps *plan, uint16_t task, uint64_t until)
{
    vector_push(&plan->list, (struct wire_step){.type = STEP_RUN, .task = task, .until = until});
}

void steps_plan_two(const struct wire_step *first, const struct wire_step *second, uint32_t tasks, unsigned order,
                    struct steps *plan)
{
    assert(order < STEPS_ORDERS);
    uint16_t last[] = {first->task, second->task};
    vector_clear(&plan->list);
    if (first->task != 0)
        push_run(plan, 0, UINT64_MAX);
    push_run(plan, first->task, first->until);
    push_run(plan, second->task, second->until);
    if (order == 0)
        push_run(plan, last[0], UINT64_MAX);
    for (uint32_t task = 0; task < tasks && task < WIRE_TASKS; task++)
        if (task != last[0] && task != last[1])
            push_run(plan, (uint16_t)task, UINT64_MAX);
    push_run(plan, last[order == 1], UINT64_MAX);
    push_run(plan, last[order != 1], UINT64_MAX);
}
