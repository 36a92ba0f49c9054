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
 *   strong access, also if other accesses lie between.  Only accesses to atomic sets have such dependencies.
 *
 *   Memory: locations × tasks (× sites that read there), and per pair of tasks the dependencies within a window of each
 *   access that is still remembered.  The length of the run has no part in it.  Time per event: the number of its
 *   dependencies times those within the window.
 *
 *   Two variables are different if no byte is common to all four accesses.
 *
 *   With a bound on the work (observer_observe) the events are looked at all the same, and every dependency is a row of two steps; but when
 *   the part of the execution that was read so far has taken more than its part of the work, a dependency is joined only if few like it
 *   (of the same sites and kinds, between the same two tasks) were joined before in this execution, and with the latest of the earlier ones only.
 *   So what is found is a part of what would be found without a bound, and the same part each time.
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
/* Finds what the execution shows.  Ends early if stop_requested().  `work_most`: work for it, in units of observer_work(), about; 0: any amount. */
void observer_observe(struct observer *observer, const struct execution *execution, uint64_t work_most);
void observer_free(struct observer *observer);

/* What it has done since it was made, in a unit that does not depend on the machine: combinations of dependencies that were looked at.  An
   event counts as OBSERVE_EVENT of them, and so does in its way everything else that takes time. */
enum { OBSERVE_EVENT = 16 };
uint64_t observer_work(const struct observer *observer);
/* Dependencies since it was made, and those of them that were not joined with all earlier ones because of a bound. */
uint64_t observer_dependencies(const struct observer *observer);
uint64_t observer_passed_over(const struct observer *observer);
/* Bytes in use for the last execution, found instances not counted. */
size_t observer_memory(const struct observer *observer);

#endif
