/* SPDX-License-Identifier: MIT
 *
 * locals.c - the call frame in which an address on a stack is.
 *
 * DESIGN
 *   The shadow call stack has the return address and the stack pointer of each active call of an instrumented function.  So the
 *   innermost frame that begins at or below the address contains it.  Debug information places local variables relative to the stack
 *   pointer before the call.  That is just above the word with the return address, which is searched for.  The function of the frame is
 *   known from the place where it called the next one, or where its task is now.
 *
 *   Only done for what is recorded.
 */
#include "runtime/locals.h"

#include "runtime/arch/arch.h"
#include "runtime/init.h"

enum { SLOTS = 4 * WIRE_FRAMES, FAR = 1 << 16 }; /* words that are searched for a return address */

static RT_TABLE uint16_t slots[SLOTS]; /* by hash of a frame: its number in the table */

/* A cache of pages that are on no stack, valid for this number of tasks: most accesses are to such pages. */
static RT_TABLE struct elsewhere {
    uintptr_t page;
    uint32_t tasks;
} elsewhere[256];

static const struct task *stack_owner(const struct task *self, uintptr_t address)
{
    if (self != NULL && address >= self->stack_lo && address < self->stack_hi)
        return self;
    struct elsewhere *known = &elsewhere[(address >> 12) % (sizeof elsewhere / sizeof elsewhere[0])];
    if (known->page == address >> 12 && known->tasks == rt.task_count)
        return NULL;
    for (uint32_t i = 0; i < rt.task_count; i++) {
        const struct task *task = rt.tasks[i];
        if (task != NULL && task->state != TASK_ENDED && address >= task->stack_lo && address < task->stack_hi)
            return task;
    }
    *known = (struct elsewhere){address >> 12, rt.task_count};
    return NULL;
}

/* The stack pointer before the call: above its return address.  Mostly that is the caller's own stack pointer.  0: not
   found. */
static uintptr_t before_call(const struct task *owner, uint32_t index, uintptr_t address)
{
    uintptr_t end = index > 0 ? owner->frames[index - 1].sp : owner->stack_hi;
    if (end <= address || end > owner->stack_hi) /* the program switches stacks itself */
        return 0;
    const uintptr_t *top = (const uintptr_t *)(end & -(uintptr_t)sizeof end);
    const uintptr_t *word = (const uintptr_t *)(address & -(uintptr_t)sizeof address);
    if (index > 0 && top > word && top[-1] == owner->frames[index].pc)
        return (uintptr_t)top;
    for (unsigned i = 0; i < FAR && word < top; i++, word++)
        if (*word == owner->frames[index].pc)
            return (uintptr_t)(word + 1);
    return 0;
}

static uint32_t number_of(struct wire_frame frame)
{
    struct wire_result *result = &rt.wire->result;
    uint64_t hash = (frame.pc * 0x9e3779b97f4a7c15ull ^ frame.cfa) * 0x9e3779b97f4a7c15ull;
    for (uint32_t slot = (uint32_t)(hash >> 32) % SLOTS;; slot = (slot + 1) % SLOTS) {
        uint32_t number = slots[slot];
        if (number > 0 && number <= result->frame_count) {
            const struct wire_frame *known = &result->frames[number - 1];
            if (known->pc == frame.pc && known->cfa == frame.cfa && known->lo == frame.lo)
                return number;
            continue;
        }
        if (result->frame_count >= WIRE_FRAMES) {
            result->lost |= LOST_NAMES;
            return 0;
        }
        result->frames[result->frame_count++] = frame;
        return slots[slot] = (uint16_t)result->frame_count;
    }
}

/* Where the function of the frame is.  If it has called a library, as std::thread::join, that is not where the task is, but what the call
   has pushed.  0: not known. */
static uintptr_t place_in_frame(const struct task *owner, uint32_t index, const struct task *self, uintptr_t pc)
{
    uintptr_t place = index + 1 < owner->depth ? owner->frames[index + 1].pc
                      : owner == self          ? pc
                      : owner->pending != NULL ? owner->pending->pc
                                               : 0;
    uintptr_t sp = owner->frames[index].sp;
    if (!ARCH_CALL_PUSHES || place == 0 || init_pc_instrumented(place) || sp <= owner->stack_lo ||
        sp >= owner->stack_hi)
        return place;
    uintptr_t pushed = ((const uintptr_t *)sp)[-1];
    return init_pc_instrumented(pushed) ? pushed : place;
}

uint32_t locals_frame(const struct task *self, uintptr_t pc, uintptr_t address)
{
    const struct task *owner = address != 0 ? stack_owner(self, address) : NULL;
    if (owner == NULL || owner->frames == NULL || owner->depth > TASK_FRAMES)
        return 0;
    uint32_t index = owner->depth;
    while (index > 0 && owner->frames[index - 1].sp <= address)
        index--;
    if (index == owner->depth) /* else it is the outermost frame that begins at or below the address */
        return 0;
    uintptr_t inside = place_in_frame(owner, index, self, pc);
    uintptr_t cfa = inside != 0 ? before_call(owner, index, address) : 0;
    return cfa != 0 ? number_of((struct wire_frame){.pc = inside, .lo = owner->frames[index].sp, .cfa = cfa}) : 0;
}
