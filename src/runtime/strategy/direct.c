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
 * two tasks at first steps on different variables are no partners, one passes by; a beginning that fails is given up, and the
 * next one is tried in the same run.  By lot, some runs bring nobody forward, and some do the first step as soon as they can: what
 * has to happen before a step is then left to chance.
 *
 * Whether the pattern occurred is for the observer to say, from the events: what is noted here is how far it came and what stood
 * in the way.
 */
#include <sys/syscall.h>
#include <sys/uio.h>

#include "runtime/hooks/process.h"
#include "runtime/init.h"
#include "runtime/sched/sched.h"

enum { TRIES = 1000, HELD_LONGEST = 20000, HELD_LEAST = 256 };

struct variable {
    bool bound, is_object;
    uintptr_t lo, hi;
};

static struct {
    const struct wire_goal *goal;
    uint32_t done; /* steps: bits */
    bool over;     /* all done, or given up for good */
    struct task *threads[2];
    struct variable variables[2];
    uint64_t last[2]; /* the thread's operation that was its last step */
    struct task *go;  /* does step go_step next */
    unsigned go_step;
    uint32_t inside;              /* steps at whose doors the task has been let in: bits */
    const struct task *last_task; /* who did the last step, which may turn out as something else */
    unsigned last_step;
    bool holding;
    uint64_t lots;       /* by lot: how many times the order of tasks was drawn */
    bool at_once;        /* by lot: at each point anew */
    bool alone;          /* by lot: the first step is done as soon as somebody comes to it */
    bool anybody;        /* by lot: nobody is brought forward */
    uint64_t held_since; /* point */
    uint64_t patience;   /* points that somebody is held at most: less each time that it was for nothing */
} direct;

static const struct wire_goal_step *step_at(unsigned step)
{
    return &direct.goal->steps[step];
}

/* ---- operations and variables ----------------------------------------------------------------------------------------- */

static struct variable variable_of(const struct op *op, bool of_mutex)
{
    if (op_is_memory(op))
        return (struct variable){true, false, op->address, op->address + (op->size != 0 ? op->size : 1)};
    uintptr_t address = of_mutex && op->object2 != NULL ? op->object2->address : op->address;
    return (struct variable){true, true, address, address + 1};
}

static bool overlap(const struct variable *a, const struct variable *b)
{
    return a->is_object == b->is_object && a->lo < b->hi && b->lo < a->hi;
}

/* The operation accesses the variable, in whatever way. */
static bool touches(const struct op *op, const struct variable *variable)
{
    if (!variable->bound)
        return false;
    struct variable first = variable_of(op, false), second = variable_of(op, true);
    return overlap(&first, variable) || overlap(&second, variable);
}

static bool is_weak(const struct op *op)
{
    return op_is_read(op) || op->kind == OP_RWLOCK_RDLOCK || op->kind == OP_RWLOCK_TRYRDLOCK ||
           op->kind == OP_SEM_GETVALUE;
}

/* ---- steps ------------------------------------------------------------------------------------------------------------ */

static bool is_done(unsigned step)
{
    return direct.done >> step & 1;
}

static bool is_at_site(const struct wire_goal_step *step, uintptr_t pc)
{
    if (step->pcs[0] == 0)
        return true;
    for (unsigned i = 0; i < GOAL_PCS && step->pcs[i] != 0; i++)
        if (step->pcs[i] == pc)
            return true;
    return false;
}

/* What the task is about to do is what the step describes, whoever and whatever variable is bound. */
static bool matches(unsigned index, const struct task *task)
{
    const struct wire_goal_step *step = step_at(index);
    const struct op *op = task->pending;
    return op != NULL && (step->ops[op->kind / 64] >> (op->kind % 64) & 1) && is_at_site(step, op->pc) &&
           (step->task == UINT16_MAX || step->task == task->id) &&
           (step->occurrence == 0 || task->strategy[index] + 1 == step->occurrence) &&
           (step->context == 0 || record_context(task) == step->context);
}

/* The thread's next step; GOAL_STEPS if it has done all. */
static unsigned next_of(unsigned thread)
{
    for (unsigned i = 0; i < direct.goal->count; i++)
        if (step_at(i)->thread == thread && !is_done(i))
            return i;
    return GOAL_STEPS;
}

/* All that must come before the step has been done. */
static bool is_due(unsigned index)
{
    for (unsigned i = 0; i < direct.goal->count; i++)
        if (step_at(i)->group < step_at(index)->group && !is_done(i))
            return false;
    return true;
}

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

/* By lot, a beginning is let pass now and then, so that later occurrences get their chance: with odds that the seed sets. */
static bool is_let_pass(const struct task *task, unsigned index)
{
    if (!(direct.goal->flags & GOAL_BY_LOT) || direct.done != 0)
        return false;
    uint64_t seed = rt.wire->plan.seed;
    return (mix(seed ^ ((uint64_t)task->id << 56) ^ ((uint64_t)index << 52) ^ task->operations) & 3) < seed % 4;
}

/* Whether the memory is as the compare-and-swap expects it, now; of memory that is not there nothing is known. */
static bool is_as_expected(const struct op *op, bool *known)
{
    uint64_t found = 0, expected = 0;
    struct iovec here[2] = {{&found, op->size}, {&expected, op->size}};
    struct iovec there[2] = {{(void *)op->address, op->size}, {(void *)(uintptr_t)op->argument, op->size}};
    long got = syscall_raw(SYS_process_vm_readv, process_raw_getpid(), (long)here, 2, (long)there, 2, 0);
    *known = got == 2 * (long)op->size;
    return found == expected;
}

/* Done now, it would turn out as something else than the step.  If a step that has to come immediately before is still to be
   done, nobody can say. */
static bool would_turn_out_wrong(const struct task *task, unsigned index)
{
    const struct wire_goal_step *step = step_at(index);
    const struct op *op = task->pending;
    const uint64_t(*refused)[2] = step->refused;
    unsigned word = (unsigned)op->kind / 64, bit = (unsigned)op->kind % 64;
    if (op->kind != OP_ATOMIC_CAS || op->argument == 0 || op->size > sizeof(uint64_t) ||
        !((refused[0][word] | refused[1][word]) >> bit & 1))
        return false;
    if (step->immediate != 0 && !is_done(step->immediate - 1))
        return false;
    bool known, succeeds = is_as_expected(op, &known);
    return known && (refused[succeeds ? 0 : 1][word] >> bit & 1);
}

/* The task stands before this step, and may be the one to do it, now or later. */
static bool comes_to(const struct task *task, unsigned index)
{
    if (index == GOAL_STEPS || task->pending == NULL || task->state == TASK_ENDED)
        return false;
    const struct wire_goal_step *step = step_at(index);
    const struct task *bound = direct.threads[step->thread];
    if (bound != NULL ? bound != task : direct.threads[1 - step->thread] == task)
        return false;
    if (!matches(index, task) || is_let_pass(task, index))
        return false;
    rt.wire->result.directed.reached |= 1u << index;
    const struct variable *variable = &direct.variables[step->variable];
    struct variable own = variable_of(task->pending, step->of_mutex);
    return !variable->bound || overlap(variable, &own);
}

/* It may be the one to do it now. */
static bool stands_at(const struct task *task, unsigned index)
{
    return comes_to(task, index) && !would_turn_out_wrong(task, index);
}

/* The task is about to enter the critical section of the thread's next step. */
static bool stands_at_door(const struct task *task, unsigned thread)
{
    unsigned next = next_of(thread);
    if (next == GOAL_STEPS || (direct.inside >> next & 1))
        return false;
    const struct wire_goal_step *step = step_at(next);
    if (step->door == 0 || task->pending == NULL)
        return false;
    if (direct.last[thread] != 0)
        return direct.threads[thread] == task && task->operations == direct.last[thread] + step->door;
    return step->task == task->id && task->operations == step->door;
}

/* Doing it now would come between two steps that have to follow each other. */
static bool breaks(const struct task *task, const struct op *op)
{
    for (unsigned i = 0; i < direct.goal->count && direct.done != 0; i++) {
        const struct wire_goal_step *step = step_at(i);
        if (is_done(i) || !touches(op, &direct.variables[step->variable]))
            continue;
        unsigned before = step->immediate;
        if (before != 0 && is_done(before - 1) && (!is_weak(op) || (step->strong && step_at(before - 1)->strong)))
            return true;
        if ((direct.goal->flags & GOAL_UNINTERRUPTED) && step->thread == 0 && task == direct.threads[0])
            return true;
    }
    return false;
}

/* ---- beginnings ------------------------------------------------------------------------------------------------------- */

static void give_up(enum wire_hindrance hindrance, const struct task *task, const struct op *op)
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
    for (unsigned i = 0; i < direct.goal->count; i++) /* doors of first steps have been passed once and for all */
        if (direct.last[step_at(i)->thread] != 0 && next_of(step_at(i)->thread) <= i)
            direct.inside &= ~(1u << i);
    direct.done = 0;
    direct.go = NULL;
    direct.threads[0] = direct.threads[1] = NULL;
    direct.variables[0].bound = direct.variables[1].bound = false;
    direct.last[0] = direct.last[1] = 0;
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

static void choose_step(struct task *task, unsigned index)
{
    direct.go = task;
    direct.go_step = index;
    direct.threads[step_at(index)->thread] = task;
}

/* The task is where the thread's first step begins: a step on a variable of its own may also be waited for at its door. */
static bool is_in_place(const struct task *task, unsigned thread, bool same)
{
    return stands_at(task, next_of(thread)) || (!same && stands_at_door(task, thread));
}

/* Nothing is done yet: two tasks that stand at the first steps of a and b, on one variable if the steps are. */
static void begin_together(void)
{
    unsigned thread = is_due(next_of(0)) ? 0 : 1;
    unsigned first = next_of(thread), second = next_of(1 - thread);
    bool same = step_at(first)->variable == step_at(second)->variable;
    for (uint32_t i = 0; i < rt.task_count; i++) {
        struct task *one = rt.tasks[i];
        if (one == NULL || !stands_at(one, first) || one->ready != READY_YES)
            continue;
        struct variable own = variable_of(one->pending, step_at(first)->of_mutex);
        for (uint32_t j = 0; j < rt.task_count; j++) {
            struct task *two = rt.tasks[j];
            if (two == NULL || two == one || !is_in_place(two, 1 - thread, same))
                continue;
            struct variable other = variable_of(two->pending, step_at(second)->of_mutex);
            if (same && !overlap(&own, &other))
                continue;
            choose_step(one, first);
            direct.threads[1 - thread] = two;
            return;
        }
        if (direct.alone) {
            choose_step(one, first);
            return;
        }
    }
}

/* The step that has to follow this one immediately is another thread's next one, and nobody stands there yet. */
static bool waits_for_partner(unsigned index)
{
    for (unsigned i = 0; i < direct.goal->count; i++) {
        const struct wire_goal_step *step = step_at(i);
        if (step->immediate != index + 1 || is_done(i) || next_of(step->thread) != i)
            continue;
        for (uint32_t k = 0; k < rt.task_count; k++)
            if (rt.tasks[k] != NULL && stands_at(rt.tasks[k], i))
                return false;
        return true;
    }
    return false;
}

/* In the middle: somebody who can do a step that is due. */
static void go_on(bool alone)
{
    for (unsigned thread = 0; thread < 2; thread++) {
        unsigned next = next_of(thread);
        if (next == GOAL_STEPS || !is_due(next) || (!alone && waits_for_partner(next)))
            continue;
        for (uint32_t i = 0; i < rt.task_count; i++) {
            struct task *task = rt.tasks[i];
            if (task != NULL && stands_at(task, next) && task->ready == READY_YES) {
                choose_step(task, next);
                return;
            }
        }
    }
}

/* Who is to do the next step of this thread, as far as it is known. */
static struct task *actor(unsigned thread)
{
    unsigned next = next_of(thread);
    if (next == GOAL_STEPS || direct.threads[thread] != NULL)
        return next == GOAL_STEPS ? NULL : direct.threads[thread];
    uint32_t id = step_at(next)->task;
    return id < rt.task_count ? rt.tasks[id] : NULL;
}

/* In the middle, one who waits at the door of its next step is let in when the other one is in its place. */
static void let_in(void)
{
    for (unsigned thread = 0; thread < 2; thread++) {
        const struct task *task = actor(thread), *other = actor(1 - thread);
        unsigned next = next_of(thread), partner = next_of(1 - thread);
        if (next == GOAL_STEPS || !is_due(next) || task == NULL || !stands_at_door(task, thread))
            continue;
        if (partner == GOAL_STEPS || step_at(partner)->immediate != next + 1 ||
            (other != NULL && (stands_at(other, partner) || stands_at_door(other, 1 - thread))))
            direct.inside |= 1u << next;
    }
}

/* A beginning that can lead nowhere any more is given up. */
static void check_hopeless(void)
{
    for (unsigned thread = 0; thread < 2; thread++) {
        const struct task *task = direct.threads[thread];
        unsigned next = next_of(thread);
        if (task == NULL || next == GOAL_STEPS)
            continue;
        if (task->state == TASK_ENDED) {
            give_up(HINDRANCE_ENDED, task, NULL);
            return;
        }
        bool has_begun = direct.last[thread] != 0;
        if (has_begun && direct.goal->window != 0 && task->operations > direct.last[thread] + direct.goal->window) {
            give_up(HINDRANCE_WINDOW, task, task->pending);
            return;
        }
    }
}

static void decide(void)
{
    if (direct.done != 0)
        check_hopeless();
    if (direct.over || direct.go != NULL)
        return;
    if (direct.done == 0) {
        direct.threads[0] = direct.threads[1] = NULL;
        begin_together();
    } else {
        let_in();
        go_on(false);
    }
}

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
    uint64_t lot = mix(rt.wire->plan.seed + 1);
    direct.at_once = lot & 1;
    direct.anybody = (direct.goal->flags & GOAL_BY_LOT) && (lot & 2);
    direct.alone = direct.anybody && (lot & 4);
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
    return comes_to(task, next_of(0)) || comes_to(task, next_of(1)) || stands_at_door(task, 0) ||
           stands_at_door(task, 1) || breaks(task, task->pending);
}

static void hold(struct task_set *set)
{
    decide();
    if (direct.over)
        return;
    struct task_set kept = *set;
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
        give_up(HINDRANCE_ALONE, direct.threads[0], NULL);
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

/* The one that is first by lot: for a while, or at each operation anew, as in pos.c. */
static struct task *by_lot(const struct task_set *candidates, bool anew)
{
    enum { WHILE = 32 }; /* points, on average */
    if (!anew && rt.task_count > 1 && sched_random_below(WHILE) == 0)
        direct.lots++;
    struct task *first = NULL;
    uint64_t least = UINT64_MAX;
    SET_EACH(task, candidates)
    {
        uint64_t turn =
            anew ? (uint64_t)task->id << 48 ^ task->operations : (uint64_t)task->id << 32 ^ direct.lots << 44;
        uint64_t lot = mix(rt.wire->plan.seed ^ turn);
        if (lot < least) {
            least = lot;
            first = task;
        }
    }
    return first;
}

static struct task *by_rank(struct task *self, const struct task_set *candidates)
{
    if (direct.goal->flags & GOAL_BY_LOT)
        return by_lot(candidates, direct.over || direct.at_once);
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
    struct task_set others = *candidates;
    for (unsigned i = 0; i < 2; i++) {
        unsigned thread = i == 0 ? first_thread() : 1 - first_thread();
        struct task *task = actor(thread);
        if (task == NULL && step_at(next_of(thread))->task == UINT16_MAX)
            continue;
        if (task != NULL && (stands_at(task, next_of(thread)) || stands_at_door(task, thread)))
            continue;
        struct task *next = task != NULL ? toward(task, &others) : NULL;
        if (next != NULL && !(direct.goal->flags & GOAL_OTHERS_FIRST))
            return next;
        struct task *second = actor(1 - thread);
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
        unsigned thread = i % 2, next = next_of(thread);
        struct task *task = next != GOAL_STEPS && is_due(next) == (i < 2) ? actor(thread) : NULL;
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
    unsigned first = next_of(0), second = next_of(1);
    if (step_at(first)->variable != step_at(second)->variable)
        return NULL;
    struct task *ones[2] = {NULL, NULL};
    SET_EACH(task, held)
    {
        if (ones[0] == NULL && stands_at(task, first))
            ones[0] = task;
        else if (ones[1] == NULL && stands_at(task, second))
            ones[1] = task;
    }
    if (ones[0] == NULL || ones[1] == NULL)
        return NULL;
    unsigned later = 1 - first_thread();
    if (direct.goal->flags & GOAL_BY_LOT)
        later = (unsigned)sched_random_below(2);
    struct variable a = variable_of(ones[0]->pending, step_at(first)->of_mutex),
                    b = variable_of(ones[1]->pending, step_at(second)->of_mutex);
    return overlap(&a, &b) ? NULL : ones[later];
}

/* Everybody who can run is held.  In the middle the one that the next step waits for goes, or one that breaks nothing.  At the
   beginning a task that stands at the very first step does it alone, in the hope that its partner comes. */
static struct task *release(const struct task_set *held)
{
    struct task_set choice = *held;
    if (direct.done == 0) {
        for (unsigned i = 0; i < 2; i++) {
            unsigned thread = i == 0 ? first_thread() : 1 - first_thread();
            SET_EACH(task, held)
            {
                if (stands_at_door(task, thread)) {
                    direct.inside |= 1u << next_of(thread);
                    return task;
                }
            }
        }
        struct task *passing = pass_by(held);
        if (passing != NULL)
            return passing;
        unsigned first = next_of(is_due(next_of(0)) ? 0 : 1);
        SET_EACH(task, held)
        {
            set_put(&choice, task, stands_at(task, first));
        }
        if (set_empty(&choice)) {
            if (rt.wire->result.directed.most == 0)
                give_up(HINDRANCE_ALONE, set_next(held, -1), set_next(held, -1)->pending);
            return set_nth(held, sched_random_below(set_count(held)));
        }
        struct task *alone = set_nth(&choice, sched_random_below(set_count(&choice)));
        choose_step(alone, first);
        return alone;
    }
    go_on(true);
    if (direct.go != NULL && set_has(held, direct.go))
        return direct.go;
    direct.go = NULL;
    for (unsigned thread = 0; thread < 2; thread++) { /* nobody comes: in without him */
        struct task *task = actor(thread);
        if (task != NULL && set_has(held, task) && stands_at_door(task, thread) && !breaks(task, task->pending)) {
            direct.inside |= 1u << next_of(thread);
            return task;
        }
    }
    for (unsigned thread = 0; thread < 2; thread++) {
        struct task *task = actor(thread);
        task = task != NULL && is_due(next_of(thread)) ? toward(task, held) : NULL;
        if (task != NULL && !breaks(task, task->pending))
            return task;
    }
    SET_EACH(task, held)
    {
        set_put(&choice, task, !breaks(task, task->pending));
    }
    if (set_empty(&choice))
        choice = *held;
    return set_nth(&choice, sched_random_below(set_count(&choice)));
}

static void step_done(struct task *self, const struct op *op)
{
    unsigned index = direct.go_step;
    const struct wire_goal_step *step = step_at(index);
    direct.go = NULL;
    if (!direct.variables[step->variable].bound)
        direct.variables[step->variable] = variable_of(op, step->of_mutex);
    direct.done |= 1u << index;
    direct.last[step->thread] = self->operations;
    direct.last_task = self;
    direct.last_step = index;
    if (next_of(0) == GOAL_STEPS && next_of(1) == GOAL_STEPS)
        complete();
}

/* What was done as a step has turned out as something else: a compare-and-swap that failed. */
static void turned_out(struct task *self, const struct op *op, uint8_t flags)
{
    if (direct.last_task != self)
        return;
    direct.last_task = NULL;
    unsigned failed = (flags & (EVENT_FAILED | EVENT_UNCHANGED)) != 0;
    if (!(step_at(direct.last_step)->refused[failed][op->kind / 64] >> (op->kind % 64) & 1))
        return;
    direct.over = false;
    rt.wire->result.directed.done = 0;
    direct.done &= ~(1u << direct.last_step);
    give_up(HINDRANCE_OUTCOME, self, op);
}

static void count_occurrences(struct task *task, uintptr_t pc, uint64_t times)
{
    for (unsigned i = 0; i < direct.goal->count && i < GOAL_STEPS; i++)
        if (step_at(i)->pcs[0] != 0 && is_at_site(step_at(i), pc))
            task->strategy[i] += times;
}

static void executed(struct task *self, const struct op *op)
{
    if (!direct.over) {
        if (self == direct.go)
            step_done(self, op);
        else if (breaks(self, op))
            give_up(HINDRANCE_BROKEN, self, op);
    }
    count_occurrences(self, op->pc, 1);
}

/* A task that is alone may come to a step, or to the door of one. */
static bool minds(const struct task *task, uintptr_t pc)
{
    const struct wire_goal *goal = &rt.wire->plan.goal;
    for (unsigned i = 0; i < goal->count && i < GOAL_STEPS; i++) {
        const struct wire_goal_step *step = &goal->steps[i];
        if (step->task != UINT16_MAX && step->task != task->id)
            continue;
        if (is_at_site(step, pc) || (step->door != 0 && step->door < task->operations))
            return true;
    }
    return false;
}

const struct strategy strategy_direct = {.begin = begin,
                                         .pick = pick,
                                         .executed = executed,
                                         .turned_out = turned_out,
                                         .hold = hold,
                                         .release = release,
                                         .recall = count_occurrences,
                                         .minds = minds};
