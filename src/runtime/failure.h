/* SPDX-License-Identifier: MIT
 *
 * failure.h - a program that fails by itself: assert, abort, an uncaught exception, a fault.
 *
 * DESIGN
 *   Everything that aborts ends in SIGABRT, also libc's own aborts, which no hook sees.  So the hooks of assert and abort
 *   (hooks/failure.c) only prepare the text, and the real handler of SIGABRT (failure.c) reports it.  A program that catches SIGABRT
 *   and goes on has not failed.  One that dies has failed, wherever abort was called.
 *
 *   Faults come to the same handler, on an alternate stack, because the fault may be a stack overflow.  The finding is written into
 *   shared memory.  Then the process dies of the signal itself: its exit status and its core file are those of the program.
 */
#ifndef RADDLE_FAILURE_H
#define RADDLE_FAILURE_H

#include "runtime/rt.h"

/* Looks up what the handler needs from libc.  Before the fork point. */
void failure_learn(void);
/* The real handler of faults. */
void failure_fault(int signo, siginfo_t *info, void *context);

/* For the SIGABRT that follows: what is reported, and where.  The text is `text` and `detail`, one after the other. */
void failure_prepare(enum wire_kind kind, uintptr_t pc, const char *text, const char *detail);

/* pc is in instrumented code of the program, not in the runtime or a library. */
bool failure_is_program_code(uintptr_t pc);
/* The nearest return address into the program on the stack from `sp` on; 0: none is near. */
uintptr_t failure_program_pc(uintptr_t sp);

#endif
