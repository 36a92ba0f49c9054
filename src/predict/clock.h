/* SPDX-License-Identifier: MIT
 *
 * clock.h - happens-before without mutexes: the orders that (nearly) every execution of a program has.
 *
 * DESIGN
 *   Vector clocks over creation and end of threads, join, barriers, signal → wake, semaphores, one-time initialisation,
 *   futexes, signals and cancellation (Maple 3.3, "non-mutex happens-before"; AssetFuzzer's relaxed happens-before).
 *   Which thread gets a lock first may be otherwise next time, so locks order nothing here; nor do atomics.
 *
 *   A semaphore that begins with 0 orders the n-th post before the n-th wait.  One that begins with 1 is used as a lock and
 *   left to the locksets, until two have it at once or it is posted while no task has it: then, and if it begins with more,
 *   it orders nothing.  Where its beginning was not seen, a wait before any post says that it was not 0.
 *
 *   Clocks are shared snapshots: a task's clock changes only with its synchronisation, so most accesses have the one that
 *   the access before had.
 */
#ifndef RADDLE_PREDICT_CLOCK_H
#define RADDLE_PREDICT_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/access.h"

/* A moment of a task.  Counted references. */
struct clock {
    uint32_t references;
    uint32_t count;
    uint32_t at[]; /* by task; tasks from `count` on: 0 */
};

struct clocks;

struct clocks *clocks_new(void);
void clocks_free(struct clocks *clocks);

/* Called before and after everything else that is done with an event: what it waited for comes before it, what it lets go comes after it. */
void clocks_before(struct clocks *clocks, const struct event *event);
void clocks_after(struct clocks *clocks, const struct event *event);

/* The task's clock now; valid until its next synchronisation, longer with clock_keep. */
struct clock *clocks_now(struct clocks *clocks, uint16_t task);
/* Every task that still runs (or will be created by one that does) has seen `task` reach `moment`. */
bool clocks_all_know(const struct clocks *clocks, uint16_t task, uint32_t moment);
/* The semaphore is used as a lock, as far as one can see. */
bool clocks_semaphore_locks(const struct clocks *clocks, uint64_t address);

struct clock *clock_keep(struct clock *clock);
void clock_release(struct clock *clock);
static inline uint32_t clock_at(const struct clock *clock, uint16_t task)
{
    return task < clock->count ? clock->at[task] : 0;
}
/* What `task` did at `clock` happens before what another one does at `later`. */
static inline bool clock_before(const struct clock *clock, uint16_t task, const struct clock *later)
{
    return clock_at(clock, task) <= clock_at(later, task);
}

#endif
