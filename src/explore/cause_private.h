/* SPDX-License-Identifier: MIT
 *
 * cause_private.h - what the parts of the search for a cause share: cause.c (which runs), cause_runs.c (running them),
 * cause_observe.c (what they show), cause_ahead.c (and would have shown), cause_rows.c (beside the families), cause_words.c (names and
 * sentences).
 */
#ifndef RADDLE_EXPLORE_CAUSE_PRIVATE_H
#define RADDLE_EXPLORE_CAUSE_PRIVATE_H

#include "explore/cause.h"
#include "explore/cause_choose.h"
#include "explore/coverage.h"
#include "explore/places.h"
#include "pattern/observe.h"

enum {
    LAB_EVENTS = 2000000,  /* of all runs together: no more runs after that */
    LAB_INSTANCES = 60000, /* that are kept */
    LAB_LONG = 20000,      /* events: of longer runs only patterns of up to three steps are looked at */
    LAB_AHEAD = 64,        /* events of a thread that are looked ahead */
    LAB_TASKS = 8,         /* threads that are looked ahead for */
    LAB_FEW = 5,           /* passing runs: with fewer nothing is said */
    ROW_WAIT = 200,        /* rows beside those of the table of families: a:lock(x) < b:lock(x), for which b waits */
    ROW_CROSS = 201,       /* a:lock(x) | b:lock(y) < b:lock(x) | a:lock(y), for which both wait */
    ROW_FREED = 202,       /* a:free(x) << b:*(x) */
    ROW_LOOSE = 203,       /* a:*(x) < b:*(x) < a:*(x), where << does not hold because of a third thread */
};

/* A run that was recorded and judged. */
struct lab_run {
    bool failing;                      /* as the one that is to be explained; else it passed */
    VECTOR(struct wire_event) events;  /* with an ALLOC for the stack of each thread that begins */
    site_list sites;                   /* one for each */
    VECTOR(struct wire_blocked) waits; /* at its end */
    VECTOR(uint16_t) open;             /* tasks that had not ended, and have not been looked ahead for yet */
    uint32_t kind;                     /* of the finding */
    struct wire_access here;           /* where it showed */
};

struct cause_lab {
    /* given */
    const struct schedule *schedule;
    struct server *server;
    struct server_symbols *symbols;
    const struct oracle *oracle;
    const char *key;
    const struct coverage *seen; /* NULL: none */
    uint64_t seed;
    struct shrink_budget budget;
    int64_t began;
    struct error *error;
    /* runs */
    uint64_t runs; /* so far, of any kind */
    uint64_t all_points;
    uint64_t known;                       /* sites that touch shared data */
    bool learned;                         /* they became more during the last run */
    bool full;                            /* no more room */
    bool hangs;                           /* that is the failure */
    uint64_t task_operations[WIRE_TASKS]; /* of the run that is to be explained */
    uint64_t points, event_count;
    struct table schedules; /* hashes of what has been run */
    struct wire_copy copy;
    struct judgement judgement;
    VECTOR(struct lab_run) all; /* the first one is the one that is to be explained */
    struct cause_verdicts verdicts;
    unsigned failing, passing; /* different schedules */
    unsigned passed;           /* runs, the same schedule several times included */
    /* what they show */
    struct sites *sites;
    struct places *places;
    VECTOR(uint8_t) application; /* by site: 0 not known, 1 no, 2 yes */
    struct observer *observer;
    struct instances found;
    struct instances numbers; /* of all that were ever found */
    VECTOR(struct cause_candidate) candidates;
    family_mask rows;
};

/* ---- cause_runs.c --------------------------------------------------------------------------------------------------- */

enum lab_verdict { LAB_FAILED, LAB_PASSED, LAB_NEITHER, LAB_BROKEN /* the server cannot be used any more */ };

/* Runs a plan: strategy and seed are given, `steps` come before (PLAN_PREFIX), flags and the like are as in the schedule that is
   explained.  `goal`: of STRATEGY_DIRECT.  What it showed is in lab->copy. */
enum lab_verdict lab_run_plan(struct cause_lab *lab, enum wire_strategy strategy, uint64_t seed,
                              const struct wire_step *steps, size_t step_count, const struct wire_goal *goal);
/* The schedule that is to be explained. */
enum lab_verdict lab_run_again(struct cause_lab *lab);
bool lab_has_budget(const struct cause_lab *lab);

/* ---- cause_observe.c ------------------------------------------------------------------------------------------------ */

void lab_open(struct cause_lab *lab);
void lab_close(struct cause_lab *lab);
/* Forgets all runs and what they showed. */
void lab_forget_runs(struct cause_lab *lab);
/* Keeps the run that is in lab->copy and looks at it.  False: it is known, or there is no more room. */
bool lab_keep_run(struct cause_lab *lab, bool failing);
/* What needs all runs: what threads would have done next, and who waited for whom. */
void lab_compare_runs(struct cause_lab *lab);
struct pattern lab_pattern(const struct instance *instance);

/* Between the files that observe: */
/* The number of the instance, which is made if it is new; SIZE_MAX: there are too many. */
size_t lab_number(struct cause_lab *lab, const struct instance *instance);
/* The run shows it. */
void lab_add_instance(struct cause_lab *lab, unsigned run, const struct instance *instance,
                      const struct witness *witnesses);
/* The run that is to be explained shows it, there. */
void lab_place_in_base(struct cause_lab *lab, struct cause_candidate *candidate, const struct witness *witnesses);
/* What the run shows, with what comes after its end. */
void lab_observe(struct cause_lab *lab, unsigned number, const struct wire_event *more, const uint32_t *sites,
                 size_t count);

/* ---- cause_ahead.c -------------------------------------------------------------------------------------------------- */

/* For the threads of a failing run that have not been looked ahead for yet. */
void lab_look_ahead(struct cause_lab *lab, unsigned number);

/* ---- cause_rows.c --------------------------------------------------------------------------------------------------- */

/* What the finding of a failing run says. */
void lab_add_findings(struct cause_lab *lab, unsigned number);
/* Looks for all of these patterns in the runs that are new. */
void lab_match_own_rows(struct cause_lab *lab);
/* Whether the run shows the pattern, by the matcher. */
bool lab_shows(const struct cause_lab *lab, const struct lab_run *run, const struct pattern *pattern);

/* ---- cause_words.c -------------------------------------------------------------------------------------------------- */

struct lab_teller {
    struct cause_lab *lab;
    const struct rerun *told; /* the failing run that is told */
};
/* As cause_accept, with a lab_teller: there is a text for it that fits no passing run. */
bool lab_accept(void *context, const struct cause_choice *choice);
/* Fills in the cause; `choice` may be none. */
void lab_tell(struct cause_lab *lab, const struct rerun *told, const struct cause_choice *choice,
              struct tale_cause *cause);

#endif
