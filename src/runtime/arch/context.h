/* SPDX-License-Identifier: MIT
 *
 * context.h - what must be saved of a task when another one runs on the same kernel thread.
 */
#ifndef RADDLE_CONTEXT_H
#define RADDLE_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

struct arch_context {
    void *stack;           /* callee-saved registers are there */
    uintptr_t thread_base; /* FS base, tpidr_el0: where thread-local storage is */
};

/* Saves the caller in `from` and continues `to`. */
void arch_switch(struct arch_context *from, const struct arch_context *to);
/* A context that will call entry(argument) on the stack that ends at `top`. entry must not return. */
void arch_prepare(struct arch_context *context, uintptr_t top, void (*entry)(void *), void *argument);
/* Calls function(argument) on the stack that ends at `top`; unwinding and jumps lead back through it. */
void arch_call_on(uintptr_t top, void (*function)(void *), void *argument);
uintptr_t arch_thread_base(void);
/* Before the first switch: finds out how the thread pointer can be set; slow: by a system call in any case. */
void arch_begin(bool slow);
bool arch_is_slow(void);

#endif
