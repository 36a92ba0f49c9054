/* SPDX-License-Identifier: MIT
 *
 * coverage.h - interleavings as coverage: which instances of patterns the runs of a campaign have shown, and which they could
 * still show.
 *
 * DESIGN
 *   The events of a finished run go through the observer (pattern/observe.h), and now and then through the predictor
 *   (predict/predictor.h).  An instance is *covered* once it occurred in an observed run, *predicted* once the predictor named
 *   it, *impossible* if it is predicted and was shown to occur in no other order of the runs seen so far (coverage_mark_impossible),
 *   and *open* if it is predicted and neither.  A later run may show what was held to be impossible: then it is covered, and counted
 *   as corrected.
 *
 *   To make an open instance happen, the accesses that it was predicted from are kept (witnesses), and the
 *   schedule of the run that they were in: replayed up to just before the first of them, all that led there holds again.  Up
 *   to three such *alternatives* from different runs are kept.  Schedules are shared by all that came from the run, and
 *   bounded: COVERAGE_SOURCES of them, and COVERAGE_BYTES in all; the oldest that is not needed goes first, then the oldest.
 *   An instance that lost its last alternative stays open, and gets a new one when it is predicted again.
 *
 *   Everything depends on the runs in their order alone.
 */
#ifndef RADDLE_COVERAGE_COVERAGE_H
#define RADDLE_COVERAGE_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "control/rerun.h"
#include "direct/director.h"
#include "pattern/instance.h"
#include "solve/core.h"
#include "trace/execution.h"
#include "util/vector.h"
#include "wire/wire_check.h"

enum {
    COVERAGE_ALTERNATIVES = 3,
    COVERAGE_SOURCES = 256,
    COVERAGE_BYTES = 64 << 20,
    COVERAGE_PROFILES = 8,   /* PREDICT_NEW: so many runs at the beginning need cover nothing new */
    COVERAGE_MOST = 2000000, /* instances that are kept */
    COVERAGE_OPEN = 200000,  /* open instances that are kept */
    COVERAGE_CURVE = 200,    /* points of the growth curve */
};

struct coverage;

struct coverage_options {
    family_mask families;
    uint32_t window; /* vulnerability window; 0: OBSERVE_WINDOW */
};

struct coverage *coverage_new(const struct coverage_options *options);
void coverage_free(struct coverage *coverage);
family_mask coverage_families(const struct coverage *coverage);
uint32_t coverage_window(const struct coverage *coverage);
/* Whether runs are to be recorded with their units of work (PLAN_UNITS), and executions labelled with them (units.h) before they are
   observed: a family that is measured asks for them. */
bool coverage_needs_units(const struct coverage *coverage);
/* The sites of all instances.  May be added to. */
struct sites *coverage_sites(const struct coverage *coverage);

/* What is known of critical sections that exclude patterns. */
struct cores *coverage_cores(struct coverage *coverage);

/* ---- runs --------------------------------------------------------------------------------------------------------- */

enum coverage_predict {
    PREDICT_NEVER,
    PREDICT_ALWAYS,
    PREDICT_NEW, /* during the first runs, and later from a run that covered something new: what it did is what no earlier
                    prediction has seen.  The predictor costs several times as much as the observer; in all it gets as
                    much work as the observer has had, and a little more. */
};

struct coverage_run {
    uint32_t covered;       /* distinct instances that occurred */
    uint32_t new_covered;   /* for the first time */
    uint32_t new_predicted; /* predicted for the first time, and not covered */
    bool cut;               /* not looked at to its end: stop_requested() */
};

/* Fills the execution with a recorded run that has ended; its sites are those of coverage_sites.  `loaded`: of the process that ran it
   (server_symbols_get). */
void coverage_read(struct coverage *coverage, const struct wire_copy *copy, const struct server_symbols *loaded,
                   struct execution *execution);

/* What the execution, made by coverage_read, shows.  `work_most`: units of coverage_work() that it may take, about; 0: any number.  With
   less than it would need, it finds a part of what there is: the same part each time, what was not seen often first (observe.h). */
struct coverage_run coverage_observe(struct coverage *coverage, const struct execution *execution, uint64_t schedule,
                                     enum coverage_predict predict, uint64_t work_most);

/* The run that was observed last did not pass. */
void coverage_not_passed(struct coverage *coverage);

/* ---- numbers ------------------------------------------------------------------------------------------------------ */

struct coverage_count {
    uint64_t covered, predicted, open; /* predicted: covered later or not, impossible or not */
    uint64_t impossible;               /* predicted, not covered, and not open: marked */
    uint64_t corrected;                /* covered after they had been marked */
};
/* Of these rows together. */
struct coverage_count coverage_count(const struct coverage *coverage, family_mask rows);
/* What is covered of all that is known to be possible, or not known to be impossible: from 0 to 1.  1 if that is nothing. */
static inline double coverage_share(const struct coverage_count *count)
{
    uint64_t known = count->covered + count->open;
    return known > 0 ? (double)count->covered / (double)known : 1;
}

/* MAP-coverage: covered instances, compared with the number that the sites of each variable allow (variables.h). */
struct coverage_estimate {
    double total;       /* T_C, of these rows */
    uint64_t covered;   /* of the instances that it counts: x and y are different variables */
    uint64_t variables; /* shared and written */
};
/* False: none of the rows has an estimate. */
bool coverage_estimate(const struct coverage *coverage, family_mask rows, struct coverage_estimate *estimate);
/* The variables that observed runs have shown; none if no family has an estimate. */
struct variables;
const struct variables *coverage_variables(const struct coverage *coverage);
static inline double coverage_estimate_share(const struct coverage_estimate *estimate)
{
    return estimate->total > 0 ? (double)estimate->covered / estimate->total : 0;
}

/* The wanted families by their first names: "idiom" and all its rows that are wanted. */
struct coverage_group {
    char name[16];
    family_mask rows;
};
size_t coverage_group_count(const struct coverage *coverage);
const struct coverage_group *coverage_group(const struct coverage *coverage, size_t group);

uint64_t coverage_observed(const struct coverage *coverage); /* runs */
uint64_t coverage_profiled(const struct coverage *coverage); /* of these, predicted from */
/* What coverage has cost, in numbers that do not depend on the machine: units of observer_work().  All is in it: recording, reading,
   observing, counting and predicting. */
uint64_t coverage_work(const struct coverage *coverage);
/* What was looked at, of the observed runs. */
struct coverage_looked {
    uint64_t events, left_out;          /* events that were looked at, and others */
    uint64_t dependencies, passed_over; /* of all, those that were not combined with all earlier ones */
};
struct coverage_looked coverage_looked(const struct coverage *coverage);
bool coverage_has_lost_events(const struct coverage *coverage); /* some runs were too long to be recorded to the end */
bool coverage_is_cut(
    const struct coverage *coverage); /* there was more than is kept, or than there was time to predict */

/* The chance that the next schedule covers something new (unseen.h): of one group, or of any with COVERAGE_ALL. */
enum { COVERAGE_ALL = -1 };
double coverage_chance_of_new(const struct coverage *coverage, int group);
bool coverage_is_saturated(const struct coverage *coverage, double bound);

struct coverage_point {
    uint64_t schedule, covered;
};
/* The growth curve: points where it grew, with gaps if there were many; the first and the last one are always there. */
const struct coverage_point *coverage_curve(const struct coverage *coverage, size_t *count);

/* ---- instances ---------------------------------------------------------------------------------------------------- */

/* All that were covered or predicted, numbered in that order. */
size_t coverage_instance_count(const struct coverage *coverage);
const struct instance *coverage_instance(const struct coverage *coverage, size_t number);
/* The observed runs that it occurred in; 0: it is open, or impossible. */
uint64_t coverage_seen(const struct coverage *coverage, size_t number);
/* Of these, the ones that passed. */
uint64_t coverage_passed(const struct coverage *coverage, size_t number);
/* It was predicted, before it was covered or after. */
bool coverage_is_predicted(const struct coverage *coverage, size_t number);
/* It was shown that no other order of the runs seen so far has the instance.  It is not open any more, and no technique tries it.  If a
   run shows it after all, it is covered and counted as corrected.  False: it is covered, or marked already. */
bool coverage_mark_impossible(struct coverage *coverage, size_t number);
/* There is reason to ask again, such as a run that does what no earlier run did.  It is open again.  False: it was not marked. */
bool coverage_unmark_impossible(struct coverage *coverage, size_t number);
bool coverage_is_impossible(const struct coverage *coverage, size_t number);
/* Why an instance that is marked is impossible; NULL: not known, or it is not marked.  The core is copied. */
void coverage_explain(struct coverage *coverage, size_t number, const struct core *core);
const struct core *coverage_core(const struct coverage *coverage, size_t number);
/* The number of an instance; SIZE_MAX if it was neither covered nor predicted. */
size_t coverage_find(const struct coverage *coverage, const struct instance *instance);

/* A run that instances were predicted from. */
struct coverage_source {
    uint64_t schedule;
    uint32_t users; /* alternatives of open instances */
    VECTOR(struct wire_step) steps;
};

struct coverage_alternative {
    struct witness witnesses[PATTERN_STEPS]; /* by step of the instance */
    struct coverage_source *source;          /* owned by the coverage */
};

struct coverage_open {
    size_t number;
    const struct instance *instance;
    const struct coverage_alternative *alternatives; /* the latest one is the last */
    unsigned count;                                  /* may be 0 */
};

/* The open instance at *cursor or the next one after it, in the order of their numbers; *cursor is moved past it.  False:
   there are no more.  What it points to is valid until the next run is observed. */
bool coverage_next_open(const struct coverage *coverage, size_t *cursor, struct coverage_open *open);

/* The same for one number; false: it is not open. */
bool coverage_open_at(const struct coverage *coverage, size_t number, struct coverage_open *open);
/* One of its alternatives (modulo how many there are), as the director wants it; nothing if there is none. */
struct director_source coverage_source_of(const struct coverage_open *open, uint32_t which);

/* The site of an access at this pc in the process. */
uint32_t coverage_site_at(struct coverage *coverage, const struct server_symbols *loaded, uint64_t pc);
/* The pcs of a site in a process with these modules; as site_map_pcs. */
size_t coverage_pcs(const struct coverage *coverage, uint32_t site, const struct wire_modules *modules, uint64_t *pcs,
                    size_t most);

#endif
