/* SPDX-License-Identifier: MIT
 *
 * strategy.h - what a runtime strategy is: it decides at a scheduling point which task goes on.
 *
 * A strategy is a file in strategy/ and a row in the table of sched/run.c.  It keeps its state in static variables, which `begin`
 * initialises, and in task->strategy, which is 0 when `created` is called.
 */
#ifndef RADDLE_STRATEGY_H
#define RADDLE_STRATEGY_H

#include "runtime/sched/set.h"

struct strategy {
    void (*begin)(void);
    void (*created)(struct task *task);                                         /* may be NULL */
    struct task *(*pick)(struct task *self, const struct task_set *candidates); /* candidates is not empty */
    void (*executed)(struct task *task, const struct op *op);                  /* may be NULL: op is about to be done */
    void (*turned_out)(struct task *task, const struct op *op, uint8_t flags); /* may be NULL: op was done; EVENT_* */
    /* May be NULL.  `hold` removes from the set the tasks that shall not run now.  When no other task can go on, `release` chooses one
       of them. */
    void (*hold)(struct task_set *set);
    struct task *(*release)(const struct task_set *held);
    /* For checkpoints, both may be NULL.
       restore_history: before the strategy began, the task has passed `times` scheduling points at pc.  If it is NULL and there is
       `executed`, a run is not continued after steps that have been done.
       needs_history: whether an operation of the only task at pc, which it has just reached, matters to the strategy.  If it is NULL,
       it matters if there is `executed`. */
    void (*restore_history)(struct task *task, uintptr_t pc, uint64_t times);
    bool (*needs_history)(const struct task *task, uintptr_t pc);
};
extern const struct strategy strategy_random, strategy_pct, strategy_pctlarge, strategy_pos, strategy_surw,
    strategy_roundrobin, strategy_dfs, strategy_traces, strategy_direct;

/* ---- depth-first search (strategy/dfs.c) ---------------------------------------------------------------------------- */

/* A choice other than which task goes on: a number below n. */
uint32_t dfs_choose(uint32_t n);
/* The alternatives at a point.  `candidates` and `passed` are not both empty. */
struct dfs_ways {
    struct task_set candidates; /* can go on */
    struct task_set passed;     /* can go on, but spin or have yielded */
    struct task_set early;      /* their wait can end before its time */
};
struct task *dfs_pick(struct task *self, const struct dfs_ways *ways);
/* Tasks can go on only if time passes.  `sleeper` is the first alternative; NULL: there is none.  Returns NULL if no task goes on. */
struct task *dfs_pick_late(struct task *sleeper, const struct task_set *early);

/* ---- searches by dependence (strategy/traces.c) ------------------------------------------------------------------------ */

/* The task that does the next transition; NULL: none can. */
struct task *traces_pick(struct task *self, const struct dfs_ways *ways, struct task *sleeper);
/* A choice inside of a transition: a number below n. */
uint32_t traces_choose(uint32_t n);

/* ---- published operations (strategy/conflict.c) ---------------------------------------------------------------------- */

/* It reads data; it reads or writes data. */
bool op_is_read(const struct op *op);
bool op_is_memory(const struct op *op);
/* Whether two published operations conflict: the same object, or overlapping bytes of which one is written. */
bool op_conflicts(const struct op *a, const struct op *b);

#endif
