/* SPDX-License-Identifier: MIT
 *
 * watch.c - see watch.h.
 */
#include "runtime/sched/watch.h"

#include "runtime/arch/arch.h"

enum {
    STATES = 1 << 12, /* so many different states show that the program computes */
    SLOTS = 2 * STATES,
    PATIENCE = 8192,        /* so many points without a new state show that there are no others */
    STACK_MOST = 256 << 10, /* bytes of stack in a state */
};

static uint64_t states[SLOTS] RT_RARE; /* 0: free */
static uint32_t state_count;
static uint64_t last_new;                     /* point */
static uint64_t own_seen[WIRE_TASKS] RT_RARE; /* what each task has seen in memory of its own since its last point */
static uint64_t trail[WIRE_TASKS] RT_RARE;    /* the states of tasks that are followed */
static uint32_t followed;                     /* so many are */
static bool hang_suspected;

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
    return hash ^ hash >> 29;
}

static void add_state(uint64_t state)
{
    state |= state == 0;
    uint32_t slot = (uint32_t)(state % SLOTS);
    while (states[slot] != 0 && states[slot] != state)
        slot = (slot + 1) % SLOTS;
    if (states[slot] == state || state_count == STATES)
        return;
    states[slot] = state;
    state_count++;
    last_new = rt.points;
}

/* `registers` are those in the function that was called by the hook.  It has saved the program's registers that it uses itself right below the
   end of the program's stack. */
static __attribute__((noinline)) void note_state(struct task *self, const uint64_t *registers, uintptr_t sp)
{
    uint64_t hash = mix(own_seen[self->id], self->id);
    own_seen[self->id] = 0;
    for (int i = 0; i < ARCH_SAVED; i++)
        hash = mix(hash, registers[i]);
    const uint64_t *at = (const uint64_t *)sp - ARCH_SAVED_BELOW;
    if (sp >= self->stack_lo && sp < self->stack_hi && self->stack_hi - sp <= STACK_MOST)
        for (; (uintptr_t)(at + 1) <= self->stack_hi; at++)
            hash = mix(hash, *at);
    else
        hash = mix(hash, rt.points); /* very deep, or an unknown stack: every state counts as new */
    trail[self->id] = mix(trail[self->id], hash);
    if (hang_suspected)
        add_state(hash);
}

__attribute__((noinline)) void watch_state(struct task *self, uintptr_t sp)
{
    __builtin_unwind_init(); /* saves all */
    const uint64_t *frame = __builtin_frame_address(0);
    note_state(self, frame + ARCH_SAVED_FROM, sp);
    __asm__ volatile(""); /* prevents a tail call: the frame must exist during the call */
}

void watch_access(struct task *self, uintptr_t pc, uintptr_t address, uint64_t value)
{
    own_seen[self->id] = mix(mix(mix(own_seen[self->id], pc), address), value);
}

enum watch_verdict watch_ask(void)
{
    if (!hang_suspected) {
        hang_suspected = rt.watching = true;
        last_new = rt.points;
    }
    if (state_count == STATES)
        return WATCH_COMPUTES;
    return rt.points - last_new >= PATIENCE ? WATCH_WAITS : WATCH_GOES_ON;
}

void watch_follow(struct task *task, bool follow)
{
    followed += follow ? 1 : -1u;
    rt.watching = hang_suspected || followed > 0;
    trail[task->id] = own_seen[task->id] = 0;
}

uint64_t watch_take(struct task *task)
{
    uint64_t digest = trail[task->id];
    trail[task->id] = 0;
    return digest;
}

void watch_end(void)
{
    hang_suspected = false;
    rt.watching = followed > 0;
    if (state_count == 0)
        return;
    for (uint32_t i = 0; i < SLOTS; i++)
        states[i] = 0;
    for (uint32_t i = 0; i < WIRE_TASKS; i++)
        own_seen[i] = 0;
    state_count = 0;
}
