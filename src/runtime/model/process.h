/* SPDX-License-Identifier: MIT
 *
 * process.h - the numbers by which the program knows its process, its parent and its threads.
 *
 * The kernel's numbers differ from run to run, so a controlled program sees fixed ones.  A call that takes such a number translates it
 * before it asks the kernel.
 */
#ifndef RADDLE_MODEL_PROCESS_H
#define RADDLE_MODEL_PROCESS_H

#include <sys/types.h>

/* Above the highest number that the kernel gives to a process (2^22): a child of the program never has one of these. */
enum { PROCESS_PARENT = 4999999, PROCESS_SELF = 5000000 }; /* threads: PROCESS_SELF + task id */

/* The kernel's number for the program's number `pid`.  Other numbers (0, -1, groups, children) are returned as they are. */
pid_t process_real_pid(pid_t pid);

#endif
