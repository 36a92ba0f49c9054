/* SPDX-License-Identifier: MIT
 *
 * spin.c - a task that waits by looking again and again is passed over until what it looks at changes.
 *
 * DESIGN
 *   Between two changes that a task makes itself it may read only a few places in a loop.  We keep those (place, value) pairs; when
 *   one has been seen LOOKS times with the same value, and no new place since, the task is demoted: the strategy does not see it any more.
 *   A write to one of its places by another task, a different value there or a place that it has not looked at brings it back.
 *   Demotion is a preference, never a block: when nobody else can run, spinners run.
 *
 *   A loop of plain reads alone, without anything that synchronises or passes time, hardly waits: nobody may write there meanwhile (it would
 *   be a race), and an optimising compiler reads but once.  It computes, up to a shared limit say, and who is passed over then does not
 *   get to what follows before all others have ended.  But an unoptimised program may wait like this, and a loop that counts
 *   cannot be told from one that waits and counts: so such a look is worth a part of another one.
 */
#include "runtime/sched/sched.h"

enum { SPIN_PLACES = 16, LOOKS = 4, LOOK = 64, PLAIN_LOOK = 1 };

struct place {
    uintptr_t pc, address;
    uint64_t value;
    uint32_t seen;   /* all looks since there was a new place, by their worth */
    uint32_t pauses; /* of the task at the last one */
    uint32_t count;  /* of places, then */
};

struct spin {
    uint32_t count;
    uint32_t pauses; /* how often the task has done something by which one waits */
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

/* A place that it has not looked at: whatever it has seen before, it has come further. */
static void add_place(struct task *self, uintptr_t pc, uintptr_t address, uint64_t value)
{
    struct spin *spin = self->spin;
    if (spin->count == SPIN_PLACES) { /* so many places are work, not waiting */
        sched_progress();
        forget(self);
    }
    set_demoted(self, false);
    uint32_t count = ++spin->count;
    spin->places[count - 1] = (struct place){pc, address, value, LOOK, spin->pauses, count};
}

void spin_read_plain(struct task *self, uintptr_t pc, uintptr_t address, uint64_t value)
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
        if (place->count != spin->count)
            place->seen = LOOK;
        place->seen += place->pauses != spin->pauses ? LOOK : PLAIN_LOOK;
        place->pauses = spin->pauses;
        place->count = spin->count;
        if (place->seen >= LOOKS * LOOK)
            set_demoted(self, true);
        return;
    }
    add_place(self, pc, address, value);
}

void spin_read(struct task *self, uintptr_t pc, uintptr_t address, uint64_t value)
{
    spin_pause(self);
    spin_read_plain(self, pc, address, value);
}

void spin_pause(struct task *self)
{
    if (self->spin != NULL)
        self->spin->pauses++;
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
