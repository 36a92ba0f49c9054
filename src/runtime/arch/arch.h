/* SPDX-License-Identifier: MIT
 *
 * arch.h - everything in the runtime that depends on the processor, except for switching contexts (context.h).
 *
 * DESIGN
 *   A processor has one header, x86_64.h or arm64.h, with everything that is inline or assembler text, and .c files of its name.  No other
 *   file of the runtime asks which processor it is compiled for.  A new processor is a new header, a new file for context.h and one line
 *   below.  The header defines:
 *
 *   syscall_raw             a system call without libc: -errno on error, errno untouched
 *   arch_copy, arch_fill    memory, by code that is not a call of libc
 *   arch_cas_128            compare and exchange of 16 bytes, if ARCH_HAS_CAS_128
 *   arch_interrupted_pc     where a signal has interrupted a thread, from the context that its handler gets
 *   arch_interrupted_sp     the stack pointer there
 *   ARCH_SAVED              registers that a function saves before it uses them: how many,
 *   ARCH_SAVED_FROM         from which word of its frame on if it saves all,
 *   ARCH_SAVED_BELOW        and how many words below its caller's stack may have them if it saves some
 *   ARCH_CALL_PUSHES        a call leaves its return address in the word below the caller's stack
 *   arch_after_jump         the instruction at pc is a jump or nop: the next pc; 0: it may do more
 *   arch_follows_call       the instruction before pc is a call
 *   arch_is_empty_fini      the function is what crti.o and crtn.o make of _fini if nothing is added to it
 *   arch_spinlock_is_free   the word of a pthread_spinlock_t means that it is free
 *   arch_thread_pointer_of  the thread pointer of a pthread_t; 0: not known
 *   arch_find_put_back      page.h: the fastest way of this machine to restore a page; NULL: the common one
 *   ARCH_TSAN_FUNC_EXIT     hooks/func_exit.c, in assembler
 *   ARCH_ACCESS_SLOW        access.h, in assembler: access_slow
 *   ARCH_CALL_PROGRAM       sched/task.c, in assembler: call_program
 *   ARCH_SIGSETJMP          hooks/setjmp.c, in assembler
 *   ARCH_CALL_AND_JUMP      calls function(label) and jumps to what it returns, with all arguments as they were
 */
#ifndef RADDLE_ARCH_H
#define RADDLE_ARCH_H

/* Offsets of struct task.depth and struct task.key, and TASK_INSIDE, as assembler needs them. */
#define ARCH_TASK_DEPTH  36
#define ARCH_TASK_KEY    16
#define ARCH_TASK_INSIDE 0x1ffe

/* Makes the page equal to its copy.  Writes only where they differ. */
typedef void arch_put_back(void *page, const void *copy);

#if defined(__x86_64__)
#include "runtime/arch/x86_64.h"
#elif defined(__aarch64__)
#include "runtime/arch/arm64.h"
#else
#error "raddle's runtime knows x86-64 and arm64"
#endif

#endif
