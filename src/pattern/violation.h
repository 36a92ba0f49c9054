/* SPDX-License-Identifier: MIT
 *
 * violation.h - the violations of serializability that a recorded run shows, in names.
 *
 * DESIGN
 *   serializability.h reads accesses; here they are taken from an execution whose events are labelled with units of work and atomic sets
 *   (trace/units.h), and what is found is told: which calls, on which object, at which lines.
 *
 *   One unit is the *interrupted* one: the other one's accesses come between its own.  A bug is a unit that should be a whole and is not, so
 *   violations on one kind of atomic set with the same interrupted function are one finding (violation_key), whichever function interrupts it and wherever.
 */
#ifndef RADDLE_PATTERN_VIOLATION_H
#define RADDLE_PATTERN_VIOLATION_H

#include "pattern/serializability.h"
#include "trace/symbols.h"
#include "trace/units.h"

typedef VECTOR(struct unit_access) unit_access_list;

/* The accesses of the execution that belong to a set.  Replaces what was there. */
void unit_accesses_read(const struct execution *execution, unit_access_list *accesses);

/* What a run is told from.  All of it is of one run. */
struct violation_run {
    const struct wire_copy *copy;
    const struct execution *execution;
    const struct units *units;
    struct atomic_sets *sets;
    struct symbols *symbols;
    const struct unit_access *accesses;
};

/* The label of the interrupted unit (0) or of the other one (1). */
const struct unit_label *violation_unit(const struct violation_run *run, const struct violation *violation,
                                        unsigned which);
const struct event *violation_event(const struct violation_run *run, const struct violation *violation, unsigned index);
/* Each event once: a cycle's may be in it twice.  Returns how many. */
unsigned violation_events(const struct violation_run *run, const struct violation *violation,
                          uint32_t events[SERIALIZABILITY_EVENTS]);

/* The same for the same pattern, kind of set, functions and places, in the same build. */
uint64_t violation_hash(const struct violation_run *run, const struct violation *violation);

/* "account_copy"; "access" if it is no call; "?" if the function is not known.  Owned by the sets. */
const char *violation_function(const struct violation_run *run, const struct unit_label *unit);
/* "struct account", "cache.c"; "memory" if the program has named it. */
const char *violation_set(const struct violation_run *run, const struct violation *violation);
/* "asset.9"; "cycle" */
const char *violation_pattern(const struct violation *violation);
/* Its two variables are guarded by different locks, so the program does not treat them as a whole: no lock is common to all of its accesses,
   but one is to those of each variable (of another cycle: of each conflict).  Never if the user says that they are a whole. */
bool violation_is_apart(const struct violation_run *run, const struct violation *violation);
/* The user says so of one of its functions. */
bool violation_is_benign(const struct violation_run *run, const struct violation *violation);

/* What is told of it: text, places and key are those of the finding (trace/headline.h).  It is found at the last access of the interrupted
   unit. */
void violation_finding(const struct violation_run *run, const struct violation *violation,
                       struct wire_finding *finding);
/* The caller frees: */
char *violation_key(const struct violation_run *run, const struct violation *violation);
char *violation_text(const struct violation_run *run, const struct violation *violation);
/* Where the two units were called, a line each. */
char *violation_calls(const struct violation_run *run, const struct violation *violation);

/* What its events access, each once, as names of the run; and where.  The caller frees the texts. */
typedef VECTOR(char *) violation_names;
void violation_list_objects(const struct violation_run *run, const struct violation *violation, violation_names *names);
void violation_free_names(violation_names *names);

#endif
