/* SPDX-License-Identifier: MIT
 *
 * model.h - everything that a report shows, in any format: the programs under a directory of results, the last campaign
 * of each, the campaigns before it, and the failures with their tales.
 *
 * DESIGN
 *   The model is read from the files that `raddle run` wrote (report_read); the program, its source and its debug
 *   information are not needed.  Per program there is one directory, PROGRAM below:
 *
 *     PROGRAM/campaign.json     the last campaign, as `raddle run --json` writes it
 *     PROGRAM/campaigns.jsonl   one line for each of the last campaigns, the oldest first
 *     PROGRAM/failure-N/        about.json, schedule, tale.json, stdout, stderr (trace/failure.h)
 *
 *   If a file is damaged or missing, `problems` has a sentence about it, and everything else is reported.  Texts come
 *   from the program under test: they are made valid UTF-8, but may contain control characters.  Each format escapes
 *   them.
 */
#ifndef RADDLE_REPORT_MODEL_H
#define RADDLE_REPORT_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tale/tale.h"
#include "trace/campaign_counters.h"
#include "trace/failure.h"
#include "util/error.h"
#include "util/vector.h"

enum {
    REPORT_OUTPUT = 64 << 10, /* bytes of a failing run's output that are reported, from its end */
    REPORT_LIMIT = 64 << 20,  /* most bytes of campaign.json or campaigns.jsonl */
};

/* MAP-coverage: how many instances the sites of the variables allow (T_C), and how many of these are covered. */
struct report_estimate {
    bool known; /* false: the family has none, or the campaign is of an earlier version */
    double total;
    uint64_t covered, variables;
};

/* Covered, predicted, open and impossible instances of patterns. */
struct report_count {
    char *name; /* "idiom", "map.7" */
    uint64_t covered, predicted, open;
    uint64_t impossible, corrected; /* 0 in campaigns of earlier versions */
    struct report_estimate estimate;
    double chance_of_new; /* that the next schedule covers a new one; -1: not known (members of families) */
};

struct report_family {
    struct report_count count;
    VECTOR(struct report_count) members;
};

/* The share of a strategy, and its results. */
struct report_share {
    char *strategy;
    uint64_t schedules, observed, newly_covered;
    VECTOR(uint64_t) over_time; /* schedules in parts of the campaign that have equally many; empty: not known */
};

struct report_point {
    uint64_t schedule, covered;
};

struct report_warning {
    char *kind, *site, *text;
    char *variable;           /* NULL: not known */
    char *stacks;             /* of both threads, a line each; NULL: not known */
    char *orders;             /* of a race: what each order led to, a line each; NULL: not known */
    uint64_t schedule, count; /* first seen; schedules that showed it */
};

typedef VECTOR(char *) report_texts;

/* A violation of serializability. */
struct report_violation {
    char *pattern; /* "asset.9"; "cycle" */
    char *set, *text;
    report_texts units, calls, sites, objects; /* units: the interrupted one first; calls: where each was called */
    uint64_t schedule, count, failed, inconsistent;
    bool benign, guarded_apart;
};

struct report_uncontrolled {
    char *name;
    uint64_t count;
};

/* How much of the observed schedules was looked at; all 0 in what earlier versions left. */
struct report_looked {
    uint64_t events, events_left_out, dependencies, dependencies_passed_over;
};

struct report_coverage {
    bool measured; /* false: --coverage none; only the first line is known */
    uint64_t distinct_schedules, shared_sites, shared_locations;
    VECTOR(struct report_family) families;
    uint64_t observed_schedules, profiled_schedules;
    struct report_looked looked_at;
    double chance_of_new;
    bool saturated;
    VECTOR(struct report_point) curve; /* ascending in both; the first and the last point are always there */
};

/* A failure that the campaign showed. */
struct report_seen {
    char *key;      /* struct failure's */
    uint64_t count; /* schedules */
};

/* A counter of a technique, with the technique's own name for it (technique/technique.h). */
struct report_counter {
    char *name;
    uint64_t value;
};
struct report_technique {
    char *name;
    VECTOR(struct report_counter) counters;
};

struct report_campaign {
    char *version;  /* of raddle */
    char **command; /* ends with NULL; at least one word */
    char *strategy; /* as given */
    uint64_t seed;
    int64_t began; /* seconds since 1970; 0: not known */
    double seconds;
    double seconds_telling; /* part of `seconds`: simplifying and explaining failures */
    int exit_code;
    char *error; /* what ended it early; NULL: nothing */
    bool interrupted;
    struct campaign_counts count;
    bool has_first;              /* the next two members are set */
    uint64_t schedules_to_first; /* 0: only failures that were known before */
    double seconds_to_first;     /* 0: not known */
    uint64_t failures;           /* how many it showed */
    struct report_coverage coverage;
    VECTOR(struct report_technique) techniques;
    VECTOR(struct report_share) shares;
    VECTOR(struct report_warning) warnings;
    VECTOR(struct report_violation) violations;
    VECTOR(struct report_uncontrolled) uncontrolled;
    VECTOR(struct report_seen) seen;
    VECTOR(char *) limits; /* "preload", "address-randomisation", …: names from campaign.json */
};

/* A line of campaigns.jsonl. */
struct report_past {
    int64_t began;
    double seconds;
    char *version, *strategy;
    uint64_t seed;
    struct history_counts count; /* covered and open: of all families */
    int exit_code;
    bool interrupted;
};

struct report_failure {
    char *name;           /* "failure-1" */
    struct failure about; /* kind, site, text, key, path, fixed, preemptions … */
    uint64_t count;       /* schedules of the last campaign that showed it; 0: none, or not known */
    bool has_tale;
    struct tale tale;            /* only if has_tale */
    char *output, *errors;       /* the last REPORT_OUTPUT bytes that the program printed, as UTF-8; never NULL */
    bool output_cut, errors_cut; /* the beginning was cut */
};

struct report_program {
    char *name; /* of its directory: "bank" */
    char *path; /* its directory: "raddle.out/bank" */
    bool has_campaign;
    struct report_campaign campaign;        /* only if has_campaign */
    VECTOR(struct report_past) history;     /* the oldest first, the last campaign included */
    VECTOR(struct report_failure) failures; /* by number */
};

struct report {
    VECTOR(struct report_program) programs; /* by name */
    VECTOR(char *) problems;                /* sentences: what could not be read */
};

/* ---- model.c ------------------------------------------------------------------------------------------------------------- */

/* `directory`: of one program, or one with several such directories in it (raddle.out).  False with EXIT_USAGE: there is nothing
   to report on.  Freed by report_free, also after an error. */
bool report_read(struct report *report, const char *directory, struct error *error);
/* The directory of the only program under raddle.out, freed by the caller; NULL: the error names the programs. */
char *report_default_directory(struct error *error);
void report_free(struct report *report);

/* The number of failures that are not fixed. */
size_t report_count_open(const struct report_program *program);
/* What failed, in one line; never NULL or empty. */
const char *report_headline(const struct report_failure *failure);
uint64_t report_covered(const struct report_coverage *coverage); /* of all families together */
uint64_t report_open(const struct report_coverage *coverage);
/* Covered, of what is covered or open: from 0 to 1. */
double report_share(const struct report_count *count);
/* A command line, quoted for a shell; freed by the caller. */
char *report_command(char *const *command);

/* ---- campaign.c: campaign.json and campaigns.jsonl, everything checked ---------------------------------------------------- */

/* `name` is what errors call it.  On error nothing is left to free. */
bool report_parse_campaign(struct report_campaign *campaign, const char *name, const char *text, size_t size,
                           struct error *error);
bool report_parse_past(struct report_past *past, const char *name, const char *text, size_t size, struct error *error);
void report_free_campaign(struct report_campaign *campaign);
void report_free_past(struct report_past *past);

#endif
