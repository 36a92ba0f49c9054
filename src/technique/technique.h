/* SPDX-License-Identifier: MIT
 *
 * technique.h - a technique: it plans the runs of a campaign and learns from them.
 *
 * DESIGN
 *   A *technique* decides between runs: what the next run is for, and with which plan it is made.  A *runtime strategy* (wire.h,
 *   enum wire_strategy) decides inside the program, at a scheduling point, which task goes on.  The simplest technique is one
 *   runtime strategy with another seed for each run; others aim at a pattern, or go through all schedules.
 *
 *   A technique is one file that defines a `const struct technique`, and one row of TECHNIQUES in techniques.h.  The words of
 *   --strategy, the help, the error sentence, the counters in the summary, in JSON and in reports come from there.  A campaign has a list of
 *   techniques (portfolio.h) and calls them through this table only.
 *
 *   Decisions depend on the arguments alone, never on time or addresses: so a campaign is the same each time.  With several jobs (campaign/loop.c)
 *   some runs are planned and not observed yet when the next one is planned; results come in order of schedules all the same.
 */
#ifndef RADDLE_TECHNIQUE_TECHNIQUE_H
#define RADDLE_TECHNIQUE_TECHNIQUE_H

#include "control/checkpoints.h"
#include "coverage/coverage.h"
#include "coverage/targets.h"
#include "direct/goal.h"
#include "util/buffer.h"
#include "util/error.h"
#include "util/hash.h"
#include "wire/wire_check.h"

/* Preemptions that a search may use: as good as any number. */
enum { UNBOUNDED = 1000000 };

/* What a technique may use.  All of it outlives the technique. */
struct technique_setup {
    struct coverage *coverage; /* NULL: it is not measured */
    struct targets *targets;   /* what is known about attempts at instances of the coverage */
    uint64_t seed;
    uint32_t bound;          /* preemptions that a search may use */
    uint32_t plan_flags;     /* PLAN_* that all runs have */
    bool alone;              /* no other technique has turns */
    bool no_early_end;       /* a complete search does not end the campaign */
    const char *program;     /* path of the module under test; NULL: not known */
    const char *pattern;     /* of `raddle force`; NULL: none was given */
    const char *pcr_without; /* rules that are left out, by comma; NULL: none */
    bool suspend_at_once;    /* GOAL_AT_ONCE */
    /* Code that earlier builds did not have; NULL: not known. */
    bool (*is_new_site)(void *context, uint32_t site);
    void *context;
};

/* One run, from its plan to its end.  There is one of these for each slot of a campaign; it is used again for the next run. */
struct technique_run {
    const struct technique *technique;
    void *own; /* what the technique notes about the run: run_size bytes, zero before `plan` */
    /* Given to `plan`: */
    uint64_t number;                    /* of the schedule, from 1 */
    uint64_t round;                     /* how often the list of techniques has been gone through */
    struct generator random;            /* random numbers of this schedule */
    bool addresses_vary;                /* address randomisation: addresses of one process mean nothing in another */
    const struct wire_modules *modules; /* of the process that will run it; NULL: not TECHNIQUE_AIMS */
    struct wire_plan *plan;             /* strategy, seed, depth, length of runs so far and flags are set */
    /* Set by `plan`: */
    goal_steps steps;                   /* the plan's steps; plan->plan_step_count of them are sent */
    VECTOR(struct wire_choice) choices; /* the plan's choices, all of them are sent */
    bool profile;                       /* it is recorded for techniques that need a profile */
    bool observe;                       /* coverage observes it in any case, as a whole */
    bool worth_observing;               /* coverage observes it if it can afford it */
    bool aimed; /* it is for one pattern: reports name the technique, not the runtime strategy */
};

/* A run that has ended. */
struct technique_seen {
    uint64_t schedule;
    const struct wire_copy *copy;
    const struct execution *execution; /* its events; NULL: it was not recorded */
    struct symbols *symbols;           /* of the process; only if it was observed */
    bool profile;                      /* it was recorded for techniques that need a profile */
    bool failed;                       /* it shows a failure */
    bool unseen;                       /* not everything is seen or controlled (technique_end.unseen) */
    bool observed;                     /* coverage has just observed it: */
    uint32_t new_covered;              /* so many instances for the first time */
    bool limited;                      /* coverage cannot look at all there is; what the run did is in: */
    uint32_t new_pairs;                /* pairs of accesses that no run had before (wire_result.pairs) */
};

/* What the run gained, if it is known: it was observed, or coverage is limited.  Where not all can be looked at, gains are compared by
   what every run tells. */
static inline uint32_t technique_gain(const struct technique_seen *seen)
{
    return seen->limited ? seen->new_pairs : seen->new_covered;
}

/* The beginnings of attempts that are likely to come next: checkpoints are put where several pass. */
enum { TECHNIQUE_AHEAD = 8 };
struct technique_ahead {
    goal_steps prefixes[TECHNIQUE_AHEAD];
    size_t count;
};

/* What a search for all behaviours has come to. */
struct technique_search {
    bool ran;            /* there was one */
    bool ended;          /* it has found no more to do */
    bool complete;       /* and these are all that there are */
    uint64_t executions; /* runs of it, each with another behaviour */
    uint64_t failing;    /* of these */
    uint64_t abandoned;  /* runs that were made in vain */
    uint64_t bound;      /* preemptions at most; UNBOUNDED: any number */
    char memory[96];     /* what is assumed, in words: SC memory */
    char what[16];       /* what is counted: behaviour, schedule */
};

/* What a technique says at the end of a campaign. */
struct technique_end {
    /* Given: */
    struct symbols *symbols;     /* NULL: no process was started */
    uint64_t unfinished;         /* runs that did not end */
    bool taken_off;              /* a task was interrupted while it did no operation: when depends on time */
    VECTOR(const char *) unseen; /* what is not seen or controlled, in words */
    /* Set: */
    uint64_t exhausted; /* all schedules that there are; 0: not all were tried */
    struct technique_search search;
    VECTOR(char *) left_out; /* what these do not cover, a sentence each */
    VECTOR(char *) lines;    /* what is to be said, a line each */
    bool failed;             /* it did not reach what it was asked for */
};

enum technique_flags {
    TECHNIQUE_IN_ALL = 1 << 0,   /* belongs to --strategy all; in the order of the table */
    TECHNIQUE_HIDDEN = 1 << 1,   /* is no word of --strategy: a command of its own has it */
    TECHNIQUE_COVERAGE = 1 << 2, /* needs coverage */
    TECHNIQUE_AIMS = 1 << 3,     /* plans by code addresses: needs the modules of the process */
    TECHNIQUE_PROFILE = 1 << 4,  /* needs the events of a run now and then, the first of them without preemptions */
    TECHNIQUE_FEW = 1 << 5,      /* has only a few different schedules: leaves its turns to others after a while */
    TECHNIQUE_SEARCH = 1 << 6, /* goes from one schedule to the next until all are done: needs all turns, and one job */
};

struct technique {
    const char *name;
    const char *help;            /* one line */
    unsigned flags;              /* enum technique_flags */
    enum wire_strategy strategy; /* of its runs, unless `plan` chooses another */
    size_t run_size;             /* of technique_run.own */
    const char *families; /* of patterns that are measured beside those of --coverage (family_by_name); NULL: none */
    const char *const *counters; /* names of what it counts, ends with NULL; NULL: nothing */

    /* All of these may be NULL.  Without `open` the state is NULL. */

    /* NULL: error. */
    void *(*open)(const struct technique_setup *setup, struct error *error);
    void (*plan)(void *state, struct technique_run *run);
    /* The checkpoint to continue from (-1: none); may ask for one to be made.  NULL: by the steps of the plan. */
    int (*checkpoint)(void *state, struct technique_run *run, struct checkpoints *checkpoints, struct server *server);
    /* NULL: the same beginning comes again. */
    void (*ahead)(void *state, const struct wire_modules *modules, struct technique_ahead *ahead);
    /* A run has ended, of any technique.  `run`: if it is one of its own, else NULL.  True: there is nothing left to do. */
    bool (*observe)(void *state, const struct technique_run *run, const struct technique_seen *seen);
    /* One of its own runs came to nothing, and not because of its plan. */
    void (*abandon)(void *state, const struct technique_run *run);
    /* The values of its counters.  state may be NULL: the technique had no part. */
    void (*counts)(const void *state, uint64_t *values);
    /* What it has done, for the summary: one sentence; nothing if there is nothing to say. */
    void (*summary)(const void *state, struct buffer *out);
    /* The campaign has ended. */
    void (*end)(void *state, struct technique_end *end);
    void (*close)(void *state);
};

/* The process that a goal is made for: the context of its goal_pcs. */
struct technique_process {
    const struct coverage *coverage;
    const struct wire_modules *modules;
};

/* A goal_pcs. */
static inline size_t technique_pcs(void *context, uint32_t site, uint64_t *pcs, size_t most)
{
    const struct technique_process *process = context;
    return coverage_pcs(process->coverage, site, process->modules, pcs, most);
}

/* A plan of the runtime strategy roundrobin: there are so many different ones.  The first has no preemptions. */
enum { ROUNDROBIN_SCHEDULES = 8 };
static inline uint64_t roundrobin_seed(uint64_t seed, uint64_t which)
{
    return (seed & ~(uint64_t)(ROUNDROBIN_SCHEDULES - 1)) | which % ROUNDROBIN_SCHEDULES;
}

/* A run of a technique that aims, from which others are predicted: the very first without preemptions, then random ones. */
static inline void technique_plan_profile(const struct technique_run *run)
{
    run->plan->strategy = run->number == 1 ? STRATEGY_ROUNDROBIN : STRATEGY_PCTLARGE;
    if (run->number == 1)
        run->plan->seed = 0;
}

#endif
