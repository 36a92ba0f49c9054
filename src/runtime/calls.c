/* SPDX-License-Identifier: MIT
 *
 * calls.c - see calls.h; and what a program calls to say what its units of work and atomic sets are (raddle.h).
 *
 * DESIGN
 *   Units of work are calls: each call of a function is one by itself.  So each entry of the shadow call stack has a number, and those in
 *   which something is recorded get an entry in wire.calls, with the call around it.  One look-up per event finds the innermost one; the others
 *   are looked for when it is new.
 *
 *   A slot may be left over from an earlier run, or from the time before a checkpoint: what it points to says whether it is valid.
 */
#include "runtime/calls.h"

#include "runtime/record.h"

enum { SLOTS = 4 * WIRE_CALLS };

static RT_RARE uint32_t slots[SLOTS]; /* by hash of a call: its number in the table */

/* The entry of the call; `known` is false if it is new. */
static uint32_t *slot_of(uint64_t identity, bool *known)
{
    const struct wire *wire = rt.wire;
    for (uint32_t slot = (uint32_t)rt_mix(identity) % SLOTS;; slot = (slot + 1) % SLOTS) {
        uint32_t number = slots[slot];
        *known = number > 0 && number <= wire->result.call_count;
        if (!*known || wire->calls[number - 1].identity == identity)
            return &slots[slot];
    }
}

static uint32_t add_call(uint32_t *slot, struct wire_call call)
{
    struct wire *wire = rt.wire;
    if (wire->result.call_count >= WIRE_CALLS)
        return 0;
    wire->calls[wire->result.call_count++] = call;
    return *slot = wire->result.call_count;
}

static uint64_t identity_of(const struct task *self, uint64_t number)
{
    return (uint64_t)self->id << 48 ^ number;
}

/* The call at that depth of the shadow call stack, from 1. */
static uint32_t call_at(const struct task *self, uint32_t depth)
{
    uint32_t outermost = depth;
    bool known = false;
    uint32_t caller = 0;
    for (; outermost > 0 && !known; outermost--)
        caller = *slot_of(identity_of(self, self->frames[outermost - 1].number), &known);
    if (!known)
        caller = 0;
    for (uint32_t i = known ? outermost + 1 : 0; i < depth; i++) {
        const struct frame *frame = &self->frames[i];
        uint64_t identity = identity_of(self, frame->number);
        uint32_t *slot = slot_of(identity, &known);
        caller = add_call(slot, (struct wire_call){.pc = frame->pc, .identity = identity, .caller = caller});
        if (caller == 0) /* no room: the rest would look as if nothing was around it */
            return 0;
    }
    return caller;
}

uint32_t calls_innermost(const struct task *self)
{
    if (!(rt.flags & PLAN_UNITS) || self->frames == NULL)
        return 0;
    return call_at(self, self->depth < TASK_FRAMES ? self->depth : TASK_FRAMES);
}

uint32_t calls_unit(const struct task *self)
{
    if (!(rt.flags & PLAN_UNITS) || self->unit.within == 0)
        return 0;
    bool known;
    uint64_t identity = identity_of(self, self->unit.number);
    uint32_t *slot = slot_of(identity, &known);
    if (known)
        return *slot;
    uint32_t depth = self->unit.depth < self->depth ? self->unit.depth : self->depth;
    uint32_t caller = self->frames != NULL && depth <= TASK_FRAMES ? call_at(self, depth) : 0;
    slot = slot_of(identity, &known); /* the calls around it may have taken the slot */
    return add_call(slot, (struct wire_call){.pc = self->unit.pc, .identity = identity, .caller = caller, .part = 1});
}

/* ---- what the program says ----------------------------------------------------------------------------------------- */

void raddle_unit_begin(void);
void raddle_unit_end(void);
void raddle_atomic_set(const void *address, unsigned long size);
void raddle_invariant(const void *address, unsigned long size, int holds);

RT_HOOK void raddle_unit_begin(void)
{
    struct task *self = rt_self;
    if (self == NULL || self->unit.within++ > 0)
        return;
    self->unit.number = ++self->calls;
    self->unit.pc = (uintptr_t)__builtin_return_address(0);
    self->unit.depth = self->depth;
}

RT_HOOK void raddle_unit_end(void)
{
    struct task *self = rt_self;
    if (self != NULL && self->unit.within > 0)
        self->unit.within--;
}

RT_HOOK void raddle_atomic_set(const void *address, unsigned long size)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return;
    record_atomic_set(self, (uintptr_t)__builtin_return_address(0), (uintptr_t)address, size);
    rt_leave(self);
}

RT_HOOK void raddle_invariant(const void *address, unsigned long size, int holds)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return;
    record_invariant(self, (uintptr_t)__builtin_return_address(0), (uintptr_t)address, size, holds != 0);
    rt_leave(self);
}
