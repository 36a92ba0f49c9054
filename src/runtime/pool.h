/* SPDX-License-Identifier: MIT
 *
 * pool.h - memory for the program's heap blocks while a driver is attached.
 *
 * Not libc's malloc, because addresses must depend on the sequence of calls alone: not on per-thread caches, on when a
 * dead thread is cleaned up, or on which back end carries the tasks; and because a fork may come at any time.
 * The caller locks.
 */
#ifndef RADDLE_POOL_H
#define RADDLE_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Larger pieces are mappings of their own, page-aligned, and unmapped when released. */
enum { POOL_LARGEST = 1 << 20 };

/* Before the fork point: the first blocks of every run have the same addresses, independent of what is mapped before them. */
void pool_prepare(void);
/* 16-aligned, its shadow clear; NULL if there is no memory.  *zeroed: it is all 0.  If no piece was released, up to `pass` new ones are passed over and
   used by later calls. */
void *pool_allocate(size_t size, unsigned pass, bool *zeroed);
/* A piece whose address follows from the task's number and the sizes of its earlier own pieces, whatever other tasks do.  All 0.
   NULL: not possible. */
void *pool_allocate_own(unsigned task, size_t size);
/* `size` as it was given to pool_allocate.  The caller has cleared the shadow. */
void pool_release(void *piece, size_t size);
/* A large piece becomes another large size, perhaps elsewhere.  NULL if there is no memory: nothing has changed. */
void *pool_resize(void *piece, size_t size, size_t new_size);
/* The part of a region that is in use; regions ascend with their numbers unless there is no room for that.  False: there is none of this number. */
bool pool_region(unsigned number, uintptr_t *lo, uintptr_t *hi);
/* Whether the address lies in the pool's own memory (large pieces are not known). */
bool pool_owns(const void *address);

#endif
