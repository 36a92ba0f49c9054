/* SPDX-License-Identifier: MIT
 *
 * process.h - the identity that the program sees.
 *
 * Numbers of processes differ from run to run, so a controlled program sees fixed ones.  Calls that take such a number
 * have to translate it before they ask the kernel.
 */
#ifndef RADDLE_HOOKS_PROCESS_H
#define RADDLE_HOOKS_PROCESS_H

#include <sys/types.h>

/* Above the highest number that the kernel gives to a process (2^22): a child of the program never has one of these. */
enum { PROCESS_PARENT = 4999999, PROCESS_SELF = 5000000 }; /* threads: PROCESS_SELF + task id */

/* What the program calls `pid` → what the kernel calls it.  Other numbers (0, -1, groups, children) stay as they
   are. */
pid_t process_real_pid(pid_t pid);

/* The kernel's numbers for the caller, past our own hooks. */
pid_t process_raw_getpid(void);
pid_t process_raw_gettid(void);

#endif
