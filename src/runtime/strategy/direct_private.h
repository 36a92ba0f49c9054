/* SPDX-License-Identifier: MIT
 *
 * direct_private.h - what the files of this strategy share: direct_watch.c (which task is at which step), direct_try.c
 * (which step is done next), direct.c (which task goes on).
 */
#ifndef RADDLE_RUNTIME_STRATEGY_DIRECT_PRIVATE_H
#define RADDLE_RUNTIME_STRATEGY_DIRECT_PRIVATE_H

#include "runtime/init.h"
#include "runtime/sched/sched.h"

struct variable {
    bool bound, is_object;
    uintptr_t lo, hi;
};

/* GOAL_AT_RANDOM: when the order of tasks is drawn. */
enum draw {
    DRAW_ALWAYS,     /* again at every point */
    DRAW_OPERATIONS, /* for each operation once, as in pos.c */
    DRAW_SOMETIMES,  /* at some points */
};

struct direct {
    const struct wire_goal *goal;
    uint32_t done;     /* steps: bits */
    uint32_t next_for; /* the value of `done` that `next` is about */
    uint8_t next[2];   /* direct_next_of */
    bool over;         /* all steps are done, or no more are tried */
    struct task *threads[2];
    struct variable variables[2];
    uint64_t last[2];          /* the thread's operation that was its last step */
    uint64_t unit[2];          /* number of the call or part that is the unit of work of its last step; 0: none */
    uint64_t when[GOAL_STEPS]; /* the operation that was the step, if it has been done */
    struct task *go;           /* does step go_step next */
    unsigned go_step;
    uint32_t entered;             /* steps whose critical section the task may enter, or has entered: bits */
    const struct task *last_task; /* it did the last step, which may turn out as another kind of access */
    unsigned last_step;
    bool holding;
    const struct task *resumed; /* GOAL_AT_ONCE: it had to go on, and is not suspended again in this try */
    uint64_t draw_count;        /* DRAW_SOMETIMES: how many times the order of tasks was drawn */
    enum draw draws;
    bool first_alone;    /* at random: the first step is done as soon as a task is at it */
    bool later_first;    /* at random: after the first step, the thread whose step is not due yet goes first */
    bool unguided;       /* at random: no task is guided to its step */
    uint64_t held_since; /* point */
    uint64_t patience;   /* points that a task is held at most; halved each time that it was held in vain */
};
extern struct direct direct;

static inline const struct wire_goal_step *direct_step(unsigned step)
{
    return &direct.goal->steps[step];
}

/* ---- watching (direct_watch.c) ---------------------------------------------------------------------------------------- */

struct variable direct_variable_of(const struct op *op, bool of_mutex);
/* The operation accesses the variable in any way. */
bool direct_touches(const struct op *op, const struct variable *variable);
bool direct_overlap(const struct variable *a, const struct variable *b);
bool direct_is_at_site(const struct wire_goal_step *step, uintptr_t pc);
bool direct_is_done(unsigned step);
void direct_find_next(void);
/* The thread's next step; GOAL_STEPS if it has done all. */
static inline unsigned direct_next_of(unsigned thread)
{
    if (unlikely(direct.next_for != direct.done))
        direct_find_next();
    return direct.next[thread];
}
/* A step on this variable is still to be done. */
bool direct_is_open(unsigned variable);
/* All steps that must come before this one have been done. */
bool direct_is_due(unsigned index);
bool direct_may_do_kind(const struct task *task, unsigned index);
/* The published operation of the task is this step, and the task may do it, now or later.  Most are of another kind. */
static inline bool direct_may_do(const struct task *task, unsigned index)
{
    if (index == GOAL_STEPS || task->pending == NULL)
        return false;
    unsigned kind = task->pending->kind;
    return (direct_step(index)->ops[kind / 64] >> (kind % 64) & 1) != 0 && direct_may_do_kind(task, index);
}
/* The same, and if it were done now, its outcome would be that of the step. */
bool direct_is_at_step(const struct task *task, unsigned index);
/* The task is about to enter the critical section of the thread's next step. */
bool direct_is_at_entry(const struct task *task, unsigned thread);
/* The unit of work that the goal says the task's operation is in: what tells it from others of the task; 0: none. */
uint64_t direct_unit_of(const struct task *task, unsigned index);
/* The unit of work of the thread's last step is over, and its next one should be in it. */
bool direct_has_left_unit(const struct task *task, unsigned thread);
/* The operation, done now, would come between two steps that have to follow each other. */
bool direct_breaks(const struct task *task, const struct op *op);

/* GOAL_AT_ONCE: the task has done its step, and the other thread's is due. */
bool direct_is_suspended(const struct task *task);

/* ---- trying (direct_try.c) -------------------------------------------------------------------------------------------- */

/* Chooses which task does which step next, if one can.  Gives up a beginning that cannot be completed any more. */
void direct_decide(void);
/* After the first step: chooses a task that can do a step that is due.  `alone`: even if no task is at the step that has to follow. */
void direct_go_on(bool alone);
void direct_choose_step(struct task *task, unsigned index);
/* The task that has to do the next step of this thread; NULL: not known yet. */
struct task *direct_actor(unsigned thread);
/* The chosen step is being done. */
void direct_step_done(struct task *self, const struct op *op);
/* The operation of the last step has been done.  If it was another kind of access (a compare-and-swap that failed), the step is undone. */
void direct_turned_out(struct task *self, const struct op *op, uint8_t flags);
/* The operation comes between two steps that had to follow each other: undoes them and the steps that depend on them. */
void direct_break(const struct task *task, const struct op *op);
/* Undoes all steps. */
void direct_give_up(enum wire_hindrance hindrance, const struct task *task, const struct op *op);

#endif
