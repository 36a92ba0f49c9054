/* SPDX-License-Identifier: MIT
 *
 * campaign.h - many schedules of one program until the budget is used up or a failure is found.
 *
 * DESIGN
 *   One poll loop (loop.c) over fork servers (server.h), of which `jobs` run at a time.  For each schedule portfolio.h says how,
 *   oracle.h whether it was good, result.h keeps what was found.  A failure is at once run again in a server of its own (new_failure.c), so that what is saved is
 *   known to replay; that server also replays the failures of earlier campaigns before anything else.
 */
#ifndef RADDLE_CAMPAIGN_CAMPAIGN_H
#define RADDLE_CAMPAIGN_CAMPAIGN_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "campaign/result.h"
#include "control/checkpoints.h"
#include "control/learned.h"
#include "control/oracle.h"
#include "control/rerun.h"
#include "control/server.h"
#include "coverage/coverage.h"
#include "technique/portfolio.h"
#include "trace/failure.h"
#include "trace/units.h"

struct campaign_settings {
    struct server_setup setup;
    const char *program;  /* as the user wrote it */
    const char *identity; /* what tells it from others: home_program() */
    int64_t time;         /* ns; 0 no limit */
    uint64_t runs;        /* 0 no limit */
    uint32_t jobs;
    uint64_t max_steps;      /* scheduling points of a run; 0: results->step_bound */
    uint32_t plan_flags;     /* beside what the oracle wants */
    uint32_t early_timeouts; /* per 65536 points */
    uint32_t bound;          /* of searches: preemptions allowed */
    uint32_t give_up;        /* attempts at one instance */
    const char *pcr_without; /* rules of pcr; NULL: none */
    bool suspend_at_once;    /* GOAL_AT_ONCE */
    bool keep_going, replay_first, show_output, shrink, full_events;
    uint64_t failure_size; /* bytes on disk */
    enum checkpoints_policy checkpoints;
    struct coverage_options coverage; /* no families: it is not measured */
    bool coverage_all;                /* of every schedule */
    double saturation;                /* chance of something new */
    bool until_saturated;
    bool no_early_end;           /* also after a complete search */
    const char *pattern;         /* this one is to be made to happen, and nothing else; NULL: none */
    const char *memo;            /* file; NULL: nothing is remembered */
    FILE *log;                   /* one line per schedule (runlog.h); NULL none */
    const char *out;             /* directory of failures */
    const char *check, *fail_on; /* as given, to be kept with failures */
};

enum slot_state {
    SLOT_FREE,
    SLOT_PLANNED, /* the run waits until fewer than `jobs` are under way */
    SLOT_BUSY,    /* it is under way */
    SLOT_ENDED,   /* its result waits until those of the schedules before it have been looked at */
};

/* One fork server of the campaign and what it does just now. */
struct slot {
    struct server server;
    struct server_symbols symbols;
    struct wire_copy copy;
    bool started;
    enum slot_state state;
    enum server_state ended_as;
    bool observed;    /* coverage wants its events */
    bool monitored;   /* its units of work are looked at (monitor.h) */
    uint64_t number;  /* of the schedule */
    int from;         /* checkpoint to continue from; -1: none */
    int64_t took;     /* ns, when it has ended */
    int64_t attended; /* when its server was last attended to */
    struct learned_part learned;
    uint32_t member;                /* of the portfolio, that planned it */
    struct technique_run run;       /* how it was planned */
    struct checkpoints checkpoints; /* its server's checkpoints */
    struct wire_plan *plan;         /* our own copy of the plan: the shared one cannot be trusted afterwards */
};

struct campaign {
    const struct campaign_settings *settings;
    struct oracle *oracle;
    struct portfolio *portfolio;
    struct results *results;
    struct campaign_memo *memo;
    int64_t stored;     /* when the memo was brought up to date */
    struct slot *slots; /* campaign_slot() */
    uint32_t slot_count;
    uint64_t next;              /* number of the next schedule to be planned, from 1 */
    uint64_t oldest;            /* number of the schedule whose result comes next; those before it are done */
    struct execution execution; /* of a run that is profiled or observed */
    struct units units;         /* that its events belong to, if the run was recorded with them (PLAN_UNITS) */
    struct learned learned;     /* sites, shared by the slots */
    int64_t began, last_progress;
    uint32_t deaths; /* of servers, in a row */
    uint64_t alone;  /* schedules with one thread and nothing to choose */
    bool announced;  /* the first line has been said */
    bool stop;
    struct held_exit *held_exit;  /* exits.c; NULL: none */
    struct server confirm_server; /* for reruns; setup NULL: not started yet */
    struct server_symbols confirm_symbols;
    int64_t telling_since; /* when the work on the failure began that is told now */
    int64_t stacks_time;   /* that runs took which were made again for the stacks of warnings */
};

/* Where schedule n is run. */
static inline struct slot *campaign_slot(const struct campaign *campaign, uint64_t number)
{
    assert(campaign->slot_count > 0 && number > 0);
    return &campaign->slots[(number - 1) % campaign->slot_count];
}

/* Runs it with the techniques of the portfolio, which are left open.  False: something went wrong that ends it early (error); what was found until then is in results. */
bool campaign_run(const struct campaign_settings *settings, struct oracle *oracle, struct portfolio *portfolio,
                  struct results *results, struct error *error);
/* The exit code that the results deserve, and the sentence if nothing was under control. */
int campaign_exit_code(const struct results *results, char *why, size_t size);

/* loop.c: runs schedules until the budget is used up, or campaign->stop. */
bool campaign_loop(struct campaign *campaign, struct error *error);

/* campaign.c, for loop.c */
/* Plans the next schedule in a free slot, whose server is started if it was not yet. */
bool campaign_plan_schedule(struct campaign *campaign, struct slot *slot, struct error *error);
/* Judges a run that has ended, and learns from it. */
bool campaign_finish_schedule(struct campaign *campaign, struct slot *slot, struct error *error);
/* Brings the memo up to date. */
bool campaign_store(struct campaign *campaign, struct error *error);

/* known.c: failures that are on disk, or have been found in this campaign under another key */
/* Whether a failure on disk is of this program and command line. */
bool campaign_is_ours(struct campaign *campaign, const struct failure *failure);
/* The run in `slot` shows a failure that an earlier campaign saved for this build: it is remembered and told, not saved again. */
bool campaign_found_again(struct campaign *campaign, const struct slot *slot, const char *key);
/* A failure that replays and has been explained has the same cause as one that is known: it is one more key of that one. */
bool campaign_same_cause(struct campaign *campaign, const struct failure *failure, uint64_t schedule);

/* replay_known.c */
/* Replays the failures that earlier campaigns left in the directory. */
bool campaign_replay_known(struct campaign *campaign, struct error *error);

/* new_failure.c */
/* The run in `slot` failed. */
void campaign_found(struct campaign *campaign, struct slot *slot, const struct judgement *judgement);
/* The schedule of the run in `slot`, to run it again; into an empty one. */
void campaign_schedule_of(const struct slot *slot, struct schedule *schedule);
/* findings.c.  Warnings of the run in `slot`. */
void campaign_warnings(struct campaign *campaign, struct slot *slot);

/* exits.c */
/* To be asked about every run that has ended.  True: it ended with a wrong exit status as all before it did, and is held back: it is no failure (yet).
   Else what was held back before is one: campaign_found(). */
bool campaign_hold_exit(struct campaign *campaign, const struct slot *slot, const struct judgement *judgement);
void campaign_drop_exit(struct campaign *campaign);

/* The server for reruns, started when first asked for.  NULL: error. */
struct server *campaign_confirm_server(struct campaign *campaign, struct error *error);
/* For runs in it of a failure with this key. */
struct trial campaign_confirm_trial(struct campaign *campaign, const char *key);
/* A failure that is not known yet: run again, saved, told.  Takes over the key.  False: run again it showed something else, so it is none. */
bool campaign_save_and_tell(struct campaign *campaign, struct slot *slot, const struct judgement *judgement, char *key);
/* Columns of the terminal; 0: there is none. */
int campaign_terminal_width(void);
/* Adds it to a list of the results. */
void campaign_remember(result_failures *list, const struct failure *failure, uint64_t schedule);

/* progress.c */
void campaign_announce(struct campaign *campaign);
void campaign_progress(struct campaign *campaign, const struct slot *slot);
void campaign_summary(const struct campaign_settings *settings, const struct portfolio *portfolio,
                      const struct results *results);

#endif
