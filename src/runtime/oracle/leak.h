/* SPDX-License-Identifier: MIT
 *
 * leak.h - blocks that are not freed and cannot be reached any more when the program ends.
 */
#ifndef RADDLE_LEAK_H
#define RADDLE_LEAK_H

#include "runtime/oracle/heap.h"

/* A block was made or freed under control. */
void leak_made(const struct block *block);
void leak_freed(const struct block *block);
/* The program ends by itself: writes into result.leaks what became of the blocks of each place; in some runs only, since it takes
   time, unless PLAN_LEAKS is set. */
void leak_scan(void);

#endif
