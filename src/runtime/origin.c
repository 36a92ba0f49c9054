/* SPDX-License-Identifier: MIT
 *
 * origin.c - see origin.h.
 *
 * DESIGN
 *   `new` is a call of libstdc++, which calls malloc; without optimisation a vector's memory comes through seven functions of
 *   headers.  Mostly all functions on the way are instrumented, and the shadow call stack has them.  Each called the
 *   next one directly if its return address is just below the caller's stack pointer.  If not (a library is in between, or the stack
 *   pointer has moved), the stack is unwound by libgcc's unwinder, which exists for exceptions and cancellation.  A program
 *   without it gets no origins then.  Both ways are exact but slow, so they are used only in runs that are reported (PLAN_ORIGINS).
 *
 *   Chains of calls have their outer ends in common, so they are kept as a tree: a call and the number of the call around it.
 */
#include "runtime/origin.h"

#include <unwind.h>

#include "runtime/arch/arch.h"

#pragma weak _Unwind_Backtrace
#pragma weak _Unwind_GetIPInfo

enum { SLOTS = 4 * WIRE_ORIGINS, DEPTH = 32 };

static RT_RARE uint16_t slots[SLOTS]; /* by hash of a call: its number in the table */

struct chain {
    uintptr_t pc; /* where the chain begins: inner frames are those of the runtime */
    uintptr_t calls[DEPTH];
    uint32_t count;
};

static _Unwind_Reason_Code add_call(struct _Unwind_Context *context, void *argument)
{
    struct chain *chain = argument;
    int interrupted = 0; /* by a signal: pc is the instruction itself, not the one after a call */
    uintptr_t pc = _Unwind_GetIPInfo(context, &interrupted);
    if (interrupted)
        pc++;
    if (chain->count == 0 && pc != chain->pc)
        return _URC_NO_REASON;
    chain->calls[chain->count++] = pc;
    return chain->count < DEPTH ? _URC_NO_REASON : _URC_END_OF_STACK;
}

/* False: the shadow call stack does not have all calls. */
static bool add_shadow_calls(const struct task *self, struct chain *chain)
{
    if (!ARCH_CALL_PUSHES || self->depth > TASK_FRAMES)
        return false;
    chain->calls[chain->count++] = chain->pc;
    for (uint32_t i = self->depth; i-- > 0 && chain->count < DEPTH;) {
        uintptr_t sp = self->frames[i].sp;
        if (sp <= self->stack_lo || sp >= self->stack_hi) /* of a signal handler, or the program switches stacks */
            return false;
        if (((const uintptr_t *)sp)[-1] != chain->calls[chain->count - 1])
            return false;
        chain->calls[chain->count++] = self->frames[i].pc;
    }
    return true;
}

static bool add_unwound_calls(struct chain *chain)
{
    chain->count = 0;
    if (_Unwind_Backtrace == NULL || _Unwind_GetIPInfo == NULL)
        return false;
    _Unwind_Backtrace(add_call, chain);
    return chain->count > 0;
}

static _Unwind_Reason_Code end_at_once(struct _Unwind_Context *context, void *unused)
{
    (void)context;
    (void)unused;
    return _URC_END_OF_STACK;
}

/* The unwinder initialises itself when it is used first, through pthread_once: an event if the program does that by throwing an
   exception.  What a run shows must not depend on whether origins are wanted, so it is done before the first run. */
void origin_prepare(void)
{
    if (_Unwind_Backtrace != NULL)
        _Unwind_Backtrace(end_at_once, NULL);
}

static uint32_t number_of(struct wire_origin origin)
{
    struct wire_result *result = &rt.wire->result;
    uint64_t hash = rt_mix(origin.pc ^ (uint64_t)origin.caller << 48);
    for (uint32_t slot = (uint32_t)hash % SLOTS;; slot = (slot + 1) % SLOTS) {
        uint32_t number = slots[slot];
        if (number > 0 && number <= result->origin_count) {
            const struct wire_origin *known = &result->origins[number - 1];
            if (known->pc == origin.pc && known->caller == origin.caller)
                return number;
            continue;
        }
        if (result->origin_count >= WIRE_ORIGINS) {
            result->lost |= LOST_NAMES;
            return 0;
        }
        result->origins[result->origin_count++] = origin;
        return slots[slot] = (uint16_t)result->origin_count;
    }
}

/* The number of the innermost call; 0: no room. */
static uint16_t number_chain(const struct chain *chain)
{
    uint32_t number = 0;
    for (uint32_t i = chain->count; i-- > 0;) {
        number = number_of((struct wire_origin){.pc = chain->calls[i], .caller = number});
        if (number == 0) /* the rest would look as if nothing was around it */
            return 0;
    }
    return (uint16_t)number;
}

uint16_t origin_of_task(const struct task *task, uintptr_t pc)
{
    if (!(rt.flags & PLAN_ORIGINS) || pc == 0)
        return 0;
    struct chain chain = {.pc = pc, .calls = {pc}, .count = 1};
    uint32_t depth = task->depth < TASK_FRAMES ? task->depth : TASK_FRAMES;
    while (depth > 0 && chain.count < DEPTH)
        chain.calls[chain.count++] = task->frames[--depth].pc;
    return number_chain(&chain);
}

uint16_t origin_of_call(const struct task *self, uintptr_t pc)
{
    if (!(rt.flags & PLAN_ORIGINS) || pc == 0)
        return 0;
    struct chain chain;
    chain.pc = pc;
    chain.count = 0;
    bool known = add_shadow_calls(self, &chain);
    if (!known) {
        known = add_unwound_calls(&chain);
        leftover_clear_deep(self);
    }
    if (!known)
        return 0;
    return number_chain(&chain);
}
