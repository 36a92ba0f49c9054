/* SPDX-License-Identifier: MIT
 *
 * story.c - see story.h.  The columns are in lanes.c.
 */
#include "trace/story.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/events.h"
#include "trace/lanes.h"
#include "util/buffer.h"
#include "util/memory.h"

enum { COLUMNS = 100, FRAMES = 12, CYCLE_SHOWN = 4 };

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

/* The place of a finding: the program's own code, else any code with lines, else the innermost; NULL if it has none. */
static const struct site *main_site(struct symbols *symbols, const struct wire_finding *finding)
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

static const char *where(struct symbols *symbols, uint64_t pc)
{
    return story_visible_site(symbols_site(symbols, pc))->where;
}

/* ---- deadlocks --------------------------------------------------------------------------------------------------- */

static bool is_lock_op(uint32_t op)
{
    switch (op) {
    case OP_MUTEX_LOCK:
    case OP_MUTEX_TRYLOCK:
    case OP_MUTEX_TIMEDLOCK:
    case OP_RWLOCK_RDLOCK:
    case OP_RWLOCK_WRLOCK:
    case OP_RWLOCK_TRYRDLOCK:
    case OP_RWLOCK_TRYWRLOCK:
    case OP_SPIN_LOCK:
    case OP_SPIN_TRYLOCK:
    case OP_ONCE_BEGIN:
        return true;
    default:
        return false;
    }
}

/* Where the task took the lock that it holds; 0 if it is not in the events. */
static uint64_t taken_at(const struct story *story, uint32_t task, uint64_t address)
{
    for (uint32_t i = story->count; i-- > 0;) {
        const struct wire_event *event = &story->events[i];
        if (event->task == task && event->address == address && is_lock_op(event->op) && !(event->flags & EVENT_FAILED))
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

/* Whether going from holder to holder leads back to the task. */
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

/* Why nobody goes on: the cycle; without one all that wait, except for the end of others that wait themselves. */
static bool is_cause(const struct wire_result *result, const struct wire_blocked *blocked)
{
    bool cycle = false, only_joins = true;
    for (uint32_t i = 0; i < blocked_count(result); i++) {
        cycle = cycle || is_in_cycle(result, &result->blocked[i]);
        only_joins = only_joins && result->blocked[i].op == OP_JOIN;
    }
    return cycle ? is_in_cycle(result, blocked) : only_joins || blocked->op != OP_JOIN;
}

/* "holds A (bank.c:10) and " for all that others wait for and this one has. */
static void add_held(const struct story *story, struct objects *objects, uint32_t task, struct buffer *text)
{
    int count = 0;
    for (uint32_t i = 0; i < blocked_count(story->result) && count < 3; i++) {
        const struct wire_blocked *other = &story->result->blocked[i];
        bool again = false;
        for (uint32_t j = 0; j < i && !again; j++)
            again = story->result->blocked[j].address == other->address;
        if (other->holder != task || other->task == task || other->op == OP_JOIN || again)
            continue;
        char name[OBJECT_NAME];
        uint64_t pc = taken_at(story, task, other->address);
        buffer_printf(text, "%s%s", count++ > 0 ? ", " : " holds ",
                      objects_name(objects, other->address, 0, name, NULL));
        if (pc != 0)
            buffer_printf(text, " (%s)", where(story->symbols, pc));
    }
    if (count > 0)
        buffer_add_string(text, " and");
}

static bool is_rwlock_op(uint32_t op)
{
    return op >= OP_RWLOCK_RDLOCK && op <= OP_RWLOCK_TRYWRLOCK;
}

/* ", held by T1 (bank.c:10), T2 (bank.c:10)": a lock that several may hold has no one holder. */
static void add_readers(const struct story *story, uint64_t address, struct buffer *text)
{
    int *held = memory_allocate(WIRE_TASKS, sizeof *held), shown = 0;
    for (uint32_t i = 0; i < story->count; i++) {
        const struct wire_event *event = &story->events[i];
        if (event->address != address || event->task >= WIRE_TASKS || (event->flags & EVENT_FAILED))
            continue;
        held[event->task] += is_rwlock_op(event->op) ? 1 : event->op == OP_RWLOCK_UNLOCK ? -1 : 0;
    }
    for (uint32_t task = 0; task < WIRE_TASKS && shown < 4; task++)
        if (held[task] > 0)
            buffer_printf(text, "%s T%" PRIu32 " (%s)", shown++ == 0 ? ", held by" : ",", task,
                          where(story->symbols, taken_at(story, task, address)));
    free(held);
}

/* What is waited for, if it is not a lock. */
static const char *object_kind(uint32_t op)
{
    switch (op) {
    case OP_COND_WAIT:
    case OP_COND_WAKE:
        return "condition ";
    case OP_SEM_WAIT:
        return "semaphore ";
    case OP_BARRIER_ARRIVE:
    case OP_BARRIER_LEAVE:
        return "barrier ";
    case OP_FUTEX_WAIT:
        return "futex ";
    default:
        return "";
    }
}

/* "T1 holds A (bank.c:10) and waits for B at bank.c:11" */
static void add_blocked(const struct story *story, struct objects *objects, const struct wire_blocked *blocked,
                        struct buffer *text)
{
    char name[OBJECT_NAME];
    bool known = blocked->holder != UINT16_MAX;
    buffer_printf(text, "T%u", blocked->task);
    add_held(story, objects, blocked->task, text);
    if (blocked->op == OP_JOIN && known)
        buffer_printf(text, " waits for the end of T%u", blocked->holder);
    else if (event_op_class(blocked->op) == CLASS_IO)
        buffer_printf(text, " waits in %s for fd#%" PRIu64, event_op_name(blocked->op), blocked->address);
    else if (blocked->address == 0)
        buffer_printf(text, " waits in %s", event_op_name(blocked->op));
    else
        buffer_printf(text, " waits for %s%s", object_kind(blocked->op),
                      objects_name(objects, blocked->address, 0, name, NULL));
    buffer_printf(text, " at %s", where(story->symbols, blocked->pc));
    if (!known && is_rwlock_op(blocked->op))
        add_readers(story, blocked->address, text);
    if (known && blocked->holder == blocked->task) {
        uint64_t pc = taken_at(story, blocked->task, blocked->address);
        buffer_printf(text, ", which it holds itself%s%s%s", pc != 0 ? " (" : "",
                      pc != 0 ? where(story->symbols, pc) : "", pc != 0 ? ")" : "");
    }
}

static void add_deadlock(const struct story *story, struct objects *objects, struct buffer *text)
{
    uint32_t shown = 0, left = 0;
    for (uint32_t i = 0; i < blocked_count(story->result); i++) {
        const struct wire_blocked *blocked = &story->result->blocked[i];
        if (!is_cause(story->result, blocked))
            continue;
        if (shown == CYCLE_SHOWN) {
            left++;
            continue;
        }
        buffer_add_string(text, shown++ == 0 ? "deadlock: " : "; ");
        add_blocked(story, objects, blocked, text);
    }
    if (left > 0)
        buffer_printf(text, "; and %" PRIu32 " more", left);
    if (shown == 0)
        buffer_add_string(text, story->finding->text);
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
                  access_verb(&finding->other), finding->other.task, where(story->symbols, finding->other.pc));
    buffer_printf(text, " and %s by T%u at %s", access_verb(&finding->here), finding->here.task,
                  where(story->symbols, finding->here.pc));
}

/* "use after free: read of 4 bytes, 8 bytes into a freed block of 16 bytes at bank.c:18, freed by T2 at bank.c:25" */
static void add_heap(const struct story *story, struct buffer *text)
{
    const struct wire_finding *finding = story->finding;
    const struct site *site = main_site(story->symbols, finding);
    const char *what = finding->kind == KIND_USE_AFTER_FREE ? "use after free"
                       : finding->kind == KIND_DOUBLE_FREE  ? "double free"
                       : finding->kind == KIND_INVALID_FREE ? "invalid free"
                                                            : "out of block";
    buffer_printf(text, "%s: %s", what, finding->text);
    if (site != NULL)
        buffer_printf(text, " at %s", site->where);
    bool freed = finding->kind == KIND_USE_AFTER_FREE || finding->kind == KIND_DOUBLE_FREE;
    if (freed && finding->other.pc != 0)
        buffer_printf(text, ", freed by T%u at %s", finding->other.task, where(story->symbols, finding->other.pc));
}

static void add_signal(const struct story *story, struct objects *objects, struct buffer *text)
{
    const struct wire_finding *finding = story->finding;
    const struct site *site = main_site(story->symbols, finding);
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
    const struct site *site = main_site(story->symbols, finding);
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
        add_deadlock(story, objects, text);
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

static void print_blocked(FILE *out, const struct story *story, struct objects *objects)
{
    struct buffer line = {0};
    for (uint32_t i = 0; i < blocked_count(story->result); i++) {
        buffer_clear(&line);
        buffer_add_string(&line, "   ");
        add_blocked(story, objects, &story->result->blocked[i], &line);
        fprintf(out, "%s\n", buffer_text(&line)); /* all of it: this is the finding */
    }
    buffer_free(&line);
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
        fprintf(out, ", allocated by T%u at %s", block.allocated_by, where(story->symbols, block.allocated_pc));
        if (block.freed_pc != 0)
            fprintf(out, ", freed by T%u at %s", block.freed_by, where(story->symbols, block.freed_pc));
    } else if (finding->other.pc != 0) {
        bool freed = finding->kind == KIND_USE_AFTER_FREE || finding->kind == KIND_DOUBLE_FREE;
        fprintf(out, ", %s by T%u at %s", freed ? "freed" : "allocated", finding->other.task,
                where(story->symbols, finding->other.pc));
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
        print_blocked(out, &story, objects);
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

static int compare_texts(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* The places where the threads that caused it wait, sorted. */
static void add_blocked_places(struct symbols *symbols, const struct wire_result *result, struct buffer *key)
{
    const char *places[WIRE_BLOCKED] = {NULL};
    uint32_t count = 0;
    for (uint32_t i = 0; i < blocked_count(result); i++)
        if (is_cause(result, &result->blocked[i]))
            places[count++] = where(symbols, result->blocked[i].pc);
    qsort(places, count, sizeof places[0], compare_texts);
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || strcmp(places[i], places[i - 1]) != 0)
            buffer_printf(key, " %s", places[i]);
}

static const char *first_blocked_place(struct symbols *symbols, const struct wire_result *result)
{
    for (uint32_t i = 0; i < blocked_count(result); i++)
        if (is_cause(result, &result->blocked[i]))
            return where(symbols, result->blocked[i].pc);
    return NULL;
}

const char *story_site(struct symbols *symbols, const struct wire_result *result, const struct wire_finding *finding)
{
    const char *place = finding->kind == KIND_DEADLOCK ? first_blocked_place(symbols, result) : NULL;
    const struct site *site = main_site(symbols, finding);
    return place != NULL ? place : site != NULL ? site->where : "?";
}

char *story_key(struct symbols *symbols, const struct wire_result *result, const struct wire_finding *finding)
{
    struct buffer key = {0};
    const char *here, *other;
    buffer_add_string(&key, event_kind_name(finding->kind));
    switch (finding->kind) {
    case KIND_DEADLOCK:
        add_blocked_places(symbols, result, &key);
        break;
    case KIND_RACE:
    case KIND_VOLATILE_RACE:
        here = where(symbols, finding->here.pc);
        other = where(symbols, finding->other.pc);
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
