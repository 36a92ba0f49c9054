/* SPDX-License-Identifier: MIT
 *
 * direct_private.h - what the files of this strategy share: direct_watch.c (what is watched), direct_try.c (what is tried),
 * direct.c (who runs).
 */
#ifndef RADDLE_RUNTIME_STRATEGY_DIRECT_PRIVATE_H
#define RADDLE_RUNTIME_STRATEGY_DIRECT_PRIVATE_H

#include "runtime/init.h"
#include "runtime/sched/sched.h"

struct variable {
    bool bound, is_object;
    uintptr_t lo, hi;
};

/* By lot: when the order of tasks is drawn. */
enum draw {
    DRAW_ALWAYS,     /* at every point anew */
    DRAW_OPERATIONS, /* for each operation once, as in pos.c */
    DRAW_SOMETIMES,
};

struct direct {
    const struct wire_goal *goal;
    uint32_t done; /* steps: bits */
    bool over;     /* all done, or given up for good */
    struct task *threads[2];
    struct variable variables[2];
    uint64_t last[2];          /* the thread's operation that was its last step */
    uint64_t when[GOAL_STEPS]; /* the operation that was the step, if it has been done */
    struct task *go;           /* does step go_step next */
    unsigned go_step;
    uint32_t inside;              /* steps at whose doors the task has been let in: bits */
    const struct task *last_task; /* who did the last step, which may turn out as something else */
    unsigned last_step;
    bool holding;
    uint64_t lots; /* by lot: how many times the order of tasks was drawn */
    enum draw draws;
    bool alone;          /* by lot: the first step is done as soon as somebody comes to it */
    bool run_on;         /* by lot: in the middle, whose step is not due yet goes first */
    bool anybody;        /* by lot: nobody is brought forward */
    uint64_t held_since; /* point */
    uint64_t patience;   /* points that somebody is held at most: less each time that it was for nothing */
};
extern struct direct direct;

static inline const struct wire_goal_step *direct_step(unsigned step)
{
    return &direct.goal->steps[step];
}

/* ---- watching (direct_watch.c) ---------------------------------------------------------------------------------------- */

struct variable direct_variable_of(const struct op *op, bool of_mutex);
/* The operation accesses the variable, in whatever way. */
bool direct_touches(const struct op *op, const struct variable *variable);
bool direct_overlap(const struct variable *a, const struct variable *b);
bool direct_is_at_site(const struct wire_goal_step *step, uintptr_t pc);
bool direct_is_done(unsigned step);
/* The thread's next step; GOAL_STEPS if it has done all. */
unsigned direct_next_of(unsigned thread);
/* A step on this variable is still to be done. */
bool direct_is_open(unsigned variable);
/* All that must come before the step has been done. */
bool direct_is_due(unsigned index);
/* The task stands before this step, and may be the one to do it, now or later. */
bool direct_comes_to(const struct task *task, unsigned index);
/* It may be the one to do it now. */
bool direct_stands_at(const struct task *task, unsigned index);
/* The task is about to enter the critical section of the thread's next step. */
bool direct_stands_at_entry(const struct task *task, unsigned thread);
/* Doing it now would come between two steps that have to follow each other. */
bool direct_breaks(const struct task *task, const struct op *op);

/* ---- trying (direct_try.c) -------------------------------------------------------------------------------------------- */

/* Chooses who does which step next, if anybody can, or gives up what has become hopeless. */
void direct_decide(void);
/* In the middle: somebody who can do a step that is due; alone: even if the one that has to follow has not come. */
void direct_go_on(bool alone);
void direct_choose_step(struct task *task, unsigned index);
/* Who is to do the next step of this thread, as far as it is known. */
struct task *direct_actor(unsigned thread);
/* The chosen step is being done. */
void direct_step_done(struct task *self, const struct op *op);
/* What was done as a step has turned out as something else: a compare-and-swap that failed. */
void direct_turned_out(struct task *self, const struct op *op, uint8_t flags);
/* The operation comes between two steps that had to follow each other: what does not depend on them stays done. */
void direct_break(const struct task *task, const struct op *op);
/* Nothing has been done any more. */
void direct_give_up(enum wire_hindrance hindrance, const struct task *task, const struct op *op);

#endif
