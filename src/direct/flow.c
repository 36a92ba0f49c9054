/* SPDX-License-Identifier: MIT
 *
 * flow.c - see flow.h.
 */
#include "direct/flow.h"

#include "util/hash.h"
#include "util/stop.h"
#include "util/vector.h"

/* In the tables: 0 nothing is known, SEVERAL not always the same, else a hash of what it was. */
enum { SEVERAL = 1 };

static void learn(struct table *table, uint64_t key, uint64_t a, uint64_t b)
{
    uint64_t *known = table_put(table, key);
    uint64_t what = hash_combine(a, b) | 2;
    if (*known == 0)
        *known = what;
    else if (*known != what)
        *known = SEVERAL;
}

static uint64_t look_up(const struct table *table, uint64_t key)
{
    const uint64_t *known = table_get(table, key);
    return known != NULL ? *known : 0;
}

static uint64_t value_key(uint32_t site, uint64_t value)
{
    return hash_combine(site, value);
}

void flow_observe(struct flow *flow, const struct wire_event *events, const uint32_t *sites, size_t count)
{
    VECTOR(size_t) last = {0}; /* event of each task + 1 */
    for (size_t i = 0; i < count && !stop_requested(); i++) {
        const struct wire_event *event = &events[i];
        while (last.count <= event->task)
            vector_push(&last, 0);
        size_t before = last.data[event->task];
        last.data[event->task] = i + 1;
        learn(&flow->addresses, sites[i], event->address, 0);
        if (event->flags & EVENT_VALUE)
            learn(&flow->values, sites[i], event->value, 0);
        if (before == 0)
            continue;
        const struct wire_event *last_one = &events[before - 1];
        uint64_t later = event->operation - last_one->operation;
        learn(&flow->ways, sites[before - 1], sites[i], later);
        if (last_one->flags & EVENT_VALUE)
            learn(&flow->by_value, value_key(sites[before - 1], last_one->value), sites[i], later);
    }
    vector_free(&last);
}

bool flow_is_straight(const struct flow *flow, uint32_t site)
{
    return look_up(&flow->values, site) == SEVERAL && look_up(&flow->ways, site) > SEVERAL;
}

bool flow_is_same(const struct flow *flow, uint32_t site, uint64_t value, uint64_t other)
{
    uint64_t follows = look_up(&flow->by_value, value_key(site, value));
    return value == other || flow_is_straight(flow, site) ||
           (follows > SEVERAL && follows == look_up(&flow->by_value, value_key(site, other)));
}

bool flow_is_certain(const struct flow *flow, uint32_t site, bool valued, uint64_t value)
{
    return look_up(&flow->ways, site) > SEVERAL ||
           (valued && look_up(&flow->by_value, value_key(site, value)) > SEVERAL);
}

bool flow_is_fixed(const struct flow *flow, uint32_t site)
{
    return look_up(&flow->addresses, site) != SEVERAL;
}

bool flow_is_constant(const struct flow *flow, uint32_t site)
{
    return look_up(&flow->values, site) > SEVERAL;
}

void flow_free(struct flow *flow)
{
    table_free(&flow->ways);
    table_free(&flow->values);
    table_free(&flow->by_value);
    table_free(&flow->addresses);
}
