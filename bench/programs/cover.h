/* SPDX-License-Identifier: MIT
 *
 * cover.h - what the threads of the programs cover_*.c do between the operations that matter.
 *
 * In programs of some length most operations are ordinary ones that all threads do all the time, and those that could meet
 * in interesting ways are far from each other.  Without that, any strategy covers everything in no time.
 */
#ifndef COVER_H
#define COVER_H

#include <stdatomic.h>

static atomic_ulong cover_meter;

static inline void cover_work(int rounds)
{
    for (int i = 0; i < rounds; i++)
        atomic_fetch_add(&cover_meter, 1);
}

#endif
