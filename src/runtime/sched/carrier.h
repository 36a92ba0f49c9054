/* SPDX-License-Identifier: MIT
 *
 * carrier.h - the two ways in which a task gets a stack, thread-local storage and the processor.
 *
 *   kernel   every task is a real thread; the baton is a futex word per task (carrier_kernel.c)
 *   fibre    all tasks run on one kernel thread; a switch loads another stack and thread pointer (carrier_fibre.c)
 *
 * Both run the same task code in the same order: a schedule replays on either.
 */
#ifndef RADDLE_CARRIER_H
#define RADDLE_CARRIER_H

#include "runtime/rt.h"

struct carrier {
    const char *name;
    /* The task gets what it needs to run; it then waits for the baton and calls task_body. 0 or an error number. */
    int (*start)(struct task *task, const pthread_attr_t *attributes);
    /* Gives the baton to next; returns when self has it again. */
    void (*switch_to)(struct task *self, struct task *next);
    /* self has ended: gives the baton away. Returns (kernel) when the thread may leave, or never (fibre). */
    void (*depart)(struct task *self, struct task *next);
    /* Around a call that is not controlled: the baton goes to next while the caller goes on; come_back reports that the call has
       returned (idle_external_returned) and returns with the baton. */
    void (*hand_over)(struct task *self, struct task *next);
    void (*come_back)(struct task *self);
    /* The ended task's stack and thread may be used again. */
    void (*reap)(struct task *task);
};
extern const struct carrier carrier_kernel, carrier_fibre;
extern const struct carrier *carrier; /* the one in use */

/* Before the fork point. slow: set the thread pointer by system calls. */
void carrier_fibre_prepare(bool slow);
/* In the server: have at least so many contexts ready for the next run. */
void carrier_fibre_grow(uint32_t wanted);

/* What a task does from its first instruction to its end (task.c).  Its frames begin at the address `at`, below those of the caller. */
void task_body_at(struct task *self, uintptr_t at);
/* Below the frame of a real thread's first function: there the task's frames begin, so that a stack of a given size
   overflows at the same call on every carrier. */
enum { CARRIER_FRAMES = 2048 };

#endif
