/* SPDX-License-Identifier: MIT
 *
 * clock_edges.h - happens-before (clock.h) as edges: which events of other tasks an event is the first of its task to come after.
 */
#ifndef RADDLE_PREDICT_CLOCK_EDGES_H
#define RADDLE_PREDICT_CLOCK_EDGES_H

#include "predict/clock.h"
#include "util/vector.h"

struct clock_edges_task {
    VECTOR(uint32_t) moments; /* of its events, by its own clock */
    struct clock *clock;      /* at its last event */
};

struct clock_edges {
    struct clocks *clocks;
    VECTOR(struct clock_edges_task) tasks;
};

/* `tasks`: how many there are. */
void clock_edges_open(struct clock_edges *edges, uint32_t tasks);
void clock_edges_close(struct clock_edges *edges);

/* The last event of `task` that comes before; `place` among the events of its task. */
typedef void clock_edge(void *context, uint16_t task, uint32_t place);
/* Takes the next event of the execution, and calls for each edge to it that its task did not have before. */
void clock_edges_event(struct clock_edges *edges, const struct event *event, clock_edge *edge, void *context);
/* The event of `task` at that place comes before the next event of task `after`. */
bool clock_edges_has(const struct clock_edges *edges, uint16_t task, uint32_t place, uint16_t after);

#endif
