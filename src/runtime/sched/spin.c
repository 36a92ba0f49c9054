/* SPDX-License-Identifier: MIT
 *
 * spin.c - a task that waits by reading the same places again and again is passed over until one of them changes.
 *
 * DESIGN
 *   Between two changes that a task makes itself it may read only a few places in a loop.  Those (place, value) pairs are kept.  When
 *   one has been read LOOKS times with the same value, and no new place since, the task is demoted: the strategy is not offered it any more.
 *   A write to one of its places by another task, a different value there or a new place ends that.
 *   A demoted task is never blocked: when no other task can run, spinning tasks run.
 *
 *   A loop of plain reads alone, without synchronisation or a pause, hardly ever waits: no other task may write there meanwhile (that
 *   would be a race), and an optimising compiler reads only once.  It computes, up to a shared limit for example.  If it were passed over, it
 *   would go on only after all other tasks have ended.  But an unoptimised program may wait like this, and a loop that
 *   counts looks the same as one that waits and counts.  So a plain read counts only a fraction of another one.
 *
 *   A loop may write and undo it: add one, read, subtract one.  An atomic write that finds the same value as before counts as a read, too,
 *   and a round of such a loop changes nothing if what it adds to each location is 0 in the end.  The task is demoted only where
 *   everything is undone.  Two such loops must not wake each other for ever.  So what other tasks have added and may undo is subtracted
 *   from the values that a task reads, and repeated writes do not wake other spinning tasks.  They are woken as soon as the task does
 *   something else before it has undone its writes.
 *
 *   Where that is not good enough (depth-first search must not lose a schedule, time must not pass while a task could go on), a
 *   demoted task still counts as one that can run until it is certain that it waits: it has returned to a state
 *   in which it has been (watch.h).  A loop that counts never does.  After many reads it is assumed to wait, and depth-first
 *   search reports that.  It also reports loops that write, since other tasks see what they undo in their first rounds only.  Loops that only
 *   read are woken by every write, and read the new value.
 */
#include "runtime/sched/spin.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/watch.h"

enum {
    SPIN_PLACES = 16,
    LOOKS = 4,
    LOOK = 64, /* the weight of one read */
    WRITE_LOOK = 16,
    PLAIN_LOOK = 1,
    UNDOS = 4,
    PERIOD = 4,          /* rounds after which a state may repeat */
    LOOKS_DFS = 16,      /* then a loop that counts is assumed to wait */
    LOOKS_PATIENT = 1024 /* the same where a wrong guess costs only time */
};

struct spin_place {
    uintptr_t pc, address;
    uint64_t value;
    uint32_t seen;   /* reads since there was a new place, by weight */
    uint32_t pauses; /* of the task at the last one */
    uint32_t count;  /* of places, then */
    uint32_t writes; /* of the task, at the last read */
    bool is_lock;    /* a lock that was free: its unlock does not wake the task if certainty is needed */
};

/* A location that the task has written to, and what its writes have added up to: not 0. */
struct undo {
    uintptr_t address;
    uint64_t added;
    uint32_t number; /* of the task's last write there */
};

struct spin {
    uint32_t count, undo_count, round_count;
    uint32_t pauses; /* how often the task has done an operation that is typical for waiting */
    uint32_t write_count;
    bool demoted, certain;
    bool followed; /* its states are digested: a round begins at place `head` */
    bool returns;  /* ... and its states repeat */
    bool writes;   /* in its loop */
    uint32_t head;
    uint64_t rounds[2 * PERIOD]; /* digests of the last ones, the newest first */
    struct undo undos[UNDOS];
    struct spin_place places[SPIN_PLACES];
};

/* What the undos of all tasks at one address add up to, so that a read need not look at all tasks. */
struct total {
    struct total *next;
    uintptr_t address;
    uint64_t added;
    uint32_t undos;
};

enum { TOTALS = 256 };
static struct total *totals[TOTALS]; /* by hash of the address */
static struct total *free_totals;

static uint32_t demoted_count; /* of all tasks */

static struct total **find_total(uintptr_t address)
{
    struct total **link = &totals[rt_mix(address) % TOTALS];
    while (*link != NULL && (*link)->address != address)
        link = &(*link)->next;
    return link;
}

static void total_begin(uintptr_t address)
{
    struct total **link = find_total(address), *total = *link;
    if (total == NULL) {
        total = free_totals != NULL ? free_totals : rt_alloc(sizeof *total);
        if (total == free_totals)
            free_totals = total->next;
        *total = (struct total){.address = address};
        *link = total;
    }
    total->undos++;
}

static void total_end(const struct undo *undo)
{
    struct total **link = find_total(undo->address), *total = *link;
    if (total == NULL)
        return;
    total->added -= undo->added;
    if (--total->undos > 0)
        return;
    *link = total->next;
    total->next = free_totals;
    free_totals = total;
}

static void remove_undo(struct spin *spin, uint32_t i)
{
    total_end(&spin->undos[i]);
    spin->undos[i] = spin->undos[--spin->undo_count];
}

static bool is_search(void)
{
    return rt.wire->plan.strategy == STRATEGY_DFS || rt.wire->plan.strategy == STRATEGY_TRACES;
}

static bool is_exact(void)
{
    return is_search() || (rt.flags & PLAN_PATIENT);
}

static void set_level(struct task *task, bool demoted, bool certain)
{
    struct spin *spin = task->spin;
    if (spin->demoted == demoted && spin->certain == certain)
        return;
    demoted_count += (uint32_t)demoted - (uint32_t)spin->demoted;
    spin->demoted = demoted;
    spin->certain = certain;
    sched_demote(task, demoted, certain);
}

static void follow(struct task *task, bool followed)
{
    struct spin *spin = task->spin;
    spin->returns = false;
    spin->round_count = 0;
    if (spin->followed == followed)
        return;
    spin->followed = followed;
    watch_follow(task, followed);
}

static void forget(struct task *task);

static bool is_news(const struct spin_place *place, uintptr_t address, uint32_t size)
{
    return !(place->is_lock && is_exact()) && place->address + 8 > address && place->address < address + size;
}

static void wake(uintptr_t address, uint32_t size, bool readers_only)
{
    if (demoted_count == 0)
        return;
    for (uint32_t id = 0; id < rt.task_count; id++) {
        struct task *task = rt.tasks[id];
        if (task == NULL || task == rt.current || task->spin == NULL || !task->spin->demoted ||
            (readers_only && task->spin->writes))
            continue;
        for (uint32_t i = 0; i < task->spin->count; i++)
            if (is_news(&task->spin->places[i], address, size)) {
                forget(task);
                break;
            }
    }
}

/* Wakes other spinning tasks for what the task has written and not undone. */
static void tell_undone(struct task *task)
{
    struct spin *spin = task->spin;
    for (uint32_t i = 0; i < spin->undo_count; i++)
        spin_written(spin->undos[i].address, 1);
}

static void forget(struct task *task)
{
    tell_undone(task);
    follow(task, false);
    while (task->spin->undo_count > 0)
        remove_undo(task->spin, task->spin->undo_count - 1);
    task->spin->count = 0;
    task->spin->writes = false;
    set_level(task, false, false);
}

void spin_progress(struct task *self)
{
    sched_progress();
    if (self->spin != NULL && self->spin->count != 0)
        forget(self);
}

static struct spin *spin_of(struct task *self)
{
    if (self->spin == NULL)
        self->spin = rt_alloc(sizeof *self->spin);
    return self->spin;
}

/* A new place: the task does not spin in the loop that it was in before. */
static struct spin_place *add_place(struct task *self, uintptr_t pc, uintptr_t address, uint64_t value)
{
    struct spin *spin = self->spin;
    if (spin->count == SPIN_PLACES) { /* so many places show that it computes */
        sched_progress();
        forget(self);
    }
    tell_undone(self);
    follow(self, false);
    set_level(self, false, false);
    uint32_t count = ++spin->count;
    spin->places[count - 1] =
        (struct spin_place){pc, address, value, LOOK, spin->pauses, count, spin->write_count, false};
    return &spin->places[count - 1];
}

static struct spin_place *find_place(const struct task *self, uintptr_t pc, uintptr_t address)
{
    struct spin *spin = self->spin;
    for (uint32_t i = 0; i < spin->count; i++)
        if (spin->places[i].pc == pc && spin->places[i].address == address)
            return &spin->places[i];
    return NULL;
}

/* The value without what other tasks have added and may undo. */
static uint64_t settled(const struct task *self, uintptr_t address, uint64_t value)
{
    if (is_search() && !self->spin->writes)
        return value;
    const struct total *total = *find_total(address);
    if (total == NULL)
        return value;
    value -= total->added;
    for (uint32_t i = 0; i < self->spin->undo_count; i++)
        if (self->spin->undos[i].address == address)
            value += self->spin->undos[i].added;
    return value;
}

/* A round is over.  The state repeats if the last rounds are the same as those before. */
static void note_round(struct task *self)
{
    struct spin *spin = self->spin;
    for (uint32_t i = 2 * PERIOD - 1; i > 0; i--)
        spin->rounds[i] = spin->rounds[i - 1];
    spin->rounds[0] = watch_take(self);
    if (spin->round_count < 2 * PERIOD)
        spin->round_count++;
    spin->returns = false;
    for (uint32_t period = 1; 2 * period <= spin->round_count && !spin->returns; period++) {
        spin->returns = true;
        for (uint32_t i = 0; i < period; i++)
            spin->returns &= spin->rounds[i] == spin->rounds[i + period];
    }
}

/* Reports that depth-first search passes it over, although it might do something else after more rounds, or other tasks might see its writes. */
static void tell_passed(const struct spin *spin, const struct spin_place *place)
{
    struct wire_result *result = &rt.wire->result;
    if (!is_search() || (spin->returns && !spin->writes))
        return;
    uint32_t i = 0;
    while (i < result->passed_count && result->passed[i].pc != place->pc)
        i++;
    if (i == WIRE_PASSED)
        i--; /* the table is full: counted in its last row */
    else if (i == result->passed_count)
        result->passed[result->passed_count++] = (struct wire_passed){.pc = place->pc};
    result->passed[i].times++;
    result->passed[i].writes |= spin->writes;
}

/* What was written before the last read, and not since, is not undone in this loop. */
static void settle_old(struct task *self, uint32_t writes)
{
    struct spin *spin = self->spin;
    for (uint32_t i = spin->undo_count; i-- > 0;)
        if (spin->undos[i].number <= writes) {
            spin_written(spin->undos[i].address, 1);
            remove_undo(spin, i);
        }
}

/* The place was read again, with the same value. */
static void look(struct task *self, struct spin_place *place, uint32_t worth)
{
    struct spin *spin = self->spin;
    if (place->count != spin->count)
        place->seen = LOOK;
    if (place->pauses == spin->pauses)
        worth = PLAIN_LOOK;
    if (place->seen < UINT32_MAX / 2)
        place->seen += worth;
    place->pauses = spin->pauses;
    place->count = spin->count;
    settle_old(self, place->writes);
    spin->writes = place->writes != spin->write_count;
    place->writes = spin->write_count;
    bool exact = is_exact();
    if (exact && !spin->followed) {
        follow(self, true);
        spin->head = (uint32_t)(place - spin->places);
    } else if (exact && place == &spin->places[spin->head]) {
        note_round(self);
    }
    if (spin->undo_count > 0 || spin->certain)
        return;
    uint32_t most = is_search() ? LOOKS_DFS : LOOKS_PATIENT;
    bool certain = exact && (spin->returns || place->seen >= most * LOOK);
    if (certain)
        tell_passed(spin, place);
    if (certain || place->seen >= LOOKS * LOOK)
        set_level(self, true, certain);
}

void spin_read_plain(struct task *self, uintptr_t pc, uintptr_t address, uint64_t value)
{
    spin_of(self);
    value = settled(self, address, value);
    struct spin_place *place = find_place(self, pc, address);
    if (place != NULL && place->value == value) {
        look(self, place, LOOK);
        return;
    }
    if (place != NULL)
        forget(self);
    add_place(self, pc, address, value);
}

void spin_read(struct task *self, uintptr_t pc, uintptr_t address, uint64_t value)
{
    spin_pause(self);
    spin_read_plain(self, pc, address, value);
}

void spin_lock(struct task *self, uintptr_t pc, uintptr_t address)
{
    spin_read(self, pc, address, 0);
    struct spin_place *place = find_place(self, pc, address);
    place->is_lock = true;
}

/* False: too many locations. */
static bool note_undo(struct spin *spin, uintptr_t address, uint64_t added)
{
    uint32_t i = 0;
    while (i < spin->undo_count && spin->undos[i].address != address)
        i++;
    if (i == UNDOS)
        return false;
    if (i == spin->undo_count) {
        spin->undos[spin->undo_count++] = (struct undo){address, 0, 0};
        total_begin(address);
    }
    spin->undos[i].number = ++spin->write_count;
    spin->undos[i].added += added;
    (*find_total(address))->added += added;
    if (spin->undos[i].added == 0)
        remove_undo(spin, i);
    return true;
}

void spin_write(struct task *self, uintptr_t pc, uintptr_t address, uint32_t size, uint64_t before, uint64_t after)
{
    struct spin *spin = spin_of(self);
    spin_pause(self);
    uint64_t seen = settled(self, address, before), added = after - before;
    struct spin_place *place = find_place(self, pc, address);
    bool repeated = place != NULL && place->value == seen;
    if ((place != NULL && !repeated) || !note_undo(spin, address, added)) {
        spin_progress(self);
        repeated = false;
        note_undo(spin, address, added);
    }
    if (repeated) {
        if (spin->undo_count > 0)
            set_level(self, false, false);
        if (is_search())
            wake(address, size, true);
        look(self, place, WRITE_LOOK);
        return;
    }
    sched_progress();
    spin_written(address, size);
    add_place(self, pc, address, seen);
}

void spin_pause(struct task *self)
{
    if (self->spin != NULL)
        self->spin->pauses++;
}

void spin_yield(struct task *self, uintptr_t pc)
{
    if (is_exact())
        spin_read(self, pc, (uintptr_t)&demoted_count, 0);
    else
        spin_pause(self);
}

void spin_written(uintptr_t address, uint32_t size)
{
    wake(address, size, false);
}

void spin_ended(struct task *task)
{
    if (task->spin != NULL)
        forget(task);
}
