/* SPDX-License-Identifier: MIT
 *
 * spin.h - spin detection: a task that does the same again and again, with the same results, is passed over until one of the places that
 * it reads is written.
 */
#ifndef RADDLE_SPIN_H
#define RADDLE_SPIN_H

#include "runtime/rt.h"

/* A location or object was changed: tasks that spin on it are no longer passed over. */
void spin_written(uintptr_t address, uint32_t size);
/* The task read `address` (or a call on it failed) and got `value`. */
void spin_read(struct task *self, uintptr_t pc, uintptr_t address, uint64_t value);
/* The same by a plain access.  More of these are needed, unless there is an operation between them that a waiting task would do. */
void spin_read_plain(struct task *self, uintptr_t pc, uintptr_t address, uint64_t value);
/* The task has done an operation that changes nothing and that is typical for waiting; it has just yielded. */
void spin_pause(struct task *self);
void spin_yield(struct task *self, uintptr_t pc);
/* It has locked what was free.  An unlock by another task is then no reason to try again. */
void spin_lock(struct task *self, uintptr_t pc, uintptr_t address);
/* It has atomically changed `before` to `after`.  Wakes other spinning tasks, unless it has done just this here already. */
void spin_write(struct task *self, uintptr_t pc, uintptr_t address, uint32_t size, uint64_t before, uint64_t after);
/* The task changed something: it does not spin. */
void spin_progress(struct task *self);
/* The task has ended. */
void spin_ended(struct task *task);

#endif
