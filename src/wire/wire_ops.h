/* SPDX-License-Identifier: MIT
 *
 * wire_ops.h - the operations of a program under test, and everything that is a fact about an operation.
 *
 * DESIGN
 *   One row per operation.  The runtime, the observers of patterns and the reports read this table.  A new operation is one row, its model in
 *   the runtime and, if it orders tasks, its case in predict/clock.c.
 *
 *   name     OP_name
 *   text     as event logs and reports print it
 *   class    enum wire_class: the coarse division that independence checks and reports use
 *   object   enum op_object: what it is about
 *   effect   enum op_effect: what it does to its object if it succeeds
 *   try      1: a call that fails where another would wait
 *   spin     enum op_spin: what it means for the detection of loops that wait
 */
#ifndef RADDLE_WIRE_OPS_H
#define RADDLE_WIRE_OPS_H

#include <stdbool.h>
#include <stdint.h>

/* X(name, text, class, object, effect, try, spin) */
/* clang-format off */
#define WIRE_OPS(X)                                                               \
    X(NONE,             "none",             OTHER,   NONE,    NONE,    0, CHANGE) \
    X(START,            "start",            THREAD,  THREAD,  NONE,    0, CHANGE) \
    X(END,              "end",              THREAD,  THREAD,  NONE,    0, CHANGE) \
    X(READ,             "read",             READ,    MEMORY,  READ,    0, READ)   \
    X(WRITE,            "write",            WRITE,   MEMORY,  WRITE,   0, CHANGE) \
    X(ATOMIC_LOAD,      "atomic-load",      READ,    ATOMIC,  READ,    0, LOOK)   \
    X(ATOMIC_STORE,     "atomic-store",     WRITE,   ATOMIC,  WRITE,   0, WRITE)  \
    X(ATOMIC_RMW,       "atomic-rmw",       WRITE,   ATOMIC,  UPDATE,  0, WRITE)  \
    X(ATOMIC_CAS,       "atomic-cas",       WRITE,   ATOMIC,  UPDATE,  0, WRITE)  \
    X(FENCE,            "fence",            OTHER,   NONE,    NONE,    0, PAUSE)  \
    X(MUTEX_INIT,       "mutex-init",       SYNC,    MUTEX,   INIT,    0, CHANGE) \
    X(MUTEX_DESTROY,    "mutex-destroy",    SYNC,    MUTEX,   DESTROY, 0, CHANGE) \
    X(MUTEX_LOCK,       "lock",             ACQUIRE, MUTEX,   LOCK,    0, LOCK)   \
    X(MUTEX_TRYLOCK,    "trylock",          ACQUIRE, MUTEX,   LOCK,    1, CHANGE) \
    X(MUTEX_TIMEDLOCK,  "timedlock",        ACQUIRE, MUTEX,   LOCK,    0, CHANGE) \
    X(MUTEX_UNLOCK,     "unlock",           RELEASE, MUTEX,   UNLOCK,  0, UNLOCK) \
    X(MUTEX_CONSISTENT, "mutex-consistent", SYNC,    MUTEX,   NONE,    0, CHANGE) \
    X(COND_INIT,        "cond-init",        SYNC,    COND,    INIT,    0, CHANGE) \
    X(COND_DESTROY,     "cond-destroy",     SYNC,    COND,    DESTROY, 0, CHANGE) \
    X(COND_WAIT,        "wait",             SYNC,    COND,    WAIT,    0, CHANGE) \
    X(COND_WAKE,        "wake",             ACQUIRE, COND,    NONE,    0, CHANGE) \
    X(COND_SIGNAL,      "signal",           SYNC,    COND,    SIGNAL,  0, CHANGE) \
    X(COND_BROADCAST,   "broadcast",        SYNC,    COND,    SIGNAL,  0, CHANGE) \
    X(RWLOCK_INIT,      "rwlock-init",      SYNC,    RWLOCK,  INIT,    0, CHANGE) \
    X(RWLOCK_DESTROY,   "rwlock-destroy",   SYNC,    RWLOCK,  DESTROY, 0, CHANGE) \
    X(RWLOCK_RDLOCK,    "rdlock",           ACQUIRE, RWLOCK,  RDLOCK,  0, LOCK)   \
    X(RWLOCK_WRLOCK,    "wrlock",           ACQUIRE, RWLOCK,  LOCK,    0, CHANGE) \
    X(RWLOCK_TRYRDLOCK, "tryrdlock",        ACQUIRE, RWLOCK,  RDLOCK,  1, CHANGE) \
    X(RWLOCK_TRYWRLOCK, "trywrlock",        ACQUIRE, RWLOCK,  LOCK,    1, CHANGE) \
    X(RWLOCK_UNLOCK,    "rwunlock",         RELEASE, RWLOCK,  UNLOCK,  0, UNLOCK) \
    X(SPIN_INIT,        "spin-init",        SYNC,    SPIN,    INIT,    0, CHANGE) \
    X(SPIN_DESTROY,     "spin-destroy",     SYNC,    SPIN,    DESTROY, 0, CHANGE) \
    X(SPIN_LOCK,        "spin-lock",        ACQUIRE, SPIN,    LOCK,    0, CHANGE) \
    X(SPIN_TRYLOCK,     "spin-trylock",     ACQUIRE, SPIN,    LOCK,    1, CHANGE) \
    X(SPIN_UNLOCK,      "spin-unlock",      RELEASE, SPIN,    UNLOCK,  0, CHANGE) \
    X(SEM_INIT,         "sem-init",         SYNC,    SEM,     INIT,    0, CHANGE) \
    X(SEM_DESTROY,      "sem-destroy",      SYNC,    SEM,     DESTROY, 0, CHANGE) \
    X(SEM_WAIT,         "sem-wait",         ACQUIRE, SEM,     ACQUIRE, 0, CHANGE) \
    X(SEM_TRYWAIT,      "sem-trywait",      ACQUIRE, SEM,     ACQUIRE, 1, CHANGE) \
    X(SEM_POST,         "sem-post",         RELEASE, SEM,     RELEASE, 0, CHANGE) \
    X(SEM_GETVALUE,     "sem-getvalue",     SYNC,    SEM,     TRY,     0, LOOK)   \
    X(BARRIER_INIT,     "barrier-init",     SYNC,    BARRIER, NONE,    0, CHANGE) \
    X(BARRIER_DESTROY,  "barrier-destroy",  SYNC,    BARRIER, NONE,    0, CHANGE) \
    X(BARRIER_ARRIVE,   "barrier-arrive",   SYNC,    BARRIER, NONE,    0, CHANGE) \
    X(BARRIER_LEAVE,    "barrier-leave",    SYNC,    BARRIER, NONE,    0, CHANGE) \
    X(ONCE_BEGIN,       "once-begin",       ACQUIRE, ONCE,    ACQUIRE, 0, CHANGE) \
    X(ONCE_END,         "once-end",         RELEASE, ONCE,    RELEASE, 0, CHANGE) \
    X(TEAM_FORK,        "team-fork",        SYNC,    OPENMP,  NONE,    0, CHANGE) \
    X(TEAM_START,       "team-start",       SYNC,    OPENMP,  NONE,    0, CHANGE) \
    X(TASK_CREATE,      "task-create",      SYNC,    OPENMP,  NONE,    0, CHANGE) \
    X(TASK_START,       "task-start",       SYNC,    OPENMP,  NONE,    0, CHANGE) \
    X(TASK_WAIT,        "task-wait",        SYNC,    OPENMP,  NONE,    0, CHANGE) \
    X(WORK_TAKE,        "work-take",        SYNC,    OPENMP,  NONE,    0, CHANGE) \
    X(ORDERED_BEGIN,    "ordered-begin",    SYNC,    OPENMP,  NONE,    0, CHANGE) \
    X(ORDERED_END,      "ordered-end",      SYNC,    OPENMP,  NONE,    0, CHANGE) \
    X(CREATE,           "create",           THREAD,  THREAD,  NONE,    0, CHANGE) \
    X(JOIN,             "join",             THREAD,  THREAD,  NONE,    0, CHANGE) \
    X(DETACH,           "detach",           THREAD,  THREAD,  NONE,    0, CHANGE) \
    X(CANCEL,           "cancel",           THREAD,  THREAD,  NONE,    0, CHANGE) \
    X(CANCELLED,        "cancelled",        THREAD,  THREAD,  NONE,    0, CHANGE) \
    X(KILL,             "kill",             THREAD,  SIGNAL,  NONE,    0, CHANGE) \
    X(SIGWAIT,          "sigwait",          THREAD,  SIGNAL,  NONE,    0, CHANGE) \
    X(HANDLER,          "handler",          THREAD,  SIGNAL,  NONE,    0, CHANGE) \
    X(YIELD,            "yield",            OTHER,   NONE,    NONE,    0, YIELD)  \
    X(SLEEP,            "sleep",            OTHER,   TIME,    NONE,    0, PAUSE)  \
    X(CLOCK,            "clock",            OTHER,   TIME,    NONE,    0, PAUSE)  \
    X(FUTEX_WAIT,       "futex-wait",       ACQUIRE, FUTEX,   WAIT,    0, CHANGE) \
    X(FUTEX_WAKE,       "futex-wake",       RELEASE, FUTEX,   SIGNAL,  0, CHANGE) \
    X(IO_READ,          "io-read",          IO,      FILE,    NONE,    0, CHANGE) \
    X(IO_WRITE,         "io-write",         IO,      FILE,    NONE,    0, CHANGE) \
    X(IO_POLL,          "io-poll",          IO,      FILE,    NONE,    0, CHANGE) \
    X(IO_ACCEPT,        "io-accept",        IO,      FILE,    NONE,    0, CHANGE) \
    X(IO_CONNECT,       "io-connect",       IO,      FILE,    NONE,    0, CHANGE) \
    X(IO_CLOSE,         "io-close",         IO,      FILE,    NONE,    0, CHANGE) \
    X(IO_FLOCK,         "io-flock",         IO,      FILE,    NONE,    0, CHANGE) \
    X(WAITPID,          "waitpid",          IO,      PROCESS, NONE,    0, CHANGE) \
    X(ALLOC,            "alloc",            WRITE,   HEAP,    NONE,    0, CHANGE) \
    X(FREE,             "free",             WRITE,   HEAP,    FREE,    0, CHANGE) \
    X(ATOMIC_SET,       "atomic-set",       OTHER,   NONE,    NONE,    0, CHANGE) \
    X(INVARIANT,        "invariant",        OTHER,   NONE,    NONE,    0, CHANGE) \
    X(FORK,             "fork",             OTHER,   PROCESS, NONE,    0, CHANGE) \
    X(EXTERNAL,         "external",         OTHER,   NONE,    NONE,    0, CHANGE) \
    X(EXIT,             "exit",             OTHER,   PROCESS, NONE,    0, CHANGE)
/* clang-format on */

enum wire_op {
#define X(name, ...) OP_##name,
    WIRE_OPS(X)
#undef X
        WIRE_OP_COUNT
};

enum wire_class {
    CLASS_OTHER,
    CLASS_READ,
    CLASS_WRITE,
    CLASS_ACQUIRE,
    CLASS_RELEASE,
    CLASS_SYNC,
    CLASS_THREAD,
    CLASS_IO
};

enum op_object {
    ABOUT_NONE,
    ABOUT_MEMORY, /* plain accesses */
    ABOUT_ATOMIC, /* atomic accesses */
    ABOUT_MUTEX,
    ABOUT_COND,
    ABOUT_RWLOCK,
    ABOUT_SPIN,
    ABOUT_SEM,
    ABOUT_BARRIER,
    ABOUT_ONCE,
    ABOUT_FUTEX,
    ABOUT_OPENMP,
    ABOUT_THREAD,
    ABOUT_SIGNAL,
    ABOUT_TIME,
    ABOUT_FILE,
    ABOUT_HEAP,
    ABOUT_PROCESS
};

/* X(name, strong).  A strong effect changes the object; weak ones only read it, or commute with each other. */
#define OP_EFFECTS(X)                                                                                                  \
    X(NONE, 0) /* not part of patterns */                                                                              \
    X(READ, 0)                                                                                                         \
    X(WRITE, 1)                                                                                                        \
    X(UPDATE, 1) /* reads and writes in one step; without EVENT_UNCHANGED and EVENT_FAILED, else a read */             \
    X(FREE, 1)                                                                                                         \
    X(LOCK, 1)    /* takes a lock that one task has at a time */                                                       \
    X(RDLOCK, 0)  /* takes one that other tasks may have too */                                                        \
    X(UNLOCK, 1)  /* releases either */                                                                                \
    X(ACQUIRE, 1) /* passes an object that blocks tasks but has no owner: a semaphore, a once */                       \
    X(RELEASE, 1) /* lets one task or all pass there */                                                                \
    X(TRY, 0)     /* reads the state of a synchronisation object */                                                    \
    X(WAIT, 1)    /* waits for a signal */                                                                             \
    X(SIGNAL, 1)                                                                                                       \
    X(INIT, 1)                                                                                                         \
    X(DESTROY, 1)

enum op_effect {
#define X(name, strong) EFFECT_##name,
    OP_EFFECTS(X)
#undef X
};

enum op_spin {
    SPIN_CHANGE, /* the task changes something */
    SPIN_READ,   /* a plain read; a look if it is volatile */
    SPIN_LOOK,   /* the task reads something that another task may change */
    SPIN_LOCK,   /* takes a lock that was free */
    SPIN_UNLOCK,
    SPIN_WRITE, /* an atomic write: a look if it repeats what the task has written before */
    SPIN_YIELD,
    SPIN_PAUSE, /* changes nothing; done while waiting */
};

struct op_facts {
    uint8_t class, object, effect, spin; /* enums above */
    bool try, strong;
};
extern const struct op_facts op_facts[WIRE_OP_COUNT]; /* by enum wire_op */

/* The same for a number that may be no operation: then that of OP_NONE. */
static inline const struct op_facts *op_facts_of(uint32_t op)
{
    return &op_facts[op < WIRE_OP_COUNT ? op : (uint32_t)OP_NONE];
}

static inline enum wire_class op_class(uint32_t op)
{
    return (enum wire_class)op_facts_of(op)->class;
}

static inline enum op_object op_object(uint32_t op)
{
    return (enum op_object)op_facts_of(op)->object;
}

static inline enum op_effect op_effect(uint32_t op)
{
    return (enum op_effect)op_facts_of(op)->effect;
}

/* Reads or writes memory, plainly or atomically; allocations do not. */
static inline bool op_is_access(uint32_t op)
{
    return op_object(op) == ABOUT_MEMORY || op_object(op) == ABOUT_ATOMIC;
}

/* Takes the lock that is its object.  A condition wait takes a lock too, but that is not its object. */
static inline bool op_takes_lock(uint32_t op)
{
    return op_effect(op) == EFFECT_LOCK || op_effect(op) == EFFECT_RDLOCK;
}

#endif
