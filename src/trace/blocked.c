/* SPDX-License-Identifier: MIT
 *
 * blocked.c - the headline of a deadlock: which thread holds what, and waits for what.
 *
 * The waits are in the result; where a lock was acquired is searched in the events.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/events.h"
#include "trace/headline_private.h"
#include "util/memory.h"

enum { SHOWN = 4 }; /* threads in a headline */

/* Where the task acquired the lock that it holds; 0 if it is not in the events. */
static uint64_t taken_at(const struct headline *finding_of, uint32_t task, uint64_t address)
{
    for (uint32_t i = finding_of->count; i-- > 0;) {
        const struct wire_event *event = &finding_of->events[i];
        if (event->task == task && event->address == address && !(event->flags & EVENT_FAILED) &&
            (op_takes_lock(event->op) || event->op == OP_ONCE_BEGIN))
            return event->pc;
    }
    return 0;
}

static uint32_t blocked_count(const struct wire_result *result)
{
    return result->blocked_count < WIRE_BLOCKED ? result->blocked_count : WIRE_BLOCKED;
}

static const struct wire_blocked *blocked_of(const struct wire_result *result, uint32_t task)
{
    for (uint32_t i = 0; i < blocked_count(result); i++)
        if (result->blocked[i].task == task)
            return &result->blocked[i];
    return NULL;
}

/* Whether the task is in a cycle of waits. */
static bool is_in_cycle(const struct wire_result *result, const struct wire_blocked *start)
{
    const struct wire_blocked *blocked = start;
    for (uint32_t i = 0; i < blocked_count(result) && blocked != NULL; i++) {
        if (blocked->holder == UINT16_MAX)
            return false;
        if (blocked->holder == start->task)
            return true;
        blocked = blocked_of(result, blocked->holder);
    }
    return false;
}

/* Whether the wait is part of the reason: it is in the cycle; without a cycle, every wait except a join of a thread
   that waits itself. */
static bool is_cause(const struct wire_result *result, const struct wire_blocked *blocked)
{
    bool cycle = false, only_joins = true;
    for (uint32_t i = 0; i < blocked_count(result); i++) {
        cycle = cycle || is_in_cycle(result, &result->blocked[i]);
        only_joins = only_joins && result->blocked[i].op == OP_JOIN;
    }
    return cycle ? is_in_cycle(result, blocked) : only_joins || blocked->op != OP_JOIN;
}

/* "holds A (bank.c:10) and " for all objects that this thread holds and others wait for. */
static void add_held(const struct headline *finding_of, struct objects *objects, uint32_t task, struct buffer *text)
{
    int count = 0;
    for (uint32_t i = 0; i < blocked_count(finding_of->result) && count < 3; i++) {
        const struct wire_blocked *other = &finding_of->result->blocked[i];
        bool again = false;
        for (uint32_t j = 0; j < i && !again; j++)
            again = finding_of->result->blocked[j].address == other->address;
        if (other->holder != task || other->task == task || other->op == OP_JOIN || again)
            continue;
        char name[OBJECT_NAME];
        uint64_t pc = taken_at(finding_of, task, other->address);
        buffer_printf(text, "%s%s", count++ > 0 ? ", " : " holds ",
                      objects_name(objects, other->address, 0, name, NULL));
        if (pc != 0)
            buffer_printf(text, " (%s)", headline_where(finding_of->symbols, pc));
    }
    if (count > 0)
        buffer_add_string(text, " and");
}

static bool takes_rwlock(uint32_t op)
{
    return op_object(op) == ABOUT_RWLOCK && op_takes_lock(op);
}

/* ", held by T1 (bank.c:10), T2 (bank.c:10)": a lock that several threads may hold has no single holder. */
static void add_readers(const struct headline *finding_of, uint64_t address, struct buffer *text)
{
    int *held = memory_allocate(WIRE_TASKS, sizeof *held), shown = 0;
    for (uint32_t i = 0; i < finding_of->count; i++) {
        const struct wire_event *event = &finding_of->events[i];
        if (event->address != address || event->task >= WIRE_TASKS || (event->flags & EVENT_FAILED))
            continue;
        held[event->task] += takes_rwlock(event->op) ? 1 : event->op == OP_RWLOCK_UNLOCK ? -1 : 0;
    }
    for (uint32_t task = 0; task < WIRE_TASKS && shown < 4; task++)
        if (held[task] > 0)
            buffer_printf(text, "%s T%" PRIu32 " (%s)", shown++ == 0 ? ", held by" : ",", task,
                          headline_where(finding_of->symbols, taken_at(finding_of, task, address)));
    free(held);
}

/* "T1 holds A (bank.c:10) and waits for B at bank.c:11" */
static void add_blocked(const struct headline *finding_of, struct objects *objects, const struct wire_blocked *blocked,
                        struct buffer *text)
{
    char name[OBJECT_NAME];
    bool known = blocked->holder != UINT16_MAX;
    buffer_printf(text, "T%u", blocked->task);
    add_held(finding_of, objects, blocked->task, text);
    if (blocked->op == OP_JOIN && known)
        buffer_printf(text, " waits for the end of T%u", blocked->holder);
    else if (op_class(blocked->op) == CLASS_IO)
        buffer_printf(text, " waits in %s for fd#%" PRIu64, event_op_name(blocked->op), blocked->address);
    else if (blocked->address == 0)
        buffer_printf(text, " waits in %s", event_op_name(blocked->op));
    else
        buffer_printf(text, " waits for %s%s", event_object_kind(blocked->op),
                      objects_name(objects, blocked->address, 0, name, NULL));
    buffer_printf(text, " at %s", headline_where(finding_of->symbols, blocked->pc));
    if (!known && takes_rwlock(blocked->op))
        add_readers(finding_of, blocked->address, text);
    if (known && blocked->holder == blocked->task) {
        uint64_t pc = taken_at(finding_of, blocked->task, blocked->address);
        buffer_printf(text, ", which it holds itself%s%s%s", pc != 0 ? " (" : "",
                      pc != 0 ? headline_where(finding_of->symbols, pc) : "", pc != 0 ? ")" : "");
    }
}

void blocked_add_headline(const struct headline *finding_of, struct objects *objects, struct buffer *text)
{
    uint32_t shown = 0, left = 0;
    for (uint32_t i = 0; i < blocked_count(finding_of->result); i++) {
        const struct wire_blocked *blocked = &finding_of->result->blocked[i];
        if (!is_cause(finding_of->result, blocked))
            continue;
        if (shown == SHOWN) {
            left++;
            continue;
        }
        buffer_add_string(text, shown++ == 0 ? "deadlock: " : "; ");
        add_blocked(finding_of, objects, blocked, text);
    }
    if (left > 0)
        buffer_printf(text, "; and %" PRIu32 " more", left);
    if (shown == 0)
        buffer_add_string(text, finding_of->finding->text);
}

static int compare_texts(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* The places where the threads that caused it wait, sorted. */
void blocked_add_places(struct symbols *symbols, const struct wire_result *result, struct buffer *key)
{
    const char *places[WIRE_BLOCKED] = {NULL};
    uint32_t count = 0;
    for (uint32_t i = 0; i < blocked_count(result); i++)
        if (is_cause(result, &result->blocked[i]))
            places[count++] = headline_where(symbols, result->blocked[i].pc);
    qsort(places, count, sizeof places[0], compare_texts);
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || strcmp(places[i], places[i - 1]) != 0)
            buffer_printf(key, " %s", places[i]);
}

const char *blocked_first_place(struct symbols *symbols, const struct wire_result *result)
{
    for (uint32_t i = 0; i < blocked_count(result); i++)
        if (is_cause(result, &result->blocked[i]))
            return headline_where(symbols, result->blocked[i].pc);
    return NULL;
}
