/* SPDX-License-Identifier: MIT
 *
 * execution.h - one recorded run as all analyses read it: events, accesses, tasks, critical sections, reads-from.
 *
 * DESIGN
 *   It is built once after a run; observer, predictor, orderers, matcher and profile only read it.  What nearly all of them need is
 *   built at once: the events, the accesses of each event, and the events of each task.  Other parts are built when they are first
 *   asked for (execution_prepare), since most runs need none of them.
 *
 *   An object is used for one run after another.  Its buffers are kept, so a run allocates nothing once they are large enough.
 *
 *   Events are named by their index.  Sites are those of the table that its maker uses (coverage_read); without one they are 0.
 *
 *   A thread that begins has a stack of newly allocated memory, also if an earlier thread had the same one: which stacks are
 *   used again depends on what carries the threads.  No event says so.  An analysis that follows the lives of memory takes
 *   execution_new_stack before each OP_START.
 */
#ifndef RADDLE_TRACE_EXECUTION_H
#define RADDLE_TRACE_EXECUTION_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/access.h"
#include "trace/waits.h"
#include "util/vector.h"
#include "wire/wire_check.h"

#define EVENT_NONE UINT32_MAX

typedef VECTOR(uint32_t) event_list;

struct execution_stack { /* of a thread; lo == hi: not known */
    uint64_t lo, hi;
};

/* A critical section: from where a task that holds no lock takes one to where it holds none again. */
struct execution_section {
    uint32_t first, last; /* events of the task, both belong to it; last is EVENT_NONE if the section has no end */
};

/* A part of the memory that an event accesses. */
struct execution_piece {
    uint32_t location; /* a number; each byte of memory that is accessed is in one location (location.h) */
    uint32_t writer;   /* the last event before that wrote or freed it; EVENT_NONE */
};

enum {
    EXECUTION_SECTIONS = 1 << 0,
    EXECUTION_READS_FROM = 1 << 1,
};

struct execution_parts;

struct execution_steps {
    const struct wire_step *data;
    size_t count;
};

struct execution { /* all zero is the empty execution */
    VECTOR(struct event) events;
    VECTOR(struct access) accesses;        /* of all events, in their order */
    event_list first_access;               /* by event, with one more at the end */
    event_list by_task;                    /* all events: those of task 0, then those of task 1, … */
    event_list first_of_task;              /* by task: where its part of by_task begins; with one more at the end */
    event_list place;                      /* by event: its index among the events of its task */
    struct execution_steps steps;          /* the schedule; if events were left out: up to the last that is known */
    VECTOR(struct wire_step) own_steps;    /* these, if they were copied */
    VECTOR(struct execution_stack) stacks; /* by task, of those that have begun */
    uint64_t operations;                   /* that all tasks have done */
    uint64_t left_out;                     /* events of the run that were not to be recorded */
    bool begins_late;                      /* some of these came before all that were */
    bool lost_events;                      /* the run was too long to be recorded to its end */
    struct waits waits;                    /* while it is built */
    struct execution_parts *parts;         /* built on demand */
};

/* ---- building ----------------------------------------------------------------------------------------------------- */

/* The run, without sites.  Replaces what was there.  The steps stay in the copy: they are there until it is filled again or freed. */
void execution_read(struct execution *execution, const struct wire_copy *copy);

/* Or event by event: execution_clear, execution_add for each, execution_end.  Between execution_clear and execution_end nothing else
   may be called. */
void execution_clear(struct execution *execution);
void execution_add(struct execution *execution, const struct event *event);
void execution_end(struct execution *execution);
/* As execution_clear, and then all events and stacks of another one are added. */
void execution_copy(struct execution *execution, const struct execution *from);
/* The steps of another one, too. */
void execution_copy_steps(struct execution *execution, const struct execution *from);
/* All of another one, to its end: it is kept when the other one is read again. */
void execution_keep(struct execution *execution, const struct execution *from);

/* The stack of a task that begins. */
void execution_set_stack(struct execution *execution, uint16_t task, uint64_t lo, uint64_t hi);

void execution_free(struct execution *execution);

/* ---- events ------------------------------------------------------------------------------------------------------- */

static inline uint32_t execution_count(const struct execution *execution)
{
    return (uint32_t)execution->events.count;
}

static inline const struct event *execution_event(const struct execution *execution, uint32_t event)
{
    assert(event < execution->events.count);
    return &execution->events.data[event];
}

/* The accesses of an event, in order. */
static inline const struct access *execution_accesses(const struct execution *execution, uint32_t event,
                                                      unsigned *count)
{
    assert(event + 1 < execution->first_access.count);
    uint32_t first = execution->first_access.data[event];
    *count = execution->first_access.data[event + 1] - first;
    return execution->accesses.data + first;
}

/* The first access of the event that can be a step of that kind (access_fits); NULL: none. */
const struct access *execution_find_access(const struct execution *execution, uint32_t event, enum access_kind kind);
/* The mutex that a condition wait gives back or takes again; 0 for all other events. */
uint64_t execution_mutex(const struct execution *execution, uint32_t event);
/* What happens to memory before the OP_START of the task: its stack is allocated. */
struct event execution_new_stack(const struct execution *execution, uint16_t task);

/* All events in their order, with execution_new_stack before each OP_START, which has no accesses.  Ends early if stop_requested().  `mutex`: as execution_mutex. */
typedef void execution_visit(void *context, const struct event *event, const struct access *accesses, unsigned count,
                             uint64_t mutex);
void execution_each(const struct execution *execution, execution_visit *visit, void *context);

/* ---- tasks -------------------------------------------------------------------------------------------------------- */

/* Tasks are numbered from 0; some may have no event. */
static inline uint32_t execution_task_count(const struct execution *execution)
{
    return execution->first_of_task.count > 0 ? (uint32_t)execution->first_of_task.count - 1 : 0;
}

struct event_range { /* rising */
    const uint32_t *data;
    uint32_t count;
};
/* The events of a task. */
static inline struct event_range execution_task(const struct execution *execution, uint16_t task)
{
    if (task >= execution_task_count(execution))
        return (struct event_range){0};
    uint32_t first = execution->first_of_task.data[task];
    return (struct event_range){execution->by_task.data + first, execution->first_of_task.data[task + 1] - first};
}
/* One of them, by its place. */
static inline uint32_t execution_event_at(const struct execution *execution, uint16_t task, uint32_t place)
{
    assert(task < execution_task_count(execution));
    uint32_t index = execution->first_of_task.data[task] + place;
    assert(index < execution->first_of_task.data[task + 1]);
    return execution->by_task.data[index];
}
/* How many events of the range come before this one. */
uint32_t event_range_count_before(struct event_range range, uint32_t event);

/* ---- parts on demand ---------------------------------------------------------------------------------------------- */

/* Builds what is not there yet of these parts (EXECUTION_*); they last until the execution is cleared or read again.  What an execution
   says does not change, hence the const. */
void execution_prepare(const struct execution *execution, unsigned parts);

/* The following need EXECUTION_SECTIONS: */

/* The critical section that the event lies in; NULL: none.  The events that begin and end it lie in it. */
const struct execution_section *execution_section_of(const struct execution *execution, uint32_t event);
/* The operation with which the task entered the critical section that this operation lies in; 0: it lies in none.  The operation
   need not be that of an event. */
uint64_t execution_section_entry(const struct execution *execution, uint16_t task, uint64_t operation);

/* The following need EXECUTION_READS_FROM: */

/* The memory that the event reads, writes or frees.  A read has read from the writers of its pieces. */
const struct execution_piece *execution_pieces(const struct execution *execution, uint32_t event, uint32_t *count);
uint32_t execution_location_count(const struct execution *execution);
/* The events that write or free the location. */
struct event_range execution_writes(const struct execution *execution, uint32_t location);

#endif
