/* SPDX-License-Identifier: MIT
 *
 * flow.c - see flow.h.
 */
#include "direct/flow.h"

#include <assert.h>

#include "util/hash.h"
#include "util/stop.h"

/* In the tables: 0 nothing is known, SEVERAL not always the same, else a hash of what it was. */
enum { SEVERAL = 1 };

static void learn(struct table *table, uint64_t key, uint64_t a, uint64_t b)
{
    uint64_t *known = table_put(table, key);
    uint64_t what = hash_combine(a, b) | 2;
    assert(what > SEVERAL);
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

static void learn_next(struct flow *flow, const struct event *event, const struct event *next)
{
    uint64_t later = next->operation - event->operation;
    learn(&flow->paths, event->site, next->site, later);
    if (event->flags & EVENT_VALUE)
        learn(&flow->by_value, value_key(event->site, event->value), next->site, later);
}

void flow_learn(struct flow *flow, const struct execution *execution)
{
    for (uint32_t i = 0; i < execution_count(execution) && !stop_requested(); i++) {
        const struct event *event = execution_event(execution, i);
        uint32_t place = execution->place.data[i];
        learn(&flow->addresses, event->site, event->address, 0);
        if (event->flags & EVENT_VALUE)
            learn(&flow->values, event->site, event->value, 0);
        if (place == 0)
            continue;
        uint32_t before = execution_event_at(execution, event->task, place - 1);
        assert(before < i);
        learn_next(flow, execution_event(execution, before), event);
    }
}

bool flow_is_straight(const struct flow *flow, uint32_t site)
{
    return look_up(&flow->values, site) == SEVERAL && look_up(&flow->paths, site) > SEVERAL;
}

bool flow_is_same(const struct flow *flow, uint32_t site, uint64_t value, uint64_t other)
{
    uint64_t follows = look_up(&flow->by_value, value_key(site, value));
    return value == other || flow_is_straight(flow, site) ||
           (follows > SEVERAL && follows == look_up(&flow->by_value, value_key(site, other)));
}

bool flow_is_certain(const struct flow *flow, uint32_t site, bool valued, uint64_t value)
{
    return look_up(&flow->paths, site) > SEVERAL ||
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
    table_free(&flow->paths);
    table_free(&flow->values);
    table_free(&flow->by_value);
    table_free(&flow->addresses);
}
