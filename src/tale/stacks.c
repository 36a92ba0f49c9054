/* SPDX-License-Identifier: MIT
 *
 * stacks.c - the call stacks of a tale: of the failure, of both sides of a race, of every thread that is blocked in a deadlock, of the
 * allocation and the release of a block, and of where threads were created.
 *
 * DESIGN
 *   The runtime gives the stack of the failure with the finding.  All other stacks come from the calls that are recorded with each event
 *   of the run that a tale is built from (result.origins).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tale/tale_private.h"
#include "trace/events.h"
#include "trace/headline.h"

enum { BLOCKED = 8, CREATED = 4 }; /* most stacks of one sort */

/* Cuts it after the outermost frame in the program's own code.  Its callers (libc, the runtime) are left out. */
static void push_stack(struct builder *builder, struct tale_stack *stack, size_t own, const char *title)
{
    stack->title = tale_pool_text(builder->tale->pool, title);
    if (own > 0)
        stack->places.count = own;
    if (stack->places.count > 0)
        vector_push(&builder->tale->stacks, *stack);
    else
        vector_free(&stack->places);
}

static void add_finding_stack(struct builder *builder, uint32_t thread, const char *title,
                              const struct site *(*frame)(struct symbols *, const struct wire_finding *, uint32_t))
{
    struct tale_stack stack = {.thread = thread};
    const struct site *site;
    size_t own = 0;
    for (uint32_t i = 0; (site = frame(builder->symbols, builder->finding, i)) != NULL; i++) {
        vector_push(&stack.places, builder_exact_place(builder, site));
        if (headline_is_application(site))
            own = stack.places.count;
    }
    push_stack(builder, &stack, own, title);
}

/* Whether the program's own code is among the calls. */
static bool has_application(struct builder *builder, uint32_t origin)
{
    for (; origin != 0; origin = builder->copy->result.origins[origin - 1].caller)
        for (const struct site *site = symbols_site(builder->symbols, builder->copy->result.origins[origin - 1].pc);
             site != NULL; site = site->caller)
            if (headline_is_application(site))
                return true;
    return false;
}

/* The calls from `origin` outwards; without them only the place of `pc` is known. */
static void add_calls(struct builder *builder, uint32_t thread, uint64_t pc, uint32_t origin, const char *title)
{
    const struct wire_result *result = &builder->copy->result;
    struct tale_stack stack = {.thread = thread};
    size_t own = 0;
    for (bool first = true; first || origin != 0; first = false) {
        uint64_t at = origin != 0 ? result->origins[origin - 1].pc : pc;
        const struct site *site = at != 0 ? symbols_site(builder->symbols, at) : NULL;
        for (; site != NULL; site = site->caller) {
            if (site->own || (own == 0 && !headline_is_application(site) && has_application(builder, origin)))
                continue; /* how a library does it says nothing */
            vector_push(&stack.places, builder_exact_place(builder, site));
            if (headline_is_application(site))
                own = stack.places.count;
        }
        origin = origin != 0 ? result->origins[origin - 1].caller : 0;
    }
    push_stack(builder, &stack, own, title);
}

/* The last event of the run that the access is; NULL: it was not recorded. */
static const struct wire_event *event_of(const struct wire_copy *copy, const struct wire_access *access)
{
    for (size_t i = copy->events.count; i-- > 0 && access->pc != 0;) {
        const struct wire_event *event = &copy->events.data[i];
        if (event->task == access->task && event->operation == access->operation && event->pc == access->pc)
            return event;
    }
    return NULL;
}

static void add_other_side(struct builder *builder)
{
    const struct wire_access *other = &builder->finding->other;
    const struct wire_event *event = event_of(builder->copy, other);
    if (other->pc != 0)
        add_calls(builder, builder_thread(builder, other->task), other->pc, event != NULL ? event->origin : 0,
                  "the other access");
}

/* Where another thread took the lock that is misused, if it did so last. */
static void add_holder(struct builder *builder)
{
    const struct wire_finding *finding = builder->finding;
    const struct wire_copy *copy = builder->copy;
    char title[OBJECT_NAME + 16], name[OBJECT_NAME];
    for (size_t i = copy->events.count; i-- > 0 && finding->here.address != 0;) {
        const struct wire_event *event = &copy->events.data[i];
        if (event->address != finding->here.address || (event->flags & EVENT_FAILED) || !op_takes_lock(event->op))
            continue;
        if (event->task == finding->here.task)
            return;
        snprintf(title, sizeof title, "locked %s",
                 objects_name(builder->objects, finding->here.address, 0, name, NULL));
        add_calls(builder, builder_thread(builder, event->task), event->pc, event->origin, title);
        return;
    }
}

/* ---- heap blocks ------------------------------------------------------------------------------------------------------ */

static void add_block(struct builder *builder)
{
    const struct wire_finding *finding = builder->finding;
    struct object_block block;
    char title[OBJECT_NAME];
    if (finding->block == 0 || !objects_block(builder->objects, finding->block, &block) ||
        block.start != finding->block)
        return;
    if (block.freed_pc != 0) {
        snprintf(title, sizeof title, "freed heap#%" PRIu32, block.number);
        add_calls(builder, builder_thread(builder, block.freed_by), block.freed_pc, block.freed_from, title);
    }
    if (block.allocated_pc != 0) {
        snprintf(title, sizeof title, "allocated heap#%" PRIu32, block.number);
        add_calls(builder, builder_thread(builder, block.allocated_by), block.allocated_pc, block.allocated_from,
                  title);
    }
}

/* ---- threads ---------------------------------------------------------------------------------------------------------- */

static bool only_joins(const struct tale *tale)
{
    for (size_t i = 0; i < tale->waits.count; i++)
        if (tale->waits.data[i].op != OP_JOIN)
            return false;
    return true;
}

/* A thread that only joins another one is no part of a deadlock. */
static void add_blocked(struct builder *builder)
{
    const struct wire_result *result = &builder->copy->result;
    const struct tale *tale = builder->tale;
    bool joins = only_joins(tale);
    size_t count = 0;
    for (size_t i = 0; i < tale->waits.count && count < BLOCKED; i++) {
        const struct tale_wait *wait = &tale->waits.data[i];
        char title[OBJECT_NAME + 64];
        if (wait->op == OP_JOIN && !joins)
            continue;
        snprintf(title, sizeof title, "%s %s%s", builder->finding->kind == KIND_HANG ? "is at" : "waits for",
                 event_object_kind(wait->op), wait->object);
        add_calls(builder, wait->thread, result->blocked[i].pc, result->blocked[i].origin, title);
        count++;
    }
}

static bool has_stack(const struct tale *tale, uint32_t thread)
{
    for (size_t i = 0; i < tale->stacks.count; i++)
        if (tale->stacks.data[i].thread == thread)
            return true;
    return false;
}

/* Where the threads were created of which there is a stack, if that was not simply in main. */
static void add_creations(struct builder *builder)
{
    struct tale *tale = builder->tale;
    size_t count = 0;
    uint32_t known = (uint32_t)tale->threads.count;
    for (size_t i = 0; i < builder->copy->events.count && count < CREATED; i++) {
        const struct wire_event *event = &builder->copy->events.data[i];
        bool creates = event->op == OP_CREATE && (event->flags & EVENT_VALUE) && !(event->flags & EVENT_FAILED);
        if (!creates || event->value == 0 || event->value >= known || event->origin == 0 ||
            !has_stack(tale, (uint32_t)event->value))
            continue;
        char title[32];
        size_t before = tale->stacks.count;
        snprintf(title, sizeof title, "created T%" PRIu64, event->value);
        add_calls(builder, builder_thread(builder, event->task), event->pc, event->origin, title);
        if (tale->stacks.count > before && tale->stacks.data[before].places.count == 1) {
            tale->stacks.count = before;
            vector_free(&tale->stacks.data[before].places);
        }
        count += tale->stacks.count - before;
    }
}

void stacks_add(struct builder *builder)
{
    const struct wire_finding *finding = builder->finding;
    if (finding->kind == KIND_DEADLOCK) {
        add_blocked(builder);
    } else {
        add_finding_stack(builder, builder->tale->failing_thread, "", headline_frame);
    }
    if (finding->kind == KIND_LOCK_ORDER)
        add_finding_stack(builder, builder_thread(builder, finding->other.task), "takes them in the other order",
                          headline_other_frame);
    if (finding->kind == KIND_RACE || finding->kind == KIND_VOLATILE_RACE)
        add_other_side(builder);
    if (finding->kind == KIND_LOCK_MISUSE)
        add_holder(builder);
    add_block(builder);
    add_creations(builder);
}
