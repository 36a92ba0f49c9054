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
 *
 * Of a long run the log may keep only the first and the last events.  Its first line is then "raddle events 2", and where events
 * were left out there is one line
 *
 *   cut <first number left out> <how many> <digest>
 *
 * The digest is a hash of everything that the lines would say, 16 hexadecimal digits: so two cut logs have the same bytes only
 * if the whole runs are the same.
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

#define EVENTS_HEADER     "raddle events 1"
#define EVENTS_HEADER_CUT "raddle events 2"
enum { EVENTS_KEPT_FIRST = 20000, EVENTS_KEPT_LAST = 80000 }; /* of a log that is cut; shorter ones never are */
#define EVENTS_LIMIT ((size_t)2 << 30)                        /* most bytes of a log */
#define EVENTS_MOST  ((uint64_t)1 << 48)                      /* most events of a run */

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
   shown; it returns a hash of what would be shown, without the site. */
void event_describe(struct symbols *symbols, struct objects *objects, const struct wire_event *event,
                    struct event_text *text);
uint64_t event_pass(struct objects *objects, const struct wire_event *event);
/* Its flags, as event logs and reports show them. */
uint8_t event_shown_flags(const struct wire_event *event);
bool event_is_access(const struct wire_event *event); /* reads or writes memory of the program */
bool event_is_write(const struct wire_event *event);

/* False: could not be written (errno says why).  Unless `whole` is set, the middle of a long run is left out.  What the run itself left out (PLAN_TAIL)
   always is. */
bool events_write(FILE *out, struct symbols *symbols, const struct wire_result *result, const struct wire_event *events,
                  uint32_t count, bool whole);
/* How many of the events of the run are left out by it. */
uint64_t events_left_out(const struct wire_result *result, uint32_t count, bool whole);
/* Whether a log that is at its beginning is cut; it is at its beginning again afterwards. */
bool events_is_cut(FILE *in);

/* One line of a log.  The texts point into the log. */
struct event_line {
    uint64_t number, operation;
    uint32_t task, op, size, flags;
    const char *object, *value, *function, *site;
};

struct event_log {
    struct event_line *lines;
    uint32_t count;
    uint64_t left_out; /* events that are not in it */
    char *text;        /* owns the texts */
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
