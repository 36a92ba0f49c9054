/* SPDX-License-Identifier: MIT
 *
 * atom.c - in an atomic block a lock is released and taken again: another task takes and releases it in between.
 *
 * C. Park, K. Sen, "Randomized Active Atomicity Violation Detection in Concurrent Programs", FSE 2008 (AtomFuzzer).
 *
 * The pattern is a:unlock(l) << b:lock(l) < b:unlock(l) << a:lock(l), where a is in one atomic block all the time (the family `atom`).  As in
 * the paper, a block is taken to be atomic if it holds another lock from its beginning to its end: a critical section.  The task of the
 * block is held where it is about to take the lock again, until another task has taken and released it; then the run goes on at random.
 *
 * Where it differs: instead of pausing at random wherever the lock is about to be taken again, each pair of places is aimed at, from a
 * prediction (predict/, director.h).  A block is known from the runs in which it was entered, of any technique.
 */
#include <stdlib.h>

#include "technique/aim.h"
#include "technique/techniques.h"
#include "util/memory.h"

struct held_lock {
    uint64_t lock;
    uint32_t depth;
    uint64_t since; /* number of the event that took it */
};

/* What a task has released: where, and when. */
struct released_lock {
    uint64_t lock, number;
    uint32_t site;
};

struct atom_task {
    VECTOR(struct held_lock) held;
    VECTOR(struct released_lock) released; /* one for each lock */
};

struct atom {
    struct aim aim;
    struct table blocks; /* site where a lock was released, site where it was taken again, inside an atomic block → 1 */
    VECTOR(struct atom_task) tasks;
};

/* ---- blocks ------------------------------------------------------------------------------------------------------- */

static uint64_t block_key(uint32_t released, uint32_t taken)
{
    return (uint64_t)released << 32 | taken;
}

static bool is_in_block(const void *context, const struct instance *instance)
{
    const struct atom *atom = context;
    return table_get(&atom->blocks, block_key(instance->site[0], instance->site[3])) != NULL;
}

static struct held_lock *find_held(struct atom_task *task, uint64_t lock)
{
    for (size_t i = 0; i < task->held.count; i++)
        if (task->held.data[i].lock == lock)
            return &task->held.data[i];
    return NULL;
}

/* Since before that event the task has held another lock: it is in one atomic block. */
static bool holds_since(const struct atom_task *task, uint64_t number)
{
    for (size_t i = 0; i < task->held.count; i++)
        if (task->held.data[i].since < number)
            return true;
    return false;
}

static void take_lock(struct atom *atom, struct atom_task *task, const struct access *access, uint32_t site,
                      uint64_t number)
{
    struct held_lock *held = find_held(task, access->lo);
    if (held != NULL) {
        held->depth++;
        return;
    }
    for (size_t i = 0; i < task->released.count; i++)
        if (task->released.data[i].lock == access->lo && holds_since(task, task->released.data[i].number))
            *table_put(&atom->blocks, block_key(task->released.data[i].site, site)) = 1;
    vector_push(&task->held, ((struct held_lock){access->lo, 1, number}));
}

static void release_lock(struct atom_task *task, const struct access *access, uint32_t site, uint64_t number)
{
    struct held_lock *held = find_held(task, access->lo);
    if (held == NULL || --held->depth > 0)
        return;
    *held = task->held.data[--task->held.count];
    for (size_t i = 0; i < task->released.count; i++)
        if (task->released.data[i].lock == access->lo) {
            task->released.data[i] = (struct released_lock){access->lo, number, site};
            return;
        }
    vector_push(&task->released, ((struct released_lock){access->lo, number, site}));
}

static void forget_tasks(struct atom *atom)
{
    for (size_t i = 0; i < atom->tasks.count; i++) {
        vector_clear(&atom->tasks.data[i].held);
        vector_clear(&atom->tasks.data[i].released);
    }
}

/* Which locks are released and taken again in atomic blocks. */
static void find_blocks(struct atom *atom, const struct execution *execution)
{
    forget_tasks(atom);
    while (atom->tasks.count < execution_task_count(execution))
        vector_push(&atom->tasks, ((struct atom_task){0}));
    for (uint32_t i = 0; i < execution_count(execution); i++) {
        unsigned count;
        const struct event *event = execution_event(execution, i);
        const struct access *accesses = execution_accesses(execution, i, &count);
        struct atom_task *task = &atom->tasks.data[event->task];
        for (unsigned k = 0; k < count; k++) {
            if (accesses[k].kind == ACCESS_LOCK)
                take_lock(atom, task, &accesses[k], event->site, i);
            else if (accesses[k].kind == ACCESS_UNLOCK)
                release_lock(task, &accesses[k], event->site, i);
        }
    }
}

/* ---- the technique ------------------------------------------------------------------------------------------------ */

static void *open_atom(const struct technique_setup *setup, struct error *error)
{
    struct atom *atom = memory_allocate(1, sizeof *atom);
    atom->aim =
        (struct aim){.setup = *setup, .rows = family_by_name("atom", error), .wants = is_in_block, .context = atom};
    return atom;
}

static void close_atom(void *state)
{
    struct atom *atom = state;
    aim_close(&atom->aim);
    table_free(&atom->blocks);
    for (size_t i = 0; i < atom->tasks.count; i++) {
        vector_free(&atom->tasks.data[i].held);
        vector_free(&atom->tasks.data[i].released);
    }
    vector_free(&atom->tasks);
    free(atom);
}

static void plan_run(void *state, struct technique_run *run)
{
    aim_plan(&((struct atom *)state)->aim, run, run->own);
}

static bool observe_run(void *state, const struct technique_run *run, const struct technique_seen *seen)
{
    struct atom *atom = state;
    if (seen->observed && !seen->execution->begins_late)
        find_blocks(atom, seen->execution);
    if (run != NULL)
        aim_observe(&atom->aim, run, run->own, seen);
    return false;
}

static void abandon_run(void *state, const struct technique_run *run)
{
    aim_abandon(&((struct atom *)state)->aim, run->own);
}

static void count(const void *state, uint64_t *values)
{
    aim_counts(state != NULL ? &((const struct atom *)state)->aim : NULL, values);
}

static void summarise(const void *state, struct buffer *out)
{
    aim_summarise(&((const struct atom *)state)->aim, "block", out);
}

static const char *const counters[] = {AIM_COUNTERS};

const struct technique technique_atom = {
    .name = "atom",
    .help = "has another thread take a lock where an atomic block has released it and will take it again",
    .flags = TECHNIQUE_COVERAGE | TECHNIQUE_AIMS,
    .families = "atom",
    .strategy = STRATEGY_RANDOM,
    .run_size = sizeof(struct aim_run),
    .counters = counters,
    .open = open_atom,
    .plan = plan_run,
    .observe = observe_run,
    .abandon = abandon_run,
    .counts = count,
    .summary = summarise,
    .close = close_atom,
};
