/* SPDX-License-Identifier: MIT
 *
 * tale.h - the tale of a failing run: everything that explain, the reports and the HTML page show, in names and source
 * lines.
 *
 * DESIGN
 *   A tale is made once, from a recorded rerun (tale_build), and saved next to the failure as tale.json.  Showing it
 *   needs neither the program nor its debug information nor its source, so a failure from a CI machine reads the same
 *   elsewhere. Texts, places and events refer to each other by index.  A tale contains no addresses.
 *
 *   Everything in a tale happened in the run; nothing is guessed.
 */
#ifndef RADDLE_TALE_TALE_H
#define RADDLE_TALE_TALE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "trace/symbols.h"
#include "util/buffer.h"
#include "util/error.h"
#include "util/vector.h"
#include "wire/wire_check.h"

enum {
    TALE_VERSION = 2,     /* 1 had no TALE_PRIVATE, TALE_END, and no titles of stacks */
    TALE_EVENTS = 200000, /* at most; `dropped` counts the rest */
    TALE_NONE = -1,
};
#define TALE_FORMAT "raddle tale"
#define TALE_LIMIT  ((size_t)256 << 20) /* most bytes of a tale.json */

struct tale_place {
    char *function;        /* "" unknown */
    char *file;            /* as compiled: "src/bank.c"; "" unknown */
    uint32_t line, column; /* 0 unknown */
    char *where;           /* for people: "bank.c:18", "module+0x11c9", "?" */
    char *source;          /* the line's text, without white space around it; NULL if the source was not there */
    bool application;      /* compiled with raddle, and not code of raddle itself */
};

struct tale_thread {
    char *name;      /* of its start routine; "main" */
    int32_t parent;  /* TALE_NONE: none */
    int32_t created; /* place */
    uint64_t operations;
};

/* tale_event.marks */
enum {
    TALE_SWITCH = 1,     /* the event before is another thread's */
    TALE_PREEMPTION = 2, /* and that thread could have continued */
    TALE_MATTERS = 4,    /* part of the slice: what explain shows without --full */
    TALE_CAUSE = 8,      /* a step of the cause */
    TALE_FAILURE = 16,   /* the operation that failed, or that the failing thread did last */
    TALE_BLOCKED = 32,   /* not done: it is what a thread waits for at the end (deadlock) */
    TALE_RACE = 64,      /* one side of a race, or one access of a violation of serializability */
    TALE_FREED = 128,    /* freed the block that was used afterwards */
    TALE_LOST = 256,     /* overwrote what another thread had written since this thread read it */
    TALE_ITSELF =
        512, /* with TALE_FAILURE: this is the failing operation; else the failing operation was not recorded */
    TALE_PRIVATE = 1024, /* a read of what no other thread had accessed so far: not in the event log */
    TALE_END =
        2048, /* not an operation of the run: where the failing thread ended.  The object is the access that was not done, or the
                        operation is OP_NONE, and the object is the text of the line */
};

struct tale_event {
    uint32_t thread;
    uint32_t op;        /* enum wire_op */
    uint32_t flags;     /* EVENT_* */
    uint32_t marks;     /* TALE_* */
    uint32_t size;      /* bytes */
    int32_t place;      /* index; TALE_NONE: unknown */
    uint64_t operation; /* of its thread */
    char *object;       /* "balance", "heap#3.next", "T2"; "-" nothing.  Owned by the pool */
    char *value;        /* "150", "EBUSY"; "" nothing.  Owned by the pool */
};

/* What orders two events of different threads: unlock → lock, signal → woken wait, create → start, end → join, post → wait … */
struct tale_arrow {
    uint32_t from, to; /* events */
};

/* A lock that a thread holds from one event to another. */
struct tale_bar {
    uint32_t thread;
    uint32_t from;  /* event that acquired it */
    uint32_t until; /* event that released it; UINT32_MAX: held to the end */
    bool shared;    /* read lock */
    char *object;   /* owned by the pool */
};

/* A call stack, innermost first. */
struct tale_stack {
    uint32_t thread;
    char *
        title; /* what happened there: "waits for m", "freed heap#1", "created T2"; "" the failure.  Owned by the pool */
    VECTOR(int32_t) places;
};

/* One line of a deadlock. */
struct tale_wait {
    uint32_t thread;
    uint32_t op;
    int32_t holder; /* thread; TALE_NONE: no single holder */
    int32_t place;
    char *object; /* owned by the pool */
};

/* The pattern that distinguishes failing from passing runs (explain/cause.h). */
struct tale_cause {
    char *
        statement; /* what went wrong, in one sentence, with the threads, names and lines of this run; NULL: not known */
    char *pattern;  /* as it parses: "a:R(x)@bank.c:15 << b:W(x)@bank.c:23 << a:W(x)@bank.c:16"; NULL: none was found */
    char *second;   /* NULL, or the second pattern of a pair */
    char *family;   /* "map.7", or NULL */
    char *sentence; /* the counts, or that no pattern explains it; NULL only if no cause was searched */
    bool either;    /* of a pair: each failing run shows one of the two; else each shows both */
    uint64_t failing_with, failing_without; /* runs with this failure */
    uint64_t passing_with, passing_without; /* runs that passed */
    VECTOR(uint32_t) events;                /* the steps, as events of this tale */
};

/* The word between the two patterns of a pair. */
static inline const char *tale_cause_word(const struct tale_cause *cause)
{
    return cause->either ? "or" : "and";
}

/* Prefix of the note that a wait ended although another thread could continue (trace/headline.h). */
#define TALE_EARLY "early end: "
/* Prefixes of the notes with the last lines that the program printed in the run. */
#define TALE_STDOUT "stdout: "
#define TALE_STDERR "stderr: "

struct tale {
    char *kind, *site, *text, *key; /* as in about.json */
    uint32_t failing_thread;
    int32_t place;              /* where it failed; TALE_NONE: unknown, or several places (deadlock) */
    uint32_t preemptions;       /* of the schedule of this tale */
    uint32_t preemptions_found; /* of the schedule that was found, before it was shrunk */
    uint64_t dropped;           /* events that are left out: those at the beginning, */
    uint32_t head;              /* or those after the first `head` (hang: a long loop is at the end) */
    VECTOR(struct tale_thread) threads;
    VECTOR(struct tale_place) places;
    VECTOR(struct tale_event)
    events;                    /* in the order in which they happened; those with TALE_BLOCKED or TALE_END come last */
    VECTOR(uint32_t) privates; /* the events with TALE_PRIVATE */
    VECTOR(struct tale_arrow) arrows;
    VECTOR(struct tale_bar) bars;
    VECTOR(struct tale_stack) stacks; /* of the failing thread first */
    VECTOR(struct tale_wait) waits;
    VECTOR(char *)
    notes; /* TALE_EARLY; TALE_STDOUT, TALE_STDERR; sentences: the accesses of a race, a block and the thread that freed it, where other blocks were allocated */
    struct tale_cause cause;
    struct tale_pool *pool;
};

/* The number of the event in the run, from 0.  One with TALE_PRIVATE has that of the next one that is in the log. */
static inline uint64_t tale_event_number(const struct tale *tale, size_t event)
{
    uint64_t number = event + (event >= tale->head ? tale->dropped : 0);
    for (size_t i = 0; i < tale->privates.count && tale->privates.data[i] < event; i++)
        number--;
    return number;
}

/* There was no time to name the events: none of those that happened is there. */
static inline bool tale_is_cut(const struct tale *tale)
{
    return tale->dropped > 0 && (tale->events.count == 0 || (tale->events.data[0].marks & (TALE_BLOCKED | TALE_END)));
}

/* build.c: from a recorded run, its finding and its symbols.  Marks are set, except those of the cause.  If a stop is requested
   meanwhile, a long run is left without its events (tale_is_cut). */
void tale_build(struct tale *tale, struct symbols *symbols, const struct wire_copy *copy,
                const struct wire_finding *finding);
/* notes.c: what the program printed at last, where the failure is that it ended itself or that its results are wrong. */
void tale_add_output(struct tale *tale, const struct buffer *output, const struct buffer *errors);
/* tale.c: takes over the cause; its steps are named by the indices of events of the run that the tale was built from. */
void tale_set_cause(struct tale *tale, struct tale_cause *cause);
/* What went wrong, in one sentence (explain/statement.h); NULL: nothing is said.  There is a cause, or that there is none. */
void tale_set_statement(struct tale *tale, const char *statement);
void tale_free(struct tale *tale); /* all zero afterwards */

/* json.c, parse.c; the format is described in raddle-tale(5). */
void tale_write(const struct tale *tale, struct buffer *text);
/* `name` is what errors call it.  Everything is checked: indices, order, lengths.  On error nothing is left to free. */
bool tale_parse(struct tale *tale, const char *name, const char *text, size_t size, struct error *error);
/* DIR/tale.json */
bool tale_read(struct tale *tale, const char *directory, struct error *error);

/* text.c: what an event did, for people: "read  balance = 100", "lock  m", "create T2 worker", "wait  changed with m". */
void tale_add_text(const struct tale_event *event, struct buffer *text);

/* print.c: the picture in a column per thread, stacks, which thread waits for which, the cause.  `columns`: width to
   fit into, 0 for 100. Colour only if `out` is a terminal. */
void tale_print(const struct tale *tale, FILE *out, int columns, bool full);

/* "assertion `total == 200' failed at bank.c:42   (1 preemption; 3 when it was found)", in as many lines as it needs. */
void tale_print_headline(const struct tale *tale, FILE *out, int columns);

#endif
