/* SPDX-License-Identifier: MIT
 *
 * result_violation.h - the violations of serializability that a campaign has seen.
 *
 * DESIGN
 *   Two violations are the same if pattern, kind of atomic set, functions and places are (struct result_violation): all of them are in JSON.
 *   Those of one bug are one warning (violation_key).  Of each is counted what it led to.
 */
#ifndef RADDLE_CAMPAIGN_RESULT_VIOLATION_H
#define RADDLE_CAMPAIGN_RESULT_VIOLATION_H

#include "control/oracle.h"
#include "pattern/violation.h"

struct results;
struct result_warning;

/* What became of the schedules in which something happened. */
struct result_outcome {
    uint64_t schedule, count, last; /* the first; how many; the last */
    uint64_t failed;                /* of these */
    uint64_t inconsistent;          /* an invariant of the object did not hold later (RADDLE_INVARIANT) */
    uint64_t last_inconsistent;     /* the last of these */
};

struct result_violation {
    char *key;     /* of the warning */
    char *pattern; /* "asset.9" */
    char *set, *units[2], *calls[2];
    char *text, *stacks; /* as of a warning */
    violation_names objects, sites;
    struct result_outcome outcome;
    bool is_apart;  /* the program guards its variables by different locks (violation_is_apart): no warning */
    bool is_benign; /* the user says, by --assume or --suppressions */
};

enum { RESULT_VIOLATIONS = 2000 }; /* that are kept; more are counted only */

struct result_monitor {
    VECTOR(struct result_violation) violations;
    struct table known;        /* violation_hash → index + 1 */
    unit_access_list accesses; /* of the run that is looked at */
    uint64_t looked, work;     /* schedules, and what that took */
    uint64_t with_sets;        /* of these schedules, those in which an atomic set was accessed */
    uint64_t left_out;         /* violations that there was no room for */
    uint64_t benign;           /* schedules with a violation that is benign; each counts once */
    uint64_t last_benign;
};

struct result_shown {
    size_t number; /* in the violations */
    struct violation violation;
};

/* A run that is looked at.  Freed by result_seen_run_end. */
struct result_seen_run {
    struct results *results;
    const struct oracle *oracle;
    const struct server *server;
    struct violation_run run;
    uint64_t schedule;
    bool failed; /* otherwise than by a violation */
    bool warn;   /* violations are warnings */
    VECTOR(struct result_shown) shown;
};

/* The run shows a violation: counts it, and its warning. */
void results_violation(struct result_seen_run *seen, const struct violation *violation);
/* All have been found: what the run says about invariants is noted with them. */
void result_seen_run_end(struct result_seen_run *seen);
/* At the end: the warnings say what the violations led to. */
void results_tell_violations(struct results *results);
void result_monitor_free(struct result_monitor *monitor);

#endif
