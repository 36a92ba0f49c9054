/* SPDX-License-Identifier: MIT
 *
 * debug.h - places where a debugger may stop a run, and what it sees there (`raddle replay --gdb`).
 */
#ifndef RADDLE_RUNTIME_DEBUG_H
#define RADDLE_RUNTIME_DEBUG_H

#include "runtime/rt.h"

extern bool debug_wanted; /* HEAD_DEBUG */

/* Before the driver is told that the program is ready. */
void debug_prepare(void);
/* Waits until the debugger is attached. */
void debug_await(void);
/* The calling thread carries the task. */
void debug_carries(const struct task *task);

/* The run begins; the calling task has got the baton from another; the run is over (wire->result). */
void debug_stop_begin(void);
void debug_stop_switch(void);
void debug_stop_end(void);

static inline void debug_switched(void)
{
    if (unlikely(debug_wanted))
        debug_stop_switch();
}

#endif
