/* SPDX-License-Identifier: MIT
 *
 * direct_watch.c - which task is at which step of the goal, and which operation would break it; see direct.c.
 */
#include <sys/syscall.h>
#include <sys/uio.h>

#include "runtime/arch/arch.h"
#include "runtime/model/object.h"
#include "runtime/raw.h"
#include "runtime/record.h"
#include "runtime/sched/strategy.h"
#include "runtime/strategy/direct_private.h"

/* ---- operations and variables ----------------------------------------------------------------------------------------- */

struct variable direct_variable_of(const struct op *op, bool of_mutex)
{
    if (op_is_memory(op))
        return (struct variable){true, false, op->address, op->address + (op->size != 0 ? op->size : 1)};
    uintptr_t address = of_mutex && op->object2 != NULL ? op->object2->address : op->address;
    return (struct variable){true, true, address, address + 1};
}

bool direct_overlap(const struct variable *a, const struct variable *b)
{
    return a->is_object == b->is_object && a->lo < b->hi && b->lo < a->hi;
}

/* The second half of waiting for a futex: no access of its own. */
static bool is_waking(const struct op *op)
{
    return op->kind == OP_FUTEX_WAIT && op->object != NULL;
}

/* Whether memory has the value that the operation expects.  If it cannot be read, that is not known. */
static bool is_as_expected(const struct op *op, bool *known)
{
    uint64_t found = 0, expected = 0;
    struct iovec here[2] = {{&found, op->size}, {&expected, op->size}};
    struct iovec there[2] = {{(void *)op->address, op->size}, {(void *)(uintptr_t)op->argument, op->size}};
    long got = syscall_raw(SYS_process_vm_readv, raw_getpid(), (long)here, 2, (long)there, 2, 0);
    *known = got == 2 * (long)op->size;
    return found == expected;
}

/* How the operation would turn out if it were done now. */
static enum wire_outcome outcome_of(const struct op *op, bool *known)
{
    *known = false;
    bool asks = op->kind == OP_ATOMIC_CAS || op->kind == OP_ATOMIC_RMW || op->kind == OP_FUTEX_WAIT;
    if (!asks || op->argument == 0 || op->size > sizeof(uint64_t) || is_waking(op))
        return OUTCOME_DONE;
    bool equal = is_as_expected(op, known);
    if (op->kind == OP_ATOMIC_CAS)
        return equal ? OUTCOME_DONE : OUTCOME_FAILED;
    if (op->kind == OP_ATOMIC_RMW) /* writes what is there */
        return equal ? OUTCOME_UNCHANGED : OUTCOME_DONE;
    return equal ? OUTCOME_UNCHANGED : OUTCOME_FAILED; /* goes to sleep, or not */
}

/* It only reads the variable, or would leave it unchanged. */
static bool is_weak(const struct op *op)
{
    bool known;
    if (op->kind == OP_ATOMIC_CAS || op->kind == OP_ATOMIC_RMW)
        return outcome_of(op, &known) != OUTCOME_DONE && known;
    return op_facts[op->kind].effect != EFFECT_NONE && !op_facts[op->kind].strong;
}

bool direct_touches(const struct op *op, const struct variable *variable)
{
    bool known;
    if (!variable->bound || is_waking(op) ||
        (op->kind == OP_FUTEX_WAIT && outcome_of(op, &known) == OUTCOME_FAILED && known))
        return false;
    struct variable first = direct_variable_of(op, false), second = direct_variable_of(op, true);
    return direct_overlap(&first, variable) || direct_overlap(&second, variable);
}

/* ---- steps ------------------------------------------------------------------------------------------------------------ */

bool direct_is_done(unsigned step)
{
    return direct.done >> step & 1;
}

bool direct_is_at_site(const struct wire_goal_step *step, uintptr_t pc)
{
    if (step->pcs[0] == 0)
        return true;
    for (unsigned i = 0; i < GOAL_PCS && step->pcs[i] != 0; i++)
        if (step->pcs[i] == pc)
            return true;
    return false;
}

/* The published operation of the task is what the step describes, regardless of the bound tasks and variables. */
static bool matches(unsigned index, const struct task *task)
{
    const struct wire_goal_step *step = direct_step(index);
    const struct op *op = task->pending;
    return direct_is_at_site(step, op->pc) && !is_waking(op) && (step->task == UINT16_MAX || step->task == task->id) &&
           (step->occurrence == 0 || task->strategy[index] + 1 == step->occurrence) &&
           (step->context == 0 || record_context(task) == step->context);
}

void direct_find_next(void)
{
    direct.next[0] = direct.next[1] = GOAL_STEPS;
    for (unsigned i = direct.goal->count; i-- > 0;)
        if (!direct_is_done(i))
            direct.next[direct_step(i)->thread] = (uint8_t)i;
    direct.next_for = direct.done;
}

bool direct_is_open(unsigned variable)
{
    for (unsigned i = 0; i < direct.goal->count; i++)
        if (direct_step(i)->variable == variable && !direct_is_done(i))
            return true;
    return false;
}

bool direct_is_due(unsigned index)
{
    for (unsigned i = 0; i < direct.goal->count; i++)
        if (direct_step(i)->group < direct_step(index)->group && !direct_is_done(i))
            return false;
    return true;
}

/* GOAL_AT_RANDOM: some occurrences of the first step on a variable are skipped, so that later ones are tried too.  The seed sets how
   many. */
static bool is_skipped(const struct task *task, unsigned index)
{
    if (!(direct.goal->flags & GOAL_AT_RANDOM) ||
        (direct.done != 0 && direct.variables[direct_step(index)->variable].bound))
        return false;
    uint64_t seed = rt.wire->plan.seed;
    return (rt_mix(seed ^ ((uint64_t)task->id << 56) ^ ((uint64_t)index << 52) ^ task->operations) & 3) < seed % 4;
}

/* If the operation were done now, it would be another kind of access than the step.  False also if a step that has to come immediately before
   is not done yet: then it is not known. */
static bool would_turn_out_wrong(const struct task *task, unsigned index)
{
    const struct wire_goal_step *step = direct_step(index);
    const struct op *op = task->pending;
    unsigned word = (unsigned)op->kind / 64, bit = (unsigned)op->kind % 64;
    uint64_t ever = 0;
    for (unsigned i = 0; i < OUTCOMES; i++)
        ever |= step->refused[i][word];
    if (!(ever >> bit & 1) || (step->immediate != 0 && !direct_is_done(step->immediate - 1)))
        return false;
    bool known;
    enum wire_outcome outcome = outcome_of(op, &known);
    return known && (step->refused[outcome][word] >> bit & 1);
}

bool direct_may_do_kind(const struct task *task, unsigned index)
{
    if (task->state == TASK_ENDED)
        return false;
    const struct wire_goal_step *step = direct_step(index);
    const struct task *bound = direct.threads[step->thread];
    if (bound != NULL ? bound != task : direct.threads[1 - step->thread] == task)
        return false;
    if (!matches(index, task) || is_skipped(task, index))
        return false;
    rt.wire->result.directed.reached |= 1u << index;
    const struct variable *variable = &direct.variables[step->variable];
    struct variable own = direct_variable_of(task->pending, step->of_mutex);
    return !variable->bound || direct_overlap(variable, &own);
}

bool direct_is_at_step(const struct task *task, unsigned index)
{
    return direct_may_do(task, index) && !would_turn_out_wrong(task, index);
}

bool direct_is_at_entry(const struct task *task, unsigned thread)
{
    unsigned next = direct_next_of(thread);
    if (next == GOAL_STEPS || (direct.entered >> next & 1) || (direct.goal->flags & GOAL_AT_ONCE))
        return false;
    const struct wire_goal_step *step = direct_step(next);
    if (step->section_entry == 0 || task->pending == NULL)
        return false;
    if (direct.last[thread] != 0)
        return direct.threads[thread] == task && task->operations == direct.last[thread] + step->section_entry;
    return step->task == task->id && task->operations == step->section_entry;
}

bool direct_is_suspended(const struct task *task)
{
    if (!(direct.goal->flags & GOAL_AT_ONCE) || task == direct.resumed)
        return false;
    for (unsigned thread = 0; thread < 2; thread++) {
        unsigned next = direct_next_of(thread);
        if (direct.threads[thread] == task && direct.last[thread] != 0 && next != GOAL_STEPS && !direct_is_due(next))
            return true;
    }
    return false;
}

uint64_t direct_unit_of(const struct task *task, unsigned index)
{
    unsigned depth = direct_step(index)->unit_depth;
    if (depth == UNIT_MARKED)
        return task->unit.within > 0 ? task->unit.number : 0;
    return depth > 0 && task->frames != NULL && depth <= task->depth && depth <= TASK_FRAMES
               ? task->frames[depth - 1].number
               : 0;
}

bool direct_has_left_unit(const struct task *task, unsigned thread)
{
    unsigned next = direct_next_of(thread);
    return next != GOAL_STEPS && direct.last[thread] != 0 && direct.unit[thread] != 0 && task->pending != NULL &&
           direct_step(next)->unit_depth != 0 && direct_unit_of(task, next) != direct.unit[thread];
}

bool direct_breaks(const struct task *task, const struct op *op)
{
    for (unsigned i = 0; i < direct.goal->count && direct.done != 0; i++) {
        const struct wire_goal_step *step = direct_step(i);
        if (direct_is_done(i) || !direct_touches(op, &direct.variables[step->variable]))
            continue;
        unsigned before = step->immediate;
        if (before != 0 && direct_is_done(before - 1) &&
            (!is_weak(op) || (step->strong && direct_step(before - 1)->strong)))
            return true;
        if ((direct.goal->flags & GOAL_UNINTERRUPTED) && step->thread == 0 && task == direct.threads[0])
            return true;
    }
    return false;
}
