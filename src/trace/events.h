/* SPDX-License-Identifier: MIT
 *
 * events.h - the event log of a run as text.
 *
 *   raddle events 1
 *   <number> <task> <operation> <op> <object> <size> <value> <flags> <function> <site>
 *   ...
 *   events <count>
 *
 * One line per event, fields separated by one tab, "-" for nothing.  Characters that would break a line are written as
 * \xNN.  The last line shows that the log is complete.  The text contains no address and no path of the machine: the
 * same schedule gives the same bytes (object.h).
 */
#ifndef RADDLE_TRACE_EVENTS_H
#define RADDLE_TRACE_EVENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "trace/object.h"
#include "trace/symbols.h"
#include "util/error.h"
#include "wire/wire.h"

#define EVENTS_HEADER "raddle events 1"
#define EVENTS_LIMIT  ((size_t)2 << 30) /* most bytes of a log */

const char *event_op_name(uint32_t op);      /* "?": unknown */
uint32_t event_op_by_name(const char *name); /* WIRE_OP_COUNT: unknown */
const char *event_object_kind(uint32_t op); /* what a task waits for in it, if it is not a lock: "condition ", …, "" */
const char *event_kind_name(uint32_t kind); /* "assert", …; "?": unknown */

/* The flags of events, by name. */
struct event_flag {
    uint32_t flag;
    const char *name;
};
extern const struct event_flag event_flags[];
extern const uint32_t event_flag_count;

/* The texts of one event. */
struct event_text {
    char object[OBJECT_NAME]; /* "balance", "T2", "fd#4"; "-" if nothing */
    char value[OBJECT_NAME];  /* "150", "EBUSY", "&table[3]"; "" if nothing */
    const struct site *site;
};
/* For every event in order: objects_event, then one of these two (see object.h).  event_pass is for events that are not
   shown. */
void event_describe(struct symbols *symbols, struct objects *objects, const struct wire_event *event,
                    struct event_text *text);
void event_pass(struct objects *objects, const struct wire_event *event);
bool event_is_access(const struct wire_event *event); /* reads or writes memory of the program */
bool event_is_write(const struct wire_event *event);

/* False: could not be written (errno says why). */
bool events_write(FILE *out, struct symbols *symbols, const struct wire_result *result, const struct wire_event *events,
                  uint32_t count);

/* One line of a log.  The texts point into the log. */
struct event_line {
    uint64_t number, operation;
    uint32_t task, op, size, flags;
    const char *object, *value, *function, *site;
};

struct event_log {
    struct event_line *lines;
    uint32_t count;
    char *text; /* owns the texts */
};

/* Reads a whole log; `name` is what errors call it.  False: the error says what is wrong and in which line, and nothing
   is left to free. */
bool events_read(FILE *in, const char *name, struct event_log *log, struct error *error);
void events_free(struct event_log *log);

/* Where two logs differ first. */
struct event_difference {
    uint64_t line;      /* from 1, the header included; 0: they are the same */
    char *left, *right; /* the lines, NULL at the end of that log; freed by event_difference_free */
};

/* Compares from the current positions to the ends.  False: a log could not be read (errno says why). */
bool events_compare(FILE *left, FILE *right, struct event_difference *difference);
void event_difference_free(struct event_difference *difference);

#endif
