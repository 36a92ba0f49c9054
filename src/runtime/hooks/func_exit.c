/* SPDX-License-Identifier: MIT
 *
 * func_exit.c - __tsan_func_exit: the last call before a function returns, when its result is in registers already.
 *
 * The compiler keeps a result that it knows of.  But a `void main()`, or a main without return in C89, returns what the last call before
 * left in the registers, and so it must with the instrumentation.  Therefore assembler: only scratch registers that hold no part
 * of any result.  It pops the task's shadow call stack, if there is a task:
 *
 *     if (rt_self != NULL && rt_self->depth > 0)
 *         rt_self->depth--;
 */
#include "runtime/arch/arch.h"
#include "runtime/rt.h"

_Static_assert(offsetof(struct task, depth) == ARCH_TASK_DEPTH, "the offset of struct task.depth in __tsan_func_exit");

__asm__(ARCH_TSAN_FUNC_EXIT);
