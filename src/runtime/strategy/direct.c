/* SPDX-License-Identifier: MIT
 *
 * direct.c - make one pattern happen: plan.goal.
 *
 * J. Yu, S. Narayanasamy, C. Pereira, G. Pokam, "Maple: A Coverage-Driven Testing Tool for Multithreaded Programs", OOPSLA 2012, section
 * 4: tasks that reach a candidate step are held there, so that others may reach theirs; when both threads of the pattern stand
 * at their first steps, the steps are done.  If nobody else can run, the first step is done without its partner, and
 * whoever would come between is held (watch mode).
 *
 * Where we differ: the published operations of all tasks are known, so a step is recognised before it is done and not
 * when it is; the task, the occurrence and the calling context of a step can be given; a task that is wanted and blocked lends
 * its turn to the one that holds what it waits for; a task waits at the *door*, the beginning of the critical section in which
 * its next step lies, until the other thread is in its place, so that it does not keep out who has to come before; a step whose
 * operation turned out as another kind of access (a compare-and-swap that failed) was none, and a task that would fail now waits;
 * two tasks at first steps on different variables are no partners, one passes by; of a beginning that fails only what was broken,
 * and what had to come after it, is given up, and tried again in the same run.
 *
 * Often a step can be reached in some states of the program only: a queue has to be full, or the node that one thread gives back
 * has to be the one that another takes.  What leads there is left to chance, by lot: most such runs bring nobody forward, most do
 * the first step as soon as somebody comes to it and do not wait for a partner (who could not come before), and every one lets
 * some beginnings pass.
 *
 * Whether the pattern occurred is for the observer to say, from the events: what is noted here is how far it came and what stood
 * in the way.
 */
#include "runtime/strategy/direct_private.h"

enum { HELD_LONGEST = 20000, HELD_LEAST = 256 };

/* ---- the strategy ------------------------------------------------------------------------------------------------------ */

static void begin(void)
{
    direct.goal = &rt.wire->plan.goal;
    direct.done = 0;
    direct.over = direct.goal->count < 2 || direct.goal->count > GOAL_STEPS;
    direct.threads[0] = direct.threads[1] = direct.go = NULL;
    direct.variables[0].bound = direct.variables[1].bound = false;
    direct.last[0] = direct.last[1] = 0;
    direct.inside = 0;
    direct.last_task = NULL;
    direct.lots = 0;
    uint64_t lot = rt_mix(rt.wire->plan.seed + 1);
    bool by_lot = (direct.goal->flags & GOAL_BY_LOT) != 0;
    direct.draws = (lot & 3) < 2 ? DRAW_ALWAYS : (lot & 3) == 2 ? DRAW_OPERATIONS : DRAW_SOMETIMES;
    direct.anybody = by_lot && (lot >> 2 & 3) != 0;
    direct.alone = by_lot && (lot >> 4 & 3) != 0;
    direct.run_on = by_lot && (lot >> 6 & 1);
    direct.holding = false;
    direct.patience = HELD_LONGEST;
}

/* Held too long: others make progress without ever coming to a partner's step. */
static bool is_impatient(bool any)
{
    if (!any || !direct.holding)
        direct.held_since = rt.points;
    direct.holding = any;
    return any && rt.points - direct.held_since > direct.patience;
}

static bool is_held(const struct task *task)
{
    return direct_comes_to(task, direct_next_of(0)) || direct_comes_to(task, direct_next_of(1)) ||
           direct_stands_at_entry(task, 0) || direct_stands_at_entry(task, 1) || direct_breaks(task, task->pending);
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

/* The task if it can run, else the one that it waits for. */
static struct task *toward(struct task *task, const struct task_set *candidates)
{
    for (unsigned i = 0; i < 8 && task != NULL && task->state != TASK_ENDED; i++) {
        if (set_has(candidates, task))
            return task;
        task = holder_of(task);
    }
    return NULL;
}

/* A task that is alone draws nothing: what it does then is the same whatever the seed. */
static struct task *draw(const struct task_set *set)
{
    uint32_t count = set_count(set);
    return set_nth(set, count > 1 ? sched_random_below(count) : 0);
}

/* The one that is first by lot. */
static struct task *by_lot(const struct task_set *candidates, enum draw draws)
{
    enum { WHILE = 32 }; /* points, on average */
    if (draws == DRAW_ALWAYS)
        return draw(candidates);
    if (draws == DRAW_SOMETIMES && rt.task_count > 1 && sched_random_below(WHILE) == 0)
        direct.lots++;
    struct task *first = NULL;
    uint64_t least = UINT64_MAX;
    SET_EACH(task, candidates)
    {
        uint64_t turn = draws == DRAW_OPERATIONS ? (uint64_t)task->id << 48 ^ task->operations
                                                 : (uint64_t)task->id << 32 ^ direct.lots << 44;
        uint64_t lot = rt_mix(rt.wire->plan.seed ^ turn);
        if (lot < least) {
            least = lot;
            first = task;
        }
    }
    return first;
}

static struct task *by_rank(struct task *self, const struct task_set *candidates)
{
    if ((direct.goal->flags & GOAL_BY_LOT) || (direct.over && (direct.goal->flags & GOAL_LOTS_AFTER)))
        return by_lot(candidates, direct.over ? DRAW_OPERATIONS : direct.draws);
    if (direct.over &&
        set_has(candidates, self)) /* what there was to do has been done, and is not disturbed any more */
        return self;
    struct task *newest = NULL;
    SET_EACH(task, candidates)
    {
        newest = task;
    }
    return direct.goal->flags & GOAL_NEWEST_FIRST ? newest : set_next(candidates, -1);
}

/* Thread 0 or 1: whose turn it is to be brought forward first. */
static unsigned first_thread(void)
{
    return direct.goal->flags & GOAL_SECOND_FIRST ? 1 : 0;
}

/* At the beginning: the first thread's task is brought to its place, then the other's; nobody goes ahead of his turn if
   somebody else can run. */
static struct task *pick_beginning(struct task *self, const struct task_set *candidates)
{
    static struct task_set others;
    others = *candidates;
    for (unsigned i = 0; i < 2; i++) {
        unsigned thread = i == 0 ? first_thread() : 1 - first_thread();
        struct task *task = direct_actor(thread);
        if (task == NULL && direct_step(direct_next_of(thread))->task == UINT16_MAX)
            continue;
        if (task != NULL && (direct_stands_at(task, direct_next_of(thread)) || direct_stands_at_entry(task, thread)))
            continue;
        struct task *next = task != NULL ? toward(task, &others) : NULL;
        if (next != NULL && !(direct.goal->flags & GOAL_OTHERS_FIRST))
            return next;
        struct task *second = direct_actor(1 - thread);
        if (task != NULL && (direct.goal->flags & GOAL_OTHERS_FIRST))
            set_put(&others, task, false);
        if (second != NULL)
            set_put(&others, second, false);
        break;
    }
    return by_rank(self, set_empty(&others) ? candidates : &others);
}

static struct task *pick(struct task *self, const struct task_set *candidates)
{
    if (direct.go != NULL && set_has(candidates, direct.go))
        return direct.go;
    if (direct.over || direct.anybody)
        return by_rank(self, candidates);
    if (direct.done == 0)
        return pick_beginning(self, candidates);
    for (unsigned i = 0; i < 4; i++) { /* those whose step is due first */
        unsigned thread = i % 2, next = direct_next_of(thread);
        bool due = next != GOAL_STEPS && direct_is_due(next);
        struct task *task = next != GOAL_STEPS && due == ((i < 2) != direct.run_on) ? direct_actor(thread) : NULL;
        if (task != NULL)
            task = toward(task, candidates);
        if (task != NULL)
            return task;
    }
    return by_rank(self, candidates);
}

/* Two that stand at the first steps of a and b, each with a variable of its own, are no partners: one goes on, since behind its
   step there may be another one. */
static struct task *pass_by(const struct task_set *held)
{
    unsigned first = direct_next_of(0), second = direct_next_of(1);
    if (direct_step(first)->variable != direct_step(second)->variable)
        return NULL;
    struct task *ones[2] = {NULL, NULL};
    SET_EACH(task, held)
    {
        if (ones[0] == NULL && direct_stands_at(task, first))
            ones[0] = task;
        else if (ones[1] == NULL && direct_stands_at(task, second))
            ones[1] = task;
    }
    if (ones[0] == NULL || ones[1] == NULL)
        return NULL;
    unsigned later = 1 - first_thread();
    if (direct.goal->flags & GOAL_BY_LOT)
        later = (unsigned)sched_random_below(2);
    struct variable a = direct_variable_of(ones[0]->pending, direct_step(first)->of_mutex),
                    b = direct_variable_of(ones[1]->pending, direct_step(second)->of_mutex);
    return direct_overlap(&a, &b) ? NULL : ones[later];
}

/* By lot; who spins has had his turns, and waits for one of the others. */
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

/* Everybody who can run is held.  In the middle the one that the next step waits for goes, or one that breaks nothing.  At the
   beginning a task that stands at the very first step does it alone, in the hope that its partner comes. */
static struct task *release(const struct task_set *held)
{
    static struct task_set choice;
    choice = *held;
    if (direct.done == 0) {
        for (unsigned i = 0; i < 2; i++) {
            unsigned thread = i == 0 ? first_thread() : 1 - first_thread();
            SET_EACH(task, held)
            {
                if (direct_stands_at_entry(task, thread)) {
                    direct.inside |= 1u << direct_next_of(thread);
                    return task;
                }
            }
        }
        struct task *passing = pass_by(held);
        if (passing != NULL)
            return passing;
        unsigned first = direct_next_of(direct_is_due(direct_next_of(0)) ? 0 : 1);
        SET_EACH(task, held)
        {
            set_put(&choice, task, direct_stands_at(task, first));
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
    for (unsigned thread = 0; thread < 2; thread++) { /* nobody comes: in without him */
        struct task *task = direct_actor(thread);
        if (task != NULL && set_has(held, task) && direct_stands_at_entry(task, thread) &&
            !direct_breaks(task, task->pending)) {
            direct.inside |= 1u << direct_next_of(thread);
            return task;
        }
    }
    for (unsigned thread = 0; thread < 2; thread++) {
        struct task *task = direct_actor(thread);
        task = task != NULL && direct_is_due(direct_next_of(thread)) ? toward(task, held) : NULL;
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

/* A task that is alone may come to a step, or to the door of one. */
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
