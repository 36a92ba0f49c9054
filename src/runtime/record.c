/* SPDX-License-Identifier: MIT
 *
 * record.c - writes schedule, events and findings into shared memory.
 */
#include <stdarg.h>

#include "runtime/calls.h"
#include "runtime/init.h"
#include "runtime/locals.h"
#include "runtime/oracle/lock_order.h"
#include "runtime/origin.h"
#include "runtime/pairs.h"
#include "runtime/record.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/spin.h"

/* ---- schedule -------------------------------------------------------------------------------------------------------- */

static struct wire_step *segment; /* the running task's */
static struct wire_step overflow_step;
static uint64_t first_thread; /* the scheduling point at which the first thread was created; UINT64_MAX: none was yet */

void record_begin(void)
{
    segment = NULL;
    first_thread = UINT64_MAX;
}

void record_first_thread(void)
{
    first_thread = rt.points;
}

static struct wire_step *next_step(void)
{
    struct wire_result *result = &rt.wire->result;
    if (result->step_count == WIRE_STEPS) {
        result->lost |= LOST_STEPS;
        return &overflow_step;
    }
    return &rt.wire->steps[result->step_count++];
}

void record_segment(const struct task *task)
{
    segment = next_step();
    *segment = (struct wire_step){.type = STEP_RUN, .task = (uint16_t)task->id, .until = UINT64_MAX};
}

void record_segment_end(uint64_t operation, bool preempted)
{
    segment->until = operation;
    segment->value = preempted;
    rt.tasks[segment->task]->parked_at = operation;
}

void record_choice(const struct task *task, uint32_t value)
{
    *next_step() =
        (struct wire_step){.type = STEP_CHOICE, .task = (uint16_t)task->id, .value = value, .until = task->operations};
}

/* ---- events ---------------------------------------------------------------------------------------------------------- */

static uint64_t memory_value(uintptr_t address, uint32_t size)
{
    switch (size) {
    case 1:
        return *(const volatile uint8_t *)address;
    case 2:
        return *(const volatile uint16_t *)address;
    case 4:
        return *(const volatile uint32_t *)address;
    case 8:
        return *(const volatile uint64_t *)address;
    case 16:
        return *(const volatile uint64_t *)address;
    default:
        return 0;
    }
}

/* Of a value of 16 bytes, in a run that a tale may be built from. */
static uint64_t upper_half(uintptr_t address, uint32_t size)
{
    return size == 16 && (rt.flags & PLAN_ORIGINS) ? memory_value(address + 8, 8) : 0;
}

void record_settle(struct task *self)
{
    struct wire_event *event = self->last_write;
    if (event == NULL)
        return;
    self->last_write = NULL;
    event->value = memory_value(event->address, event->size);
    event->before = upper_half(event->address, event->size);
    event->flags |= EVENT_VALUE;
}

static void spin_changed(struct task *self, const struct op *op)
{
    spin_progress(self);
    spin_written(op->address, op->size != 0 ? op->size : 1);
}

/* Tells spin detection what the operation was: op_facts says what it means there. */
static void watch_spinning(struct task *self, const struct op *op, uint64_t value, uint8_t flags)
{
    if (flags & (EVENT_FAILED | EVENT_UNCHANGED)) {
        spin_read(self, op->pc, op->address, value);
        return;
    }
    switch ((enum op_spin)op_facts[op->kind].spin) {
    case SPIN_READ:
        (op->flags & OP_VOLATILE ? spin_read : spin_read_plain)(self, op->pc, op->address, value);
        break;
    case SPIN_LOOK:
        spin_read(self, op->pc, op->address, value);
        break;
    case SPIN_LOCK:
        spin_lock(self, op->pc, op->address);
        break;
    case SPIN_WRITE:
        if (op->size <= sizeof op->before)
            spin_write(self, op->pc, op->address, op->size, op->before, value);
        else
            spin_changed(self, op);
        break;
    case SPIN_YIELD:
        spin_yield(self, op->pc);
        break;
    case SPIN_PAUSE:
        spin_pause(self);
        break;
    case SPIN_UNLOCK:
        spin_written(op->address, 1); /* no progress of this task, but a change for a task that tries to lock */
        break;
    case SPIN_CHANGE:
        spin_changed(self, op);
    }
}

/* FNV-1a over the callers, innermost first.  Deeper callers are left out. */
uint32_t record_context(const struct task *task)
{
    enum { CONTEXT_DEPTH = 16 };
    uint32_t hash = 2166136261u;
    uint32_t depth = task->depth < TASK_FRAMES ? task->depth : TASK_FRAMES;
    for (uint32_t i = 0; i < depth && i < CONTEXT_DEPTH; i++)
        hash = (hash ^ (uint32_t)task->frames[depth - 1 - i].pc) * 16777619u;
    return hash;
}

/* With PLAN_WINDOW: the run is where the window begins, or past it.  What main does before there is a second task is never in it, nor is
   what a plan's steps lead through: so a run that is continued from a checkpoint records the same. */
static bool is_in_window(void)
{
    const struct wire_plan *plan = &rt.wire->plan;
    if (rt.points <= first_thread) /* also if there is none */
        return false;
    if (plan->record_from != RECORD_AT_GOAL)
        return rt.points - first_thread > plan->record_from;
    return !sched_is_replaying() && (plan->strategy != STRATEGY_DIRECT || rt.wire->result.directed.reached != 0);
}

static uint32_t room(void)
{
    uint32_t wanted = rt.wire->plan.record_room;
    return wanted > 0 && wanted < WIRE_EVENTS ? wanted : wanted == 0 ? WIRE_ROOM : WIRE_EVENTS;
}

/* Whether what has just happened is recorded.  `most`: events, at most, beside the plan's own bound. */
static bool is_recorded(uint32_t most)
{
    struct wire_result *result = &rt.wire->result;
    uint32_t wanted = rt.wire->plan.record_most;
    if (!(rt.flags & PLAN_RECORD))
        return false;
    if (((rt.flags & PLAN_WINDOW) && !is_in_window()) || (wanted != 0 && result->event_count >= wanted)) {
        result->events_left_out++;
        return false;
    }
    if (result->event_count == 0)
        result->events_before = result->events_left_out;
    if (result->event_count >= room())
        result->lost |= LOST_EVENTS;
    return (rt.flags & PLAN_TAIL) || result->event_count < most;
}

/* Takes the oldest event of the ring out of it. */
static struct wire_event *reuse_event(uint32_t count)
{
    struct wire_result *result = &rt.wire->result;
    if (result->events_head == 0)
        result->events_head = count / 2;
    struct wire_event *event =
        &rt.wire->events[result->events_head + result->events_gap % (count - result->events_head)];
    struct task *task = event->task < WIRE_TASKS ? rt.tasks[event->task] : NULL;
    if (task != NULL && task->last_write == event)
        task->last_write = NULL;
    uint64_t what =
        (uint64_t)event->task << 48 | (uint64_t)event->op << 40 | (uint64_t)event->flags << 32 | event->size;
    result->events_digest = rt_mix(rt_mix(result->events_digest ^ what) ^ event->operation);
    result->events_gap++;
    result->events_left_out++;
    return event;
}

static struct wire_event *next_event(void)
{
    struct wire_result *result = &rt.wire->result;
    if (result->event_count < room())
        return &rt.wire->events[result->event_count++];
    return reuse_event(result->event_count);
}

/* The operation as an event. */
static struct wire_event event_of(const struct task *self, const struct op *op, uint64_t value, uint8_t flags,
                                  uint16_t origin)
{
    bool update = op->kind == OP_ATOMIC_RMW || op->kind == OP_ATOMIC_CAS;
    bool wide = op_is_access(op->kind) && op->size == 16 && (flags & EVENT_VALUE);
    return (struct wire_event){
        .operation = self->operations,
        .pc = op->pc,
        .address = op->address,
        .value = value,
        .size = op->size,
        .task = (uint16_t)self->id,
        .op = (uint8_t)op->kind,
        .flags = (uint8_t)(flags | (op->flags & OP_VOLATILE ? EVENT_VOLATILE : 0)),
        .context = record_context(self),
        .frame = (uint16_t)locals_frame(self, op->pc, op->address),
        .origin = origin,
        .before = wide     ? upper_half(op->address, op->size)
                  : update ? op->before
                           : 0,
    };
}

void record_event(struct task *self, const struct op *op, uint64_t value, uint8_t flags)
{
    watch_spinning(self, op, value, flags);
    if (flags & EVENT_TIMEOUT)
        sched_timed_out(self);
    sched_turned_out(self, op, flags);
    if (rt.flags & PLAN_LOCK_ORDER)
        lock_order_event(self, op, value, flags);
    if (rt.flags & PLAN_PAIRS)
        pairs_executed(self, op);
    if (!(rt.flags & PLAN_RECORD))
        return;
    record_settle(self);
    if (!is_recorded(room()))
        return;
    struct wire_event *event = next_event();
    *event = event_of(self, op, value, flags, origin_of_call(self, op->pc));
    event->call = calls_innermost(self);
    event->unit = calls_unit(self);
    rt.wire->result.event_steps = rt.wire->result.step_count;
    bool scalar = op->size == 1 || op->size == 2 || op->size == 4 || op->size == 8 ||
                  (op->size == 16 && (rt.flags & PLAN_ORIGINS));
    bool writes = op->kind == OP_WRITE || op->kind == OP_ATOMIC_STORE || op->kind == OP_ATOMIC_RMW;
    if (writes && scalar && !(flags & EVENT_VALUE))
        self->last_write = event;
}

void record_private(struct task *self, const struct op *op, uint64_t value)
{
    struct wire_result *result = &rt.wire->result;
    record_settle(self);
    struct wire_private *private = &result->privates[result->private_count % WIRE_PRIVATES];
    *private = (struct wire_private){
        .event = event_of(self, op, value, EVENT_VALUE, origin_of_task(self, op->pc)),
        .before = result->event_count + result->events_gap,
    };
    result->private_count++;
}

void record_allocation(struct task *self, uintptr_t pc, uintptr_t address, size_t size, size_t count)
{
    /* Half of the table is reserved for what the tasks do: without it the end of the run would be missing. */
    if (!is_recorded(room() / 2))
        return;
    record_settle(self);
    bool inside = task_is_inside(self);
    task_go_inside(self); /* the unwinder calls functions that are hooked */
    uint16_t origin = origin_of_call(self, pc);
    if (!inside)
        task_go_outside(self);
    *next_event() = (struct wire_event){
        .operation = self->operations,
        .pc = pc,
        .address = address,
        .value = count,
        .size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX,
        .task = (uint16_t)self->id,
        .op = OP_ALLOC,
        .origin = origin,
    };
}

/* What the program says about memory. */
static void record_saying(struct task *self, struct wire_event event, size_t size)
{
    if (!is_recorded(room()))
        return;
    record_settle(self);
    event.operation = self->operations;
    event.size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
    event.task = (uint16_t)self->id;
    *next_event() = event;
}

void record_atomic_set(struct task *self, uintptr_t pc, uintptr_t address, size_t size)
{
    record_saying(self, (struct wire_event){.pc = pc, .address = address, .op = OP_ATOMIC_SET}, size);
}

void record_invariant(struct task *self, uintptr_t pc, uintptr_t address, size_t size, bool holds)
{
    record_saying(
        self,
        (struct wire_event){.pc = pc, .address = address, .op = OP_INVARIANT, .value = holds, .flags = EVENT_VALUE},
        size);
}

/* ---- findings -------------------------------------------------------------------------------------------------------- */

static RT_RARE struct wire_finding scratch;

uint32_t record_stack(const struct task *task, uintptr_t pc, uint64_t *stack)
{
    uint32_t depth = task->depth < TASK_FRAMES ? task->depth : TASK_FRAMES;
    uint32_t count = 0;
    if (pc != 0)
        stack[count++] = pc;
    while (depth > 0 && count < WIRE_STACK)
        stack[count++] = task->frames[--depth].pc;
    return count;
}

struct wire_finding *finding_add(struct task *self, enum wire_kind kind, uintptr_t pc, uintptr_t address,
                                 const char *format, ...)
{
    struct wire_result *result = &rt.wire->result;
    struct wire_finding *finding = &scratch;
    if (result->finding_count < WIRE_FINDINGS)
        finding = &result->findings[result->finding_count++];
    else
        result->lost |= LOST_FINDINGS;
    *finding = (struct wire_finding){.kind = kind, .point = rt.points};
    if (self != NULL) {
        finding->here = (struct wire_access){.task = (uint16_t)self->id,
                                             .op = self->pending != NULL ? (uint8_t)self->pending->kind : OP_NONE,
                                             .pc = pc,
                                             .address = address,
                                             .operation = self->operations};
        finding->frame = locals_frame(self, pc, address);
        finding->stack_depth = record_stack(self, pc, finding->stack);
    }
    va_list arguments;
    va_start(arguments, format);
    rt_format_list(finding->text, sizeof finding->text, format, arguments);
    va_end(arguments);
    return finding;
}

void finding_decide(const struct wire_finding *finding)
{
    struct wire_result *result = &rt.wire->result;
    if (finding == &scratch) { /* the table is full of warnings: the failure replaces the last one */
        result->findings[WIRE_FINDINGS - 1] = *finding;
        finding = &result->findings[WIRE_FINDINGS - 1];
    }
    result->failure = (uint32_t)(finding - result->findings) + 1;
    if (rt.current != NULL)
        record_settle(rt.current);
    sched_run_ended(END_FAILURE);
}

void finding_fail(struct wire_finding *finding)
{
    finding_decide(finding);
    rt_end_process(RT_EXIT_FAILURE);
}

void finding_misuse(struct task *self, uintptr_t pc, uintptr_t address, const char *format, ...)
{
    if (!(rt.flags & PLAN_MISUSE))
        return;
    char text[WIRE_TEXT];
    va_list arguments;
    va_start(arguments, format);
    rt_format_list(text, sizeof text, format, arguments);
    va_end(arguments);
    finding_fail(finding_add(self, KIND_LOCK_MISUSE, pc, address, "%s", text));
}
