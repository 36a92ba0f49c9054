/* SPDX-License-Identifier: MIT
 *
 * headline.c - see headline.h.  Deadlocks are in blocked.c, violations of serializability in interrupted.c.
 */
#include "trace/headline.h"

#include <assert.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "trace/events.h"
#include "trace/headline_private.h"
#include "util/buffer.h"
#include "util/hash.h"
#include "util/memory.h"

/* ---- places ------------------------------------------------------------------------------------------------------ */

bool headline_is_application(const struct site *site)
{
    return site->instrumented && !site->own && site->line > 0 &&
           (site->path == NULL || strncmp(site->path, "/usr/", strlen("/usr/")) != 0);
}

const struct site *headline_visible_site(const struct site *site)
{
    for (const struct site *outer = site; outer != NULL; outer = outer->caller)
        if (headline_is_application(outer))
            return outer;
    return site;
}

/* operator new and new[], delete and delete[], of the program or of one of its classes. */
static bool is_allocator(const struct site *site)
{
    static const char *const names[] = {"operator new", "operator new[]", "operator delete", "operator delete[]"};
    const char *scope = strstr(site->function, "::operator "), *name = scope != NULL ? scope + 2 : site->function;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

const struct site *headline_origin(struct symbols *symbols, const struct wire_result *result, uint64_t pc,
                                   uint32_t origin)
{
    while (origin != 0) {
        const struct wire_origin *call = &result->origins[origin - 1];
        for (const struct site *site = symbols_site(symbols, call->pc); site != NULL; site = site->caller)
            if (headline_is_application(site) && !is_allocator(site))
                return site;
        origin = call->caller;
    }
    return headline_visible_site(symbols_site(symbols, pc));
}

/* Frame number `index` of a stack of return addresses, inlined functions counted, the runtime's own left out. */
static const struct site *stack_frame(struct symbols *symbols, const uint64_t *stack, uint32_t depth, uint32_t index)
{
    for (uint32_t frame = 0; frame < depth && frame < WIRE_STACK && stack[frame] != 0; frame++)
        for (const struct site *site = symbols_site(symbols, stack[frame]); site != NULL; site = site->caller)
            if (!site->own && index-- == 0)
                return site;
    return NULL;
}

const struct site *headline_frame(struct symbols *symbols, const struct wire_finding *finding, uint32_t index)
{
    bool none = finding->stack_depth == 0;
    return stack_frame(symbols, none ? &finding->here.pc : finding->stack, none ? 1 : finding->stack_depth, index);
}

const struct site *headline_other_frame(struct symbols *symbols, const struct wire_finding *finding, uint32_t index)
{
    bool none = finding->other_stack_depth == 0;
    return stack_frame(symbols, none ? &finding->other.pc : finding->other_stack, none ? 1 : finding->other_stack_depth,
                       index);
}

const struct site *headline_place(struct symbols *symbols, const struct wire_finding *finding)
{
    const struct site *site, *with_line = NULL;
    for (uint32_t i = 0; (site = headline_frame(symbols, finding, i)) != NULL; i++) {
        if (headline_is_application(site))
            return site;
        if (with_line == NULL && site->line > 0)
            with_line = site;
    }
    return with_line != NULL ? with_line : headline_frame(symbols, finding, 0);
}

const char *headline_where(struct symbols *symbols, uint64_t pc)
{
    return headline_visible_site(symbols_site(symbols, pc))->where;
}

/* ---- headline ---------------------------------------------------------------------------------------------------- */

/* "read" of a volatile or atomic access too: the operation says what the race detector knows about it. */
static const char *access_verb(const struct wire_access *access)
{
    return access->op != OP_NONE ? event_op_name(access->op) : "access";
}

static bool is_atomic(const struct wire_access *access)
{
    return access->op == OP_ATOMIC_LOAD || access->op == OP_ATOMIC_STORE;
}

/* Races on volatile objects, and those with an atomic access on one side, are told apart: they often are meant. */
static const char *race_name(const struct wire_finding *finding)
{
    if (finding->kind == KIND_VOLATILE_RACE)
        return "volatile race";
    return is_atomic(&finding->here) || is_atomic(&finding->other) ? "data race with an atomic access" : "data race";
}

static void add_race(const struct headline *finding_of, struct objects *objects, struct buffer *text)
{
    const struct wire_finding *finding = finding_of->finding;
    char name[OBJECT_NAME];
    buffer_printf(text, "%s on %s: %s by T%u at %s", race_name(finding),
                  objects_name(objects, finding->here.address, finding->here.size, name, NULL),
                  access_verb(&finding->other), finding->other.task,
                  headline_where(finding_of->symbols, finding->other.pc));
    buffer_printf(text, " and %s by T%u at %s", access_verb(&finding->here), finding->here.task,
                  headline_where(finding_of->symbols, finding->here.pc));
}

/* "lock order: T1 takes b at bank.c:18 while it holds a, T2 takes a at bank.c:25 while it holds b; both hold gate" */
static void add_lock_order(const struct headline *finding_of, struct objects *objects, struct buffer *text)
{
    const struct wire_finding *finding = finding_of->finding;
    char second[OBJECT_NAME], first[OBJECT_NAME], gate[OBJECT_NAME];
    objects_name(objects, finding->here.address, 0, second, NULL);
    objects_name(objects, finding->other.address, 0, first, NULL);
    buffer_printf(text, "lock order: T%u takes %s at %s while it holds %s, T%u takes %s at %s while it holds %s",
                  finding->other.task, first, headline_where(finding_of->symbols, finding->other.pc), second,
                  finding->here.task, second, headline_where(finding_of->symbols, finding->here.pc), first);
    if (finding->gate != 0)
        buffer_printf(text, "; both hold %s", objects_name(objects, finding->gate, 0, gate, NULL));
}

/* "use after free: read of 4 bytes, 8 bytes into a freed block of 16 bytes at bank.c:18, freed by T2 at bank.c:25" */
static void add_heap(const struct headline *finding_of, struct objects *objects, struct buffer *text)
{
    const struct wire_finding *finding = finding_of->finding;
    const struct site *site = headline_place(finding_of->symbols, finding);
    const char *what = finding->kind == KIND_USE_AFTER_FREE ? "use after free"
                       : finding->kind == KIND_DOUBLE_FREE  ? "double free"
                       : finding->kind == KIND_INVALID_FREE ? "invalid free"
                                                            : "out of block";
    buffer_printf(text, "%s: %s", what, finding->text);
    if (site != NULL)
        buffer_printf(text, " at %s", site->where);
    bool freed = finding->kind == KIND_USE_AFTER_FREE || finding->kind == KIND_DOUBLE_FREE;
    struct object_block block;
    if (!freed || finding->other.pc == 0)
        return;
    bool known = objects_block(objects, finding->block, &block) && block.freed_pc == finding->other.pc;
    site = headline_origin(finding_of->symbols, finding_of->result, finding->other.pc, known ? block.freed_from : 0);
    buffer_printf(text, ", freed by T%u at %s", finding->other.task, site->where);
}

static void add_leak(const struct headline *finding_of, struct buffer *text)
{
    const struct site *site = headline_place(finding_of->symbols, finding_of->finding);
    buffer_printf(text, "memory leak: what is allocated at %s is lost", site != NULL ? site->where : "?");
}

static void add_signal(const struct headline *finding_of, struct objects *objects, struct buffer *text)
{
    const struct wire_finding *finding = finding_of->finding;
    const struct site *site = headline_place(finding_of->symbols, finding);
    bool memory = finding->signal == SIGSEGV || finding->signal == SIGBUS;
    char name[OBJECT_NAME];
    buffer_add_string(text, finding->text);
    if (memory && finding->here.address < 4096)
        buffer_add_string(text, " (null pointer)");
    else if (memory && strncmp(objects_name(objects, finding->here.address, 0, name, NULL), "mem#", 4) != 0)
        buffer_printf(text, " (%s)", name);
    if (site != NULL)
        buffer_printf(text, " at %s", site->where);
}

/* The message of the runtime, and the place.  The message may contain the place already. */
static void add_plain(const struct headline *finding_of, struct objects *objects, struct buffer *text)
{
    const struct wire_finding *finding = finding_of->finding;
    const struct site *site = headline_place(finding_of->symbols, finding);
    char name[OBJECT_NAME];
    if (finding->kind == KIND_HANG)
        buffer_add_string(text, "hang: ");
    buffer_add_string(text, finding->text);
    if (finding->kind == KIND_LOCK_MISUSE && finding->here.address != 0)
        buffer_printf(text, ": %s", objects_name(objects, finding->here.address, 0, name, NULL));
    if (site != NULL && strstr(finding->text, site->where) == NULL)
        buffer_printf(text, " at %s", site->where);
}

static void add_headline(const struct headline *finding_of, struct objects *objects, struct buffer *text)
{
    switch (finding_of->finding->kind) {
    case KIND_DEADLOCK:
        blocked_add_headline(finding_of, objects, text);
        break;
    case KIND_RACE:
    case KIND_VOLATILE_RACE:
        add_race(finding_of, objects, text);
        break;
    case KIND_LOCK_ORDER:
        add_lock_order(finding_of, objects, text);
        break;
    case KIND_USE_AFTER_FREE:
    case KIND_DOUBLE_FREE:
    case KIND_INVALID_FREE:
    case KIND_OUT_OF_BLOCK:
        add_heap(finding_of, objects, text);
        break;
    case KIND_LEAK:
        add_leak(finding_of, text);
        break;
    case KIND_SERIALIZABILITY:
        interrupted_add_headline(finding_of, text);
        break;
    case KIND_SIGNAL:
        add_signal(finding_of, objects, text);
        break;
    default:
        add_plain(finding_of, objects, text);
    }
}

/* Names as they are at the time of the finding: after all events. */
static struct objects *final_objects(const struct headline *finding_of)
{
    struct objects *objects =
        objects_open_typed(finding_of->symbols, finding_of->result, finding_of->events, finding_of->count);
    for (uint32_t i = 0; i < finding_of->count; i++) {
        objects_event(objects, &finding_of->events[i]);
        event_pass(objects, &finding_of->events[i]);
    }
    return objects;
}

char *headline_text(struct symbols *symbols, const struct wire_result *result, const struct wire_finding *finding,
                    const struct wire_event *events, uint32_t count)
{
    struct headline own = {symbols, result, finding, events, count};
    struct objects *objects = final_objects(&own);
    struct buffer text = {0};
    add_headline(&own, objects, &text);
    objects_close(objects);
    return buffer_take(&text);
}

void headline_names(struct symbols *symbols, const struct wire_result *result, const struct wire_finding *finding,
                    const struct wire_event *events, uint32_t count, struct headline_names *names)
{
    struct headline own = {symbols, result, finding, events, count};
    bool race = finding->kind == KIND_RACE || finding->kind == KIND_VOLATILE_RACE;
    names->count = race ? 1 : finding->kind == KIND_LOCK_ORDER ? 2 : 0;
    if (names->count == 0)
        return;
    struct objects *objects = final_objects(&own);
    objects_name(objects, finding->here.address, race ? finding->here.size : 0, names->names[0], NULL);
    if (names->count == 2)
        objects_name(objects, finding->other.address, 0, names->names[1], NULL);
    objects_close(objects);
}

/* ---- site -------------------------------------------------------------------------------------------------------- */

const char *headline_site(struct symbols *symbols, const struct wire_result *result, const struct wire_finding *finding)
{
    const char *place = finding->kind == KIND_DEADLOCK ? blocked_first_place(symbols, result) : NULL;
    const struct site *site = headline_place(symbols, finding);
    return place != NULL ? place : site != NULL ? site->where : "?";
}

char *headline_stack_text(struct symbols *symbols, const struct wire_finding *finding, headline_frame_of *frame)
{
    struct buffer text = {0};
    const struct site *site;
    uint32_t own = 0;
    for (uint32_t i = 0; (site = frame(symbols, finding, i)) != NULL; i++)
        if (headline_is_application(site))
            own = i + 1;
    for (uint32_t i = 0; (site = frame(symbols, finding, i)) != NULL && (own == 0 || i < own); i++)
        buffer_printf(&text, "%s%s at %s", i > 0 ? ", called by " : "",
                      site->function[0] != '\0' ? site->function : "?", site->where);
    return buffer_take(&text);
}

char *headline_stacks(struct symbols *symbols, const struct wire_finding *finding)
{
    struct buffer text = {0};
    if (finding->kind != KIND_LOCK_ORDER)
        return NULL;
    char *here = headline_stack_text(symbols, finding, headline_frame),
         *other = headline_stack_text(symbols, finding, headline_other_frame);
    buffer_printf(&text, "T%u %s; has held the other lock since %s\n", finding->other.task, other,
                  headline_where(symbols, finding->other_held_pc));
    buffer_printf(&text, "T%u %s; has held the other lock since %s", finding->here.task, here,
                  headline_where(symbols, finding->held_pc));
    free(here);
    free(other);
    return buffer_take(&text);
}

uint64_t failure_raw_place(const struct wire_finding *finding)
{
    uint64_t a = finding->here.pc, b = finding->other.pc;
    for (uint32_t i = 0; i < finding->other_stack_depth && i < WIRE_STACK; i++)
        b = hash_combine(b, finding->other_stack[i]);
    for (uint32_t i = 0; finding->other_stack_depth > 0 && i < finding->stack_depth && i < WIRE_STACK; i++)
        a = hash_combine(a, finding->stack[i]);
    if (finding->kind == KIND_SERIALIZABILITY)
        a = hash_combine(a, hash_string(finding->text));
    return hash_combine(hash_combine(finding->kind, a < b ? a : b), a < b ? b : a);
}
