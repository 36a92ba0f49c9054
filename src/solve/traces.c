/* SPDX-License-Identifier: MIT
 *
 * traces.c - see traces.h.
 */
#include "solve/traces.h"

#include <stdlib.h>

#include "util/hash.h"

struct trace_hashes {
    uint64_t path, kind;
};

static bool has_memory_value(const struct execution *execution, uint32_t event)
{
    unsigned count;
    const struct access *accesses = execution_accesses(execution, event, &count);
    return count > 0 && accesses[0].space == SPACE_DATA && (execution_event(execution, event)->flags & EVENT_VALUE);
}

static uint64_t hash_accesses(const struct execution *execution, uint32_t event)
{
    unsigned count;
    const struct access *accesses = execution_accesses(execution, event, &count);
    uint64_t hash = count;
    for (unsigned i = 0; i < count; i++)
        hash = hash_combine(hash, hash_combine(accesses[i].lo, hash_combine(accesses[i].hi, accesses[i].kind)));
    return hash;
}

/* What was in memory at the beginning is a value of its own (rules.h). */
static uint64_t hash_value(const struct execution *execution, uint32_t number)
{
    const struct event *event = execution_event(execution, number);
    uint32_t count;
    const struct execution_piece *pieces = execution_pieces(execution, number, &count);
    uint64_t value = event->flags & EVENT_VALUE ? event->value + 1 : 0;
    return hash_combine(value, count > 0 && pieces[0].writer == EVENT_NONE);
}

/* Whether a join had to wait depends on the order alone. */
static uint8_t kept_flags(const struct event *event)
{
    return event->op == OP_JOIN ? (uint8_t)(event->flags & ~EVENT_WAITED) : event->flags;
}

static void hash_event(struct trace_hashes *hashes, const struct execution *execution, uint32_t number, bool distances)
{
    const struct event *event = execution_event(execution, number);
    uint64_t what = hash_combine(hash_accesses(execution, number), event->site);
    what = hash_combine(what, hash_combine(event->op | kept_flags(event) << 8, distances ? event->operation : 0));
    uint64_t value = hash_value(execution, number);
    hashes->path = hash_combine(hashes->path, has_memory_value(execution, number) ? what : hash_combine(what, value));
    hashes->kind = hash_combine(hashes->kind, hash_combine(what, value));
}

/* How far the events of a task are from each other matters only if some may be more than a window apart. */
static bool is_long(const struct execution *execution, struct event_range own, uint32_t window)
{
    return own.count > 0 && execution_event(execution, own.data[own.count - 1])->operation > window;
}

static struct trace_hashes hash_execution(const struct execution *execution, uint32_t window)
{
    struct trace_hashes hashes = {0};
    for (uint32_t task = 0; task < execution_task_count(execution); task++) {
        struct event_range own = execution_task(execution, (uint16_t)task);
        bool distances = is_long(execution, own, window);
        hashes.path = hash_combine(hashes.path, task);
        hashes.kind = hash_combine(hashes.kind, task);
        for (uint32_t i = 0; i < own.count; i++)
            hash_event(&hashes, execution, own.data[i], distances);
    }
    return hashes;
}

static size_t size_of(const struct execution *execution)
{
    return sizeof(struct trace) + execution_count(execution) * (sizeof(struct event) + 2 * sizeof(struct access)) +
           execution->steps.count * sizeof *execution->steps.data;
}

static bool is_full(const struct traces *traces, const struct execution *execution, size_t most)
{
    return traces->all.count >= most || traces->bytes + size_of(execution) > TRACES_BYTES;
}

static void keep(struct traces *traces, const struct execution *execution, uint64_t kind, uint32_t path, bool first)
{
    struct trace *trace = memory_allocate(1, sizeof *trace);
    execution_keep(&trace->execution, execution);
    trace->path = path;
    trace->first = first;
    traces->bytes += size_of(execution);
    vector_push(&traces->all, trace);
    *table_put(&traces->kinds, kind) = 1;
}

static enum trace_news add_path(struct traces *traces, const struct execution *execution,
                                const struct trace_hashes *hashes)
{
    if (traces->paths.count == TRACES_PATHS) {
        traces->lost = true;
        return TRACE_LOST;
    }
    bool kept = !is_full(traces, execution, TRACES_MOST);
    if (kept)
        keep(traces, execution, hashes->kind, (uint32_t)traces->paths.count, true);
    vector_push(&traces->paths, !kept);
    *table_put(&traces->own, hashes->path) = traces->paths.count;
    return TRACE_PATH;
}

enum trace_news traces_add(struct traces *traces, const struct execution *execution)
{
    traces->lost |= execution->left_out > 0 || execution->lost_events;
    if (traces->lost)
        return TRACE_LOST;
    execution_prepare(execution, EXECUTION_READS_FROM);
    struct trace_hashes hashes = hash_execution(execution, traces->window);
    const uint64_t *found = table_get(&traces->own, hashes.path);
    if (found == NULL)
        return add_path(traces, execution, &hashes);
    uint32_t path = (uint32_t)*found - 1;
    if (traces->paths.data[path] || table_get(&traces->kinds, hashes.kind) != NULL)
        return TRACE_KNOWN;
    if (is_full(traces, execution, TRACES_KINDS)) {
        traces->paths.data[path] = true;
        return TRACE_OPEN;
    }
    keep(traces, execution, hashes.kind, path, false);
    return TRACE_KIND;
}

void traces_free(struct traces *traces)
{
    for (size_t i = 0; i < traces->all.count; i++) {
        execution_free(&traces->all.data[i]->execution);
        free(traces->all.data[i]);
    }
    vector_free(&traces->all);
    table_free(&traces->kinds);
    table_free(&traces->own);
    vector_free(&traces->paths);
    *traces = (struct traces){0};
}
