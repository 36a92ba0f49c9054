/* SPDX-License-Identifier: MIT
 *
 * rt.h - what all parts of the runtime share: tasks, operations, objects, and the few calls of the scheduler.
 *
 * DESIGN
 *   Exactly one task runs at a time: it holds the baton, and everything below is touched only by the holder, so nothing
 *   here is locked or atomic.  The real threads behind the other tasks are parked (task.c) or inside a call that could not
 *   be controlled (sched_external_begin).
 *
 *   A visible operation goes: fill a `struct op`, call sched_point(&op).  It publishes the operation, lets the strategy
 *   choose, parks this task if another was chosen, and returns when this one may do its operation *now*, in the state as it
 *   is then.  The caller then changes the model, tells the scheduler which objects changed (object_changed), and records
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

/* A large table of which most runs use little.  They lie behind all other variables, so that those share few pages: a run pays for
   each page that it writes. */
#define RT_TABLE __attribute__((section(".bss.raddle_tables")))
/* One that most runs do not use at all: behind those. */
#define RT_RARE __attribute__((section(".bss.raddle_tables.rare")))

/* An exported function.  Weak, so that a program that brings its own (an allocator, say) still links and wins. */
#define RT_HOOK __attribute__((weak, visibility("default")))
#define CALLER  ((uintptr_t)__builtin_return_address(0))

/* REAL(f)(…) calls the next definition of f after ours.  A file that uses it says REAL_FUNCTION(f); once. */
struct real_function {
    const char *name;
    void *address;
};
void *real_find(struct real_function *function); /* looks up and keeps; ends the run if there is none */
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
    READY_LATE, /* only by letting time pass: a sleep, a timed wait, a spurious wake-up.  A choice, taken rarely or when
                   nothing else can run; virtual time then moves to op->deadline */
};

/* What sched_point says. */
enum wake {
    WAKE_GO,     /* do it */
    WAKE_LATE,   /* chosen as READY_LATE: timed out */
    WAKE_SIGNAL, /* only with OP_INTERRUPTIBLE: a signal handler has just run; EINTR or again */
};

#define RT_NEVER INT64_MAX

enum {
    OP_INTERRUPTIBLE = 1 << 0,  /* a handler run while waiting ends the wait (WAKE_SIGNAL) */
    OP_CANCELLABLE = 1 << 1,    /* a cancellation point: sched_point does not return if the task is cancelled here,
                                   unless OP_CANCEL_RETURNS */
    OP_CANCEL_RETURNS = 1 << 2, /* ... then it returns with task->cancelling set (to re-take a mutex first) */
    OP_YIELDS = 1 << 3,         /* the task asks to be passed over: sched_yield, sleeps, empty polls */
    OP_IO = 1 << 4, /* readiness lies in the kernel: ready() is asked again after each I/O, and when nothing runs */
    OP_VOLATILE = 1 << 5, /* access to a volatile object */
    OP_ATOMIC = 1 << 6,
    OP_PRIVATE = 1 << 7, /* no other task takes part in it: only a stop in the middle of private work */
    OP_PAUSE = 1 << 8,   /* with OP_YIELDS: the program did not ask for it; the runtime lets others run */
};

struct op {
    enum wire_op kind;
    uint32_t flags;
    uintptr_t pc;      /* caller in the program */
    uintptr_t address; /* what it is about: address of the variable, lock, … */
    uint32_t size;
    int fd;                /* OP_IO */
    struct object *object; /* object(s) whose change may change ready(); NULL if always ready */
    struct object *object2;
    int64_t deadline; /* virtual CLOCK_MONOTONIC ns for READY_LATE; RT_NEVER */
    enum ready (*ready)(struct task *task, const struct op *op); /* NULL: READY_YES.  Must not change anything */
    uint64_t argument;                                           /* for ready() */
    uint64_t before;                                             /* atomic writes of up to 8 bytes: what was there */
    bool (*outside)(const struct op *op); /* OP_IO: could somebody outside make it ready?  NULL: yes */
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
    struct task_thread *thread; /* back end's part */

    /* what it holds: oracle/lock_order.c */
    struct held_locks *held_locks;

    /* spin detection, sched/spin.c */
    struct spin *spin;

    /* work between two operations, sched/preempt.c */
    struct {
        uint64_t operations;  /* done when it was last found at it */
        uint32_t found;       /* how often since then */
        uint32_t taken_off;   /* how often since then */
        uint64_t passed_over; /* before this scheduling point others go first */
        bool endless;         /* the instructions lead back to themselves, whatever others do; while it is taken off */
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
    bool stack_kept; /* by the carrier, for its next task: what the shadow knows of it is forgotten then */

    char name[16]; /* pthread_setname_np */

    /* cancellation */
    bool cancel_disabled, cancel_asynchronous, cancel_requested;
    bool cancelling; /* unwinding, or about to */

    /* signals: hooks/signal.c */
    sigset_t signal_mask;
    uint64_t signals_pending; /* bit signo-1 */
    uint64_t handler_stop;    /* operation at which a handler may run: sched/handler.c */
    uint64_t handler_from;    /* first operation before which the due handler could have run; 0: none yet */
    uint64_t handler_at;      /* operation before which it is to run; 0: not decided */
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

    struct member *openmp; /* openmp/openmp.h; NULL: has not met it */

    /* happens-before: oracle/clock.h */
    struct clock *clock;
    struct clock *fence_release, *fence_acquire;

    struct torn *torn; /* an access that others see half-done, or the task itself: tear.h */

    struct wire_event *last_write; /* its value is filled in at the next event */
    uint64_t strategy[4];          /* the strategy's own */
};

/* All of the runtime's state that more than one file needs. */
struct rt {
    struct wire *wire;       /* NULL: no driver, the program runs free */
    bool attached;           /* a driver is there (true before and after the fork point) */
    bool controlled;         /* this process is a controlled run */
    uint32_t own_allocation; /* > 0: malloc is called by libc for the runtime: give memory of the runtime's own */
    bool finishing;          /* exit() has begun or a failure was decided */
    bool watching;           /* is this a hang?  sched/watch.h */
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

/* Spreads every bit over all: splitmix64's finaliser. */
static inline uint64_t rt_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

/* The guard: inside the runtime a task's hooks do nothing.  The fast path of an access does not ask for it, because this key is
   that of no cell: epochs are odd, states are small, and the rest are pointers to what is aligned.  Neither is the other one, of the
   program's own code while it is watched, or between a torn access and the next hook: then no access is settled by the fast path. */
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

/* errno without a call of libc: it lies in each thread at the same distance from rt_self. */
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

/* Memory of the runtime: never from libc, zeroed, 16-aligned. Freed pieces are reused by size. */
void *rt_alloc(size_t size);
void rt_free(void *memory, size_t size);

/* ---- scheduler (sched/sched.c) ------------------------------------------------------------------------------------ */

/* Publish, let the strategy choose, return when `op` may be done now. Every call is one scheduling point and one
   instrumented operation. */
enum wake sched_point(struct task *self, struct op *op);

/* A choice of the scheduler's other than who runs: a number below n (n >= 1), recorded and replayed. */
uint32_t sched_choose(struct task *self, uint32_t n);

/* The same, but the numbers below `first` are not possible now. */
uint32_t sched_choose_from(struct task *self, uint32_t first, uint32_t n);
/* The wait that the task has just been woken from ended before its time, and others could go on. */
bool sched_is_early(const struct task *self);
/* The operation that the task is doing ended by time: tells of it if other tasks could go on. */
void sched_timed_out(const struct task *self);
/* rt.now has been increased. */
void sched_time_passed(void);

/* The task's ready state may have changed (signal, cancel). */
void sched_refresh(struct task *task);
/* I/O has been done: operations with OP_IO may have become ready. */
void sched_io_changed(void);

/* Around a call that may block and cannot be controlled: the baton goes on; the name is counted for the report. */
void sched_external_begin(struct task *self, const char *name);
void sched_external_end(struct task *self);
/* Only count it. */
void sched_uncontrolled(const char *name);

/* Seeded generator of this run. */
uint64_t sched_random(void);

/* A task other than the caller made a location or object change: wakes spinners that watch it. */
void spin_written(uintptr_t address, uint32_t size);
/* The task read `address` (or a call on it failed) and got `value`: enough of the same and it is passed over. */
void spin_read(struct task *self, uintptr_t pc, uintptr_t address, uint64_t value);
/* The same by a plain access: it takes more of them, unless there is something between them by which one waits. */
void spin_read_plain(struct task *self, uintptr_t pc, uintptr_t address, uint64_t value);
/* The task has done something that changes nothing and that one does while one waits; or just yielded. */
void spin_pause(struct task *self);
void spin_yield(struct task *self, uintptr_t pc);
/* It has locked what was free; an unlock by another task is then no reason to look again. */
void spin_lock(struct task *self, uintptr_t pc, uintptr_t address);
/* It has atomically changed `before` to `after`.  Tells other spinners, unless it has done just this here already. */
void spin_write(struct task *self, uintptr_t pc, uintptr_t address, uint32_t size, uint64_t before, uint64_t after);
/* The task changed something: it is not spinning. */
void spin_progress(struct task *self);

/* ---- task life (sched/task.c, model/thread.c) --------------------------------------------------------------------- */

struct task *task_by_handle(pthread_t handle); /* NULL: not a live (unjoined) task of ours */
/* Ends the calling task (clean-up handlers and destructors have run) and hands over the baton. Returns only when the real
   thread has been told to go: then nothing of the program may run in it any more. */
void task_end(struct task *self);
/* pthread_exit for the calling task, which is inside the runtime (guard held): unwinds. */
__attribute__((noreturn)) void task_unwind(struct task *self, void *result);

/* ---- objects (model/object.c): one per lock, condition, … by address ---------------------------------------------- */

enum object_kind {
    OBJECT_MUTEX,
    OBJECT_COND,
    OBJECT_RWLOCK,
    OBJECT_SPIN,
    OBJECT_SEM,
    OBJECT_BARRIER,
    OBJECT_ONCE,
    OBJECT_LOCK, /* of OpenMP */
    OBJECT_FUTEX,
    OBJECT_TASK,
    OBJECT_ATOMIC,
    OBJECT_FILE,
    OBJECT_CHANNEL,
    OBJECT_KINDS
};

struct object {
    struct object *next; /* hash chain */
    uintptr_t address;
    enum object_kind kind;
    uint32_t number;         /* in order of first use */
    struct task *pending[2]; /* tasks whose op has this as object / object2 */
    struct clock *clock;
    uint64_t created_operation;
    /* the model's own state: each model/X.c casts this */
    union {
        struct {
            struct task *owner;
            uint32_t count;
            uint8_t type, robust, dead, inconsistent, initialised, destroyed;
            uint32_t waiters;
        } mutex;
        struct {
            uint64_t next_ticket;
            uint32_t waiters;
            uint8_t initialised, destroyed, clock;
            struct object *mutex;
            struct waiter *queue;
        } cond;
        struct {
            struct task *writer;
            uint32_t readers;
            uint8_t initialised, destroyed, prefer_writer;
            struct holder *held;
        } rwlock;
        struct {
            struct task *owner;
            uint8_t initialised, destroyed;
        } spin;
        struct {
            uint32_t value;
            uint8_t initialised, destroyed;
        } sem;
        struct {
            uint32_t needed, arrived, leaving;
            uint64_t generation;
            uint8_t initialised, destroyed;
        } barrier;
        struct {
            uint8_t done;
            struct task *running;
        } once;
        struct {
            struct task *owner;
            uint32_t count;
            bool destroyed;
        } lock;
        struct {
            struct waiter *queue;
        } futex;
    };
};

/* The object at address; made (zeroed) at first use.  An object of another kind there is replaced. */
struct object *object_get(uintptr_t address, enum object_kind kind);
struct object *object_find(uintptr_t address, enum object_kind kind); /* NULL if none */
void object_drop(struct object *object);                              /* destroyed: forget it */
void object_drop_range(uintptr_t lo, uintptr_t hi);                   /* memory freed */
/* Every object of a kind, for materialising state in a forked child. */
void object_each(enum object_kind kind, void (*visit)(struct object *, void *), void *context);
/* State changed: recompute ready() of the tasks that wait for it. */
void object_changed(struct object *object);
/* Who holds the lock, for deadlock reports; NULL if nobody. */
struct task *object_holder(const struct object *object);

/* happens-before edges (oracle/clock.c); no-ops unless PLAN_RACES */
void hb_acquire(struct task *self, struct object *object); /* task clock >= object clock */
void hb_release(struct task *self, struct object *object); /* object clock := task clock (mutex-like) */
void hb_release_merge(struct task *self,
                      struct object *object); /* object clock := max(object, task) (semaphore-like) */
void hb_fork(struct task *parent, struct task *child);
void hb_io_release(struct task *self); /* one clock for all of the outside world */
void hb_io_acquire(struct task *self);

/* ---- record (record.c) -------------------------------------------------------------------------------------------- */

/* The operation has just been done. With PLAN_RECORD appends an event; always tells spin detection about it. */
void record_event(struct task *self, const struct op *op, uint64_t value, uint8_t event_flags);
/* A block was allocated: no operation, but with PLAN_RECORD an event, so that the driver can name what is in the block.
   `count`: of how many elements the program said that it is, or 1. */
void record_allocation(struct task *self, uintptr_t pc, uintptr_t address, size_t size, size_t count);

/* The shadow call stack as return addresses, innermost first, `pc` before them unless it is 0; at most WIRE_STACK.  Returns how many. */
uint32_t record_stack(const struct task *task, uintptr_t pc, uint64_t *stack);

/* A finding.  Returns the entry to fill in further (never NULL; a scratch entry when the table is full). */
struct wire_finding *finding_add(struct task *self, enum wire_kind kind, uintptr_t pc, uintptr_t address,
                                 const char *format, ...) __attribute__((format(printf, 5, 6)));
/* The run ends here because of it: marks result.failure and ends the process at once. */
__attribute__((noreturn)) void finding_fail(struct wire_finding *finding);
/* Marks it as what the run failed with, without ending the process (it is about to die by itself). */
void finding_decide(const struct wire_finding *finding);
/* Lock misuse: a failure if PLAN_MISUSE, else nothing. */
void finding_misuse(struct task *self, uintptr_t pc, uintptr_t address, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* ---- virtual time (hooks/time.c) ---------------------------------------------------------------------------------- */

/* Absolute time on a clock → virtual monotonic ns, comparable with op.deadline; RT_NEVER if ts is NULL. */
int64_t time_deadline(clockid_t clock, const struct timespec *absolute);
int64_t time_after(int64_t nanoseconds); /* now + ns, saturating */
bool time_valid(const struct timespec *ts);

#endif
