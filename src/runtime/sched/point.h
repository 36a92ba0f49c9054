/* SPDX-License-Identifier: MIT
 *
 * point.h - scheduling points, other choices, and calls that are not controlled: what models and hooks use of the scheduler.
 */
#ifndef RADDLE_POINT_H
#define RADDLE_POINT_H

#include "runtime/rt.h"

/* What sched_point returns. */
enum wake {
    WAKE_GO,     /* the operation can be done now */
    WAKE_LATE,   /* the task was READY_LATE when it was chosen: the wait has timed out */
    WAKE_SIGNAL, /* only with OP_INTERRUPTIBLE: a signal handler has just run; EINTR or again */
};

/* Publishes `op`, lets the strategy choose, returns when `op` may be done now.  Every call is one scheduling point and one
   instrumented operation. */
enum wake sched_point(struct task *self, struct op *op);

/* A choice other than which task goes on: a number below n (n >= 1), recorded and replayed. */
uint32_t sched_choose(struct task *self, uint32_t n);
/* The same, but the numbers below `first` are not possible now. */
uint32_t sched_choose_from(struct task *self, uint32_t first, uint32_t n);
/* A random number from the generator of this run. */
uint64_t sched_random(void);

/* The wait from which the task has just been woken ended before its time, while other tasks could go on. */
bool sched_is_early(const struct task *self);
/* The operation that the task is doing ended by timeout.  Reports it if other tasks could go on. */
void sched_timed_out(const struct task *self);
/* rt.now has been increased. */
void sched_time_passed(void);

/* The task may have become ready or not ready by a signal or a cancellation. */
void sched_refresh(struct task *task);
/* I/O has been done: operations with OP_IO may have become ready. */
void sched_io_changed(void);

/* Around a call that may block and cannot be controlled: other tasks go on meanwhile.  The name is counted for the report. */
void sched_external_begin(struct task *self, const char *name);
void sched_external_end(struct task *self);
/* Only counts it. */
void sched_uncontrolled(const char *name);

#endif
