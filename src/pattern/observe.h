/* SPDX-License-Identifier: MIT
 *
 * observe.h - all instances of the wanted families that occur in an execution.
 *
 * DESIGN
 *   The events are read once, in order.  For each byte that was ever accessed (location.h) the observer knows the last strong access
 *   and the weak ones since: those are what the next access can depend on.  Each dependency is a row of two steps by
 *   itself; and it is joined with the earlier ones between the same two tasks, which are kept as long as both of their
 *   ends can still be within the window of a later partner.  What a combination is an instance of, the table of families
 *   says (shape.h).
 *
 *   For rows whose relation is < instead of << (asset), a dependency also comes from each other task's last weak and last
 *   strong access, also if other accesses lie between.
 *
 *   Memory: locations × tasks (× sites that read there), and per pair of tasks the dependencies within a window of each
 *   access that is still remembered.  The length of the run has no part in it.  Time per event: the number of its
 *   dependencies times those within the window.
 *
 *   Two variables are different if no byte is common to all four accesses.
 */
#ifndef RADDLE_PATTERN_OBSERVE_H
#define RADDLE_PATTERN_OBSERVE_H

#include "pattern/instance.h"
#include "trace/execution.h"

enum { OBSERVE_WINDOW = 500 }; /* a sensible vulnerability window */

struct observer;

struct observer_options {
    family_mask wanted;
    uint32_t window;    /* two steps of one thread are at most so many operations apart; 0: OBSERVE_WINDOW */
    bool clears_found;  /* the caller empties `found` before each execution: known instances are looked for again */
    uint32_t log_limit; /* tests: look for useless dependencies whenever so many were added; 0: when it pays */
};

/* Instances are added to `found`, which must outlive the observer. */
struct observer *observer_new(const struct observer_options *options, struct instances *found);
/* Finds what the execution shows.  Ends early if stop_requested(). */
void observer_observe(struct observer *observer, const struct execution *execution);
void observer_free(struct observer *observer);

/* What it has done since it was made, in a unit that does not depend on the machine: combinations of dependencies that were looked at.  An
   event counts as OBSERVE_EVENT of them. */
enum { OBSERVE_EVENT = 16 };
uint64_t observer_work(const struct observer *observer);
/* Bytes in use for the last execution, found instances not counted. */
size_t observer_memory(const struct observer *observer);

#endif
