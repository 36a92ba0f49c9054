/* SPDX-License-Identifier: MIT
 *
 * access.h - what an event is to a pattern: an access to a piece of memory or to a synchronisation object.
 *
 * DESIGN
 *   Every kind of access is *strong* or *weak*.  Strong ones change their object (a write, a lock), weak ones only look at
 *   it or commute with each other (a read, a read lock, a trylock that failed).  Of two accesses to one object of which
 *   one is strong, the order matters.  Which two can be the ends of a dependency is a second question: two writes can,
 *   two locks cannot (an unlock is always between).  Both answers are in the one table below.
 *
 *   A ⇒ B, "A immediately before B": accesses of two tasks to one object, A before B, that are partners, and
 *     - no access C to the object lies between (of any task) such that the order of A and C and that of C and B matter:
 *       between a read and a write that is another strong access, between two strong ones any other access;
 *     - A's task has not done the same access from the same site again in between: the last one counts.
 *   The first rule says that A ⇒ B is not implied by other dependencies; so what happened is described by fewest of them.
 *
 *   Objects are bytes.  Two accesses overlap where they have bytes in common, and all that is said above holds for a
 *   byte.  A synchronisation object is one byte in a space of its own.
 */
#ifndef RADDLE_TRACE_ACCESS_H
#define RADDLE_TRACE_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/wire.h"

/* X(NAME, how patterns call it, strong, group, partners).  A kind is partner of the groups that are named. */
#define ACCESS_KINDS(X)                                                                                                \
    X(ANY, "*", 0, 0, 0)                                                                                               \
    X(READ, "R", 0, GROUP_READ, GROUP_WRITE)                                                                           \
    X(WRITE, "W", 1, GROUP_WRITE, GROUP_READ | GROUP_WRITE)                                                            \
    X(UPDATE, "U", 1, GROUP_WRITE, GROUP_READ | GROUP_WRITE)                                                           \
    X(FREE, "free", 1, GROUP_WRITE, GROUP_READ | GROUP_WRITE)                                                          \
    X(LOCK, "lock", 1, GROUP_LOCK, GROUP_UNLOCK | GROUP_RDUNLOCK | GROUP_TRY | GROUP_LIFE)                             \
    X(UNLOCK, "unlock", 1, GROUP_UNLOCK, GROUP_LOCK | GROUP_RDLOCK | GROUP_TRY | GROUP_LIFE)                           \
    X(RDLOCK, "rdlock", 0, GROUP_RDLOCK, GROUP_UNLOCK | GROUP_TRY | GROUP_LIFE)                                        \
    X(RDUNLOCK, "rdunlock", 0, GROUP_RDUNLOCK, GROUP_LOCK | GROUP_TRY | GROUP_LIFE)                                    \
    X(ACQUIRE, "acquire", 1, GROUP_ACQUIRE, GROUP_RELEASE | GROUP_TRY | GROUP_LIFE)                                    \
    X(RELEASE, "release", 1, GROUP_RELEASE, GROUP_ACQUIRE | GROUP_TRY | GROUP_LIFE)                                    \
    X(TRY, "try", 0, GROUP_TRY,                                                                                        \
      GROUP_LOCK | GROUP_UNLOCK | GROUP_RDLOCK | GROUP_RDUNLOCK | GROUP_ACQUIRE | GROUP_RELEASE | GROUP_LIFE)          \
    X(WAIT, "wait", 1, GROUP_WAIT, GROUP_SIGNAL | GROUP_LIFE)                                                          \
    X(SIGNAL, "signal", 1, GROUP_SIGNAL, GROUP_WAIT | GROUP_LIFE)                                                      \
    X(INIT, "init", 1, GROUP_LIFE, GROUP_SYNC)                                                                         \
    X(DESTROY, "destroy", 1, GROUP_LIFE, GROUP_SYNC)

enum access_group {
    GROUP_READ = 1 << 0,
    GROUP_WRITE = 1 << 1,
    GROUP_LOCK = 1 << 2,
    GROUP_UNLOCK = 1 << 3,
    GROUP_RDLOCK = 1 << 4,
    GROUP_RDUNLOCK = 1 << 5,
    GROUP_ACQUIRE = 1 << 6,
    GROUP_RELEASE = 1 << 7,
    GROUP_TRY = 1 << 8,
    GROUP_WAIT = 1 << 9,
    GROUP_SIGNAL = 1 << 10,
    GROUP_LIFE = 1 << 11,
    GROUP_SYNC = (1 << 12) - GROUP_LOCK, /* all but reads and writes */
};

enum access_kind {
#define X(name, text, strong, group, partners) ACCESS_##name,
    ACCESS_KINDS(X)
#undef X
        ACCESS_KIND_COUNT
};

const char *access_kind_name(enum access_kind kind);
/* ACCESS_KIND_COUNT if there is none of that name. */
enum access_kind access_kind_by_name(const char *name, size_t length);
bool access_is_strong(enum access_kind kind);
bool access_is_data(enum access_kind kind);
/* Can be the two ends of a dependency. */
bool access_are_partners(enum access_kind first, enum access_kind second);
/* An access of kind `between` hides the first from the second. */
bool access_blocks(enum access_kind first, enum access_kind between, enum access_kind second);
/* Whether an access of this kind can be a step that asks for `wanted`: R is also the reading half of an update, W also
   its writing half, and a free. */
bool access_fits(enum access_kind wanted, enum access_kind kind);

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* One event of a run, as patterns see it. */
struct event {
    uint64_t address, operation, value;
    uint64_t context; /* hash of the calling context; 0 unknown */
    uint64_t pc;      /* return address in the program; 0 none */
    uint64_t before;  /* of an atomic update: what it found */
    uint32_t size;
    uint32_t site;      /* number in a site table (pattern/site.h); 0 none */
    uint32_t unit, set; /* unit of work and atomic set that it belongs to, both or none; 0 none */
    uint16_t task;
    uint8_t op, flags;   /* enum wire_op, EVENT_* */
    uint16_t unit_depth; /* where the call that is the unit is on the stack: wire_goal_step.unit_depth */
};

/* Site, unit, its depth and set are left 0. */
struct event event_from_wire(const struct wire_event *wire);

enum access_space { SPACE_DATA, SPACE_SYNC };

struct access {
    uint64_t lo, hi; /* in its space: hi - lo bytes; synchronisation objects have one */
    uint8_t kind;    /* enum access_kind */
    uint8_t space;   /* enum access_space */
    bool atomic;     /* no data race with another atomic one */
};

/* They have a byte in common. */
static inline bool access_overlap(const struct access *a, const struct access *b)
{
    return a->space == b->space && a->lo < b->hi && b->lo < a->hi;
}

enum { EVENT_ACCESSES = 2 }; /* a wait for a condition variable is also an unlock */

/* The accesses of an event, in order; returns how many.  `mutex`: of COND_WAIT and COND_WAKE (waits.h), else 0. */
unsigned event_accesses(const struct event *event, uint64_t mutex, struct access accesses[EVENT_ACCESSES]);
/* The event did what it was called for: a lock was taken, a wait came back with what it waited for. */
bool event_succeeded(const struct event *event);

#endif
