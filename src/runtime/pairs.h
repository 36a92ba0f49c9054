/* SPDX-License-Identifier: MIT
 *
 * pairs.h - which accesses of different tasks followed each other, as a set of hashes: what every run says about its interleaving, recorded
 * or not.
 *
 * A pair is two sites: a read and the last write before it, a write and the last read since the write before it, or two writes with no read
 * between, of the same address by two tasks.  Operations on locks and other objects count as writes.
 */
#ifndef RADDLE_RUNTIME_PAIRS_H
#define RADDLE_RUNTIME_PAIRS_H

#include "runtime/rt.h"

/* With PLAN_PAIRS: the operation has just been done.  Sets a bit of result.pairs for its pair. */
void pairs_executed(const struct task *self, const struct op *op);

#endif
