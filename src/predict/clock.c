/* SPDX-License-Identifier: MIT
 *
 * clock.c - see clock.h.
 */
#include "predict/clock.h"

#include <stdlib.h>
#include <string.h>

#include "util/memory.h"
#include "util/table.h"
#include "util/vector.h"

/* A clock that grows. */
typedef VECTOR(uint32_t) moments;

/* What a synchronisation object hands on. */
struct channel {
    moments clock;
    VECTOR(struct clock *) tokens; /* semaphore: posts that no task has waited for yet, from `taken` on */
    size_t taken;
    enum { SEMAPHORE_UNUSED, SEMAPHORE_SIGNALS, SEMAPHORE_LOCKS, SEMAPHORE_COUNTS } use;
    uint32_t holders; /* semaphore used as a lock: tasks that have it */
};

struct barrier {
    moments rounds[2];
    uint32_t waiting[2]; /* tasks that have arrived and not yet gone on */
    unsigned round;
};

struct task_clock {
    moments now;
    struct clock *snapshot; /* of `now`; NULL if it has changed */
    moments given;          /* by signals to it, wake-ups, cancellation */
    uint64_t waits_for;     /* condition variable; 0 none */
    uint64_t barrier;       /* where it has arrived; 0 none */
    unsigned round;
    bool started, ended;
};

struct clocks {
    VECTOR(struct task_clock) tasks;
    VECTOR(struct channel) channels;
    VECTOR(struct barrier) barriers;
    struct table channel_index, barrier_index; /* address → index + 1 */
};

/* ---- clocks ------------------------------------------------------------------------------------------------------ */

static void moments_raise(moments *clock, size_t task, uint32_t moment)
{
    while (clock->count <= task)
        vector_push(clock, 0);
    if (clock->data[task] < moment)
        clock->data[task] = moment;
}

static void moments_join(moments *clock, const uint32_t *at, size_t count)
{
    for (size_t i = 0; i < count; i++)
        moments_raise(clock, i, at[i]);
}

struct clock *clock_keep(struct clock *clock)
{
    clock->references++;
    return clock;
}

void clock_release(struct clock *clock)
{
    if (clock != NULL && --clock->references == 0)
        free(clock);
}

static struct task_clock *task_of(struct clocks *clocks, uint16_t task)
{
    while (clocks->tasks.count <= task) {
        vector_push(&clocks->tasks, (struct task_clock){0});
        size_t id = clocks->tasks.count - 1;
        moments_raise(&clocks->tasks.data[id].now, id, 1);
    }
    return &clocks->tasks.data[task];
}

static void changed(struct task_clock *task)
{
    clock_release(task->snapshot);
    task->snapshot = NULL;
}

static void take(struct task_clock *task, const moments *from)
{
    if (from->count == 0)
        return;
    moments_join(&task->now, from->data, from->count);
    changed(task);
}

/* Hands the task's past on; what it does next is not part of it. */
static void give(struct clocks *clocks, uint16_t id, moments *to)
{
    struct task_clock *task = &clocks->tasks.data[id];
    moments_join(to, task->now.data, task->now.count);
    task->now.data[id]++;
    changed(task);
}

struct clock *clocks_now(struct clocks *clocks, uint16_t id)
{
    struct task_clock *task = task_of(clocks, id);
    if (task->snapshot == NULL) {
        size_t count = task->now.count;
        struct clock *clock = memory_allocate(1, sizeof *clock + count * sizeof *clock->at);
        clock->references = 1;
        clock->count = (uint32_t)count;
        memcpy(clock->at, task->now.data, count * sizeof *clock->at);
        task->snapshot = clock;
    }
    return task->snapshot;
}

bool clocks_all_know(const struct clocks *clocks, uint16_t id, uint32_t moment)
{
    for (size_t i = 0; i < clocks->tasks.count; i++) {
        const struct task_clock *task = &clocks->tasks.data[i];
        if (i == id || !task->started || task->ended)
            continue;
        if (id >= task->now.count || task->now.data[id] < moment)
            return false;
    }
    return true;
}

/* ---- objects ----------------------------------------------------------------------------------------------------- */

static struct channel *channel_of(struct clocks *clocks, uint64_t address)
{
    uint64_t *index = table_put(&clocks->channel_index, address);
    if (*index == 0) {
        vector_push(&clocks->channels, (struct channel){0});
        *index = clocks->channels.count;
    }
    return &clocks->channels.data[*index - 1];
}

static struct barrier *barrier_of(struct clocks *clocks, uint64_t address)
{
    uint64_t *index = table_put(&clocks->barrier_index, address);
    if (*index == 0) {
        vector_push(&clocks->barriers, (struct barrier){0});
        *index = clocks->barriers.count;
    }
    return &clocks->barriers.data[*index - 1];
}

/* The first to arrive (value 1) begins a round; its clock starts empty, unless a task has not left the round before
   last, which has the same place. */
static void barrier_arrive(struct clocks *clocks, const struct event *event)
{
    struct barrier *barrier = barrier_of(clocks, event->address);
    if (event->value == 1) {
        barrier->round ^= 1;
        if (barrier->waiting[barrier->round] == 0)
            vector_clear(&barrier->rounds[barrier->round]);
    }
    barrier->waiting[barrier->round]++;
    give(clocks, event->task, &barrier->rounds[barrier->round]);
    struct task_clock *task = task_of(clocks, event->task);
    task->barrier = event->address;
    task->round = barrier->round;
}

/* A task that goes on after it arrived was either let go, or was the last to arrive (which has no event of its own). */
static void barrier_leave(struct clocks *clocks, struct task_clock *task)
{
    struct barrier *barrier = barrier_of(clocks, task->barrier);
    if (barrier->waiting[task->round] > 0)
        barrier->waiting[task->round]--;
    take(task, &barrier->rounds[task->round]);
    task->barrier = 0;
}

static void semaphore_wait(struct clocks *clocks, const struct event *event)
{
    struct channel *channel = channel_of(clocks, event->address);
    struct task_clock *task = task_of(clocks, event->task);
    if (channel->use == SEMAPHORE_UNUSED)
        channel->use = SEMAPHORE_LOCKS;
    if (channel->use == SEMAPHORE_LOCKS && ++channel->holders > 1)
        channel->use = SEMAPHORE_COUNTS;
    if (channel->use == SEMAPHORE_SIGNALS && channel->taken < channel->tokens.count) {
        struct clock *token = channel->tokens.data[channel->taken++];
        moments_join(&task->now, token->at, token->count);
        changed(task);
        clock_release(token);
    }
    if (channel->taken > 64 && channel->taken * 2 > channel->tokens.count) {
        size_t left = channel->tokens.count - channel->taken;
        memmove(channel->tokens.data, channel->tokens.data + channel->taken, left * sizeof *channel->tokens.data);
        channel->tokens.count = left;
        channel->taken = 0;
    }
}

static void semaphore_post(struct clocks *clocks, const struct event *event)
{
    struct channel *channel = channel_of(clocks, event->address);
    if (channel->use == SEMAPHORE_UNUSED)
        channel->use = SEMAPHORE_SIGNALS;
    if (channel->use == SEMAPHORE_LOCKS) {
        if (channel->holders > 0)
            channel->holders--;
        else
            channel->use = SEMAPHORE_COUNTS; /* now it is more than 1 */
    }
    if (channel->use != SEMAPHORE_SIGNALS)
        return;
    vector_push(&channel->tokens, clock_keep(clocks_now(clocks, event->task)));
    moments none = {0};
    give(clocks, event->task, &none);
    vector_free(&none);
}

/* The initial value says what the semaphore is for.  Without one it was opened by name, not made: all stays as it is. */
static void semaphore_init(struct clocks *clocks, const struct event *event)
{
    if (!(event->flags & EVENT_VALUE))
        return;
    struct channel *channel = channel_of(clocks, event->address);
    while (channel->taken < channel->tokens.count)
        clock_release(channel->tokens.data[channel->taken++]);
    vector_clear(&channel->tokens);
    channel->taken = 0;
    channel->holders = 0;
    channel->use = event->value == 0 ? SEMAPHORE_SIGNALS : event->value == 1 ? SEMAPHORE_LOCKS : SEMAPHORE_COUNTS;
}

bool clocks_semaphore_locks(const struct clocks *clocks, uint64_t address)
{
    const uint64_t *index = table_get(&clocks->channel_index, address);
    return index != NULL && clocks->channels.data[*index - 1].use == SEMAPHORE_LOCKS;
}

static void wake(struct clocks *clocks, uint16_t from, uint64_t target)
{
    if (target >= WIRE_TASKS)
        return;
    task_of(clocks, (uint16_t)target);
    struct task_clock *task = task_of(clocks, from);
    struct task_clock *other = &clocks->tasks.data[target];
    moments_join(&other->given, task->now.data, task->now.count);
}

static void broadcast(struct clocks *clocks, const struct event *event)
{
    for (size_t i = 0; i < clocks->tasks.count; i++)
        if (clocks->tasks.data[i].waits_for == event->address)
            wake(clocks, event->task, i);
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* What others have given to the task. */
static void take_given(struct task_clock *task)
{
    take(task, &task->given);
    vector_clear(&task->given);
}

void clocks_before(struct clocks *clocks, const struct event *event)
{
    struct task_clock *task = task_of(clocks, event->task);
    task->started = true;
    if (task->barrier != 0)
        barrier_leave(clocks, task);
    bool good = event_succeeded(event);
    switch (event->op) {
    case OP_JOIN:
        if (good && !(event->flags & EVENT_TIMEOUT) && event->value < clocks->tasks.count)
            take(task, &clocks->tasks.data[event->value].now);
        break;
    case OP_COND_WAKE:
        task->waits_for = 0;
        take_given(task);
        break;
    case OP_HANDLER:
    case OP_SIGWAIT:
    case OP_CANCELLED:
        take_given(task);
        break;
    case OP_SEM_WAIT:
    case OP_SEM_TRYWAIT:
        if (good)
            semaphore_wait(clocks, event);
        break;
    case OP_ONCE_BEGIN:
    case OP_TEAM_START:
    case OP_TASK_START:
    case OP_ORDERED_BEGIN:
        take(task, &channel_of(clocks, event->address)->clock);
        break;
    case OP_FUTEX_WAIT:
        if (good && !(event->flags & EVENT_UNCHANGED))
            take(task, &channel_of(clocks, event->address)->clock);
        break;
    default:
        break;
    }
}

/* The parent's past is the child's. */
static void create(struct clocks *clocks, const struct event *event)
{
    if (event->value >= WIRE_TASKS)
        return;
    task_of(clocks, (uint16_t)event->value);
    struct task_clock *child = &clocks->tasks.data[event->value];
    child->started = true;
    give(clocks, event->task, &child->now);
    changed(child);
}

static void give_all(struct clocks *clocks, uint16_t task)
{
    task_of(clocks, task)->now.data[task]++;
    changed(task_of(clocks, task));
}

void clocks_after(struct clocks *clocks, const struct event *event)
{
    struct task_clock *task = task_of(clocks, event->task);
    bool good = event_succeeded(event);
    switch (event->op) {
    case OP_CREATE:
        if (good)
            create(clocks, event);
        break;
    case OP_END:
        task->ended = true;
        break;
    case OP_BARRIER_ARRIVE:
        if (good)
            barrier_arrive(clocks, event);
        break;
    case OP_COND_WAIT:
        task->waits_for = good ? event->address : 0;
        break;
    case OP_COND_SIGNAL:
        if (event->flags & EVENT_VALUE) {
            wake(clocks, event->task, event->value);
            give_all(clocks, event->task);
        }
        break;
    case OP_COND_BROADCAST:
        broadcast(clocks, event);
        give_all(clocks, event->task);
        break;
    case OP_KILL:
    case OP_CANCEL:
        if (good) {
            wake(clocks, event->task, event->value);
            give_all(clocks, event->task);
        }
        break;
    case OP_SEM_INIT:
        if (good)
            semaphore_init(clocks, event);
        break;
    case OP_SEM_POST:
        if (good)
            semaphore_post(clocks, event);
        break;
    case OP_ONCE_END:
    case OP_TEAM_FORK:
    case OP_TASK_CREATE:
    case OP_ORDERED_END:
    case OP_FUTEX_WAKE:
        give(clocks, event->task, &channel_of(clocks, event->address)->clock);
        break;
    default:
        break;
    }
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

struct clocks *clocks_new(void)
{
    return memory_allocate(1, sizeof(struct clocks));
}

void clocks_free(struct clocks *clocks)
{
    if (clocks == NULL)
        return;
    for (size_t i = 0; i < clocks->tasks.count; i++) {
        vector_free(&clocks->tasks.data[i].now);
        vector_free(&clocks->tasks.data[i].given);
        clock_release(clocks->tasks.data[i].snapshot);
    }
    for (size_t i = 0; i < clocks->channels.count; i++) {
        struct channel *channel = &clocks->channels.data[i];
        while (channel->taken < channel->tokens.count)
            clock_release(channel->tokens.data[channel->taken++]);
        vector_free(&channel->tokens);
        vector_free(&channel->clock);
    }
    for (size_t i = 0; i < clocks->barriers.count; i++)
        for (unsigned k = 0; k < 2; k++)
            vector_free(&clocks->barriers.data[i].rounds[k]);
    vector_free(&clocks->tasks);
    vector_free(&clocks->channels);
    vector_free(&clocks->barriers);
    table_free(&clocks->channel_index);
    table_free(&clocks->barrier_index);
    free(clocks);
}
