/* SPDX-License-Identifier: MIT
 *
 * pcr_values.c - see pcr_values.h.
 */
#include "technique/pcr_values.h"

#include "util/hash.h"

/* Values that are none of the program. */
#define VALUE_INITIAL UINT64_C(0xb5ad4eceda1ce2a9)
#define VALUE_FREED   UINT64_C(0xd2b74407b1ce6e93)
#define IS_ADDRESS    (UINT64_C(1) << 63)

/* The addresses of a process begin at different pages each time. */
static uint64_t without_base(const struct event *event, uint64_t value)
{
    const uint64_t lowest = UINT64_C(1) << 32, highest = UINT64_C(1) << 47, in_page = 0xfff;
    return event->size == 8 && value >= lowest && value < highest ? IS_ADDRESS | (value & in_page) : value;
}

static bool is_simple(const struct rules *rules, uint32_t location)
{
    return rules->locations.data[location].simple;
}

uint64_t pcr_value_written(const struct rules *rules, uint32_t writer, uint32_t location)
{
    uint64_t value;
    const struct rule_location *facts = &rules->locations.data[location];
    if (writer == EVENT_NONE)
        return facts->simple && facts->initial_known ? facts->initial : VALUE_INITIAL;
    const struct event *event = execution_event(rules->execution, writer);
    if (event->op == OP_FREE)
        return VALUE_FREED;
    if (is_simple(rules, location) && rules_written(rules, writer, &value))
        return without_base(event, value);
    return hash_combine(VALUE_INITIAL, event->site);
}

static uint32_t writer_before(const struct rules *rules, uint32_t event, uint32_t location)
{
    uint32_t count;
    const struct execution_piece *pieces = execution_pieces(rules->execution, event, &count);
    for (uint32_t i = 0; i < count; i++)
        if (pieces[i].location == location)
            return pieces[i].writer;
    return EVENT_NONE;
}

uint64_t pcr_value_read(const struct rules *rules, uint32_t event, uint32_t location)
{
    uint64_t value;
    if (is_simple(rules, location) && rules_read(rules, event, &value))
        return without_base(execution_event(rules->execution, event), value);
    return pcr_value_written(rules, writer_before(rules, event, location), location);
}

uint64_t pcr_value_before(const struct rules *rules, uint32_t event, uint32_t write, uint32_t location)
{
    const struct execution *execution = rules->execution;
    uint32_t writer = writer_before(rules, write, location);
    if (writer != EVENT_NONE && execution_event(execution, writer)->task == execution_event(execution, event)->task &&
        writer >= event) /* its own, later */
        return pcr_value_read(rules, event, location);
    return pcr_value_written(rules, writer, location);
}

/* ---- what was found ------------------------------------------------------------------------------------------------ */

static uint64_t key_of(const struct event *read, uint64_t value)
{
    return hash_combine(hash_combine(read->site, read->context), value);
}

static bool is_first(struct table *table, uint64_t key)
{
    uint64_t *times = table_put(table, key);
    return (*times)++ == 0;
}

static bool observe_read(struct pcr_values *values, const struct rules *rules, uint32_t event, uint32_t location)
{
    const struct event *read = execution_event(rules->execution, event);
    uint32_t next = rules_next(rules, event);
    uint64_t after = next != EVENT_NONE ? execution_event(rules->execution, next)->site : UINT32_MAX;
    uint64_t value = pcr_value_read(rules, event, location);
    bool is_new = is_first(&values->found, key_of(read, value));
    bool way_is_new = is_first(&values->followed, hash_combine(read->site, after));
    bool value_is_new = is_first(&values->valued, hash_combine(read->site, value));
    *table_put(&values->counts, read->site) += ((uint64_t)value_is_new << 32) + way_is_new;
    return is_new;
}

uint32_t pcr_values_observe(struct pcr_values *values, const struct rules *rules)
{
    uint32_t news = 0, count;
    for (uint32_t event = 0; event < execution_count(rules->execution); event++) {
        if (!rules_event(rules, event)->reads)
            continue;
        const struct execution_piece *pieces = execution_pieces(rules->execution, event, &count);
        if (count > 0)
            news += observe_read(values, rules, event, pieces[0].location);
    }
    return news;
}

enum pcr_news pcr_values_news(const struct pcr_values *values, const struct event *read, uint64_t value)
{
    enum { FEW = 2, FEW_PER_WAY = 4 };
    const uint64_t *counts = table_get(&values->counts, read->site);
    if (table_get(&values->found, key_of(read, value)) != NULL)
        return NEWS_NONE;
    if (value == VALUE_FREED)
        return NEWS_FREED;
    uint64_t found = counts != NULL ? *counts >> 32 : 0, ways = counts != NULL ? (uint32_t)*counts : 0;
    if (found > FEW && found > FEW_PER_WAY * (ways - 1))
        return NEWS_DATA;
    return ways > 1 ? NEWS_STEERS : NEWS_UNKNOWN;
}

void pcr_values_free(struct pcr_values *values)
{
    table_free(&values->found);
    table_free(&values->valued);
    table_free(&values->followed);
    table_free(&values->counts);
}
