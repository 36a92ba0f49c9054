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

/* What is the same of an address in every process: the place in its page.  Of a stack not even that, since it depends on what carries the
   threads. */
static uint64_t name_address(const struct execution *execution, uint64_t address)
{
    const uint64_t in_page = 0xfff, of_stack = 0x1000;
    for (size_t task = 0; task < execution->stacks.count; task++)
        if (address >= execution->stacks.data[task].lo && address < execution->stacks.data[task].hi)
            return of_stack + task;
    return address & in_page;
}

static uint64_t name_value(const struct execution *execution, const struct event *event, uint64_t value)
{
    const uint64_t lowest = UINT64_C(1) << 32, highest = UINT64_C(1) << 48;
    bool is_address = event->size == sizeof(void *) && value >= lowest && value < highest;
    return is_address ? IS_ADDRESS | name_address(execution, value) : value;
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
        return name_value(rules->execution, event, value);
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
        return name_value(rules->execution, execution_event(rules->execution, event), value);
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

bool pcr_value_exactly_before(const struct rules *rules, uint32_t write, uint32_t location, uint64_t *value)
{
    uint32_t writer = writer_before(rules, write, location);
    const struct rule_location *facts = &rules->locations.data[location];
    *value = facts->initial;
    return facts->simple && (writer == EVENT_NONE ? facts->initial_known : rules_written(rules, writer, value));
}

bool pcr_value_is_beginning(const struct rules *rules, uint32_t write, uint32_t location)
{
    const struct rule_location *facts = &rules->locations.data[location];
    return facts->simple && !facts->initial_known && writer_before(rules, write, location) == EVENT_NONE;
}

/* ---- what was found ------------------------------------------------------------------------------------------------ */

void pcr_turns_make(pcr_turns *turns, const struct execution *execution)
{
    struct table times = {0};
    vector_clear(turns);
    for (uint32_t i = 0; i < execution_count(execution); i++) {
        const struct event *event = execution_event(execution, i);
        uint64_t who = hash_combine(hash_combine(event->task, event->site), name_address(execution, event->address));
        uint64_t *before = table_put(&times, who);
        vector_push(turns, hash_combine(who, (*before)++));
    }
    table_free(&times);
}

/* Where a read was. */
struct reading {
    uint64_t place, task, turn;
};

static struct reading reading_of(const struct execution *execution, uint32_t event, uint64_t turn)
{
    const struct event *read = execution_event(execution, event);
    uint64_t site = hash_combine(read->site, name_address(execution, read->address));
    return (struct reading){hash_combine(site, read->context), hash_combine(~site, read->task), turn};
}

static bool is_first(struct table *table, uint64_t key)
{
    uint64_t *times = table_put(table, key);
    return (*times)++ == 0;
}

static bool observe_read(struct pcr_values *values, const struct rules *rules, uint32_t event, uint32_t location,
                         uint64_t turn)
{
    const struct event *read = execution_event(rules->execution, event);
    struct reading reading = reading_of(rules->execution, event, turn);
    uint32_t next = rules_next(rules, event);
    uint64_t after = next != EVENT_NONE ? execution_event(rules->execution, next)->site : UINT32_MAX;
    uint64_t value = pcr_value_read(rules, event, location);
    bool is_fresh = is_first(&values->found, hash_combine(reading.place, value));
    bool way_is_new = is_first(&values->followed, hash_combine(read->site, after));
    bool value_is_new = is_first(&values->valued, hash_combine(read->site, value));
    is_first(&values->found, hash_combine(reading.turn, value));
    is_first(&values->found, hash_combine(reading.task, value));
    *table_put(&values->counts, read->site) += ((uint64_t)value_is_new << 32) + way_is_new;
    return is_fresh;
}

uint32_t pcr_values_observe(struct pcr_values *values, const struct rules *rules, const pcr_turns *turns)
{
    uint32_t news = 0, count;
    for (uint32_t event = 0; event < execution_count(rules->execution); event++) {
        if (!rules_event(rules, event)->reads)
            continue;
        const struct execution_piece *pieces = execution_pieces(rules->execution, event, &count);
        if (count > 0)
            news += observe_read(values, rules, event, pieces[0].location, turns->data[event]);
    }
    return news;
}

static bool is_found(const struct pcr_values *values, uint64_t where, uint64_t value)
{
    return table_get(&values->found, hash_combine(where, value)) != NULL;
}

enum pcr_news pcr_values_news(const struct pcr_values *values, const struct execution *execution, uint32_t event,
                              uint64_t turn, uint64_t value)
{
    struct reading reading = reading_of(execution, event, turn);
    enum { FEW = 2, FEW_PER_WAY = 16 };
    bool is_fresh = !is_found(values, reading.place, value);
    if (!is_fresh && is_found(values, reading.turn, value))
        return NEWS_NONE;
    if (value == VALUE_FREED)
        return NEWS_FREED;
    const uint64_t *counts = table_get(&values->counts, execution_event(execution, event)->site);
    uint64_t found = counts != NULL ? *counts >> 32 : 0, ways = counts != NULL ? (uint32_t)*counts : 0;
    if (found > FEW && found > FEW_PER_WAY * (ways - 1))
        return is_fresh ? NEWS_DATA : NEWS_DATA_TURN; /* many values, few ways */
    if (!is_fresh)
        return is_found(values, reading.task, value) ? NEWS_TURN : NEWS_TASK;
    if (value == VALUE_INITIAL)
        return NEWS_TASK; /* not known: likely one that was found before */
    return found > 1 ? NEWS_STEERS : NEWS_FRESH;
}

void pcr_values_free(struct pcr_values *values)
{
    table_free(&values->found);
    table_free(&values->valued);
    table_free(&values->followed);
    table_free(&values->counts);
}
