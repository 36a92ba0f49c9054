/* SPDX-License-Identifier: MIT
 *
 * openmp.h - OpenMP under control: teams, work sharing, explicit tasks and locks, for both compilers' interfaces.
 *
 * DESIGN
 *   The compiler turns directives into calls of libgomp (GOMP_*: gcc) or libomp (__kmpc_*: clang).  Both libraries wait by futex and by
 *   spinning in code that is not instrumented.  So while a run is under control the runtime does what they do: gomp_*.c and kmpc_*.c
 *   are thin, the rest of this folder is common to both.  Where a run is not under control the calls go on to the real library.
 *
 *   A member of a team is an ordinary task (T1 …): what it does is scheduled, recorded and replayed as anything else.  Waits are
 *   scheduling points with a ready() of their own, and carry the clocks that the standard promises: fork to member, member to end
 *   of the region, barrier, critical section, ordered, generation of a task to its execution, end of a task to taskwait.  Which
 *   iterations a member gets carries none.
 *
 *   Workers are kept between regions, by the thread that forked them and in the order of their numbers: a threadprivate variable is
 *   a thread-local one, and must keep its value from one region to the next.  An idle worker waits for the next team (OP_TEAM_START).
 *
 *   Explicit tasks are kept by the team in the order in which they were generated.  A member takes one where it waits: at a
 *   barrier any, in taskwait and at the end of a taskgroup only descendants of the task that waits (the standard's rule for tied
 *   tasks).  Which one is a choice of the scheduler.
 *
 *   All functions are called with the guard held (rt_enter) by the task that has the baton.  `pc` is the caller in the program.
 */
#ifndef RADDLE_OPENMP_H
#define RADDLE_OPENMP_H

#include "runtime/model/model.h"

/* ---- hooks ------------------------------------------------------------------------------------------------------------ */

/* A function of the real library: looked up when it is called first, since most programs have no such library, and kept in *known. */
void *openmp_real(const char *name, void **known);

#define OPENMP_HOOK(type, name, parameters)                                                                            \
    type name parameters;                                                                                              \
    RT_RARE static void *real_##name;                                                                                  \
    RT_HOOK type name parameters
/* The hook's beginning: declares self, or makes the real call.  It ends with rt_leave(self). */
#define OPENMP_ENTER(name, ...)                                                                                        \
    struct task *self = rt_enter();                                                                                    \
    if (self == NULL)                                                                                                  \
    return ((__typeof__(&name))openmp_real(#name, &real_##name))(__VA_ARGS__)

/* The program uses what is not controlled: the run ends here and counts as neither passed nor failed.  "OpenMP %s not controlled" */
__attribute__((noreturn)) void openmp_refuse(const char *what);
/* Before the first thread of a program whose control begins later (raddle_ready). */
void openmp_before_team(void);
/* Without OMP_CANCELLATION=true nothing is ever cancelled; with it the run ends. */
void openmp_check_cancellation(void);
/* pthread_create is called from `pc`: ends the run if that is in an OpenMP library, whose own threads are not controlled. */
void openmp_check_creator(uintptr_t pc);

/* ---- control variables (icv.c) ---------------------------------------------------------------------------------------- */

enum schedule { SCHEDULE_STATIC = 1, SCHEDULE_DYNAMIC, SCHEDULE_GUIDED, SCHEDULE_AUTO, SCHEDULE_RUNTIME };

struct icv { /* of a task; a new one inherits them */
    uint32_t threads;
    bool dynamic;
    enum schedule schedule; /* of schedule(runtime) */
    uint64_t chunk;
};
enum { OPENMP_PROCESSORS = 4, OPENMP_LEVELS = INT32_MAX };
extern uint32_t openmp_levels; /* active levels allowed: max_active_levels */
struct icv icv_from_environment(void);
/* OMP_CANCELLATION=true */
bool icv_cancellation(void);

/* ---- teams (team.c) --------------------------------------------------------------------------------------------------- */

struct region {                                /* what a team runs */
    void (*call)(const struct region *region); /* outside of the guard */
    uintptr_t body;                            /* the function that the compiler made of it: its name is the region's */
    void (*function)(void *);
    void *data;
    uint32_t count;
    void **arguments;
};

/* The position of a thread in its team; saved while it leads a nested one. */
struct place {
    struct team *team;
    uint32_t number;
    struct work *work;     /* the task that it executes */
    struct share *share;   /* the worksharing construct that it is in */
    uint64_t shares;       /* how many it has come to in this team */
    uint64_t trip;         /* static schedule: chunks it has had */
    uint64_t first, after; /* the iterations that it has now */
};

struct crew { /* the workers of a thread, for teams at one depth */
    struct crew *inner;
    struct member **workers; /* [i]: number i + 1 of the team */
    uint32_t count;
};

struct member { /* a thread that has used OpenMP */
    struct place place;
    struct crew *crew;
    uint32_t leading; /* teams that it leads now, one in the other */
    uint32_t wanted;  /* num_threads of the next region; 0: not given */
    struct team *assigned;
    uint32_t assigned_number;
    bool quit;
    struct object *channel; /* changes when it is assigned to a team */
};

struct team {
    struct region region;
    struct place outer; /* of its leader */
    uintptr_t pc;
    uint32_t size, level, active_level;
    struct member **members;
    struct work *implicit; /* one for each member */
    uint32_t arrived;
    uint64_t generation;     /* barriers passed */
    struct object *changed;  /* a barrier has opened, or a task was generated, taken or has ended */
    struct object *phase[2]; /* clocks of the members that arrived, by parity of the generation */
    char phase_key[2][8];
    struct share *shares;
    struct work *waiting, **waiting_end; /* explicit tasks not begun, in the order of generation */
    uint32_t unended;                    /* explicit tasks */
    void *copied;                        /* copyprivate */
};

struct member *member_of(struct task *self);
static inline struct team *team_of(struct task *self)
{
    return member_of(self)->place.team;
}
/* Forks a team of `threads` (0: as many as the control variables say) and makes the caller its member 0. */
void team_begin(struct task *self, uintptr_t pc, const struct region *region, uint32_t threads);
/* The caller has done its part: waits for the others and all tasks. */
void team_end(struct task *self);
/* Both, and the region in between. */
void team_run(struct task *self, uintptr_t pc, const struct region *region, uint32_t threads);
void team_barrier(struct task *self, uintptr_t pc);
/* All have arrived and no task is left: opens the barrier. */
bool team_open(struct task *self, struct team *team);
/* Leaves the guard, calls, takes it again.  False: this is the child of a fork, where nothing is under control. */
bool openmp_call(struct task *self, void (*function)(void *), void *data);

/* ---- work sharing (share.c) ------------------------------------------------------------------------------------------- */

struct share { /* one encounter of the team with a worksharing construct */
    struct share *next;
    uint64_t number;
    uint32_t left; /* members that have finished it */
    bool begun;
    bool ordered_parts; /* as clang says at the begin of the loop */
    enum schedule schedule;
    uint64_t start, step, count, chunk; /* of a loop; count: iterations */
    uint64_t taken;                     /* iterations given away */
    uint64_t turn;                      /* the iteration whose ordered part is next */
    struct object *ordered;
    void *memory; /* for lastprivate(conditional) */
    size_t memory_size;
};

struct loop {
    uint64_t start, step, count, chunk;
    enum schedule schedule;
};
/* The caller comes to a construct.  share->begun is false for the first member of its team. */
struct share *share_enter(struct task *self);
void share_leave(struct task *self);
void loop_begin(struct task *self, const struct loop *loop);
/* The next iterations, [first, after); false: no more. */
bool loop_next(struct task *self, uintptr_t pc, uint64_t *first, uint64_t *after);
/* The same where the iterations before had to be done in order: the turn is passed on. */
bool loop_next_ordered(struct task *self, uintptr_t pc, uint64_t *first, uint64_t *after);
void ordered_begin(struct task *self, uintptr_t pc);
void ordered_end(struct task *self, uintptr_t pc);
/* True for one member of the team; the construct is entered and left. */
bool single_begin(struct task *self, uintptr_t pc);

/* ---- explicit tasks (work.c, depend.c) -------------------------------------------------------------------------------- */

struct dependence {
    uintptr_t address;
    bool writes; /* out, inout, mutexinoutset, inoutset */
};

struct group { /* taskgroup */
    struct group *outer;
    uint32_t unended;
    struct object *ended;
};

struct depend_past { /* what ended tasks have done, by an address of their depend clauses */
    struct depend_past *next;
    uintptr_t address;
    struct clock *writers, *all;
};

struct work { /* a task in the standard's sense */
    struct work *parent;
    struct team *team;
    struct group *group;
    struct icv icv;
    uintptr_t body;
    void (*function)(void *);
    void *data;
    void *memory;        /* heap block, freed with it; NULL: none */
    uint32_t children;   /* explicit tasks that it has generated and that have not ended */
    uint32_t references; /* explicit: 1 until it ends, and one for each child */
    uint32_t waits;      /* siblings that must end before it begins */
    bool is_explicit, final;
    struct work *next;     /* team->waiting */
    struct work *siblings; /* its children with dependences that have not ended, in order */
    struct work *next_sibling;
    struct depend_past *past; /* of its children */
    struct dependence *dependences;
    uint32_t dependence_count;
    struct object *ready; /* clocks of the tasks before it */
    struct object *ended; /* clocks of its children at their ends */
};

struct work_request {
    void (*function)(void *);
    void *data;
    void *memory;
    uintptr_t body;
    bool undeferred, final;
    const struct dependence *dependences;
    uint32_t dependence_count;
};
/* Generates a task: it is executed later, or now if it is undeferred. */
void work_generate(struct task *self, uintptr_t pc, const struct work_request *request);
/* The two halves of an undeferred one whose body the caller executes itself. */
struct work *work_begin_here(struct task *self, uintptr_t pc, const struct work_request *request);
void work_end_here(struct task *self);
/* Waits for all children of the current task / for those that the dependences name. */
void work_wait(struct task *self, uintptr_t pc);
void work_wait_depend(struct task *self, uintptr_t pc, const struct dependence *dependences, uint32_t count);
/* Lets other threads go on; executes no other task. */
void work_yield(struct task *self, uintptr_t pc);
void group_begin(struct task *self);
void group_end(struct task *self, uintptr_t pc);

/* Drops what a task has besides its memory. */
void work_forget(struct work *work);

/* A wait in which other tasks are executed. */
struct wait {
    struct member *member;
    bool (*over)(const struct wait *wait);
    const struct work *ancestor; /* only its descendants are executed; NULL: any */
    uint64_t generation;
    const struct work *work;
    const struct group *group;
};
void work_until(struct task *self, uintptr_t pc, enum wire_op kind, struct wait *wait);
/* There is a task that the waiting member may execute. */
bool work_available(const struct wait *wait);
/* Takes one of these and executes it. */
void work_take(struct task *self, uintptr_t pc, const struct wait *wait);

/* The new child of its parent has these siblings to wait for: sets work->waits and enters it. / It has ended. */
void depend_enter(struct work *work, const struct dependence *dependences, uint32_t count);
void depend_ended(struct task *self, struct work *work);
/* The task and all its children have ended. */
void depend_forget(struct work *work);

/* ---- locks (lock.c) --------------------------------------------------------------------------------------------------- */

void openmp_lock_init(struct task *self, uintptr_t address);
void openmp_lock_destroy(struct task *self, uintptr_t address);
/* A nestable one may be taken again by its owner: returns how often it is held. */
uint32_t openmp_lock(struct task *self, uintptr_t pc, uintptr_t address, bool nestable);
uint32_t openmp_trylock(struct task *self, uintptr_t pc, uintptr_t address, bool nestable);
void openmp_unlock(struct task *self, uintptr_t pc, uintptr_t address);
/* The lock of the unnamed critical section / of reductions / of atomic updates that the machine does not have. */
extern char openmp_critical[8], openmp_reduction[8], openmp_atomic[8];

/* ---- memory of the program's side ------------------------------------------------------------------------------------- */

/* A heap block as malloc makes them: for what the program's own code will touch. */
void *openmp_allocate(struct task *self, uintptr_t pc, size_t size, size_t alignment);
void openmp_free(struct task *self, uintptr_t pc, void *memory);

#endif
