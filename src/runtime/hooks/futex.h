/* SPDX-License-Identifier: MIT
 *
 * futex.h - futexes that the program uses by hand.
 */
#ifndef RADDLE_HOOKS_FUTEX_H
#define RADDLE_HOOKS_FUTEX_H

#include "runtime/rt.h"

/* The arguments of the system call as they are. */
struct futex_call {
    uint32_t *address;
    int operation;
    uint32_t value;
    uintptr_t timeout_or_count; /* a struct timespec, or val2 */
    uint32_t *address2;
    uint32_t value3;
};

/* futex(2) of a task; guard held. A value or -errno; -ENOSYS for operations that are not modelled. */
long futex_task(struct task *self, uintptr_t pc, const struct futex_call *call);

#endif
