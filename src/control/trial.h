/* SPDX-License-Identifier: MIT
 *
 * trial.h - runs one schedule and judges it, for the modules that work on one failure: rerun, shrink, cause, follow.
 *
 * DESIGN
 *   A trial is where runs are made (server, symbols, oracle), what they are compared with (the key of a failure) and
 *   how much they may take (a budget).  trial_run() runs a plan and returns a verdict; the run itself is stored in a
 *   struct judged_run of the caller.  A server that dies during a run is started again for the next one
 *   (server_begin_run).  After several deaths in a row, or if a run cannot be judged, the trial is broken and has an
 *   error.
 */
#ifndef RADDLE_CONTROL_TRIAL_H
#define RADDLE_CONTROL_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "control/oracle.h"
#include "control/plan.h"
#include "control/server.h"
#include "control/server_symbols.h"
#include "wire/wire_check.h"

struct trial_budget {
    uint64_t runs;   /* 0: any number */
    int64_t time;    /* ns; 0: any.  A result that the time limit cut is not reproducible */
    uint64_t points; /* scheduling points of all runs; 0: any number */
};

struct trial {
    struct server *server;
    struct server_symbols *symbols; /* of the server */
    const struct oracle *oracle;
    bool full_events; /* reruns record as many events as there is room for (rerun.h) */
    const char *key;  /* of the failure that runs are compared with (failure_key); NULL: there is none */
    struct trial_budget budget;
    int64_t deadline; /* of the budget's time; 0: none */
    uint64_t runs;    /* calls of trial_run() since the budget was set */
    uint64_t points;  /* scheduling points of these runs */
    uint32_t deaths;  /* of servers, in a row */
    bool over;        /* the budget is used up, or a stop was requested */
    bool broken;      /* no more runs are possible; `error` says why */
    struct error error;
};

/* A run that has ended.  All zero to begin with; freed by judged_run_free(). */
struct judged_run {
    struct wire_copy copy;
    enum server_state state;
    struct judgement judgement;
};

enum trial_verdict {
    TRIAL_PASSED,
    TRIAL_FAILED,           /* with the failure of the key */
    TRIAL_FAILED_OTHERWISE, /* with another failure, or there is no key */
    TRIAL_UNFINISHED,       /* neither: cut, diverged, not under control, or the server died with it */
    TRIAL_BROKEN,           /* trial->error says why; there will be no other run */
};

/* Sets the budget.  Counters start at zero, and a broken trial may be used again. */
void trial_set_budget(struct trial *trial, const struct trial_budget *budget);
/* Whether another run is possible and allowed.  Once it is not, trial->over or trial->broken is set. */
bool trial_may_run(struct trial *trial);

/* Runs the plan.  Steps and choices are copied, events if the plan records them.  A run that is cut by the time limit
   does not count. */
enum trial_verdict trial_run(struct trial *trial, const struct wire_plan *plan, const struct wire_step *steps,
                             struct judged_run *run);
/* The same from the checkpoint in a slot; -1: from the beginning. */
enum trial_verdict trial_continue(struct trial *trial, const struct wire_plan *plan, const struct wire_step *steps,
                                  int slot, struct judged_run *run);
/* The same without the budget: it does not count and is not cut.  `pass_on`: the program's output is copied to our
   stdout and stderr. */
enum trial_verdict trial_run_extra(struct trial *trial, const struct wire_plan *plan, const struct wire_step *steps,
                                   bool pass_on, struct judged_run *run);

/* The key of the failure that the run shows, freed by the caller; NULL: it shows none.  The run was the server's last
   one, or of the same program. */
char *trial_failure_key(const struct trial *trial, const struct judged_run *run);
/* Whether that is trial->key. */
bool trial_shows_failure(const struct trial *trial, const struct judged_run *run);

/* After TRIAL_BROKEN: copies trial->error.  Returns false, so that a function may end with it. */
bool trial_pass_error(const struct trial *trial, struct error *error);

void judged_run_free(struct judged_run *run);

#endif
