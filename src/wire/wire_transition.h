/* SPDX-License-Identifier: MIT
 *
 * wire_transition.h - the transitions of a run, and which of them depend on each other.
 *
 * DESIGN
 *   A transition is what a task does from one scheduling point to the next: one operation on shared data, and private work after it.  Two
 *   transitions are independent if, wherever both can be done, both orders lead to the same state and neither makes the other possible or
 *   impossible.  So two runs in which dependent transitions come in the same order are the same run: they are one Mazurkiewicz trace.
 *
 *   What depends on what follows from the object column of wire_ops.h:
 *
 *     MEMORY, ATOMIC, HEAP     overlapping bytes, one of both writes (atomic updates always do; a free writes the whole block)
 *     MUTEX, SPIN, ONCE        the same object
 *     SEM                      the same object, but not two posts
 *     RWLOCK                   the same object, but not two of readers: lock, unlock
 *     COND                     wait, signal, broadcast on one condition variable; a wait and a wake also as unlock and lock of the mutex.  A wake
 *                              that can only come after a signal is only a lock, and follows its signal; one that may come by itself (time,
 *                              spurious) depends on signals too
 *     BARRIER                  two arrivals; a leaving follows the arrival that opened the barrier, and depends on init and destroy
 *     FUTEX                    the same word, also as memory
 *     THREAD                   the end of a thread and its join or detach; two creations (they number the threads), or a creation and a join (its
 *                              stack is used again); cancel: everything
 *     FILE                     everything of this kind: two descriptors may be the ends of one pipe
 *     NONE, TIME               nothing; waits that end by time depend on what looks whether time has passed (condition waits and signals)
 *     SIGNAL, OPENMP, PROCESS  everything
 *
 *   And everything depends on the transition that ends the program.
 *
 *   The runtime writes transitions (runtime/transitions.c); the searches between runs read them (technique/reduction.h).
 */
#ifndef RADDLE_WIRE_TRANSITION_H
#define RADDLE_WIRE_TRANSITION_H

#include "wire/wire_ops.h"

enum {
    TRANSITION_ALONE = 1 << 0,   /* it depends on nothing: the end of a slice of private work */
    TRANSITION_TIMED = 1 << 1,   /* the wait can end by time: it can always be done */
    TRANSITION_LATE = 1 << 2,    /* it did end by time */
    TRANSITION_BLOCKS = 1 << 3,  /* it can be done in some states only */
    TRANSITION_READY = 1 << 4,   /* pending: it can be done now */
    TRANSITION_ENDS = 1 << 5,    /* the program ended in it */
    TRANSITION_READER = 1 << 6,  /* rwunlock of a reader */
    TRANSITION_WRITES2 = 1 << 7, /* the second range is written */
    TRANSITION_PENDING = 1 << 8, /* of `pending`: the entry is valid */
    TRANSITION_OUTSIDE = 1 << 9, /* something outside of the program decides when it can be done */
    TRANSITION_BARRIER =
        1 << 10, /* everything that came before it has to: time passed because nothing else could be done */
    TRANSITION_PASSED = 1 << 11, /* pending: the task spins for certain */
};

/* What `state` is at RWLOCK: readers, and this if there is a writer. */
#define STATE_WRITER 0x80000000u

struct wire_transition {
    uint64_t address, address2; /* address2: of a further range; of COND: the mutex */
    uint64_t pc;
    uint32_t size, size2;
    uint32_t enabler; /* 1 + the number of the transition that made it possible; 0: none in particular */
    uint32_t state;   /* of the object before it: owner + 1, the value of a semaphore, readers and writer of a rwlock */
    uint16_t task;
    uint16_t flags; /* TRANSITION_* */
    uint16_t choice,
        choices; /* other choices in it: which of how many (little-endian, if there are several); 0 of 0: none */
    uint8_t op;  /* enum wire_op */
    uint8_t reserved[7];
};

/* It depends on every other one. */
bool transition_is_global(const struct wire_transition *transition);
/* Transitions of one task depend on each other, too. */
bool transitions_depend(const struct wire_transition *a, const struct wire_transition *b);
/* It accesses memory by address and size. */
bool transition_is_memory(const struct wire_transition *transition);
/* It changes memory. */
bool transition_writes(const struct wire_transition *transition);
/* The lock, semaphore, … whose state decides whether it can be done; 0: none. */
uint64_t transition_object(const struct wire_transition *transition);

#endif
