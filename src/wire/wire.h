/* SPDX-License-Identifier: MIT
 *
 * wire.h - everything that the driver and the program under test share.
 *
 * DESIGN
 *   One memfd, mapped by both sides as `struct wire`.  The driver fills `plan` (and `plan_steps`), the runtime fills
 *   `result`, `steps` and `events`.  `sites` outlives a run: it is what earlier schedules learned.  Start, end and exit
 *   status of a run go over two pipes (struct wire_request, struct wire_reply), because a pipe also shows when the other
 *   side died.
 *
 *   The driver never trusts what it reads here: the program under test may have written anything over it.  Every count is
 *   clamped, every index checked (wire_check.c).  The runtime trusts the driver.
 *
 *   A schedule is a list of wire_step, independent of which operations were scheduling points: "task t runs until it is
 *   about to do its k-th instrumented operation", and the values of the other choices in between.
 */
#ifndef RADDLE_WIRE_H
#define RADDLE_WIRE_H

#include <stddef.h>
#include <stdint.h>

#include "wire/wire_ops.h"
#include "wire/wire_transition.h"

#define WIRE_MAGIC   0x00454c4444415252ull /* "RRADDLE" */
#define WIRE_VERSION 19u

/* How the program finds the wire: RADDLE_WIRE=<memfd>,<request pipe>,<reply pipe>, three inherited descriptors. */
#define WIRE_ENVIRONMENT "RADDLE_WIRE"

enum {
    WIRE_TASKS = 4096,          /* threads in one run, main included */
    WIRE_SITES = 1 << 18,       /* slots of the visible-site set, a power of two */
    WIRE_STEPS = 1 << 27,       /* schedule length */
    WIRE_PREFIX = 1 << 22,      /* steps of another run that a plan begins with */
    WIRE_EVENTS = 1 << 24,      /* recorded events */
    WIRE_ROOM = 1 << 22,        /* of these, as many are used if the plan says nothing else */
    WIRE_CHOICES = 1 << 20,     /* dfs: points with more than one alternative */
    WIRE_TRANSITIONS = 1 << 16, /* dpor: operations of one run */
    WIRE_CHECKPOINTS = 8,       /* processes that hold a run in the middle */
    WIRE_MODULES = 512,         /* loaded objects */
    WIRE_FINDINGS = 256,        /* findings of one run */
    WIRE_PARTS = 8,             /* accesses that make one finding of the driver */
    WIRE_STACK = 24,            /* frames kept per finding */
    WIRE_PASSED = 4,            /* loops that depth-first search passed over */
    WIRE_BLOCKED = 4096,        /* tasks listed in a deadlock */
    WIRE_FRAMES = 1 << 14,      /* calls with local variables that other tasks access */
    WIRE_ORIGINS = 1 << 15,     /* calls that led to operations */
    WIRE_CALLS = 1 << 18,       /* calls of functions in which recorded operations were done */
    WIRE_PRIVATES = 256,        /* last reads of memory that no other task had accessed */
    WIRE_LEAKS = 1024,          /* places that allocate */
    WIRE_UNCONTROLLED = 256,    /* names of calls that were not controlled */
    WIRE_PAIRS = 1 << 13,       /* bits of wire_result.pairs, a power of two */
    WIRE_TEXT = 240,
    WIRE_PATH = 512,
};

/* What a run can show.  X(name, printed name, is a failure by default). */
/* clang-format off */
#define WIRE_KINDS(X)                                                                                                 \
    X(NONE, "none", 0)                                                                                                \
    X(SIGNAL, "signal", 1)                                                                                            \
    X(ASSERT, "assert", 1)                                                                                            \
    X(ABORT, "abort", 1)                                                                                              \
    X(EXIT, "exit", 1)                                                                                                \
    X(OUTPUT, "output", 1)                                                                                            \
    X(ORACLE, "oracle", 1)                                                                                            \
    X(DEADLOCK, "deadlock", 1)                                                                                        \
    X(HANG, "hang", 1)                                                                                                \
    X(RACE, "race", 0)                                                                                                \
    X(VOLATILE_RACE, "volatile-race", 0)                                                                              \
    X(USE_AFTER_FREE, "use-after-free", 1)                                                                            \
    X(DOUBLE_FREE, "double-free", 1)                                                                                  \
    X(INVALID_FREE, "invalid-free", 1)                                                                                \
    X(OUT_OF_BLOCK, "out-of-block", 1)                                                                                \
    X(LOCK_MISUSE, "lock-misuse", 1)                                                                                  \
    X(UNCAUGHT, "uncaught-exception", 1)                                                                              \
    X(LOCK_ORDER, "lock-order", 0)                                                                                    \
    X(LEAK, "leak", 0)                                                                                                \
    X(SERIALIZABILITY, "serializability", 0)
/* clang-format on */

enum wire_kind {
#define X(name, text, failure) KIND_##name,
    WIRE_KINDS(X)
#undef X
        WIRE_KIND_COUNT
};

/* How control of the run ended, as far as the runtime knows.  After a crash it is still RUNNING. */
enum wire_end {
    END_RUNNING,      /* still running, or died without a report */
    END_EXIT,         /* the program ended by itself */
    END_FAILURE,      /* the runtime ended it because of result.failure */
    END_STEPS,        /* step bound reached: neither passed nor failed */
    END_DIVERGED,     /* replay could not follow the plan: result.diverged_* says where */
    END_INTERNAL,     /* raddle's own error: result.text */
    END_UNCONTROLLED, /* it did what cannot be controlled: result.text; neither passed nor failed */
    END_THREADS,      /* one thread more than WIRE_TASKS was to be created: neither passed nor failed */
    WIRE_END_COUNT
};

/* Strategies that decide in the program, at each point. X(name, printed name) */
/* clang-format off */
#define WIRE_STRATEGIES(X)                                                                                            \
    X(REPLAY, "replay")                                                                                               \
    X(RANDOM, "random")                                                                                               \
    X(PCT, "pct")                                                                                                     \
    X(PCTLARGE, "pctlarge")                                                                                           \
    X(POS, "pos")                                                                                                     \
    X(SURW, "surw")                                                                                                   \
    X(ROUNDROBIN, "roundrobin")                                                                                       \
    X(DFS, "dfs")                                                                                                     \
    X(TRACES, "traces")                                                                                               \
    X(DIRECT, "direct")
/* clang-format on */

enum wire_strategy {
#define X(name, text) STRATEGY_##name,
    WIRE_STRATEGIES(X)
#undef X
        WIRE_STRATEGY_COUNT
};

/* plan.flags */
enum {
    PLAN_RECORD = 1u << 0,      /* fill `events` */
    PLAN_SPURIOUS = 1u << 1,    /* condition waits may wake without a signal */
    PLAN_RACES = 1u << 2,       /* look for data races */
    PLAN_HEAP = 1u << 3,        /* look for heap errors */
    PLAN_MISUSE = 1u << 4,      /* look for lock misuse */
    PLAN_RACE_FAILS = 1u << 5,  /* a race ends the run */
    PLAN_ALL_VISIBLE = 1u << 6, /* every access is a scheduling point, shared or not */
    PLAN_THEN_RANDOM = 1u << 7, /* replay: after the last step go on with `random` instead of ending as diverged */
    PLAN_PREFIX = 1u << 8,      /* the plan's steps first, then the strategy */
    PLAN_ORIGINS = 1u << 11,    /* what a tale needs, with PLAN_RECORD: `origins`, `privates`, values of 16 bytes */
    PLAN_PATIENT = 1u << 10,    /* sleeps and timed waits end only when no other task can go on */
    PLAN_LOCK_ORDER = 1u << 12, /* look for locks that are taken in both orders */
    PLAN_LEAKS = 1u << 13,      /* look for lost blocks in each run, not in some; with PLAN_HEAP */
    PLAN_UNITS = 1u << 19,      /* with PLAN_RECORD: the calls and units of work that events belong to */
    PLAN_WINDOW = 1u << 20,     /* with PLAN_RECORD: only what comes from plan.record_from on */
    PLAN_PAIRS = 1u << 21,      /* fill result.pairs */
    PLAN_ONLY_READ = 1u << 22,  /* reads of data that are only read are neither scheduling points nor events */
    PLAN_SAME_HEAP = 1u << 23,  /* the addresses of a thread's blocks follow from its own allocations alone */
    PLAN_TRANSITIONS =
        1u
        << 25, /* fill `transitions`; operations are cut so that runs with the same order of dependent ones are the same */
    PLAN_TAIL = 1u << 24, /* with PLAN_RECORD: what there is no room for is left out in the middle, not at the end */
    PLAN_BEST_EFFORT =
        1u << 9, /* the same, but steps that cannot be followed are left out; the choices follow after the steps */
};

/* Flags that say what is kept of a run, and change nothing about what it does. */
#define PLAN_KEEPS (PLAN_RECORD | PLAN_WINDOW | PLAN_PAIRS | PLAN_UNITS | PLAN_TAIL)

/* plan.record_from: where the plan's steps end and, for `direct`, a task is at a step of the goal. */
#define RECORD_AT_GOAL UINT64_MAX

/* One step of a schedule. */
enum wire_step_type {
    STEP_RUN = 1,    /* `task` runs until it is about to do its `until`-th operation (UINT64_MAX: until it ends) */
    STEP_CHOICE = 2, /* the choice that `task` makes at its operation `until` is `value` */
};
struct wire_step {
    uint16_t type;
    uint16_t task;
    uint32_t value;
    uint64_t until;
};

/* dfs: at the n-th point with several alternatives, which of how many.  traces: the n-th transition is one of task `chosen`, with choice
   `count`. */
struct wire_choice {
    uint16_t chosen, count;
};

/* direct: the pattern that shall happen.  Steps come group by group; those of one group in any order. */
enum { GOAL_STEPS = 4, GOAL_PCS = 8 };
enum wire_outcome {
    OUTCOME_DONE,
    OUTCOME_FAILED,    /* EVENT_FAILED */
    OUTCOME_UNCHANGED, /* EVENT_UNCHANGED */
    OUTCOMES
};
struct wire_goal_step {
    uint64_t pcs[GOAL_PCS];        /* return addresses in the program; 0: no more.  None: anywhere */
    uint64_t ops[2];               /* bits by enum wire_op */
    uint64_t refused[OUTCOMES][2]; /* of these, those that are not the step if they have this outcome */
    uint8_t thread, variable;      /* 0 or 1 */
    uint8_t group;                 /* from 0 */
    uint8_t immediate;             /* comes immediately after step immediate - 1 on its variable; 0: need not */
    uint8_t strong;                /* changes its object (access.h) */
    uint8_t of_mutex;              /* is about the mutex of a condition wait, not the condition variable */
    uint16_t task;                 /* UINT16_MAX: any */
    uint32_t occurrence;           /* only the n-th time that the task is there, from 1; 0: any */
    uint32_t context;              /* only in this calling context; 0: any */
    uint16_t
        unit_depth; /* the call at this depth of the stack (1: the outermost), or UNIT_MARKED, is a unit of work: the
                                      next step of the thread is done while it goes on; 0: it need not be */
    uint64_t
        section_entry; /* the task's operation at which it enters the outermost critical section around the step, from the
                      thread's step before on if there is one; 0: none */
};
enum { UNIT_MARKED = UINT16_MAX }; /* what the program itself has marked (raddle.h) */
struct wire_goal {
    uint32_t count;  /* of steps */
    uint32_t flags;  /* GOAL_* */
    uint64_t window; /* two steps of one thread are at most so many operations apart; 0: any */
    struct wire_goal_step steps[GOAL_STEPS];
};
enum {
    GOAL_UNINTERRUPTED = 1, /* between its steps on one variable thread 0 does not touch it */
    GOAL_NEWEST_FIRST = 2,  /* of the tasks that do no step the newest runs first, else the oldest */
    GOAL_AT_RANDOM = 4,     /* one of them at random; replaces GOAL_NEWEST_FIRST */
    GOAL_SECOND_FIRST = 8,  /* thread 1 is guided to its first step before thread 0 */
    GOAL_OTHERS_FIRST = 16, /* all other tasks run before both, as far as they can */
    GOAL_AT_ONCE = 64,      /* a task is suspended when it has done a step, whatever locks it holds; for measurements */
    GOAL_RANDOM_AFTER = 32, /* when all steps have been done, tasks run at random; else the running task goes on */
};

/* plan.checkpoint. */
#define CHECKPOINT_NOWHERE 0u
#define CHECKPOINT_FIRST   UINT32_MAX /* not dfs: at the first scheduling point at which there are two tasks */
#define CHECKPOINT_AT(n)                                                                                               \
    ((n) + 1u) /* dfs: before choice n; else: in the plan's step n, at checkpoint_until or where it ends */

struct wire_plan {
    uint32_t strategy; /* enum wire_strategy */
    uint32_t flags;
    uint64_t seed;
    uint64_t max_steps;                /* scheduling points after the first thread was created before the run is cut */
    uint32_t depth;                    /* pct: number of ordering constraints */
    uint32_t early_timeouts;           /* per 65536 points: how often sleepers and timed waits may run early */
    uint64_t expected_points;          /* scheduling points of a typical run (pct, surw); 0 unknown */
    uint64_t interest_lo, interest_hi; /* surw: addresses whose accesses are the interesting ones; 0,0: all */
    uint32_t plan_step_count;          /* replay */
    uint32_t
        plan_choice_count; /* dfs: how many choices are given; the first alternative is taken after them.  traces: transitions */
    uint32_t
        asleep_count; /* traces: so many tasks, after the choices, do not go on there until something depends on them */
    uint32_t bound;   /* dfs: preemptions allowed; UINT32_MAX any number */
    uint32_t checkpoint;       /* where to hold the run: CHECKPOINT_* */
    uint32_t checkpoint_slot;  /* in this slot */
    uint64_t checkpoint_until; /* the operation of the step's task before which; 0: the step's end */
    uint64_t
        record_from; /* PLAN_WINDOW: from so many scheduling points after the first thread was created on; RECORD_AT_GOAL */
    uint32_t record_most;             /* PLAN_RECORD: so many events at most; 0: as many as there is room for */
    uint32_t record_room;             /* PLAN_RECORD: room for so many events; 0: WIRE_ROOM */
    struct wire_goal goal;            /* direct */
    uint32_t task_count;              /* valid entries of task_points */
    uint32_t task_points[WIRE_TASKS]; /* surw: expected interesting events per task, by id */
};

/* One recorded event.  `value`: value read or written, result of the call, the signalled task, the mutex that a condition
   wait gives back, what a semaphore begins with, or (without EVENT_VALUE) of how many elements a block is. */
struct wire_event {
    uint64_t operation; /* the task's instrumented-operation number */
    uint64_t pc;        /* return address of the call in the program; 0 if none */
    uint64_t address;
    uint64_t value;
    uint32_t size;
    uint16_t task;
    uint8_t op;       /* enum wire_op */
    uint8_t flags;    /* EVENT_* */
    uint32_t context; /* hash of the calling context; 0 none */
    uint16_t frame;   /* address is on a stack, in this one of result.frames, from 1; 0: not, or not known */
    uint16_t origin;  /* pc in result.origins, from 1; 0: not there */
    uint64_t
        before; /* of an atomic update of at most 8 bytes: what was there; PLAN_ORIGINS: upper half of a value of 16 */
    uint32_t
        call; /* PLAN_UNITS: the innermost call that it was done in, in wire.calls, from 1; 0: none, or not known */
    uint32_t unit; /* PLAN_UNITS: the same for the outermost unit of work that the program has marked (raddle.h) */
};
enum {
    EVENT_TIMEOUT = 1 << 0, /* the wait ended by time */
    EVENT_FAILED = 1 << 1,  /* trylock busy, cas failed, call returned an error (value: errno) */
    EVENT_VALUE = 1 << 2,   /* value is meaningful */
    EVENT_VOLATILE = 1 << 3,
    EVENT_TIMED = 1 << 3,     /* of a call that waits: it has a time limit.  Not in event logs */
    EVENT_READING = 1 << 4,   /* rwlock: shared mode; io: data came in */
    EVENT_SIGNALLED = 1 << 5, /* the wait was interrupted by a handler */
    EVENT_UNCHANGED = 1 << 6, /* an atomic write that left the memory as it was: a spin lock's failed try */
    EVENT_PART = 1 << 7,      /* a part of an access that other tasks interrupted */
    EVENT_WAITED = 1 << 7,    /* of a join: the thread had not ended when it was called.  Not in event logs */
};

struct wire_access { /* one side of a race, or an allocation or release of a block */
    uint16_t task;
    uint8_t op, flags;
    uint32_t size;
    uint64_t pc, address, operation;
};

struct wire_blocked { /* one line of a deadlock: the task waits for an object that `holder` holds */
    uint16_t task;
    uint16_t holder; /* UINT16_MAX: no particular task */
    uint8_t op;
    uint8_t reserved;
    uint16_t origin; /* pc in result.origins, as in an event */
    uint64_t address, pc;
};

/* A plain read of memory that only this task has accessed so far: no scheduling point and no event, but what a failing thread read
   last may be just that which another one was to write. */
struct wire_private {
    struct wire_event event;
    uint64_t before; /* it was done after so many events of the run */
};

struct wire_finding {
    uint32_t kind;           /* enum wire_kind */
    uint32_t signal;         /* its number; of a user's command: its exit status */
    struct wire_access here; /* where it was found */
    struct wire_access
        other; /* race: the other access; heap: the release (or allocation) of the block; lock order: the other task */
    uint64_t block, block_size;
    uint64_t block_pc,
        block_caller;      /* heap: where the block was allocated, and where that function was called; 0: not known */
    uint64_t freed_caller; /* heap: where the function that released it was called */
    uint64_t point;        /* scheduling point number */
    uint32_t stack_depth;
    uint32_t frame;                   /* of here.address, as in an event */
    uint64_t stack[WIRE_STACK];       /* innermost first, return addresses */
    uint64_t other_stack[WIRE_STACK]; /* lock order: of the other task */
    uint32_t other_stack_depth;
    uint32_t part_count; /* serializability: valid entries of `parts` */
    uint32_t pattern;    /* serializability: 1 to 11; 0: a cycle that is none of these */
    uint32_t reserved;
    struct wire_access
        parts[WIRE_PARTS];           /* serializability: the accesses that make it, in order; found by the driver */
    uint64_t held_pc, other_held_pc; /* lock order: where each took the lock that it held */
    uint64_t gate;                   /* lock order: a lock that both held; 0 none */
    char text[WIRE_TEXT];            /* assertion text, misuse in words, … never empty */
};

struct wire_task {
    uint32_t parent;
    uint32_t reserved;
    uint64_t start_pc;   /* address of the start routine */
    uint64_t create_pc;  /* where it was created */
    uint64_t operations; /* instrumented operations done */
    uint64_t points;     /* scheduling points met */
    uint64_t stack_lo, stack_hi;
    uint64_t thread_pointer; /* of the thread that carries it: where its thread-local variables are; 0 unknown */
};

/* A call in whose frame an address lies: the driver names local variables by it. */
struct wire_frame {
    uint64_t pc;      /* in the function */
    uint64_t lo, cfa; /* the frame; cfa: the stack pointer before the call */
};

/* A call and what it was called from: the way from the program's own code into a library or its headers. */
struct wire_origin {
    uint64_t pc;     /* return address */
    uint32_t caller; /* the call around it, in result.origins, from 1; a smaller number than its own; 0: not known */
    uint32_t reserved;
};

/* A call of a function while it went on: another call of the same function is another entry.  Or a part of a function that is marked as a unit of work. */
struct wire_call {
    uint64_t pc;       /* where it returns to; of a part of a function: where it begins */
    uint64_t identity; /* different for each */
    uint32_t caller;   /* the call around it, in wire.calls, from 1; a smaller number than its own; 0: not known */
    uint32_t part;     /* 1: of a function */
};

struct wire_uncontrolled {
    char name[56];
    uint64_t count;
};

/* A place that allocated blocks. */
struct wire_leak {
    uint64_t pc;
    uint32_t made;
    uint32_t kept; /* not freed when the program ended */
    uint32_t lost; /* of these, not reachable any more */
    uint32_t size; /* of the first one that is lost */
    uint64_t block, operation;
    uint32_t task, reserved;
};

/* direct: what prevented the next step. */
enum wire_hindrance {
    HINDRANCE_NONE,   /* it was done, or nothing particular prevented it */
    HINDRANCE_ALONE,  /* a step had to be given up because no other task could run: its partner did not come */
    HINDRANCE_BROKEN, /* `task` had to access the variable in between */
    HINDRANCE_WINDOW, /* too many operations between two steps of one thread */
    HINDRANCE_ENDED,  /* the thread that had to do the next step ended before */
    HINDRANCE_UNIT,   /* the unit of work of a step was over before the next one */
    HINDRANCE_OUTCOME, /* a step of `task` turned out as another kind of access: a compare-and-swap that failed, or did not */
    HINDRANCE_COUNT
};
struct wire_directed {
    uint32_t done;      /* 1: all steps were done in their order */
    uint32_t reached;   /* steps that some task was about to do: bits */
    uint32_t most;      /* steps that were done in the longest try: bits */
    uint32_t tries;     /* how many */
    uint32_t broken;    /* how often a suspended task had to go on after the first step, because no other one could */
    uint32_t hindrance; /* enum wire_hindrance: what ended the longest try */
    uint32_t task;      /* the task that caused it */
    uint64_t pc;        /* its next operation */
    uint64_t address;
};

/* PLAN_BEST_EFFORT: why the first step that was left out could not be followed (diverged_step, …_task, …_operation). */
enum wire_left {
    LEFT_NOT,        /* all could be followed */
    LEFT_MISSING,    /* there is no such task (yet) */
    LEFT_ENDED,      /* it has ended */
    LEFT_PAST,       /* it is past that operation */
    LEFT_WAITS,      /* it waits for another task */
    LEFT_STOPS,      /* on the way there it had to wait for another task */
    LEFT_ENDS_EARLY, /* on the way there it ended */
    LEFT_COUNT
};
/* PLAN_BEST_EFFORT, wire_step.value: the task runs as far as possible; it runs at least so far, and may be past it. */
enum { STEP_AS_FAR = 2, STEP_AT_LEAST = 3 };

/* A sleep or timed wait that ended although another task could go on. */
struct wire_early {
    uint16_t task;
    uint8_t op; /* enum wire_op: of the wait */
    uint8_t other_op;
    uint16_t other; /* the task that could go on, with the operation that it was about to do */
    uint16_t reserved;
    uint64_t pc, other_pc, other_address;
    uint64_t nanoseconds; /* that it had to wait */
};

/* dfs: the loops that were passed over although nothing proves that they wait. */
struct wire_passed {
    uint64_t pc;
    uint32_t times;
    uint32_t writes; /* the loop writes, and undoes it: other tasks saw that in its first rounds only */
};

struct wire_result {
    uint32_t end;     /* enum wire_end */
    uint32_t failure; /* index into findings + 1; 0 none */
    uint32_t finding_count;
    uint32_t step_count;
    uint32_t event_count;
    uint32_t choice_count;
    uint32_t task_count;
    uint32_t blocked_count;
    uint32_t uncontrolled_count;
    uint32_t leak_count;
    uint32_t leaks_known; /* `lost` has been determined */
    uint32_t frame_count;
    uint32_t origin_count;
    uint32_t call_count;
    uint32_t private_count; /* all of them: number n is in privates[n % WIRE_PRIVATES] */
    uint32_t lost;          /* LOST_*: a table above was full */
    uint32_t exit_status;
    uint32_t exit_depth;             /* frames in exit_stack */
    struct wire_access exit_here;    /* the last call of exit and the like; pc 0: none */
    uint64_t exit_stack[WIRE_STACK]; /* innermost first, return addresses */
    int32_t pid;                     /* of the run, unless REPLY_STARTED has it */
    int32_t runner;      /* kernel thread to be interrupted by SIGNAL_PREEMPT; RUNNER_FIRST: the first; 0: none */
    uint32_t taken_off;  /* how often a task was left while it computed between two operations */
    uint32_t left;       /* enum wire_left */
    uint64_t points;     /* scheduling points */
    uint64_t operations; /* instrumented operations of all tasks; written at intervals: shows that the run is alive */
    uint64_t progress;   /* the last point at which something changed, as of the last interruption or the end */
    uint64_t shared_locations;
    uint64_t shared_sites;
    uint64_t locks;         /* distinct lock objects used */
    uint64_t virtual_time;  /* ns since the start */
    uint32_t diverged_step; /* index of the plan step that could not be followed */
    uint32_t diverged_task;
    uint64_t diverged_operation;
    struct wire_directed directed;
    char used_up[32];  /* the call after which this process cannot do another run; empty: none */
    char not_held[64]; /* why the run could not be held at plan.checkpoint; empty: it was, or another run can be */
    uint32_t waits;    /* WAITS_*: kinds of waits that were begun */
    uint32_t transition_count; /* PLAN_TRANSITIONS */
    uint32_t pending_count;    /* valid entries of `pending` */
    uint32_t asleep;           /* traces: how often only tasks that were asleep could go on */
    uint32_t beyond;           /* BEYOND_*: what an order of transitions does not determine */
    uint32_t early_count;      /* waits that ended early; the first of them: */
    uint32_t passed_count;     /* valid entries of `passed` */
    struct wire_early early;
    struct wire_passed passed[WIRE_PASSED];
    uint64_t events_left_out; /* PLAN_RECORD: events outside of what was to be recorded */
    uint64_t events_before;   /* of these, those before the first that was recorded */
    uint64_t events_gap;      /* PLAN_TAIL: of those left out, those for which there was no room */
    uint64_t events_digest;   /* of what these were, without addresses */
    uint32_t
        events_head; /* so many events come before them.  The others are a ring, which begins after the newest one */
    uint32_t event_steps;               /* steps of the schedule up to the last event that was recorded */
    uint64_t pairs[WIRE_PAIRS / 64];    /* PLAN_PAIRS: see record_pair (runtime/pairs.c) */
    char text[WIRE_TEXT];               /* internal error, or how it diverged */
    struct wire_task tasks[WIRE_TASKS]; /* the first ones close to what every run writes */
    struct wire_finding findings[WIRE_FINDINGS];
    struct wire_blocked blocked[WIRE_BLOCKED];
    struct wire_uncontrolled uncontrolled[WIRE_UNCONTROLLED];
    struct wire_leak leaks[WIRE_LEAKS];
    struct wire_frame frames[WIRE_FRAMES];
    struct wire_origin origins[WIRE_ORIGINS];
    struct wire_private privates[WIRE_PRIVATES];
};
/* Driver to runner: no operation has been done for a while.  It is one of the two signals that libc keeps from programs. */
enum { SIGNAL_PREEMPT = 32, RUNNER_FIRST = 1 };
enum { WAITS_TIME = 1, WAITS_CONDITION = 2 };
/* What the result of a run may depend on besides the order of its transitions. */
enum {
    BEYOND_CLOCK = 1,      /* a clock was read */
    BEYOND_TORN = 2,       /* an access that other tasks may see half-done */
    BEYOND_PREFERENCE = 4, /* a rwlock on which a waiting writer goes first */
    BEYOND_STREAM = 8,     /* a locked stream */
    BEYOND_ROBUST = 16,    /* a robust mutex: the end of a thread changes it */
    BEYOND_ADDRESS = 32,   /* memory whose address depends on what other tasks did */
    BEYOND_ALL = 63
};
/* Size of what is before the tables. */
#define WIRE_RESULT_COUNTS offsetof(struct wire_result, tasks)
enum {
    LOST_STEPS = 1,
    LOST_EVENTS = 2,
    LOST_FINDINGS = 4,
    LOST_SITES = 8,
    LOST_UNCONTROLLED = 16,
    LOST_CHOICES = 32,
    LOST_LEAKS = 64,
    LOST_NAMES = 128, /* of local variables, or of the functions that called a library */
    LOST_TRANSITIONS = 256,
    LOST_ALL = 511
};

struct wire_module {
    uint64_t base, lo, hi; /* load bias; text range */
    uint32_t instrumented;
    uint32_t reserved;
    char path[WIRE_PATH];
};

/* A process that holds a run in the middle (runtime/checkpoint.c), woken by the driver through `go` (a futex).  The other members say
   where it is.  The driver uses them as an estimate; the process checks itself whether a plan leads there. */
struct wire_checkpoint {
    uint32_t go;          /* 1: continue a copy of it by the plan */
    uint32_t steps;       /* of its schedule so far; the last STEP_RUN has not ended */
    uint64_t until;       /* the operation before which the running task is; UINT64_MAX: it has ended */
    uint64_t operations;  /* of all tasks */
    uint64_t nanoseconds; /* CHECKPOINT_FIRST: of the run so far */
};

struct wire_head {
    uint64_t magic;
    uint32_t version;
    uint32_t claimed; /* set by the first process that attaches; others are not controlled */
    uint64_t size;    /* sizeof(struct wire) */
    uint32_t module_count;
    uint32_t preload;  /* the runtime came by LD_PRELOAD: only synchronisation is controlled */
    uint32_t attached; /* processes that found the wire claimed already */
    uint32_t flags;    /* HEAD_* */
    uint64_t debug;    /* runtime, under HEAD_DEBUG: what a debugger needs to know (runtime/debug.c) */
};
enum {
    HEAD_EXEC_PER_RUN = 1,   /* driver: no fork server, control starts with the first constructor */
    HEAD_KERNEL_THREADS = 2, /* driver: carry tasks on kernel threads, not on fibres */
    HEAD_FIBRES = 4,         /* runtime: tasks are carried on fibres */
    HEAD_SLOW_SWITCH = 16,   /* driver: fibres, but the thread pointer is set by the kernel */
    HEAD_FORK_PER_RUN = 8,   /* driver: a new process for every run, no restart in place */
    HEAD_DEBUG = 32,         /* driver: the process is the one run, and waits for a debugger before it */
};

struct wire {
    struct wire_head head;
    struct wire_module modules[WIRE_MODULES];
    struct wire_checkpoint checkpoints[WIRE_CHECKPOINTS];
    struct wire_plan plan;
    uint64_t site_count; /* how many are in `sites` */
    struct wire_result result;
    uint64_t sites[WIRE_SITES]; /* open-addressing set of visible pcs, 0 = free; see wire_site_slot() */
    struct wire_choice plan_choices[WIRE_CHOICES], choices[WIRE_CHOICES];
    struct wire_transition transitions[WIRE_TRANSITIONS];
    struct wire_transition pending[WIRE_TASKS]; /* the next one of each task */
    struct wire_step plan_steps[WIRE_STEPS];
    struct wire_step steps[WIRE_STEPS];
    struct wire_event events[WIRE_EVENTS];
    struct wire_call calls[WIRE_CALLS];
};

/* Where to start looking for `pc` in `sites`; go on by +1 modulo WIRE_SITES.  Neighbours in the program are neighbours in the table, so
   a small program uses few pages of it; calls of the runtime are more than four bytes apart. */
static inline uint32_t wire_site_slot(uint64_t pc)
{
    return (uint32_t)(pc / 4) & (WIRE_SITES - 1);
}

/* Driver to fork server. */
struct wire_request {
    uint32_t command; /* enum wire_command */
    uint32_t reserved;
};
enum wire_command { COMMAND_RUN = 1, COMMAND_QUIT = 2 };

/* Fork server to driver. HELLO once, then per run STARTED, if the driver cannot find that out itself, and ENDED. */
struct wire_reply {
    uint32_t type;   /* enum wire_reply_type */
    int32_t pid;     /* STARTED, ENDED; HELLO: the server's own */
    int32_t status;  /* ENDED: as from waitpid */
    uint32_t detail; /* REFUSED: enum wire_refusal; ENDED: REPLY_LIVES_ON if the process will do the next run too */
};
enum wire_reply_type {
    REPLY_HELLO = 1,
    REPLY_STARTED = 2,
    REPLY_ENDED = 3,
    REPLY_REFUSED = 4,
    REPLY_HOLDS = 5,    /* pid: a new checkpoint; detail: its slot */
    REPLY_DECLINED = 6, /* by a checkpoint: the plan does not lead there */
};
enum { REPLY_LIVES_ON = 1 };
enum wire_refusal {
    REFUSED_EARLY_THREAD = 1, /* a thread was created before main: use HEAD_EXEC_PER_RUN */
    REFUSED_VERSION = 2,      /* the program was linked with another version of raddle */
    REFUSED_FORK = 3,         /* fork failed: status has errno */
};

#endif
