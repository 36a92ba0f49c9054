/* SPDX-License-Identifier: MIT
 *
 * cause_private.h - what the parts of the search for a cause share: cause.c (which runs), cause_runs.c (running them),
 * cause_observe.c (what they show), cause_ahead.c (and would have shown), cause_rows.c (beside the families), cause_words.c (names and
 * sentences).
 */
#ifndef RADDLE_EXPLAIN_CAUSE_PRIVATE_H
#define RADDLE_EXPLAIN_CAUSE_PRIVATE_H

#include "coverage/coverage.h"
#include "coverage/site_map.h"
#include "explain/cause.h"
#include "explain/cause_choose.h"
#include "explain/statement.h"
#include "pattern/observe.h"

enum {
    EXPERIMENT_EVENTS = 2000000,  /* of all runs together: no more runs after that */
    EXPERIMENT_INSTANCES = 60000, /* that are kept */
    EXPERIMENT_LONG = 20000,      /* events: of longer runs only patterns of up to three steps are looked at */
    EXPERIMENT_AHEAD = 64,        /* events of a thread that are looked ahead */
    EXPERIMENT_TASKS = 8,         /* threads that are looked ahead for */
    EXPERIMENT_FEW = 5,           /* passing runs: with fewer nothing is said */
    ROW_WAIT = 200,  /* rows beside those of the table of families: a:lock(x) < b:lock(x), for which b waits */
    ROW_CROSS = 201, /* a:lock(x) | b:lock(y) < b:lock(x) | a:lock(y), for which both wait */
    ROW_FREED = 202, /* a:free(x) << b:*(x) */
    ROW_LOOSE = 203, /* a:*(x) < b:*(x) < a:*(x), where << does not hold because of a third thread */
};

/* A run that was recorded and judged. */
struct experiment_run {
    bool failing;                      /* as the one that is to be explained; else it passed */
    struct execution execution;        /* without repetitions; with the operation that failed, if it was not done */
    VECTOR(struct wire_blocked) waits; /* at its end */
    VECTOR(uint16_t) open;             /* tasks that had not ended, and have not been looked ahead for yet */
    uint32_t kind;                     /* of the finding */
    struct wire_access here;           /* where it showed */
};

/* After this step of the run that is to be explained it could not pass any more (cause_decisive.c). */
struct cause_decisive {
    bool known;
    uint16_t task;
    uint64_t operation; /* of the task */
    unsigned before,
        after; /* runs that went on otherwise just before it and just after it: of the latter none passed, */
    unsigned before_passed; /* of the former so many.  after is 0 if it is the last step of the run */
};

/* A run in which a pattern was to be made to happen. */
struct experiment_forced {
    struct instance aimed;
    uint32_t run;
};

struct experiment {
    /* given */
    const struct schedule *schedule;
    struct trial *trial;                /* NULL: the runs were not made here */
    struct server *server;              /* the trial's */
    struct server_symbols *symbols;     /* the trial's */
    const struct wire_finding *finding; /* of the run that is to be explained */
    const struct coverage *seen;        /* NULL: none */
    uint64_t seed;
    /* runs */
    uint64_t known;                       /* sites that touch shared data */
    bool learned;                         /* they became more during the last run */
    bool full;                            /* no more room */
    bool hangs;                           /* that is the failure */
    uint64_t task_operations[WIRE_TASKS]; /* of the run that is to be explained */
    uint64_t points, event_count;
    struct table schedules; /* hash of what has been run → number of the run + 1 */
    VECTOR(struct experiment_forced) forced;
    union {
        struct judged_run run; /* the last one */
        struct {               /* the same, for short */
            struct wire_copy copy;
            enum server_state state;
            struct judgement judgement;
        };
    };
    VECTOR(struct experiment_run) all; /* the first one is the one that is to be explained */
    struct cause_verdicts verdicts;
    unsigned failing, passing; /* different schedules */
    struct schedule *simpler;  /* of the question */
    uint32_t early;            /* waits that end early in the run that is to be explained */
    uint32_t fewest;           /* preemptions of the simplest one so far */
    unsigned passed;           /* runs, the same schedule several times included */
    /* what they show */
    struct sites *sites;
    struct site_map *site_map;
    VECTOR(uint8_t) application; /* by site: 0 not known, 1 no, 2 yes */
    struct observer *observer;
    struct execution ahead; /* a run with what would have come next (cause_ahead.c) */
    struct instances found;
    struct instances numbers; /* of all that were ever found */
    VECTOR(struct cause_candidate) candidates;
    family_mask rows;
    struct cause_decisive decisive;
};

/* ---- cause_runs.c --------------------------------------------------------------------------------------------------- */

enum experiment_verdict {
    EXPERIMENT_FAILED,
    EXPERIMENT_PASSED,
    EXPERIMENT_NEITHER,
    EXPERIMENT_BROKEN /* the server cannot be used any more */
};

/* Runs a plan: strategy and seed are given, `steps` come before (PLAN_PREFIX), flags and the like are as in the schedule that is
   explained.  `goal`: of STRATEGY_DIRECT.  What it showed is in experiment->run. */
enum experiment_verdict experiment_run_plan(struct experiment *experiment, enum wire_strategy strategy, uint64_t seed,
                                            const struct wire_step *steps, size_t step_count,
                                            const struct wire_goal *goal);
/* The schedule that is to be explained. */
enum experiment_verdict experiment_run_again(struct experiment *experiment);

/* ---- cause_observe.c ------------------------------------------------------------------------------------------------ */

void experiment_open(struct experiment *experiment);
void experiment_close(struct experiment *experiment);
/* Forgets all runs and what they showed. */
void experiment_forget_runs(struct experiment *experiment);
/* Keeps the run that is in experiment->run and looks at it, unless it is known.  Its number; EVENT_NONE: there is no more room. */
uint32_t experiment_keep_run(struct experiment *experiment, bool failing);
/* In how many other schedules the pattern was made to happen. */
unsigned experiment_count_forced(const struct experiment *experiment, const struct cause_candidate *candidate);
/* What needs all runs: what threads would have done next, and which thread waited for which. */
void experiment_compare_runs(struct experiment *experiment);
struct pattern experiment_pattern(const struct instance *instance);

/* Between the files that observe: */
/* The number of the instance, which is made if it is new; SIZE_MAX: there are too many. */
size_t experiment_number(struct experiment *experiment, const struct instance *instance);
/* The run shows it. */
void experiment_add_instance(struct experiment *experiment, unsigned run, const struct instance *instance,
                             const struct witness *witnesses);
/* The run that is to be explained shows it, there. */
void experiment_place_in_base(struct experiment *experiment, struct cause_candidate *candidate,
                              const struct witness *witnesses);
/* What the run shows, and adds it.  `execution`: that of the run, or with what comes after its end. */
void experiment_observe(struct experiment *experiment, unsigned number, const struct execution *execution);

/* ---- cause_ahead.c -------------------------------------------------------------------------------------------------- */

/* For the threads of a failing run that have not been looked ahead for yet. */
void experiment_look_ahead(struct experiment *experiment, unsigned number);

/* ---- cause_decisive.c ----------------------------------------------------------------------------------------------- */

/* The run that is to be explained up to just before its event `at`, and then otherwise. */
enum experiment_verdict experiment_run_from(struct experiment *experiment, uint32_t at, unsigned attempt);
/* The number of the decisive event in that run; EVENT_NONE: not known. */
uint32_t experiment_decisive_event(const struct experiment *experiment);
/* Describes it, and what it is in conflict with. */
void experiment_tell_decisive(const struct experiment *experiment, const struct judged_run *told,
                              struct statement_facts *facts);
/* Refuses a pattern that comes only after the decisive event; notes whether the event is one of its steps. */
void experiment_compare_with_decisive(const struct experiment *experiment, struct cause_candidate *candidate);

/* ---- cause_rows.c --------------------------------------------------------------------------------------------------- */

/* What the finding of a failing run says. */
void experiment_add_findings(struct experiment *experiment, unsigned number);
/* Looks for all of these patterns in the runs that are new. */
void experiment_match_own_rows(struct experiment *experiment);
/* Whether the run shows the pattern, by the matcher. */
bool experiment_shows(const struct experiment *experiment, const struct experiment_run *run,
                      const struct pattern *pattern);

/* ---- cause_words.c -------------------------------------------------------------------------------------------------- */

struct experiment_teller {
    struct experiment *experiment;
    const struct judged_run *told; /* the failing run that is told */
};
/* As cause_accept, with a experiment_teller: there is a text for it that fits no passing run. */
bool experiment_accept(void *context, const struct cause_choice *choice);
/* Thread, operation, place and, if it is in the told run, the object of an event of the run that is to be explained or of another
   one. */
void experiment_describe(const struct experiment *experiment, const struct judged_run *told, const struct event *event,
                         struct statement_step *step);
/* Fills in the cause; `choice` may be none. */
void experiment_tell(struct experiment *experiment, const struct judged_run *told, const struct cause_choice *choice,
                     struct tale_cause *cause, struct statement_facts *facts);

#endif
