/* SPDX-License-Identifier: MIT
 *
 * transitions.c - see transitions.h.  Each transition is compared with all before it, for checks; the search itself has an index
 * (technique/reduction_order.c).
 */
#include "trace/transitions.h"

#include "util/hash.h"

struct order {
    const struct wire_transition *transitions;
    size_t count;
    uint32_t width;   /* tasks */
    uint32_t *clocks; /* of each transition: how many of each task come before, itself included */
    bool ends;        /* the last one ended the program */
};

static bool depend(const struct order *order, size_t earlier, size_t later)
{
    const struct wire_transition *a = &order->transitions[earlier], *b = &order->transitions[later];
    return transitions_depend(a, b) || b->enabler == earlier + 1 || (order->ends && later + 1 == order->count);
}

static void order_one(struct order *order, size_t number)
{
    uint32_t *clock = order->clocks + number * order->width;
    for (size_t earlier = 0; earlier < number; earlier++)
        for (uint32_t task = 0; task < order->width && depend(order, earlier, number); task++)
            if (clock[task] < order->clocks[earlier * order->width + task])
                clock[task] = order->clocks[earlier * order->width + task];
    clock[order->transitions[number].task]++;
}

static uint64_t digest_one(const struct order *order, size_t number)
{
    const struct wire_transition *transition = &order->transitions[number];
    uint64_t hash = hash_combine(transition->task, (uint64_t)transition->op << 16 | transition->choice);
    for (uint32_t task = 0; task < order->width; task++)
        hash = hash_combine(hash, order->clocks[number * order->width + task]);
    return hash_mix(hash);
}

uint64_t transitions_digest(const struct wire_copy *copy)
{
    const struct wire_result *result = &copy->result;
    struct order order = {.transitions = copy->transitions.data, .count = result->transition_count, .width = 1};
    bool blocked = result->failure > 0 && result->findings[result->failure - 1].kind == KIND_DEADLOCK;
    order.ends = !blocked;
    if (copy->transitions.count == 0 || order.count == 0)
        return 0;
    for (size_t i = 0; i < order.count; i++)
        if (order.width <= order.transitions[i].task)
            order.width = order.transitions[i].task + 1u;
    order.clocks = memory_allocate(order.count * order.width, sizeof *order.clocks);
    uint64_t digest = 0;
    for (size_t i = 0; i < order.count; i++) {
        order_one(&order, i);
        digest += digest_one(&order, i);
    }
    free(order.clocks);
    return digest;
}
