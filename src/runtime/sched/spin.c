/* SPDX-License-Identifier: MIT
 *
 * spin.c - a task that waits by looking again and again is passed over until what it looks at changes.
 *
 * DESIGN
 *   Between two changes that a task makes itself it may read only a few places in a loop.  We keep those (place, value) pairs; when
 *   one has been seen SPIN_LIMIT times with the same value the task is demoted: the strategy does not see it any more.
 *   A write to one of its places by another task, or a different value there, brings it back.  Demotion is a preference,
 *   never a block: when nobody else can run, spinners run.
 */
#include "runtime/sched/sched.h"

enum { SPIN_PLACES = 16, SPIN_LIMIT = 4 };

struct place {
    uintptr_t pc, address;
    uint64_t value;
    uint32_t seen;
};

struct spin {
    uint32_t count;
    bool demoted;
    struct place places[SPIN_PLACES];
};

static uint32_t demoted_count;

static void set_demoted(struct task *task, bool demoted)
{
    if (task->spin->demoted == demoted)
        return;
    task->spin->demoted = demoted;
    demoted_count += demoted ? 1 : -1u;
    sched_demote(task, demoted);
}

static void forget(struct task *task)
{
    task->spin->count = 0;
    set_demoted(task, false);
}

void spin_progress(struct task *self)
{
    sched_progress();
    if (self->spin != NULL && self->spin->count != 0)
        forget(self);
}

void spin_read(struct task *self, uintptr_t pc, uintptr_t address, uint64_t value)
{
    if (self->spin == NULL)
        self->spin = rt_alloc(sizeof *self->spin);
    struct spin *spin = self->spin;
    for (uint32_t i = 0; i < spin->count; i++) {
        struct place *place = &spin->places[i];
        if (place->pc != pc || place->address != address)
            continue;
        if (place->value != value) {
            forget(self);
            break;
        }
        if (++place->seen >= SPIN_LIMIT)
            set_demoted(self, true);
        return;
    }
    if (spin->count == SPIN_PLACES) { /* so many places are work, not waiting */
        sched_progress();
        forget(self);
    }
    spin->places[spin->count++] = (struct place){pc, address, value, 1};
}

void spin_written(uintptr_t address, uint32_t size)
{
    if (demoted_count == 0)
        return;
    for (uint32_t id = 0; id < rt.task_count; id++) {
        struct task *task = rt.tasks[id];
        if (task == NULL || task == rt.current || task->spin == NULL || !task->spin->demoted)
            continue;
        for (uint32_t i = 0; i < task->spin->count; i++)
            if (task->spin->places[i].address + 8 > address && task->spin->places[i].address < address + size) {
                forget(task);
                break;
            }
    }
}

void spin_ended(struct task *task)
{
    if (task->spin != NULL)
        forget(task);
}
