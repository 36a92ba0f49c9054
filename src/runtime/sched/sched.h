/* SPDX-License-Identifier: MIT
 *
 * sched.h - inside of the scheduler: sets of tasks, the back end, the strategies' interface.
 */
#ifndef RADDLE_SCHED_H
#define RADDLE_SCHED_H

#include "runtime/rt.h"
#include "runtime/sched/task.h"

/* ---- sets of tasks by id ------------------------------------------------------------------------------------------- */

enum { SET_WORDS = WIRE_TASKS / 64 };
/* Half a kilobyte: variables are static, so that they are not left on the stacks of tasks (leftover.c). */
struct task_set {
    uint64_t words[SET_WORDS];
};

/* Words in use: all operations touch only these. */
static inline uint32_t set_words(void)
{
    return (rt.task_count + 63) / 64;
}
static inline bool set_has(const struct task_set *set, const struct task *task)
{
    return (set->words[task->id / 64] >> (task->id % 64)) & 1;
}
static inline void set_put(struct task_set *set, const struct task *task, bool in)
{
    uint64_t bit = 1ull << (task->id % 64);
    if (in)
        set->words[task->id / 64] |= bit;
    else
        set->words[task->id / 64] &= ~bit;
}
static inline bool set_empty(const struct task_set *set)
{
    for (uint32_t i = 0; i < set_words(); i++)
        if (set->words[i] != 0)
            return false;
    return true;
}
static inline uint32_t set_count(const struct task_set *set)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < set_words(); i++)
        count += (uint32_t)__builtin_popcountll(set->words[i]);
    return count;
}
static inline void set_minus(struct task_set *rest, const struct task_set *set, const struct task_set *without)
{
    for (uint32_t i = 0; i < set_words(); i++)
        rest->words[i] = set->words[i] & ~without->words[i];
}
/* The member that follows id `after` (-1 to begin); NULL at the end. */
struct task *set_next(const struct task_set *set, int after);
/* The index-th member. */
struct task *set_nth(const struct task_set *set, uint32_t index);
#define SET_EACH(task, set)                                                                                            \
    for (struct task *task = set_next(set, -1); task != NULL; task = set_next(set, (int)task->id))

/* ---- scheduler ------------------------------------------------------------------------------------------------------ */

/* Makes the calling thread the main task of a controlled run, by wire->plan. */
void sched_begin(void);
/* The plan has been changed in the middle of the run, which leads here too: a continuation from a checkpoint. */
struct position;
void sched_new_plan(const struct position *position);
/* No random number has been drawn but by a strategy as it began or a task was created. */
bool sched_is_undrawn(void);
/* The plan's steps are being followed. */
bool sched_is_replaying(void);
/* Depth first: choices are for dfs_choose. */
bool sched_is_searching(void);
/* By its number in a plan. */
const struct strategy *sched_strategy(uint32_t number);
/* The run is over: complete the schedule and the result. */
void sched_run_ended(enum wire_end end);
/* Ends the run here: it says nothing. */
_Noreturn void sched_cut(enum wire_end end);
/* In the middle of an access (tear.h), which is an operation more: who goes on?  NULL: the task itself.  Else it has to leave, as soon as
   memory is what the others shall see: sched_leave, with the number that the operation had.  Not asked, unless the plan wants to stop here,
   if not wanted; whether it should be is told by sched_tears, once for each access. */
struct task *sched_middle(struct task *self, struct op *rest, bool wanted);
void sched_leave(struct task *self, struct op *rest, uint64_t operation, struct task *next);
bool sched_tears(void);
/* A new task has published its first operation. */
void sched_admit(struct task *task);
/* The task has the baton for the first time: its first operation is done. */
void sched_started(struct task *self);
/* The calling task has ended: the baton goes to another. Ends the process if it was the last. */
void sched_depart(struct task *self);
/* A number below n. */
uint32_t sched_random_below(uint32_t n);
/* Set or clear "passed over": spinning, see spin.c; and certainly so. */
void sched_demote(struct task *task, bool demoted, bool certain);
/* A task that could go on only by letting time pass may do so now. */
bool sched_may_wake(const struct task *task);
/* It spins, or has just yielded: strategies go on with others. */
bool sched_is_passed_over(const struct task *task);
/* The task has ended. */
void spin_ended(struct task *task);
/* The task has been computing for long since its last operation, and stands at pc: others may go on instead.  In the schedule that is
   a switch before its next operation. */
void sched_compute(struct task *self, uintptr_t pc);
/* The task stops at the next operation but one, if it is not left before. */
void sched_stop_soon(struct task *self);
/* The driver shall know when something changed last. */
void sched_tell_progress(void);
/* Marks that something in the program changed: it is not hanging. */
void sched_progress(void);
/* An operation has been done, with these EVENT_*. */
void sched_turned_out(struct task *self, const struct op *op, uint8_t flags);
/* Lists who waits for whom in result.blocked; returns how many. */
uint32_t sched_list_blocked(void);
/* Fill in the value of the task's last write, now that it has been done. */
void record_settle(struct task *self);
void record_begin(void);
/* The schedule as it is made: a new segment of `task`; the current segment ends at `operation`. */
void record_segment(const struct task *task);
void record_segment_end(uint64_t operation, bool preempted);
void record_choice(const struct task *task, uint32_t value);
/* The task's calling context, as a hash. */
uint32_t record_context(const struct task *task);

/* ---- strategies (strategy/) ------------------------------------------------------------------------------------------ */

struct strategy {
    void (*begin)(void);
    void (*created)(struct task *task);                                         /* may be NULL */
    struct task *(*pick)(struct task *self, const struct task_set *candidates); /* candidates is not empty */
    void (*executed)(struct task *task, const struct op *op);                  /* may be NULL: op is about to be done */
    void (*turned_out)(struct task *task, const struct op *op, uint8_t flags); /* may be NULL: op was done; EVENT_* */
    /* May be NULL.  Takes out of the set whom it does not want to run now; `release` chooses among them when nobody else can. */
    void (*hold)(struct task_set *set);
    struct task *(*release)(const struct task_set *held);
    /* For checkpoints.  The task has passed so many scheduling points at pc before the strategy began; NULL: a run behind steps that have
       been done is not continued, if there is `executed`.  And: what the only task does at pc, having got as far as it is, makes a
       difference to the strategy; NULL: it does, if there is `executed`. */
    void (*restore_history)(struct task *task, uintptr_t pc, uint64_t times);
    bool (*needs_history)(const struct task *task, uintptr_t pc);
};
extern const struct strategy strategy_random, strategy_pct, strategy_pctlarge, strategy_pos, strategy_surw,
    strategy_roundrobin, strategy_dfs, strategy_direct;
/* dfs: a choice other than who runs. */
uint32_t dfs_choose(uint32_t n);
/* dfs: who could go on; who could but spins or has yielded; whose wait could end before its time.  Not all of the first two are empty. */
struct dfs_ways {
    struct task_set candidates, passed, early;
};
struct task *dfs_pick(struct task *self, const struct dfs_ways *ways);
/* dfs: no task can go on but by letting time pass, `sleeper` first if there is one; NULL: none does. */
struct task *dfs_pick_late(struct task *sleeper, const struct task_set *early);

/* Of a published operation: reads data; reads or writes data. */
bool op_is_read(const struct op *op);
bool op_is_memory(const struct op *op);
/* Whether two published operations conflict: the same object, or overlapping bytes of which one is written. */
bool op_conflicts(const struct op *a, const struct op *b);

/* handler.c: before which operation a due handler runs.
   Decides at which of its next operations the running task has to stop for it (task->handler_stop).  `private`: it is in the middle of
   private work. */
void handler_plan_stop(struct task *self, bool private);
/* A handler is due, the task could do `op` as well: does the handler come first?  If so that is in the schedule. */
bool handler_runs_now(struct task *self, const struct op *op);
/* It is decided that the handler runs after some more of the private work to which `op` belongs: no other task runs before. */
bool handler_is_put_off(const struct task *self, const struct op *op);

/* replay.c: the plan's steps */
void replay_begin(void);
/* Who runs at this point: self while its segment lasts, else the next segment's task. NULL: the plan is used up. */
struct task *replay_pick(struct task *self);
/* The same for a task that computes on its way to its next operation. */
struct task *replay_compute(struct task *self);
/* The task does this step of the plan and stands before its operation `until`; 0: the step ends here. */
bool replay_is_at(const struct task *self, uint32_t step, uint64_t until);
/* So many steps have been done; of the others, `segment` is under way. */
void replay_continue(uint32_t done, uint32_t segment);
/* The operation at which the plan wants to leave the task; UINT64_MAX: it does not. */
uint64_t replay_stop(const struct task *task);
bool replay_choose(struct task *self, uint32_t n, uint32_t *value);
/* The operation before which the plan has the task's due handler run, UINT64_MAX: not as far as it goes.  False: the plan says nothing. */
bool replay_handler(const struct task *self, uint64_t *operation);
/* The same for a plan that is followed as well as it goes (best_effort.c); NULL: it is used up. */
void best_effort_begin(void);
struct task *best_effort_pick(struct task *self);
struct task *best_effort_compute(struct task *self, bool leave);
uint64_t best_effort_stop(const struct task *task);
bool best_effort_choose(const struct task *self, uint32_t n, uint32_t *value);
/* All of the schedule is to be followed. */
bool replay_is_exact(void);
/* The plan has a signal come from outside here, with `self` before its operation: its number; 0: it does not. */
enum { ARRIVAL_CHOICE = 1 << 16 }; /* the value of such a choice, plus the signal's number */
int replay_arrival(const struct task *self);
/* A signal that has come from outside waits for its place in the plan.  Ends of several children may be one signal or more: when all that the
   plan has have come, others are not kept waiting. */
bool replay_holds(int signo);
bool best_effort_handler(const struct task *self, uint64_t *operation);
__attribute__((noreturn, format(printf, 2, 3))) void replay_diverged(struct task *task, const char *format, ...);

#endif
