/* SPDX-License-Identifier: MIT
 *
 * result.h - what a campaign has found so far: failures and warnings, each once, and the totals.
 *
 * Two findings are the same if their keys are the same (failure_key), or if the cause of both is the same pattern.
 */
#ifndef RADDLE_CAMPAIGN_RESULT_H
#define RADDLE_CAMPAIGN_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "campaign/blind.h"
#include "campaign/result_violation.h"
#include "control/suppress.h"
#include "coverage/coverage.h"
#include "technique/portfolio.h"
#include "trace/symbols.h"
#include "util/error.h"
#include "util/table.h"
#include "util/vector.h"
#include "wire/wire_check.h"

struct result_failure {
    char *key, *kind, *site, *text;
    char *early;                             /* the wait that ended early in it; NULL none */
    char *path;                              /* directory; NULL if it could not be saved */
    char *strategy;                          /* that found it; NULL: not known */
    char *pattern;                           /* of the cause; NULL: none was found */
    VECTOR(char *) also;                     /* other keys under which the same cause showed */
    uint32_t preemptions, preemptions_found; /* of the shrunk schedule, of the one that was found */
    uint64_t schedule;                       /* first seen; 0: known from an earlier campaign */
    uint64_t count;                          /* schedules that showed it */
    bool confirmed;
};

typedef VECTOR(struct result_failure) result_failures;

struct result_warning {
    char *key, *kind, *site, *text;
    char *variable;                /* that a race is on, or the locks of a lock order; NULL: none */
    char *stacks;                  /* of both sides, a line each; NULL: not known */
    char *orders;                  /* of a race: what each order led to, a line each; NULL: not known */
    uint32_t sites[2];             /* of a race, in the coverage; 0: not known */
    bool reads[2];                 /* what is done there is a read */
    uint64_t schedule, count;      /* first seen; schedules that showed it */
    uint64_t last;                 /* schedule that was counted last */
    struct result_outcome outcome; /* of violations of serializability */
    bool unnamed;                  /* the run was not recorded, so there may be a better name for the variable */
};

/* A place that allocates, by what became of its blocks in the schedules in which that is known. */
struct result_leak {
    uint64_t pc;
    uint64_t lost, freed; /* schedules: at least one is lost; all were freed */
    uint64_t schedule;    /* the first in which one was lost */
    char *key, *site;     /* once it was lost in one and freed in another; NULL before */
    bool suppressed;
};

struct result_uncontrolled {
    char name[sizeof((struct wire_uncontrolled *)0)->name];
    uint64_t count;
};

struct results {
    result_failures failures;    /* all of them replay */
    result_failures unconfirmed; /* run again they showed something else */
    VECTOR(struct result_warning) warnings;
    const struct suppressions *suppressions; /* what the user does not want to see; NULL: none */
    VECTOR(char *) suppressed;               /* keys of what they have suppressed */
    VECTOR(struct result_leak) leaks;
    VECTOR(struct result_uncontrolled) uncontrolled;
    VECTOR(struct result_uncontrolled)
    used_up; /* calls after which a process could not be used again, in how many runs */
    char not_held[sizeof((struct wire_result *)0)
                      ->not_held]; /* why no run is held where the first thread starts; may be empty */
    struct blind blind;            /* what raddle did not see */
    struct table seen;             /* raw places of warnings → index + 1 into warnings */
    struct table seen_suppressed;  /* raw places of what was suppressed → 1 */
    struct table distinct;         /* hashes of schedules */
    uint64_t schedules, unfinished, lost_runs, failing_schedules;
    uint64_t unconfirmed_schedules;
    uint64_t
        same_exits;    /* schedules that ended with the same wrong exit status, before any ended otherwise (exits.c) */
    bool exits_differ; /* one did */
    int exit_status;   /* of all of them */
    char *last_words;  /* what the first of them printed last on stderr; NULL: there is none */
    uint64_t stopped;  /* of the unfinished: by the watchdog */
    uint64_t impossible; /* of the stopped: an order that a technique had planned could not be made */
    uint64_t crowded;    /* of the unfinished: cut because of more than WIRE_TASKS threads */
    uint64_t still;      /* of the unfinished: cut by the step bound when nothing had changed for half of the run */
    uint64_t longest;    /* scheduling points of the longest run that ended */
    uint64_t step_bound; /* scheduling points after which the next run is cut */
    uint64_t cut_at;     /* the highest bound at which a run was cut */
    char why_stopped[WIRE_TEXT + 64]; /* the first of the other stopped ones */
    bool taken_off;                   /* a thread was taken off while it computed: dfs has not seen all that there is */
    uint64_t first_failure;           /* schedule number; 0: none, or only those of earlier campaigns */
    uint64_t points, operations;      /* of all runs */
    uint32_t threads;                 /* most in one run */
    uint64_t shared_sites, shared_locations, locks;
    uint64_t continued;              /* schedules that were continued from a checkpoint */
    struct technique_end end;        /* what the techniques say at the end */
    uint64_t fixed, still_failing;   /* of earlier campaigns */
    uint64_t found_again;            /* failures of earlier campaigns that schedules of this one showed */
    struct coverage *coverage;       /* NULL: not measured */
    struct result_monitor monitor;   /* violations of serializability */
    uint64_t pairs[WIRE_PAIRS / 64]; /* of all runs; observation.h */
    uint64_t typical_points;         /* scheduling points of a run, about */
    bool long_runs;                  /* there was a time when runs had too many of them to be looked at as a whole */
    bool limited;                    /* coverage cannot look at all of the runs */
    uint64_t given_up;        /* schedules that were under way for long when the campaign ended; not in `schedules` */
    uint64_t cut_observation; /* schedule that was not looked at to its end: the time was over; 0: none */
    bool saturated;           /* it is not likely to grow any more */
    bool ended_saturated;     /* and so the campaign ended */
    bool talk;                /* threads other than main do I/O that is controlled */
    uint32_t lost_tables;     /* LOST_* */
    bool many_modules;        /* the program has loaded more than are known */
    uint32_t free_processes;
    char uncontrollable[WIRE_TEXT]; /* what the program did that cannot be controlled; empty: nothing */
    bool randomised, preload, one_process_per_run, interrupted;
    double seconds;
    double seconds_telling;       /* of these: simplifying failures and finding their causes, after they were found */
    double first_failure_seconds; /* until the first failure was seen, before it was run again and told */
};

void results_free(struct results *results);
/* Counts one finished run. */
void results_count(struct results *results, const struct wire_copy *copy);
/* Adds a warning of this run, or counts it again.  Returns it if it is new, else NULL; valid until the next one. */
struct result_warning *results_warn(struct results *results, struct symbols *symbols, const struct wire_copy *copy,
                                    const struct wire_finding *finding, uint64_t schedule);
/* The warning that a finding of some run is, or NULL. */
struct result_warning *results_warning_of(struct results *results, struct symbols *symbols,
                                          const struct wire_copy *copy, const struct wire_finding *finding);
/* Counts what this line has suppressed, once. */
void results_suppress(struct results *results, struct symbols *symbols, const struct wire_copy *copy,
                      const struct wire_finding *finding, struct suppression *suppression);
/* result_orders.c.  A new warning of a race: its places in the coverage, if the family race is measured. */
void results_place_race(const struct results *results, struct result_warning *warning,
                        const struct server_symbols *loaded, const struct wire_finding *finding);
/* At the end: what each order of the two accesses of a race led to, in the observed runs in which both were possible at once. */
void results_tell_orders(struct results *results);
/* Which places' blocks were lost in this schedule. */
void results_leaks(struct results *results, struct suppressions *suppressions, struct symbols *symbols,
                   const struct wire_copy *copy, uint64_t schedule);
/* At the end: a place is a warning if its blocks are lost in some schedules and all freed in others, unless it is a failure (--fail-on leak). */
void results_warn_of_leaks(struct results *results);
/* Schedules per second, without the time that failures took after they were found. */
double results_rate(const struct results *results);
/* The failure with that key, or NULL. */
struct result_failure *results_find(struct results *results, const char *key);
/* The failure with this pattern as its cause; NULL: there is none, or no pattern. */
struct result_failure *results_find_cause(struct results *results, const char *pattern);
struct result_failure *results_find_unconfirmed(struct results *results, const char *key);
/* Share of the schedules that were new when they ran. */
uint64_t results_distinct(const struct results *results);
/* False: there were more than results_distinct says. */
bool results_told_apart(const struct results *results);

/* What a finding is called when there is no story for it (no place): kind alone. */
const char *result_kind_name(uint32_t kind);

/* The campaign as JSON; written in one go.  `command` ends with NULL. */
struct result_context {
    char *const *command;
    const char *program; /* home_program() */
    const char *out;
    uint64_t seed;
    const char *strategy;
    const struct portfolio *portfolio; /* still open */
    int64_t began;                     /* seconds since 1970 */
    int exit_code;
    const char *error; /* what ended it early, NULL nothing */
};
bool results_write_json(const struct results *results, const struct result_context *context, const char *path,
                        struct error *error);

/* result_keep.c: the same as OUT/campaign.json, and a line about it added to OUT/campaigns.jsonl, which keeps the last
   RESULT_HISTORY_LINES: for `raddle report`.  Two campaigns that end at the same moment in one OUT may keep only one line. */
enum { RESULT_HISTORY_LINES = 100, RESULT_HISTORY_LIMIT = 16 << 20 /* bytes */ };
bool results_keep(const struct results *results, const struct result_context *context, struct error *error);

#endif
