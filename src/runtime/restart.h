/* SPDX-License-Identifier: MIT
 *
 * restart.h - the next schedule in the same process: restores memory instead of forking.
 */
#ifndef RADDLE_RESTART_H
#define RADDLE_RESTART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Takes a snapshot of all private writable memory. Returns once now, and once more after every restart_again(); false if it could
   not be taken (then there is no second time). Needs the fibre carrier, and main's stack. */
bool restart_prepare(void);
/* The same in the middle of a run, after restart_leave, of a few pages at most.  The run has the same addresses with and without it. */
bool restart_prepare_inside(void);
/* Memory as it was at restart_prepare, which returns again. Does not return itself. */
__attribute__((noreturn)) void restart_again(void);
/* Whether this process may be used again: a snapshot was taken, and the run has changed nothing in the kernel that restart_again
   does not put back. */
bool restart_possible(void);
/* Something in the kernel has changed that cannot be put back: this process is not used again.  `call` names the cause.  The first
   one is reported to the driver.  If it is empty, nothing is reported: the next process will not need the change. */
void restart_forbid(const char *call);
/* The same, but a copy of the process has the change too, so the run can be held (checkpoint.h). */
void restart_forbid_here(const char *call);
/* Whether the descriptor was open before the run.  All others are closed at the end of the run. */
bool restart_had_descriptor(int fd);
/* Whether the descriptor belongs to the snapshot. */
bool restart_owns(int fd);
/* This process is a copy: the snapshot is of no use to it. */
void restart_leave(void);
/* How many runs this process has done before the current one. */
uint64_t restart_count(void);
/* Memory was mapped during a run: it is unmapped at its end. */
void restart_note_map(uintptr_t address, size_t size);
/* It was unmapped: either the run's own, or from before, and then it cannot be put back. */
void restart_note_unmap(uintptr_t address, size_t size);
/* Whether all of it was mapped during the run, by one call. */
bool restart_has_mapped(uintptr_t address, size_t size);

#endif
