/* SPDX-License-Identifier: MIT
 *
 * story.c - see story.h.  Deadlocks are in blocked.c.
 */
#include "trace/story.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "trace/events.h"
#include "trace/story_private.h"
#include "util/buffer.h"
#include "util/memory.h"

/* ---- places ------------------------------------------------------------------------------------------------------ */

bool story_is_application(const struct site *site)
{
    return site->instrumented && !site->own && site->line > 0 &&
           (site->path == NULL || strncmp(site->path, "/usr/", strlen("/usr/")) != 0);
}

const struct site *story_visible_site(const struct site *site)
{
    for (const struct site *outer = site; outer != NULL; outer = outer->caller)
        if (story_is_application(outer))
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

const struct site *story_origin(struct symbols *symbols, const struct wire_result *result, uint64_t pc, uint32_t origin)
{
    while (origin != 0) {
        const struct wire_origin *call = &result->origins[origin - 1];
        for (const struct site *site = symbols_site(symbols, call->pc); site != NULL; site = site->caller)
            if (story_is_application(site) && !is_allocator(site))
                return site;
        origin = call->caller;
    }
    return story_visible_site(symbols_site(symbols, pc));
}

static const struct site *frame_site(struct symbols *symbols, const struct wire_finding *finding, uint32_t frame)
{
    uint32_t depth = finding->stack_depth < WIRE_STACK ? finding->stack_depth : WIRE_STACK;
    uint64_t pc = depth > 0 ? finding->stack[frame] : finding->here.pc;
    return frame >= (depth > 0 ? depth : 1) || pc == 0 ? NULL : symbols_site(symbols, pc);
}

const struct site *story_frame(struct symbols *symbols, const struct wire_finding *finding, uint32_t index)
{
    for (uint32_t frame = 0; frame < WIRE_STACK; frame++) {
        const struct site *site = frame_site(symbols, finding, frame);
        if (site == NULL)
            return NULL;
        for (; site != NULL; site = site->caller)
            if (!site->own && index-- == 0)
                return site;
    }
    return NULL;
}

const struct site *story_place(struct symbols *symbols, const struct wire_finding *finding)
{
    const struct site *site, *with_line = NULL;
    for (uint32_t i = 0; (site = story_frame(symbols, finding, i)) != NULL; i++) {
        if (story_is_application(site))
            return site;
        if (with_line == NULL && site->line > 0)
            with_line = site;
    }
    return with_line != NULL ? with_line : story_frame(symbols, finding, 0);
}

const char *story_where(struct symbols *symbols, uint64_t pc)
{
    return story_visible_site(symbols_site(symbols, pc))->where;
}

/* ---- headline ---------------------------------------------------------------------------------------------------- */

/* "read" of a volatile or atomic access too: what the race detector says about it is in the operation. */
static const char *access_verb(const struct wire_access *access)
{
    return access->op != OP_NONE ? event_op_name(access->op) : "access";
}

static void add_race(const struct story *story, struct objects *objects, struct buffer *text)
{
    const struct wire_finding *finding = story->finding;
    char name[OBJECT_NAME];
    buffer_printf(text, "%s on %s: %s by T%u at %s",
                  finding->kind == KIND_RACE ? "data race" : "race on a volatile object",
                  objects_name(objects, finding->here.address, finding->here.size, name, NULL),
                  access_verb(&finding->other), finding->other.task, story_where(story->symbols, finding->other.pc));
    buffer_printf(text, " and %s by T%u at %s", access_verb(&finding->here), finding->here.task,
                  story_where(story->symbols, finding->here.pc));
}

/* "use after free: read of 4 bytes, 8 bytes into a freed block of 16 bytes at bank.c:18, freed by T2 at bank.c:25" */
static void add_heap(const struct story *story, struct objects *objects, struct buffer *text)
{
    const struct wire_finding *finding = story->finding;
    const struct site *site = story_place(story->symbols, finding);
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
    site = story_origin(story->symbols, story->result, finding->other.pc, known ? block.freed_from : 0);
    buffer_printf(text, ", freed by T%u at %s", finding->other.task, site->where);
}

static void add_signal(const struct story *story, struct objects *objects, struct buffer *text)
{
    const struct wire_finding *finding = story->finding;
    const struct site *site = story_place(story->symbols, finding);
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

/* What the runtime said, and where.  The text may name the place already. */
static void add_plain(const struct story *story, struct objects *objects, struct buffer *text)
{
    const struct wire_finding *finding = story->finding;
    const struct site *site = story_place(story->symbols, finding);
    char name[OBJECT_NAME];
    if (finding->kind == KIND_HANG)
        buffer_add_string(text, "hang: ");
    buffer_add_string(text, finding->text);
    if (finding->kind == KIND_LOCK_MISUSE && finding->here.address != 0)
        buffer_printf(text, ": %s", objects_name(objects, finding->here.address, 0, name, NULL));
    if (site != NULL && strstr(finding->text, site->where) == NULL)
        buffer_printf(text, " at %s", site->where);
}

static void add_headline(const struct story *story, struct objects *objects, struct buffer *text)
{
    switch (story->finding->kind) {
    case KIND_DEADLOCK:
        blocked_add_headline(story, objects, text);
        break;
    case KIND_RACE:
    case KIND_VOLATILE_RACE:
        add_race(story, objects, text);
        break;
    case KIND_USE_AFTER_FREE:
    case KIND_DOUBLE_FREE:
    case KIND_INVALID_FREE:
    case KIND_OUT_OF_BLOCK:
        add_heap(story, objects, text);
        break;
    case KIND_SIGNAL:
        add_signal(story, objects, text);
        break;
    default:
        add_plain(story, objects, text);
    }
}

/* Names as they were when the finding was made: after all events. */
static struct objects *final_objects(const struct story *story)
{
    struct objects *objects = objects_open_typed(story->symbols, story->result, story->events, story->count);
    for (uint32_t i = 0; i < story->count; i++) {
        objects_event(objects, &story->events[i]);
        event_pass(objects, &story->events[i]);
    }
    return objects;
}

char *story_headline(struct symbols *symbols, const struct wire_result *result, const struct wire_finding *finding,
                     const struct wire_event *events, uint32_t count)
{
    struct story story = {symbols, result, finding, events, count};
    struct objects *objects = final_objects(&story);
    struct buffer text = {0};
    add_headline(&story, objects, &text);
    objects_close(objects);
    return buffer_take(&text);
}

/* ---- key --------------------------------------------------------------------------------------------------------- */

const char *story_site(struct symbols *symbols, const struct wire_result *result, const struct wire_finding *finding)
{
    const char *place = finding->kind == KIND_DEADLOCK ? blocked_first_place(symbols, result) : NULL;
    const struct site *site = story_place(symbols, finding);
    return place != NULL ? place : site != NULL ? site->where : "?";
}

char *story_key(struct symbols *symbols, const struct wire_result *result, const struct wire_finding *finding)
{
    struct buffer key = {0};
    const char *here, *other;
    buffer_add_string(&key, event_kind_name(finding->kind));
    switch (finding->kind) {
    case KIND_DEADLOCK:
        blocked_add_places(symbols, result, &key);
        break;
    case KIND_RACE:
    case KIND_VOLATILE_RACE:
        here = story_where(symbols, finding->here.pc);
        other = story_where(symbols, finding->other.pc);
        buffer_printf(&key, " %s %s", strcmp(here, other) < 0 ? here : other, strcmp(here, other) < 0 ? other : here);
        break;
    case KIND_SIGNAL:
        buffer_printf(&key, " %" PRIu32 " %s", finding->signal, story_site(symbols, result, finding));
        break;
    case KIND_EXIT:
        buffer_printf(&key, " %" PRIu32, result->exit_status);
        break;
    case KIND_OUTPUT:
    case KIND_ORACLE:
        break;
    default:
        buffer_printf(&key, " %s", story_site(symbols, result, finding));
    }
    return buffer_take(&key);
}
