/* SPDX-License-Identifier: MIT
 *
 * tear.h - accesses that the machine does not do in one go: others may see them half-done.
 *
 * DESIGN
 *   What lies in one naturally aligned piece of 8 bytes (and, if smaller, in one cache line) is accessed at once; everything else piece by piece,
 *   upwards or downwards.  Between two pieces the task may be switched away from: each such *middle* is an operation of its own, first
 *   all of the way up, then all of the way down.  So a torn access is a switch at an operation like any other: schedules,
 *   strategies, replay and shrinking know nothing of it.  How many middles there are depends on addresses and sizes alone, and they are
 *   counted for private memory too, so that operation numbers do not depend on what is visible.
 *
 *   A read is torn in its hook: pieces are read before and after the switch; what came out is put in memory for the program to
 *   read, and what belongs there is put back at the task's next hook.  A write is torn after the program has done it, at the task's next
 *   hook: the old bytes of what is to be written later are put back, others run, and then the rest is written.  In both cases no
 *   other task runs between the hook of the access and the next one.  What libc's functions do the runtime does itself, piece by piece.
 */
#ifndef RADDLE_TEAR_H
#define RADDLE_TEAR_H

#include "runtime/access.h"

#pragma GCC visibility push(hidden)

enum { TEAR_PIECE = 8, TEAR_LINE = 64, TEAR_CUTS = 7, TEAR_FEW = 3, TEAR_LARGEST = 1 << 16 };

/* Between how many pairs of pieces an access may be cut: everywhere, or in large ones at a few places. */
static inline unsigned tear_cuts(uintptr_t address, size_t size)
{
    if (likely(size <= TEAR_PIECE))
        return address % TEAR_LINE + size > TEAR_LINE;
    size_t first = TEAR_PIECE - address % TEAR_PIECE;
    size_t cuts = (size - first - 1) / TEAR_PIECE + 1; /* first < size */
    return cuts <= TEAR_CUTS ? (unsigned)cuts : TEAR_FEW;
}
/* Operations of an access of the program's own code beside the access itself. */
static inline unsigned tear_middles(uintptr_t address, size_t size)
{
    return likely(size <= TEAR_LARGEST) ? 2 * tear_cuts(address, size) : 0;
}
/* The same of copying and filling. */
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

/* The task, which has a torn access, comes to its next hook (guard held): memory is what it has to be, others have seen
   what they see. */
void tear_finish(struct task *self);
/* The torn write has been announced and not yet done: between the two the compiler announces what it reads for it. */
bool tear_is_undone(const struct task *self);

#pragma GCC visibility pop

#endif
