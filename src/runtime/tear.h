/* SPDX-License-Identifier: MIT
 *
 * tear.h - accesses that the machine does not do at once: another task may see them half-done.
 *
 * DESIGN
 *   An access inside one naturally aligned piece of 8 bytes (and, if smaller, inside one cache line) is done at once.  Every other access is
 *   done piece by piece, upwards or downwards.  A switch is possible between two pieces.  Each such *middle* is an operation of its own:
 *   first all middles upwards, then all downwards.  So a torn access is a switch at an operation like any other.  Schedules,
 *   strategies, replay and shrinking need nothing special for it.  How many middles there are depends on addresses and sizes alone, and they are
 *   counted for private memory too, so that operation numbers do not depend on what is visible.
 *
 *   A read is torn in its hook: pieces are read before and after the switch.  The result is written into memory for the program to
 *   read; the real content is restored at the task's next hook.  A write is torn after the program has done it, at the task's next
 *   hook: the old bytes of the later pieces are restored, other tasks run, and then the rest is written.  In both cases no
 *   other task runs between the hook of the access and the next one.  Accesses by libc's functions are done by the runtime, piece by piece.
 */
#ifndef RADDLE_TEAR_H
#define RADDLE_TEAR_H

#include "runtime/access.h"

#pragma GCC visibility push(hidden)

enum { TEAR_PIECE = 8, TEAR_LINE = 64, TEAR_CUTS = 7, TEAR_FEW = 3, TEAR_LARGEST = 1 << 16 };

/* How many places between pieces an access may be cut at: all, or a few in a large access. */
static inline unsigned tear_cuts(uintptr_t address, size_t size)
{
    if (likely(size <= TEAR_PIECE))
        return address % TEAR_LINE + size > TEAR_LINE;
    size_t first = TEAR_PIECE - address % TEAR_PIECE;
    size_t cuts = (size - first - 1) / TEAR_PIECE + 1; /* first < size */
    return cuts <= TEAR_CUTS ? (unsigned)cuts : TEAR_FEW;
}
/* The number of operations of an access by the program's own code, besides the access itself. */
static inline unsigned tear_middles(uintptr_t address, size_t size)
{
    return likely(size <= TEAR_LARGEST) ? 2 * tear_cuts(address, size) : 0;
}
/* The same for copying and filling. */
unsigned tear_copy_middles(const void *to, const void *from, size_t size);
static inline unsigned tear_fill_middles(const void *to, size_t size)
{
    return size != 0 ? 2 * tear_cuts((uintptr_t)to, size) : 0;
}

/* An access of one span that has begun (access_begin): decides whether it is torn, and records it. */
void tear_access(struct access *access);
/* Copies or fills, for an access with the spans {read, written} or {written}.  False: not torn, recorded, and left to the caller. */
bool tear_copy(struct access *access, void *to, const void *from, size_t size);
bool tear_fill(struct access *access, void *to, int byte, size_t size);

/* The task, which has a torn access, is at its next hook (guard held): lets other tasks see the torn write, and restores memory. */
void tear_finish(struct task *self);
/* The hook of the torn write has been called, but the write is not done yet.  The program may call hooks of reads in between. */
bool tear_is_undone(const struct task *self);

#pragma GCC visibility pop

#endif
