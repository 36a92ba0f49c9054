/* SPDX-License-Identifier: MIT
 *
 * units.h - labels for the events of a run: the unit of work and the atomic set that each belongs to.
 *
 * DESIGN
 *   What is assumed about the program is in atomic_sets.h; here it is applied to one recorded run (PLAN_UNITS).
 *
 *   The set of an access is the object that the address is in: a global, a variable on a stack, or a heap block, whose type is that of
 *   its size to which the first function that accesses it has a pointer.  Atomic and volatile accesses are to synchronisation objects and
 *   belong to no set, unless the program has said that the memory is one.
 *
 *   The unit is the outermost call on the stack of a function that is a unit for the set.  Not counted are calls in which threads are
 *   created or joined, the function that a thread begins with, and functions that wait and take the same lock again and again in one call
 *   (a worker that serves a queue): they have to see other threads' work.  A unit ends where it waits on a
 *   condition variable, a barrier or a futex, or signals a condition variable, and what comes after is another one: the program lets others
 *   see and change the state there.  So a loop over a queue, which has a pointer to the queue as any unit has, is one unit per round.
 *   A unit that the program marks itself counts before all calls.  An access to a set in no such call is a unit by itself.
 *
 *   Units and sets are numbered from 1 in the order of the events.
 */
#ifndef RADDLE_TRACE_UNITS_H
#define RADDLE_TRACE_UNITS_H

#include <stdint.h>

#include "trace/atomic_sets.h"
#include "trace/execution.h"
#include "trace/range.h"
#include "util/table.h"
#include "wire/wire_check.h"

struct unit_label {
    uint32_t call;     /* in the copy's calls, from 1; 0: it is one access that is in none */
    uint32_t function; /* atomic_sets_function; 0: not known */
    uint16_t task;
};

struct set_label {
    uint32_t kind;        /* atomic_sets_kind; 0: named by the program */
    uint64_t base;        /* address of the object; of a file's variables: not an address */
    const char *variable; /* its name; "" of a heap block */
    uint32_t number;      /* of heap blocks of the kind, from 1; else 0 */
    uint64_t pc;          /* of a heap block: where it was allocated */
};

struct units {                       /* all zero to begin with; used for one run after another */
    VECTOR(struct unit_label) units; /* from 1 at index 0 */
    VECTOR(struct set_label) sets;
    struct units_work *work;
};

/* Labels the events of the execution, which was read from the copy. */
void units_label(struct units *units, struct atomic_sets *sets, const struct wire_copy *copy,
                 struct execution *execution);
void units_free(struct units *units);

#endif
