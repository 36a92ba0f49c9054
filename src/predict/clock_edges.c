/* SPDX-License-Identifier: MIT
 *
 * clock_edges.c - see clock_edges.h.
 */
#include "predict/clock_edges.h"

#include <assert.h>

void clock_edges_open(struct clock_edges *edges, uint32_t tasks)
{
    *edges = (struct clock_edges){.clocks = clocks_new()};
    for (uint32_t i = 0; i < tasks; i++)
        vector_push(&edges->tasks, ((struct clock_edges_task){0}));
}

void clock_edges_close(struct clock_edges *edges)
{
    for (size_t i = 0; i < edges->tasks.count; i++) {
        vector_free(&edges->tasks.data[i].moments);
        clock_release(edges->tasks.data[i].clock);
    }
    vector_free(&edges->tasks);
    clocks_free(edges->clocks);
}

/* What the task has learned of others since its last event. */
static void find_edges(struct clock_edges *edges, uint16_t task, clock_edge *edge, void *context)
{
    assert(task < edges->tasks.count);
    struct clock_edges_task *own = &edges->tasks.data[task];
    struct clock *clock = clocks_now(edges->clocks, task);
    if (clock == own->clock)
        return;
    for (uint16_t i = 0; i < clock->count && i < edges->tasks.count; i++) {
        uint32_t moment = clock_at(clock, i);
        if (i == task || (own->clock != NULL && clock_at(own->clock, i) >= moment))
            continue;
        const struct clock_edges_task *other = &edges->tasks.data[i];
        size_t last = other->moments.count;
        while (last > 0 && other->moments.data[last - 1] > moment)
            last--;
        if (last > 0)
            edge(context, i, (uint32_t)last - 1);
    }
    clock_release(own->clock);
    own->clock = clock_keep(clock);
}

void clock_edges_event(struct clock_edges *edges, const struct event *event, clock_edge *edge, void *context)
{
    clocks_before(edges->clocks, event);
    find_edges(edges, event->task, edge, context);
    vector_push(&edges->tasks.data[event->task].moments, clock_at(clocks_now(edges->clocks, event->task), event->task));
    clocks_after(edges->clocks, event);
}

bool clock_edges_has(const struct clock_edges *edges, uint16_t task, uint32_t place, uint16_t after)
{
    assert(task < edges->tasks.count && place < edges->tasks.data[task].moments.count);
    return edges->tasks.data[task].moments.data[place] <= clock_at(clocks_now(edges->clocks, after), task);
}
