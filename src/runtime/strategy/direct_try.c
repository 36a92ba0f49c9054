/* SPDX-License-Identifier: MIT
 *
 * direct_try.c - one try after the other: which task does which step next, and when a try is over; see direct.c.
 */
#include "runtime/strategy/direct_private.h"

enum { TRIES = 1000 };

struct direct direct;

/* ---- beginnings ------------------------------------------------------------------------------------------------------- */

/* Keeps what ended the try with the most steps. */
static void note_hindrance(enum wire_hindrance hindrance, const struct task *task, const struct op *op)
{
    struct wire_directed *directed = &rt.wire->result.directed;
    if (__builtin_popcount(direct.done) >= __builtin_popcount(directed->most)) {
        directed->most = direct.done;
        directed->hindrance = hindrance;
        directed->task = task != NULL ? task->id : 0;
        directed->pc = op != NULL ? op->pc : 0;
        directed->address = op != NULL ? op->address : 0;
    }
    if (++directed->tries >= TRIES)
        direct.over = true;
}

void direct_give_up(enum wire_hindrance hindrance, const struct task *task, const struct op *op)
{
    note_hindrance(hindrance, task, op);
    for (unsigned i = 0; i < direct.goal->count; i++) /* the critical sections of first steps stay entered */
        if (direct.last[direct_step(i)->thread] != 0 && direct_next_of(direct_step(i)->thread) <= i)
            direct.entered &= ~(1u << i);
    direct.done = 0;
    direct.resumed = NULL;
    direct.go = NULL;
    direct.threads[0] = direct.threads[1] = NULL;
    direct.variables[0].bound = direct.variables[1].bound = false;
    direct.last[0] = direct.last[1] = 0;
}

/* The step comes after one of the undone steps: it cannot stay done. */
static bool follows_any(unsigned step, uint32_t undone)
{
    for (unsigned i = 0; i < direct.goal->count; i++)
        if ((undone >> i & 1) && (direct_step(i)->group < direct_step(step)->group ||
                                  (i < step && direct_step(i)->thread == direct_step(step)->thread)))
            return true;
    return false;
}

/* The steps that stay done without these: 0 if none. */
static uint32_t left_without(uint32_t undone)
{
    for (unsigned i = 0; i < direct.goal->count; i++) /* in the order in which they come */
        if (follows_any(i, undone))
            undone |= 1u << i;
    return direct.done & ~undone;
}

static void go_back_to(uint32_t left)
{
    for (unsigned thread = 0; thread < 2; thread++)
        direct.last[thread] = 0;
    bool used[2] = {false, false};
    for (unsigned i = 0; i < direct.goal->count; i++) {
        const struct wire_goal_step *step = direct_step(i);
        if (!(left >> i & 1)) {
            if (direct_is_done(i))
                direct.entered &= ~(1u << i);
            continue;
        }
        used[step->variable] = true;
        direct.last[step->thread] = direct.when[i];
    }
    for (unsigned k = 0; k < 2; k++) {
        direct.variables[k].bound &= used[k];
        if (direct.last[k] == 0)
            direct.threads[k] = NULL;
    }
    direct.done = left;
    direct.go = NULL;
}

void direct_break(const struct task *task, const struct op *op)
{
    uint32_t undone = 0;
    for (unsigned i = 0; i < direct.goal->count; i++) {
        const struct wire_goal_step *step = direct_step(i);
        if (direct_is_done(i) && direct_is_open(step->variable) &&
            direct_touches(op, &direct.variables[step->variable]))
            undone |= 1u << i;
    }
    uint32_t left = left_without(undone);
    if (left == 0) {
        direct_give_up(HINDRANCE_BROKEN, task, op);
        return;
    }
    note_hindrance(HINDRANCE_BROKEN, task, op);
    go_back_to(left);
}

static void complete(void)
{
    struct wire_directed *directed = &rt.wire->result.directed;
    directed->done = 1;
    directed->most = direct.done;
    directed->hindrance = HINDRANCE_NONE;
    direct.over = true;
    direct.go = NULL;
}

void direct_choose_step(struct task *task, unsigned index)
{
    direct.go = task;
    direct.go_step = index;
    direct.threads[direct_step(index)->thread] = task;
}

/* The task is at the thread's first step.  If the two first steps are on different variables, it may also be at the entry of the critical
   section. */
static bool is_in_place(const struct task *task, unsigned thread, bool same)
{
    return direct_is_at_step(task, direct_next_of(thread)) || (!same && direct_is_at_entry(task, thread));
}

/* No step is done yet: looks for two tasks that are at the first steps of both threads, on the same variable if the goal says so. */
static void begin_together(void)
{
    unsigned thread = direct_is_due(direct_next_of(0)) ? 0 : 1;
    unsigned first = direct_next_of(thread), second = direct_next_of(1 - thread);
    bool same = direct_step(first)->variable == direct_step(second)->variable;
    for (uint32_t i = 0; i < rt.task_count; i++) {
        struct task *one = rt.tasks[i];
        if (one == NULL || !direct_is_at_step(one, first) || one->ready != READY_YES)
            continue;
        struct variable own = direct_variable_of(one->pending, direct_step(first)->of_mutex);
        for (uint32_t j = 0; j < rt.task_count; j++) {
            struct task *two = rt.tasks[j];
            if (two == NULL || two == one || !is_in_place(two, 1 - thread, same))
                continue;
            struct variable other = direct_variable_of(two->pending, direct_step(second)->of_mutex);
            if (same && !direct_overlap(&own, &other))
                continue;
            direct_choose_step(one, first);
            direct.threads[1 - thread] = two;
            return;
        }
        if (direct.first_alone) {
            direct_choose_step(one, first);
            return;
        }
    }
}

/* The step that has to follow this one immediately is the next one of the other thread, and no task is at it yet. */
static bool waits_for_partner(unsigned index)
{
    for (unsigned i = 0; i < direct.goal->count; i++) {
        const struct wire_goal_step *step = direct_step(i);
        if (step->immediate != index + 1 || direct_is_done(i) || direct_next_of(step->thread) != i)
            continue;
        for (uint32_t k = 0; k < rt.task_count; k++)
            if (rt.tasks[k] != NULL && direct_is_at_step(rt.tasks[k], i))
                return false;
        return true;
    }
    return false;
}

void direct_go_on(bool alone)
{
    for (unsigned thread = 0; thread < 2; thread++) {
        unsigned next = direct_next_of(thread);
        if (next == GOAL_STEPS || !direct_is_due(next) || (!alone && waits_for_partner(next)))
            continue;
        for (uint32_t i = 0; i < rt.task_count; i++) {
            struct task *task = rt.tasks[i];
            if (task != NULL && direct_is_at_step(task, next) && task->ready == READY_YES) {
                direct_choose_step(task, next);
                return;
            }
        }
    }
}

struct task *direct_actor(unsigned thread)
{
    unsigned next = direct_next_of(thread);
    if (next == GOAL_STEPS || direct.threads[thread] != NULL)
        return next == GOAL_STEPS ? NULL : direct.threads[thread];
    uint32_t id = direct_step(next)->task;
    return id < rt.task_count ? rt.tasks[id] : NULL;
}

/* After the first step: a task that waits at the entry of a critical section may enter when the partner is at its step. */
static void enter_sections(void)
{
    for (unsigned thread = 0; thread < 2; thread++) {
        const struct task *task = direct_actor(thread), *other = direct_actor(1 - thread);
        unsigned next = direct_next_of(thread), partner = direct_next_of(1 - thread);
        if (next == GOAL_STEPS || !direct_is_due(next) || task == NULL || !direct_is_at_entry(task, thread))
            continue;
        if (partner == GOAL_STEPS || direct_step(partner)->immediate != next + 1 ||
            (other != NULL && (direct_is_at_step(other, partner) || direct_is_at_entry(other, 1 - thread))))
            direct.entered |= 1u << next;
    }
}

/* Gives up a beginning that cannot be completed any more. */
static void check_hopeless(void)
{
    for (unsigned thread = 0; thread < 2; thread++) {
        const struct task *task = direct.threads[thread];
        unsigned next = direct_next_of(thread);
        if (task == NULL || next == GOAL_STEPS)
            continue;
        if (task->state == TASK_ENDED) {
            direct_give_up(HINDRANCE_ENDED, task, NULL);
            return;
        }
        bool has_begun = direct.last[thread] != 0;
        if (has_begun && direct.goal->window != 0 && task->operations > direct.last[thread] + direct.goal->window) {
            direct_give_up(HINDRANCE_WINDOW, task, task->pending);
            return;
        }
        if (direct_has_left_unit(task, thread)) {
            direct_give_up(HINDRANCE_UNIT, task, task->pending);
            return;
        }
    }
}

void direct_decide(void)
{
    if (direct.done != 0)
        check_hopeless();
    if (direct.over || direct.go != NULL)
        return;
    if (direct.done == 0) {
        direct.threads[0] = direct.threads[1] = NULL;
        begin_together();
    } else {
        enter_sections();
        direct_go_on(false);
    }
}

void direct_step_done(struct task *self, const struct op *op)
{
    unsigned index = direct.go_step;
    const struct wire_goal_step *step = direct_step(index);
    direct.go = NULL;
    if (!direct.variables[step->variable].bound)
        direct.variables[step->variable] = direct_variable_of(op, step->of_mutex);
    direct.done |= 1u << index;
    direct.last[step->thread] = direct.when[index] = self->operations;
    direct.unit[step->thread] = direct_unit_of(self, index);
    direct.last_task = self;
    direct.last_step = index;
    if (direct_next_of(0) == GOAL_STEPS && direct_next_of(1) == GOAL_STEPS)
        complete();
}

void direct_turned_out(struct task *self, const struct op *op, uint8_t flags)
{
    if (direct.last_task != self)
        return;
    direct.last_task = NULL;
    enum wire_outcome outcome = flags & EVENT_FAILED      ? OUTCOME_FAILED
                                : flags & EVENT_UNCHANGED ? OUTCOME_UNCHANGED
                                                          : OUTCOME_DONE;
    if (!(direct_step(direct.last_step)->refused[outcome][op->kind / 64] >> (op->kind % 64) & 1))
        return;
    direct.over = false;
    rt.wire->result.directed.done = 0;
    direct.done &= ~(1u << direct.last_step);
    direct_give_up(HINDRANCE_OUTCOME, self, op);
}
