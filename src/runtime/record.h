/* SPDX-License-Identifier: MIT
 *
 * record.h - what a run leaves in shared memory: its schedule (always), its events (with PLAN_RECORD), its findings.
 *
 * Everything is written as it happens, so that a crash at any moment leaves a complete schedule.
 */
#ifndef RADDLE_RECORD_H
#define RADDLE_RECORD_H

#include "runtime/rt.h"

/* ---- schedule ----------------------------------------------------------------------------------------------------- */

void record_begin(void);
/* The first thread is being created: PLAN_WINDOW counts from here. */
void record_first_thread(void);
/* A new segment begins, of `task`. */
void record_segment(const struct task *task);
/* The current segment ends at `operation`.  `preempted`: its task could have gone on. */
void record_segment_end(uint64_t operation, bool preempted);
void record_choice(const struct task *task, uint32_t value);

/* ---- events ------------------------------------------------------------------------------------------------------- */

/* The operation has just been done.  With PLAN_RECORD appends an event.  Always tells spin detection and the strategy about it. */
void record_event(struct task *self, const struct op *op, uint64_t value, uint8_t event_flags);
/* A block was allocated.  That is no operation, but with PLAN_RECORD an event, so that the driver can name what is in the block.
   `count`: the number of elements that the program gave, or 1. */
void record_allocation(struct task *self, uintptr_t pc, uintptr_t address, size_t size, size_t count);

/* The program says that this memory is an atomic set (raddle.h).  As record_allocation. */
void record_atomic_set(struct task *self, uintptr_t pc, uintptr_t address, size_t size);
/* It said whether an object is consistent. */
void record_invariant(struct task *self, uintptr_t pc, uintptr_t address, size_t size, bool holds);

/* A read that is no event is kept among the last ones (result.privates).  Uses little stack. */
void record_private(struct task *self, const struct op *op, uint64_t value);

/* Fills in the value of the task's last write, which has been done since. */
void record_settle(struct task *self);
/* The task's calling context, as a hash. */
uint32_t record_context(const struct task *task);

/* The shadow call stack as return addresses, innermost first, `pc` before them unless it is 0; at most WIRE_STACK.  Returns how many. */
uint32_t record_stack(const struct task *task, uintptr_t pc, uint64_t *stack);

/* ---- findings ----------------------------------------------------------------------------------------------------- */

/* A finding.  Returns the entry to fill in further (never NULL; a scratch entry when the table is full). */
struct wire_finding *finding_add(struct task *self, enum wire_kind kind, uintptr_t pc, uintptr_t address,
                                 const char *format, ...) __attribute__((format(printf, 5, 6)));
/* The run ends here because of it: marks result.failure and ends the process at once. */
__attribute__((noreturn)) void finding_fail(struct wire_finding *finding);
/* Marks it as what the run failed with, without ending the process (it is about to die by itself). */
void finding_decide(const struct wire_finding *finding);
/* Lock misuse: a failure if PLAN_MISUSE, else nothing. */
void finding_misuse(struct task *self, uintptr_t pc, uintptr_t address, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
