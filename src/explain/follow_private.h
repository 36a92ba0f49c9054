/* SPDX-License-Identifier: MIT
 *
 * follow_private.h - what the parts of follow share.
 */
#ifndef RADDLE_EXPLAIN_FOLLOW_PRIVATE_H
#define RADDLE_EXPLAIN_FOLLOW_PRIVATE_H

#include "explain/follow.h"
#include "explain/follow_align.h"
#include "trace/events.h"
#include "util/table.h"
#include "util/vector.h"

/* An event log, by threads. */
struct follow_thread {
    VECTOR(uint32_t) lines; /* lines of the log, ascending; without lines that are not operations */
};
struct follow_log {
    struct event_log log;
    struct align_item *items; /* by line */
    struct follow_thread *threads;
    uint32_t thread_count;
};

/* Steps for PLAN_BEST_EFFORT: first those that run, then the choices. */
struct follow_plan {
    VECTOR(struct wire_step) steps;
    VECTOR(uint32_t) origin; /* by step: the old one's index */
    uint32_t dropped;        /* index of the first old step whose thread does not exist any more; UINT32_MAX: none */
};

struct follow {
    const struct failure *failure;
    struct trial *trial;
    struct follow_report *report;
    bool has_old; /* there is an old log */
    struct follow_log old, now;
    struct table texts;          /* hash of "file:line" → hash of the old source text, if it was saved */
    int32_t *partner;            /* by line of the old log: the line of the new one, or ALIGN_NONE */
    int32_t threads[WIRE_TASKS]; /* by old thread: the new one, or ALIGN_NONE */
    struct judged_run *run;      /* the last run of a plan */
    struct judged_run *confirm;  /* the last exact rerun */
    struct follow_plan plan;     /* the best so far */
    uint64_t points;             /* of a run, approximately */
    VECTOR(char *) others;       /* keys of other failures */
    bool done;                   /* the failure was found */
};

/* follow_log.c */
bool follow_log_old(struct follow *follow);
bool follow_log_now(struct follow *follow, const struct judged_run *run);
void follow_log_free(struct follow_log *log);
/* The thread that the event creates; WIRE_TASKS if it creates none. */
uint32_t follow_child(const struct event_line *line);
/* "bank.c:18" of "bank.c:18:7": its length. */
size_t follow_place_length(const char *site);

/* follow_translate.c */
/* Aligns the new log with the old one. */
void follow_match(struct follow *follow);
void follow_translate(const struct follow *follow, struct follow_plan *plan);
void follow_plan_free(struct follow_plan *plan);
/* The new line of a place of the old program; 0: not known. */
uint32_t follow_line(const struct follow *follow, const char *file, size_t file_length, uint32_t line);

/* follow_left.c: how far a run followed the plan; the sentence (freed by the caller; NULL: to the end). */
uint32_t follow_reached(const struct follow *follow, const struct follow_plan *plan, const struct wire_result *result);
char *follow_left(const struct follow *follow, const struct follow_plan *plan, const struct wire_result *result);

/* follow.c */
struct follow_tail { /* how a run continues after the plan */
    enum wire_strategy strategy;
    uint64_t seed;
    uint32_t depth, early_timeouts;
    bool record;
};
/* Runs the steps and judges the run: sets follow->done if it shows the failure.  False: the trial is broken. */
bool follow_run(struct follow *follow, const struct wire_step *steps, size_t count, const struct follow_tail *tail);

/* follow_near.c */
/* As many runs as the budget allows, until the failure shows.  False: the trial is broken. */
bool follow_near(struct follow *follow, const struct trial_budget *budget);

/* follow_same.c */
/* Whether what the rerun shows is the old failure; the new log is of that rerun or of a run like it. */
bool follow_same(const struct follow *follow, const char *key, const char *headline, const char *function);

#endif
