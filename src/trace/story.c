/* SPDX-License-Identifier: MIT
 *
 * story.c - see story.h.  Deadlocks are in blocked.c, the columns in lanes.c.
 */
#include "trace/story.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/events.h"
#include "trace/story_private.h"
#include "util/buffer.h"
#include "util/memory.h"

enum { COLUMNS = 100, FRAMES = 12 };

/* ---- text -------------------------------------------------------------------------------------------------------- */

int story_width(const char *text)
{
    int width = 0;
    for (; *text != '\0'; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80; /* not the later bytes of a UTF-8 character */
    return width;
}

int story_print_cut(FILE *out, const char *text, int columns)
{
    int width = story_width(text);
    if (width <= columns) {
        fputs(text, out);
        return width;
    }
    int taken = 0;
    for (; *text != '\0'; text++) {
        taken += ((unsigned char)*text & 0xc0) != 0x80;
        if (taken >= columns)
            break;
        fputc(*text, out);
    }
    fputs("…", out);
    return columns;
}

char *story_task_name(struct symbols *symbols, const struct wire_result *result, uint32_t task, char buffer[TASK_NAME])
{
    uint64_t pc = task < WIRE_TASKS ? result->tasks[task].start_pc : 0;
    const char *function = pc != 0 ? symbols_function(symbols, pc)->function : "";
    if (task == 0)
        function = "main";
    snprintf(buffer, TASK_NAME, "T%" PRIu32 "%s%.48s", task, function[0] != '\0' ? " " : "", function);
    return buffer;
}

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
static void add_heap(const struct story *story, struct buffer *text)
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
    if (freed && finding->other.pc != 0)
        buffer_printf(text, ", freed by T%u at %s", finding->other.task,
                      story_where(story->symbols, finding->other.pc));
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
        add_heap(story, text);
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
    struct objects *objects = objects_open(story->symbols, story->result);
    for (uint32_t i = 0; i < story->count; i++) {
        objects_event(objects, &story->events[i]);
        event_pass(objects, &story->events[i]);
    }
    return objects;
}

char *story_headline(struct symbols *symbols, const struct wire_result *result, const struct wire_finding *finding,
                     const struct wire_event *events, uint32_t count)
{
    struct story story = {symbols, result, finding, events, count, COLUMNS, false};
    struct objects *objects = final_objects(&story);
    struct buffer text = {0};
    add_headline(&story, objects, &text);
    objects_close(objects);
    return buffer_take(&text);
}

/* ---- details ----------------------------------------------------------------------------------------------------- */

static void print_line(FILE *out, const struct story *story, const char *text)
{
    story_print_cut(out, text, story->columns);
    fputc('\n', out);
}

static void print_access(FILE *out, const struct story *story, struct objects *objects,
                         const struct wire_access *access)
{
    const struct site *site = story_visible_site(symbols_site(story->symbols, access->pc));
    char task[TASK_NAME], name[OBJECT_NAME];
    fprintf(out, "   %s: %s of %s", story_task_name(story->symbols, story->result, access->task, task),
            access_verb(access), objects_name(objects, access->address, access->size, name, NULL));
    if (access->size > 0)
        fprintf(out, " (%" PRIu32 " byte%s)", access->size, access->size == 1 ? "" : "s");
    fprintf(out, " at %s%s%s\n", site->where, site->function[0] != '\0' ? " in " : "", site->function);
}

static void print_block(FILE *out, const struct story *story, struct objects *objects)
{
    const struct wire_finding *finding = story->finding;
    struct object_block block;
    char name[OBJECT_NAME];
    if (finding->block == 0)
        return;
    fprintf(out, "   %s: block of %" PRIu64 " bytes", objects_name(objects, finding->block, 0, name, NULL),
            finding->block_size);
    if (objects_block(objects, finding->block, &block) && block.start == finding->block) {
        fprintf(out, ", allocated by T%u at %s", block.allocated_by, story_where(story->symbols, block.allocated_pc));
        if (block.freed_pc != 0)
            fprintf(out, ", freed by T%u at %s", block.freed_by, story_where(story->symbols, block.freed_pc));
    } else if (finding->other.pc != 0) {
        bool freed = finding->kind == KIND_USE_AFTER_FREE || finding->kind == KIND_DOUBLE_FREE;
        fprintf(out, ", %s by T%u at %s", freed ? "freed" : "allocated", finding->other.task,
                story_where(story->symbols, finding->other.pc));
    }
    fputc('\n', out);
}

static void print_frame(FILE *out, const struct story *story, const struct site *site)
{
    const char *source = symbols_source(story->symbols, site);
    struct buffer line = {0};
    buffer_printf(&line, "      %s", site->function[0] != '\0' ? site->function : site->module);
    if (site->line > 0 || site->function[0] == '\0')
        buffer_printf(&line, " at %s", site->where);
    else
        buffer_printf(&line, " (%s)", site->module);
    if (source != NULL)
        buffer_printf(&line, "%*s%s", line.size < 38 ? 38 - (int)line.size : 2, "", source);
    print_line(out, story, buffer_text(&line));
    buffer_free(&line);
}

/* How many places to show: up to the outermost of the program's own, what called that is of no interest. */
static uint32_t count_frames(const struct story *story)
{
    const struct site *site;
    uint32_t count = 0, own = 0;
    for (; (site = story_frame(story->symbols, story->finding, count)) != NULL; count++)
        if (story_is_application(site))
            own = count + 1;
    return own > 0 ? own : count;
}

static void print_stack(FILE *out, const struct story *story)
{
    char task[TASK_NAME];
    uint32_t count = count_frames(story);
    if (count > 0)
        fprintf(out, "   stack of %s\n",
                story_task_name(story->symbols, story->result, story->finding->here.task, task));
    for (uint32_t i = 0; i < count && i < FRAMES; i++)
        print_frame(out, story, story_frame(story->symbols, story->finding, i));
    if (count > FRAMES)
        fprintf(out, "      … %" PRIu32 " more\n", count - FRAMES);
}

void story_finding(FILE *out, struct symbols *symbols, const struct wire_result *result,
                   const struct wire_finding *finding, const struct wire_event *events, uint32_t count, int columns)
{
    bool colour = isatty(fileno(out)) == 1 && getenv("NO_COLOR") == NULL;
    struct story story = {symbols, result, finding, events, count, columns >= 40 ? columns : COLUMNS, colour};
    struct objects *objects = final_objects(&story);
    switch (finding->kind) {
    case KIND_DEADLOCK:
    case KIND_HANG:
        blocked_print(out, &story, objects);
        break;
    case KIND_RACE:
    case KIND_VOLATILE_RACE:
        print_access(out, &story, objects, &finding->other);
        print_access(out, &story, objects, &finding->here);
        break;
    default:
        print_block(out, &story, objects);
    }
    objects_close(objects);
    if (finding->kind != KIND_DEADLOCK)
        print_stack(out, &story);
    if (count > 0)
        lanes_print(out, &story);
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
