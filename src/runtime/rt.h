/* SPDX-License-Identifier: MIT
 *
 * rt.h - what all parts of the runtime share: tasks, operations, the guard of hooks, memory.
 *
 * DESIGN
 *   Exactly one task runs at a time: the one that holds the baton.  Only this task accesses the data below, so nothing is locked or
 *   atomic.  The real threads of the other tasks are parked (task.c) or inside a call that cannot be controlled
 *   (sched_external_begin).
 *
 *   A visible operation is done like this: fill a `struct op`, call sched_point(&op) (sched/point.h).  It publishes the operation, lets the
 *   strategy choose, parks this task if another was chosen, and returns when this task may do its operation *now*, in the state as
 *   it is then.  The caller then changes the model, tells the scheduler which objects changed (object_changed), and records
 *   the event (record_event).
 *
 *   A hook (hooks/) is the exported function of libc's or the compiler's name.  It starts with rt_enter(): NULL means "not under
 *   control here" (program started without raddle, before the fork point, in a forked child, or the runtime itself is calling): then
 *   it calls REAL(name).  It ends with rt_leave(), which restores errno.
 *
 *   After start-up no libc allocation, no stdio, no libc locks: memory comes from rt_alloc.
 */
#ifndef RADDLE_RT_H
#define RADDLE_RT_H

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "wire/wire.h"

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* A large table of which most runs use little.  It is placed after all other variables, so that those share few pages: a run pays for
   each page that it writes. */
#define RT_TABLE __attribute__((section(".bss.raddle_tables")))
/* One that most runs do not use at all: placed after those. */
#define RT_RARE __attribute__((section(".bss.raddle_tables.rare")))

/* An exported function.  Weak: a program that defines the function itself (an allocator, say) still links, and its definition is used. */
#define RT_HOOK __attribute__((weak, visibility("default")))
#define CALLER  ((uintptr_t)__builtin_return_address(0))

/* REAL(f)(…) calls the next definition of f after ours.  A file that uses it has REAL_FUNCTION(f); once. */
struct real_function {
    const char *name;
    void *address;
};
void *real_find(struct real_function *function); /* looks it up and stores it; ends the run if there is none */
#define REAL_FUNCTION(f) static struct real_function real_##f __attribute__((section("raddle_real"), used)) = {#f, NULL}
#define REAL(f)          ((__typeof__(&f))(likely(real_##f.address != NULL) ? real_##f.address : real_find(&real_##f)))

/* ---- operations --------------------------------------------------------------------------------------------------- */

struct task;
struct object;
struct op;

/* Whether a published operation could be done now. */
enum ready {
    READY_NO,
    READY_YES,
    READY_LATE, /* only by letting time pass: a sleep, a timed wait, a spurious wake-up.  Chosen rarely, or when
                   no other task can run; virtual time then moves to op->deadline */
};

#define RT_NEVER INT64_MAX

enum {
    OP_INTERRUPTIBLE = 1 << 0,  /* a handler run while waiting ends the wait (WAKE_SIGNAL) */
    OP_CANCELLABLE = 1 << 1,    /* a cancellation point: sched_point does not return if the task is cancelled here,
                                   unless OP_CANCEL_RETURNS */
    OP_CANCEL_RETURNS = 1 << 2, /* ... then it returns with task->cancelling set (to re-take a mutex first) */
    OP_YIELDS = 1 << 3,         /* the task asks to be passed over: sched_yield, sleeps, empty polls */
    OP_IO = 1 << 4, /* readiness depends on the kernel: ready() is called again after each I/O, and when no task runs */
    OP_VOLATILE = 1 << 5, /* access to a volatile object */
    OP_ATOMIC = 1 << 6,
    OP_PRIVATE = 1 << 7, /* no operation on shared data: only a stop in the middle of private work */
    OP_PAUSE = 1 << 8,   /* with OP_YIELDS: the program did not yield; the runtime lets other tasks run */
};

struct op {
    enum wire_op kind;
    uint32_t flags;
    uintptr_t pc;      /* caller in the program */
    uintptr_t address; /* of the variable, lock, … */
    uint32_t size;
    bool more_writes;
    uint32_t more_size; /* PLAN_TRANSITIONS: of a further range that it accesses */
    uintptr_t more;
    int fd;                /* OP_IO */
    struct object *object; /* object(s) whose change may change ready(); NULL if always ready */
    struct object *object2;
    int64_t deadline; /* virtual CLOCK_MONOTONIC ns for READY_LATE; RT_NEVER */
    enum ready (*ready)(struct task *task, const struct op *op); /* NULL: READY_YES.  Must not change anything */
    uint64_t argument;                                           /* for ready() */
    uint64_t before;                                             /* atomic writes of up to 8 bytes: what was there */
    bool (*outside)(const struct op *op); /* OP_IO: could something outside the program make it ready?  NULL: yes */
};

/* ---- tasks -------------------------------------------------------------------------------------------------------- */

enum task_state {
    TASK_PARKED,   /* has published an operation, waits for the baton (or is just created) */
    TASK_RUNNING,  /* holds the baton */
    TASK_EXTERNAL, /* inside a call that is not controlled */
    TASK_ENDED,
};

struct frame { /* shadow call stack */
    uintptr_t pc, sp;
    uint64_t number; /* of the call, among all of the task */
};
enum { TASK_FRAMES = 512 };

struct clock; /* vector clock, oracle/clock.h */

struct task {
    /* touched by every access */
    uint64_t operations; /* instrumented operations begun */
    uint64_t stop_at;    /* at this operation number the fast path must call the scheduler */
    uint64_t key;        /* the epoch while the program's own code runs, else TASK_INSIDE: the guard */
    uint64_t epoch;      /* this task's name and clock in a shadow cell: see shadow.h */
    uint32_t id;
    uint32_t depth; /* shadow call stack */
    int saved_errno;
    struct frame *frames;

    /* scheduling */
    enum task_state state;
    uint64_t parked_at; /* the operation at which it stopped last, as the schedule has it */
    struct op *pending; /* published operation; NULL while it runs */
    enum ready ready;
    struct task *next_pending[2], **prev_pending[2]; /* on object->pending / object2->pending */
    uint64_t points;
    struct task_thread *thread; /* the carrier's part: sched/carrier.h */

    /* what it holds: oracle/lock_order.c */
    struct held_locks *held_locks;

    /* spin detection, sched/spin.c */
    struct spin *spin;

    /* computing between two operations: sched/preempt.c, sched/compute.c */
    struct {
        uint64_t operations;  /* done when it was last found computing */
        uint32_t found;       /* how often since then */
        uint32_t taken_off;   /* how often it was left since then */
        uint64_t passed_over; /* before this scheduling point other tasks go first */
        bool endless;         /* it is in a loop of jumps that no other task can end; valid while it is left */
    } computing;

    /* life */
    struct task *parent;
    pthread_t handle;
    void *(*start)(void *);
    void *argument;
    void *result;
    struct object *end; /* OBJECT_TASK: changes when the task ends; carries its clock to the joiner */
    bool ended, detached, joined, joining;
    uintptr_t stack_lo, stack_hi;
    bool stack_kept; /* by the carrier, for its next task: the shadow of the stack is cleared then */

    char name[16]; /* pthread_setname_np */

    /* cancellation */
    bool cancel_disabled, cancel_asynchronous, cancel_requested;
    bool cancelling; /* unwinding, or about to */

    /* signals: model/signal.c */
    sigset_t signal_mask;
    uint64_t signals_pending; /* bit signo-1 */
    uint64_t handler_stop;    /* operation at which a handler may run: sched/handler.c */
    uint64_t handler_from;    /* first operation before which the due handler could have run; 0: none yet */
    uint64_t handler_at;      /* operation before which it runs; 0: not decided */
    struct signal_frame *signals;

    /* readings of the virtual clock: hooks/time.c */
    struct {
        uint64_t points; /* of this task at the last one */
        uintptr_t pc;    /* where the last one was */
        uint32_t alone, loops;
        int64_t spent;
    } clock_reads;

    /* thread-specific data and C++ thread_local destructors: model/keys.c */
    struct keys *keys;

    /* OpenMP: openmp/openmp.h */
    struct member *openmp;                   /* NULL: the task has not used it */
    void (*openmp_ended)(struct task *self); /* set with `openmp`; called when the task ends */

    /* happens-before: oracle/clock.h */
    struct clock *clock;
    struct clock *fence_release, *fence_acquire;

    struct torn *torn; /* an access that this or another task sees half-done: tear.h */

    uint64_t calls; /* of instrumented functions so far, and units of work that the program marks */
    struct {        /* the outermost one of these units that it is in */
        uint64_t number;
        uintptr_t pc;
        uint32_t depth, within; /* of the shadow call stack; units that it is in, 0: none */
    } unit;

    struct wire_event *last_write; /* its value is filled in at the next event */
    uint64_t strategy[4];          /* for the strategy */
};

/* All of the runtime's state that more than one file needs. */
struct rt {
    struct wire *wire;       /* NULL: no driver, the program is not controlled */
    bool attached;           /* a driver is there (true before and after the fork point) */
    bool controlled;         /* this process is a controlled run */
    uint32_t own_allocation; /* > 0: libc calls malloc for the runtime: it gets memory of the runtime */
    bool finishing;          /* exit() has begun or a failure was decided */
    bool watching;           /* a hang is suspected: sched/watch.h */
    uint32_t flags;          /* plan.flags */
    uint32_t task_count;
    uint32_t live_count;
    struct task *current; /* holds the baton */
    uint64_t points;
    int64_t now;                    /* virtual ns since the start of the run */
    struct task *tasks[WIRE_TASKS]; /* last: what a run touches is close together */
};
extern struct rt rt;
extern __thread struct task *rt_self; /* NULL: this thread is not under control */

/* Every bit of the result depends on every bit of z: the finaliser of splitmix64. */
static inline uint64_t rt_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

/* The guard: while a task is inside the runtime, its hooks do nothing.  The fast path of an access need not check it, because no cell has
   this key: epochs are odd, states are small, and the rest are aligned pointers.  No cell has the second key either.  A task has it in the
   program's own code while it is watched, or between a torn access and the next hook.  So then no access takes the fast path. */
enum { TASK_INSIDE = 0x1ffe, TASK_WATCHED = 0x1ffa };

static inline bool task_is_inside(const struct task *task)
{
    return task->key == TASK_INSIDE;
}
static inline void task_go_inside(struct task *task)
{
    task->key = TASK_INSIDE;
}
static inline void task_go_outside(struct task *task)
{
    task->key = unlikely(rt.watching || task->torn != NULL) ? TASK_WATCHED : task->epoch;
}

/* errno without a call of libc: in each thread it is at the same distance from rt_self. */
extern intptr_t rt_errno_distance; /* 0: not known yet */
static inline int *rt_errno(void)
{
    return likely(rt_errno_distance != 0) ? (int *)((char *)&rt_self + rt_errno_distance) : &errno;
}
#undef errno
#define errno (*rt_errno())

/* The task has come from its own code, whose stack ends at `sp`, to a hook; sched/watch.h. */
void watch_state(struct task *self, uintptr_t sp);
/* The task has a torn access; tear.h. */
void tear_finish(struct task *self);

/* Begin a hook whose caller's stack ends at `sp`. NULL: call the real function. Saves errno. */
static inline struct task *rt_enter_at(uintptr_t sp)
{
    struct task *self = rt_self;
    if (self == NULL || task_is_inside(self))
        return NULL;
    task_go_inside(self);
    self->saved_errno = errno;
    if (unlikely(self->torn != NULL))
        tear_finish(self);
    if (unlikely(rt.watching))
        watch_state(self, sp);
    return self;
}

static inline struct task *rt_enter(void)
{
    return rt_enter_at((uintptr_t)__builtin_dwarf_cfa());
}

/* What the runtime has left on the task's stack, below the caller's frame, is nothing again; leftover.c. */
void leftover_clear(const struct task *self);
void leftover_clear_shallow(const struct task *self);
void leftover_clear_deep(const struct task *self);

static inline void rt_leave(struct task *self)
{
    leftover_clear(self);
    errno = self->saved_errno;
    task_go_outside(self);
}

/* Leave with a result in the manner of system calls: error 0 returns `result`, else errno = error and -1. */
static inline long rt_leave_errno(struct task *self, long result, int error)
{
    if (error != 0) {
        self->saved_errno = error;
        result = -1;
    }
    rt_leave(self);
    return result;
}

/* Ends the run as raddle's own error.  printf subset: %s %d %u %lx %lu. */
__attribute__((noreturn, format(printf, 1, 2))) void rt_die(const char *format, ...);

/* Formats into buffer (always terminated), the same subset. No libc. */
__attribute__((format(printf, 3, 4))) void rt_format(char *buffer, size_t size, const char *format, ...);

/* Memory of the runtime: never from libc, zeroed, 16-aligned. Freed pieces are reused by size. One of no bytes is a piece, too. */
void *rt_alloc(size_t size);
void rt_free(void *memory, size_t size);
/* Whole pages, zeroed, unmapped at the end of the run; without reservation: only what is used costs memory.  Ends the run if that fails;
   `purpose` is for the message. */
void *rt_map(size_t size, const char *purpose);

#endif
