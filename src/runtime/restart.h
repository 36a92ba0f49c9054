/* SPDX-License-Identifier: MIT
 *
 * restart.h - the next schedule in the same process: put memory back instead of forking.
 */
#ifndef RADDLE_RESTART_H
#define RADDLE_RESTART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Takes a snapshot of all private writable memory. Returns once now, and once more after every restart_again(); false if it could
   not be taken (then there is no second time). Needs the fibre carrier. */
bool restart_prepare(void);
/* Memory as it was at restart_prepare, which returns again. Does not return itself. */
__attribute__((noreturn)) void restart_again(void);
/* Whether this process may be used again: a snapshot was taken, and the run has changed nothing outside its memory. */
bool restart_possible(void);
/* Something outside this process's memory has changed: this process is not used again. */
void restart_forbid(void);
/* This process is a copy that will not be used again. */
void restart_leave(void);
/* How many runs this process has done before the current one. */
uint64_t restart_count(void);
/* Memory was mapped by the runtime during a run: it goes away with the run. */
void restart_note_map(uintptr_t address, size_t size);
/* It was unmapped: either the run's own, or from before, and then it cannot be put back. */
void restart_note_unmap(uintptr_t address, size_t size);

#endif
