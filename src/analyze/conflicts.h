/* SPDX-License-Identifier: MIT
 *
 * conflicts.h - which variables threads share, and which of their accesses may conflict and happen in parallel.
 *
 * DESIGN
 *   Memory is shared if it *escapes*: global variables, what threads and libraries are given, and what these point to.  The accesses to an object are
 *   divided into variables: parts of it that no access goes across.  Two accesses to one variable are a pair if one writes, and they may
 *   happen in parallel.
 *
 *   Accesses of one kind at one place of the source that may happen in parallel with the same others are one.
 */
#ifndef RADDLE_ANALYZE_CONFLICTS_H
#define RADDLE_ANALYZE_CONFLICTS_H

#include "analyze/locks.h"

enum {
    PAIRS_MOST = 200000,         /* that are listed one by one */
    PAIRS_OF_VARIABLE = 1 << 22, /* combinations of accesses to a variable that are looked at */
};

/* X(NAME, how patterns call it) */
#define CONFLICT_NAMES(X)                                                                                              \
    X(READ, "R")                                                                                                       \
    X(WRITE, "W")                                                                                                      \
    X(UPDATE, "U")                                                                                                     \
    X(FREE, "free")                                                                                                    \
    X(LOCK, "lock")                                                                                                    \
    X(UNLOCK, "unlock")                                                                                                \
    X(RDLOCK, "rdlock")                                                                                                \
    X(TRY, "try")                                                                                                      \
    X(WAIT, "wait")                                                                                                    \
    X(SIGNAL, "signal")                                                                                                \
    X(POST, "release")                                                                                                 \
    X(ACQUIRE, "acquire")                                                                                              \
    X(RETAKE, "lock") /* the mutex, after a wait for a condition variable */

enum conflict_kind {
#define X(name, text) CONFLICT_##name,
    CONFLICT_NAMES(X)
#undef X
        CONFLICT_KINDS
};

/* X(NAME, how it is called, what it is) */
#define CONFLICT_RELATIONS(X)                                                                                          \
    X(NONE, "", "")                                                                                                    \
    X(RW, "RW", "read and write")                                                                                      \
    X(WRITES, "write", "two writes")                                                                                   \
    X(MM, "MM", "two locks of one mutex")                                                                              \
    X(WN, "WN", "wait and signal")                                                                                     \
    X(WM, "WM", "a wait takes its mutex again, and a lock of it")                                                      \
    X(WW, "WW", "two waits take their mutex again")                                                                    \
    X(SEMAPHORE, "semaphore", "operations on one semaphore")

enum conflict_relation {
#define X(name, text, what) RELATION_##name,
    CONFLICT_RELATIONS(X)
#undef X
        RELATION_KINDS
};

struct conflict_access {
    uint32_t op, phase;
    uint64_t lo, hi;    /* of the object */
    uint8_t kind;       /* enum conflict_kind */
    bool paired;        /* it is in a pair */
    bool atomic, exact; /* exact: not by a library function with an extent that is not known */
};

struct conflict_variable { /* bytes lo … hi of an object */
    uint32_t object;
    uint64_t lo, hi;
    size_t first, accesses; /* its part of the accesses */
    size_t first_pair, pairs;
    bool cut; /* there are more pairs than are listed: take any two */
};

enum conflict_guard { GUARD_NONE, GUARD_MAYBE, GUARD_LOCK };

struct conflict_pair {
    uint32_t a, b;    /* accesses */
    uint8_t relation; /* enum conflict_relation */
    uint8_t guard;    /* enum conflict_guard: a lock that both hold, perhaps (it may be several) or certainly */
    bool atomic;      /* both are: no data race */
};

struct conflicts {
    VECTOR(struct conflict_access) accesses;
    VECTOR(struct conflict_variable) variables; /* only those that have pairs */
    VECTOR(struct conflict_pair) pairs;
    bool *escaped;                                             /* by object */
    uint64_t private_accesses, ordered_accesses, all_accesses; /* operations */
    struct phases *phases;
};

void conflicts_find(struct conflicts *conflicts, const struct ir_program *program, const struct points *points,
                    const struct threads *threads, const struct locks *locks);
void conflicts_free(struct conflicts *conflicts);

/* Of two accesses of these kinds to one object. */
enum conflict_relation conflicts_relation(uint8_t a, uint8_t b);
const char *conflicts_kind_name(uint8_t kind);
const char *conflicts_relation_name(uint8_t relation);
/* The classes that may do the access. */
void conflicts_classes(const struct conflicts *conflicts, const struct conflict_access *access, struct set *classes);

#endif
