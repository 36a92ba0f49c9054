/* SPDX-License-Identifier: MIT
 *
 * campaign_counters.h - the counters of a campaign in one table, with which campaign.json, the history and all reports
 * are written and read.
 *
 * To add a counter: one row here.  It is then written, read back, and part of the report as JSON and of the page.
 */
#ifndef RADDLE_TRACE_CAMPAIGN_COUNTERS_H
#define RADDLE_TRACE_CAMPAIGN_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Counters of one group are together in campaign.json. */
enum counter_group {
    COUNTERS_OF_ALL,      /* how many schedules */
    COUNTERS_OF_ENDS,     /* how they ended */
    COUNTERS_OF_SEARCH,   /* how they were chosen */
    COUNTERS_OF_PROGRAM,  /* what the program has and did */
    COUNTERS_OF_DOUBT,    /* failures that were not confirmed */
    COUNTERS_OF_PROGRESS, /* since earlier campaigns */
    COUNTERS_GROUP_COUNT,
};

/* X(group, member, name, value, required, words)
     member    of struct campaign_counts, and its name in the page
     name      in campaign.json and in the report as JSON: a stable interface
     value     where it comes from, over `results` (campaign/result.h)
     required  false: campaigns of earlier versions may not have it; it is 0 then
     words     what a report says after the number if it is not 0; NULL: only the number is shown */
#define CAMPAIGN_COUNTERS(X)                                                                                           \
    X(ALL, schedules, "schedules", results->schedules, true, NULL)                                                     \
    X(ENDS, unfinished, "schedules_unfinished", results->unfinished, true, "of them did not end and have no result")   \
    X(ENDS, stopped, "schedules_stopped", results->stopped, false,                                                     \
      "of these had to be stopped: nothing happened any more")                                                         \
    X(ENDS, given_up, "schedules_given_up", results->given_up, false, "more had not ended when the campaign did")      \
    X(SEARCH, continued, "schedules_continued", results->continued, false, NULL)                                       \
    X(SEARCH, exhausted, "schedules_exhausted", results->end.exhausted, true, NULL)                                    \
    X(PROGRAM, threads, "threads", results->threads, true, NULL)                                                       \
    X(PROGRAM, locks, "locks", results->locks, true, NULL)                                                             \
    X(PROGRAM, shared_sites, "shared_sites", results->shared_sites, false, NULL)                                       \
    X(PROGRAM, shared_locations, "shared_locations", results->shared_locations, false, NULL)                           \
    X(PROGRAM, points, "points", results->points, true, NULL)                                                          \
    X(PROGRAM, operations, "operations", results->operations, true, NULL)                                              \
    X(DOUBT, unconfirmed, "unconfirmed", results->unconfirmed.count, false,                                            \
      "failed once and did not fail again with the same schedule")                                                     \
    X(DOUBT, monitored, "schedules_monitored", results->monitor.looked, false, NULL)                                   \
    X(DOUBT, benign, "schedules_with_benign_violations", results->monitor.benign, false,                               \
      "showed violations of serializability that are said to be benign")                                               \
    X(PROGRESS, fixed, "fixed", results->fixed, true, NULL)                                                            \
    X(PROGRESS, suppressed, "suppressed", results->suppressed.count, false, "findings were suppressed")

/* The line of a campaign in the history: X(member, value), value over `results` and `coverage`, the count of all families. */
#define HISTORY_COUNTERS(X)                                                                                            \
    X(schedules, results->schedules)                                                                                   \
    X(failures, results->failures.count)                                                                               \
    X(fixed, results->fixed)                                                                                           \
    X(warnings, results->warnings.count)                                                                               \
    X(covered, coverage.covered)                                                                                       \
    X(open, coverage.open)

struct campaign_counts {
#define X(group, member, name, value, required, words) uint64_t member;
    CAMPAIGN_COUNTERS(X)
#undef X
};

struct history_counts {
#define X(member, value) uint64_t member;
    HISTORY_COUNTERS(X)
#undef X
};

struct campaign_counter {
    const char *member, *name;
    size_t offset; /* in its struct */
    enum counter_group group;
    bool required;
    const char *words;
};

extern const struct campaign_counter campaign_counters[]; /* of struct campaign_counts; ends with a NULL name */
extern const struct campaign_counter history_counters[];  /* of struct history_counts */

/* The counter in the struct that its table is for. */
static inline uint64_t *counter_in(void *counts, const struct campaign_counter *counter)
{
    return (uint64_t *)((char *)counts + counter->offset);
}
static inline uint64_t counter_value(const void *counts, const struct campaign_counter *counter)
{
    return *(const uint64_t *)((const char *)counts + counter->offset);
}

#endif
