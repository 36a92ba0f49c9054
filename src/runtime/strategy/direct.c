/* SPDX-License-Identifier: MIT
 *
 * direct.c - make one pattern happen: plan.goal.
 *
 * J. Yu, S. Narayanasamy, C. Pereira, G. Pokam, "Maple: A Coverage-Driven Testing Tool for Multithreaded Programs", OOPSLA 2012, section
 * 4.  A task that reaches a candidate step is held there, so that another task can reach its step.  When both threads of the pattern
 * are at their first steps, the steps are done.  If no other task can run, the first step is done without its partner, and
 * a task that would come between the steps is held (watch mode).
 *
 * Differences from the paper:
 * - The published operations of all tasks are known, so a step is recognised before it is done.
 * - The task, the occurrence and the calling context of a step can be given.
 * - If a wanted task is blocked, the task that holds the lock goes on instead.
 * - A task waits at the entry of the outermost critical section around its next step until the other thread is at its step.  So it does
 *   not hold a lock that the other thread needs.
 * - A step whose operation turned out as another kind of access (a compare-and-swap that failed) is undone.  A task whose operation would
 *   fail now waits.
 * - Two tasks at first steps on different variables are no partners: one of them goes on.
 * - When a beginning of the pattern fails, only the broken steps and the steps after them are undone.  They are tried again in the same run.
 *
 * Often a step can be reached only in some states of the program: a queue has to be full, or one thread has to take the node that another
 * has freed.  GOAL_AT_RANDOM leaves the way to such a state to chance.  Most of these runs guide no task to its step.  Most do the first
 * step as soon as a task is at it, and do not wait for the partner.  All of them skip some occurrences of the first step.
 *
 * The observer decides from the events whether the pattern occurred.  Here it is only noted how many steps were done, and what prevented
 * the next one.
 */
#include "runtime/model/object.h"
#include "runtime/sched/strategy.h"
#include "runtime/strategy/direct_private.h"

enum { HELD_LONGEST = 20000, HELD_LEAST = 256 };

/* ---- the strategy ------------------------------------------------------------------------------------------------------ */

static void begin(void)
{
    direct.goal = &rt.wire->plan.goal;
    direct.done = 0;
    direct.next_for = UINT32_MAX;
    direct.over = direct.goal->count < 2 || direct.goal->count > GOAL_STEPS;
    direct.threads[0] = direct.threads[1] = direct.go = NULL;
    direct.variables[0].bound = direct.variables[1].bound = false;
    direct.last[0] = direct.last[1] = 0;
    direct.entered = 0;
    direct.last_task = NULL;
    direct.draw_count = 0;
    uint64_t bits = rt_mix(rt.wire->plan.seed + 1);
    bool at_random = (direct.goal->flags & GOAL_AT_RANDOM) != 0;
    direct.draws = (bits & 3) < 2 ? DRAW_ALWAYS : (bits & 3) == 2 ? DRAW_OPERATIONS : DRAW_SOMETIMES;
    direct.unguided = at_random && (bits >> 2 & 3) != 0;
    direct.first_alone = at_random && (bits >> 4 & 3) != 0;
    direct.later_first = at_random && (bits >> 6 & 1);
    direct.holding = false;
    direct.resumed = NULL;
    direct.patience = HELD_LONGEST;
}

/* Tasks have been held too long: the other tasks run, but none comes to the step of a partner. */
static bool is_impatient(bool any)
{
    if (!any || !direct.holding)
        direct.held_since = rt.points;
    direct.holding = any;
    return any && rt.points - direct.held_since > direct.patience;
}

static bool is_held(const struct task *task)
{
    return direct_may_do(task, direct_next_of(0)) || direct_may_do(task, direct_next_of(1)) ||
           direct_is_at_entry(task, 0) || direct_is_at_entry(task, 1) || direct_breaks(task, task->pending) ||
           direct_is_suspended(task);
}

static void hold(struct task_set *set)
{
    direct_decide();
    if (direct.over)
        return;
    static struct task_set kept;
    kept = *set;
    bool any = false;
    SET_EACH(task, set)
    {
        bool held = direct.go != NULL ? task != direct.go : is_held(task);
        any |= held && direct.go == NULL;
        set_put(&kept, task, !held);
    }
    if (is_impatient(any)) {
        direct.held_since = rt.points;
        rt.wire->result.directed.broken += direct.done != 0;
        direct.patience = direct.patience / 2 > HELD_LEAST ? direct.patience / 2 : HELD_LEAST;
        direct_give_up(HINDRANCE_ALONE, direct.threads[0], NULL);
        return;
    }
    *set = kept;
}

static struct task *holder_of(const struct task *task)
{
    const struct op *op = task->pending;
    if (op == NULL)
        return NULL;
    if (op->kind == OP_JOIN)
        for (uint32_t i = 0; i < rt.task_count; i++)
            if (rt.tasks[i] != NULL && rt.tasks[i]->end == op->object)
                return rt.tasks[i];
    struct task *holder = op->object != NULL ? object_holder(op->object) : NULL;
    return holder == NULL && op->object2 != NULL ? object_holder(op->object2) : holder;
}

/* The task if it can run, else the task that it waits for, directly or not. */
static struct task *self_or_blocker(struct task *task, const struct task_set *candidates)
{
    for (unsigned i = 0; i < 8 && task != NULL && task->state != TASK_ENDED; i++) {
        if (set_has(candidates, task))
            return task;
        if (direct.goal->flags & GOAL_AT_ONCE)
            return NULL;
        task = holder_of(task);
    }
    return NULL;
}

/* For a task that is alone no number is drawn: what it does then does not depend on the seed. */
static struct task *draw(const struct task_set *set)
{
    uint32_t count = set_count(set);
    return set_nth(set, count > 1 ? sched_random_below(count) : 0);
}

/* A task at random. */
static struct task *pick_random(const struct task_set *candidates, enum draw draws)
{
    enum { DRAW_INTERVAL = 32 }; /* points, on average */
    if (draws == DRAW_ALWAYS)
        return draw(candidates);
    if (draws == DRAW_SOMETIMES && rt.task_count > 1 && sched_random_below(DRAW_INTERVAL) == 0)
        direct.draw_count++;
    struct task *first = NULL;
    uint64_t least = UINT64_MAX;
    SET_EACH(task, candidates)
    {
        uint64_t turn = draws == DRAW_OPERATIONS ? (uint64_t)task->id << 48 ^ task->operations
                                                 : (uint64_t)task->id << 32 ^ direct.draw_count << 44;
        uint64_t rank = rt_mix(rt.wire->plan.seed ^ turn);
        if (rank < least) {
            least = rank;
            first = task;
        }
    }
    return first;
}

static struct task *pick_by_rank(struct task *self, const struct task_set *candidates)
{
    if ((direct.goal->flags & GOAL_AT_RANDOM) || (direct.over && (direct.goal->flags & GOAL_RANDOM_AFTER)))
        return pick_random(candidates, direct.over ? DRAW_OPERATIONS : direct.draws);
    if (direct.over && set_has(candidates, self)) /* the goal has been reached or given up: no more switches */
        return self;
    struct task *newest = NULL;
    SET_EACH(task, candidates)
    {
        newest = task;
    }
    return direct.goal->flags & GOAL_NEWEST_FIRST ? newest : set_next(candidates, -1);
}

/* The thread (0 or 1) whose task is guided to its first step before the other. */
static unsigned first_thread(void)
{
    return direct.goal->flags & GOAL_SECOND_FIRST ? 1 : 0;
}

/* No step is done yet.  The task of the first thread is guided to its step, then the task of the other.  The task of the other thread
   does not run before, if another task can. */
static struct task *pick_beginning(struct task *self, const struct task_set *candidates)
{
    static struct task_set others;
    others = *candidates;
    for (unsigned i = 0; i < 2; i++) {
        unsigned thread = i == 0 ? first_thread() : 1 - first_thread();
        struct task *task = direct_actor(thread);
        if (task == NULL && direct_step(direct_next_of(thread))->task == UINT16_MAX)
            continue;
        if (task != NULL && (direct_is_at_step(task, direct_next_of(thread)) || direct_is_at_entry(task, thread)))
            continue;
        struct task *next = task != NULL ? self_or_blocker(task, &others) : NULL;
        if (next != NULL && !(direct.goal->flags & GOAL_OTHERS_FIRST))
            return next;
        struct task *second = direct_actor(1 - thread);
        if (task != NULL && (direct.goal->flags & GOAL_OTHERS_FIRST))
            set_put(&others, task, false);
        if (second != NULL)
            set_put(&others, second, false);
        break;
    }
    return pick_by_rank(self, set_empty(&others) ? candidates : &others);
}

static struct task *pick(struct task *self, const struct task_set *candidates)
{
    if (direct.go != NULL && set_has(candidates, direct.go))
        return direct.go;
    if (direct.over || direct.unguided)
        return pick_by_rank(self, candidates);
    if (direct.done == 0)
        return pick_beginning(self, candidates);
    for (unsigned i = 0; i < 4; i++) { /* first the threads whose step is due, or the others if later_first */
        unsigned thread = i % 2, next = direct_next_of(thread);
        bool due = next != GOAL_STEPS && direct_is_due(next);
        struct task *task = next != GOAL_STEPS && due == ((i < 2) != direct.later_first) ? direct_actor(thread) : NULL;
        if (task != NULL)
            task = self_or_blocker(task, candidates);
        if (task != NULL)
            return task;
    }
    return pick_by_rank(self, candidates);
}

/* Two tasks that are at the first steps of both threads, but with different variables, are no partners.  One of them goes on, since it
   may come to the step again.  NULL: there are no such tasks. */
static struct task *pick_without_partner(const struct task_set *held)
{
    unsigned first = direct_next_of(0), second = direct_next_of(1);
    if (direct_step(first)->variable != direct_step(second)->variable)
        return NULL;
    struct task *waiting[2] = {NULL, NULL};
    SET_EACH(task, held)
    {
        if (waiting[0] == NULL && direct_is_at_step(task, first))
            waiting[0] = task;
        else if (waiting[1] == NULL && direct_is_at_step(task, second))
            waiting[1] = task;
    }
    if (waiting[0] == NULL || waiting[1] == NULL)
        return NULL;
    unsigned later = 1 - first_thread();
    if (direct.goal->flags & GOAL_AT_RANDOM)
        later = (unsigned)sched_random_below(2);
    struct variable a = direct_variable_of(waiting[0]->pending, direct_step(first)->of_mutex),
                    b = direct_variable_of(waiting[1]->pending, direct_step(second)->of_mutex);
    return direct_overlap(&a, &b) ? NULL : waiting[later];
}

/* At random.  A task that spins is taken only if all do: it waits for another task. */
static struct task *any_of(const struct task_set *set)
{
    static struct task_set choice;
    choice = *set;
    SET_EACH(task, set)
    {
        set_put(&choice, task, !sched_is_passed_over(task));
    }
    return draw(set_empty(&choice) ? set : &choice);
}

/* All tasks that can run are held.  If no step is done yet, a task at the first step does it without its partner, which may still come.
   Otherwise the task that the next step waits for goes on, or one that breaks nothing. */
static struct task *release(const struct task_set *held)
{
    static struct task_set choice;
    choice = *held;
    if (direct.done == 0) {
        for (unsigned i = 0; i < 2; i++) {
            unsigned thread = i == 0 ? first_thread() : 1 - first_thread();
            SET_EACH(task, held)
            {
                if (direct_is_at_entry(task, thread)) {
                    direct.entered |= 1u << direct_next_of(thread);
                    return task;
                }
            }
        }
        struct task *passing = pick_without_partner(held);
        if (passing != NULL)
            return passing;
        unsigned first = direct_next_of(direct_is_due(direct_next_of(0)) ? 0 : 1);
        SET_EACH(task, held)
        {
            set_put(&choice, task, direct_is_at_step(task, first));
        }
        if (set_empty(&choice)) {
            if (rt.wire->result.directed.most == 0)
                direct_give_up(HINDRANCE_ALONE, set_next(held, -1), set_next(held, -1)->pending);
            return any_of(held);
        }
        struct task *alone = set_nth(&choice, sched_random_below(set_count(&choice)));
        direct_choose_step(alone, first);
        return alone;
    }
    direct_go_on(true);
    if (direct.go != NULL && set_has(held, direct.go))
        return direct.go;
    direct.go = NULL;
    if (direct.goal->flags & GOAL_AT_ONCE) {
        struct task *resumed = any_of(held);
        direct.resumed = resumed;
        rt.wire->result.directed.broken++;
        return resumed;
    }
    for (unsigned thread = 0; thread < 2; thread++) { /* no partner comes: the task enters its critical section */
        struct task *task = direct_actor(thread);
        if (task != NULL && set_has(held, task) && direct_is_at_entry(task, thread) &&
            !direct_breaks(task, task->pending)) {
            direct.entered |= 1u << direct_next_of(thread);
            return task;
        }
    }
    rt.wire->result.directed.broken++;
    for (unsigned thread = 0; thread < 2; thread++) {
        struct task *task = direct_actor(thread);
        task = task != NULL && direct_is_due(direct_next_of(thread)) ? self_or_blocker(task, held) : NULL;
        if (task != NULL && !direct_breaks(task, task->pending) && !sched_is_passed_over(task))
            return task;
    }
    SET_EACH(task, held)
    {
        set_put(&choice, task, !direct_breaks(task, task->pending) && !sched_is_passed_over(task));
    }
    return any_of(set_empty(&choice) ? held : &choice);
}

static void count_occurrences(struct task *task, uintptr_t pc, uint64_t times)
{
    for (unsigned i = 0; i < direct.goal->count && i < GOAL_STEPS; i++)
        if (direct_step(i)->pcs[0] != 0 && direct_is_at_site(direct_step(i), pc))
            task->strategy[i] += times;
}

static void executed(struct task *self, const struct op *op)
{
    if (!direct.over) {
        if (self == direct.go)
            direct_step_done(self, op);
        else if (direct_breaks(self, op))
            direct_break(self, op);
    }
    count_occurrences(self, op->pc, 1);
}

/* A task that is alone may come to a step, or to the entry of its critical section. */
static bool needs_history(const struct task *task, uintptr_t pc)
{
    const struct wire_goal *goal = &rt.wire->plan.goal;
    for (unsigned i = 0; i < goal->count && i < GOAL_STEPS; i++) {
        const struct wire_goal_step *step = &goal->steps[i];
        if (step->task != UINT16_MAX && step->task != task->id)
            continue;
        if (direct_is_at_site(step, pc) || (step->section_entry != 0 && step->section_entry < task->operations))
            return true;
    }
    return false;
}

const struct strategy strategy_direct = {.begin = begin,
                                         .pick = pick,
                                         .executed = executed,
                                         .turned_out = direct_turned_out,
                                         .hold = hold,
                                         .release = release,
                                         .restore_history = count_occurrences,
                                         .needs_history = needs_history};
