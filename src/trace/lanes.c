/* SPDX-License-Identifier: MIT
 *
 * lanes.c - the last events before a finding, in a column per thread.
 *
 * DESIGN
 *   Two walks over the events.  The first finds out which words and objects more than one thread touched; the second
 *   keeps the last rows of what matters: accesses to shared words that somebody wrote, operations on shared locks,
 *   threads made and joined, and whatever touches what the finding is about.  A row is one event; the same event again
 *   and again (a spin loop) is one row.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/events.h"
#include "trace/story_private.h"
#include "trace/table.h"
#include "util/buffer.h"
#include "util/memory.h"

enum {
    ROWS = 40,
    INDENT = 3,
    LANE = 23,    /* columns of a thread, if there is room */
    TEXT = 64,    /* columns that a row may want for its text */
    NOTE_AT = 61, /* where notes begin, if no row is longer */
    WORDS = 512,  /* words of one access that are looked at */
    LANES = 16,   /* threads that get a column of their own */
};

struct row {
    char *text;
    const char *note;               /* literal */
    const struct wire_event *event; /* NULL: the finding itself */
    uint32_t task;
    uint32_t repeated;
    uint64_t identity;
};

struct lanes {
    const struct story *story;
    struct objects *objects;
    struct table uses; /* identity → USE_* and the first thread */
    struct row rows[ROWS];
    uint32_t first, count; /* a ring */
    uint64_t dropped;
};

/* ---- what is shared ---------------------------------------------------------------------------------------------- */

enum { USE_TASK = 0xffff, USE_SEEN = 1 << 16, USE_SHARED = 1 << 17, USE_WRITTEN = 1 << 18 };

static bool is_descriptor(const struct wire_event *event)
{
    return event_op_class(event->op) == CLASS_IO;
}

static void note_use(struct table *uses, uint64_t identity, uint16_t task, bool written)
{
    uint64_t *use = table_put(uses, identity);
    if ((*use & USE_SEEN) && (*use & USE_TASK) != task)
        *use |= USE_SHARED;
    if (!(*use & USE_SEEN))
        *use |= USE_SEEN | task;
    if (written)
        *use |= USE_WRITTEN;
}

/* Words that the event touches: an access those of the memory, anything else its object. */
static uint64_t words_of(const struct wire_event *event)
{
    uint64_t words = event_is_access(event) ? ((event->address & 7) + event->size + 7) / 8 : 1;
    return words == 0 ? 1 : words > WORDS ? WORDS : words;
}

static uint64_t identity_of(const struct lanes *lanes, const struct wire_event *event, uint64_t word)
{
    return is_descriptor(event) ? event->address : objects_identity(lanes->objects, event->address + 8 * word);
}

static void find_shared(struct lanes *lanes)
{
    const struct story *story = lanes->story;
    lanes->objects = objects_open(story->symbols, story->result);
    for (uint32_t i = 0; i < story->count; i++) {
        const struct wire_event *event = &story->events[i];
        objects_event(lanes->objects, event);
        bool written = event_is_write(event) || !event_is_access(event);
        for (uint64_t word = 0; word < words_of(event) && event->op != OP_ALLOC; word++)
            note_use(&lanes->uses, identity_of(lanes, event, word), event->task, written);
    }
    for (uint32_t i = 0; i < story->result->blocked_count && i < WIRE_BLOCKED; i++) { /* wanted, but not done */
        const struct wire_blocked *blocked = &story->result->blocked[i];
        note_use(&lanes->uses, objects_identity(lanes->objects, blocked->address), blocked->task, true);
    }
    objects_close(lanes->objects);
}

static bool is_shared(const struct lanes *lanes, const struct wire_event *event)
{
    for (uint64_t word = 0; word < words_of(event); word++) {
        const uint64_t *use = table_get(&lanes->uses, identity_of(lanes, event, word));
        if (use != NULL && (*use & USE_SHARED) && (*use & USE_WRITTEN))
            return true;
    }
    return false;
}

/* ---- what matters ------------------------------------------------------------------------------------------------ */

static bool overlap(uint64_t a, uint64_t a_size, uint64_t b, uint64_t b_size)
{
    return a != 0 && b != 0 && a < b + (b_size > 0 ? b_size : 1) && b < a + (a_size > 0 ? a_size : 1);
}

/* Whether the event touches what the finding is about. */
static bool is_concerned(const struct story *story, const struct wire_event *event)
{
    const struct wire_finding *finding = story->finding;
    if (is_descriptor(event))
        return false;
    return overlap(event->address, event->size, finding->here.address, finding->here.size) ||
           overlap(event->address, event->size, finding->block, finding->block_size);
}

static bool is_relevant(const struct lanes *lanes, const struct wire_event *event)
{
    switch (event->op) {
    case OP_NONE:
    case OP_START:
    case OP_END:
    case OP_FENCE:
    case OP_YIELD:
    case OP_CLOCK:
    case OP_DETACH:
        return false;
    case OP_ALLOC:
    case OP_MUTEX_INIT:
    case OP_COND_INIT:
    case OP_RWLOCK_INIT:
    case OP_SPIN_INIT:
    case OP_SEM_INIT:
    case OP_BARRIER_INIT:
        return is_concerned(lanes->story, event);
    default:
        break;
    }
    enum wire_class class = event_op_class(event->op);
    if (class == CLASS_THREAD || class == CLASS_OTHER)
        return true;
    return is_shared(lanes, event) || is_concerned(lanes->story, event);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static struct row *row_at(struct lanes *lanes, uint32_t index)
{
    return &lanes->rows[(lanes->first + index) % ROWS];
}

/* Without the directory, for which there is no room; in code without lines the function. */
static const char *short_where(const struct site *site)
{
    if (site->line == 0 && site->function[0] != '\0')
        return site->function;
    const char *slash = site->line > 0 ? strrchr(site->where, '/') : NULL;
    return slash != NULL ? slash + 1 : site->where;
}

/* Between the object and the value. */
static const char *value_separator(const struct wire_event *event)
{
    if (event->flags & EVENT_FAILED && !event_is_access(event))
        return ": ";
    return event->op == OP_COND_WAIT ? " with " : " = ";
}

static char *row_text(const struct wire_event *event, const struct event_text *text)
{
    struct buffer row = {0};
    const struct site *site = story_visible_site(text->site);
    buffer_printf(&row, "%s %-5s", short_where(site), event_op_name(event->op));
    if (event->op == OP_CREATE && !(event->flags & EVENT_FAILED)) {
        buffer_printf(&row, " %s", text->value);
        if (strstr(text->object, "+0x") == NULL) /* a routine that has a name */
            buffer_printf(&row, " %s", text->object);
        return buffer_take(&row);
    }
    if (strcmp(text->object, "-") != 0)
        buffer_printf(&row, " %s", text->object);
    if (text->value[0] != '\0')
        buffer_printf(&row, "%s%s", value_separator(event), text->value);
    if (event->op == OP_ATOMIC_CAS && event->flags & EVENT_FAILED)
        buffer_add_string(&row, " (failed)");
    if (event->flags & EVENT_TIMEOUT && event->op != OP_SLEEP)
        buffer_add_string(&row, " (timed out)");
    return buffer_take(&row);
}

/* The same again: a spin loop, a poll. */
static bool repeats(const struct row *row, const struct wire_event *event, uint64_t identity)
{
    return row->event != NULL && row->event->task == event->task && row->event->op == event->op &&
           row->event->pc == event->pc && row->identity == identity && !event_is_write(event) &&
           event_op_class(event->op) != CLASS_THREAD;
}

/* The oldest makes room. */
static void push_row(struct lanes *lanes, struct row row)
{
    if (lanes->count == ROWS) {
        free(row_at(lanes, 0)->text);
        lanes->first = (lanes->first + 1) % ROWS;
        lanes->count--;
        lanes->dropped++;
    }
    *row_at(lanes, lanes->count++) = row;
}

static void add_row(struct lanes *lanes, const struct wire_event *event, const struct event_text *text)
{
    uint64_t identity = identity_of(lanes, event, 0);
    struct row *last = lanes->count > 0 ? row_at(lanes, lanes->count - 1) : NULL;
    if (last != NULL && repeats(last, event, identity)) {
        free(last->text);
        last->text = row_text(event, text);
        last->event = event;
        last->repeated++;
        return;
    }
    push_row(lanes,
             (struct row){.text = row_text(event, text), .event = event, .task = event->task, .identity = identity});
}

static void collect_rows(struct lanes *lanes)
{
    const struct story *story = lanes->story;
    lanes->objects = objects_open(story->symbols, story->result);
    for (uint32_t i = 0; i < story->count; i++) {
        const struct wire_event *event = &story->events[i];
        struct event_text text;
        objects_event(lanes->objects, event);
        if (is_relevant(lanes, event)) {
            event_describe(story->symbols, lanes->objects, event, &text);
            add_row(lanes, event, &text);
        } else {
            event_pass(lanes->objects, event);
        }
    }
}

/* ---- notes ------------------------------------------------------------------------------------------------------- */

/* Read, then written by another, then written without having been read again: what the other wrote is gone. */
static bool loses_update(struct lanes *lanes, uint32_t index)
{
    const struct row *row = row_at(lanes, index);
    if (row->event == NULL || !event_is_write(row->event) || row->event->op == OP_ATOMIC_RMW ||
        row->event->op == OP_ATOMIC_CAS)
        return false;
    bool foreign = false;
    for (uint32_t i = index; i-- > 0;) {
        const struct row *earlier = row_at(lanes, i);
        if (!event_is_access(earlier->event) || earlier->identity != row->identity ||
            !overlap(earlier->event->address, earlier->event->size, row->event->address, row->event->size))
            continue;
        if (earlier->task == row->task)
            return foreign && !event_is_write(earlier->event);
        foreign = foreign || event_is_write(earlier->event);
    }
    return false;
}

static bool is_access_of(const struct row *row, const struct wire_access *access)
{
    return row->event != NULL && access->pc != 0 && row->event->task == access->task &&
           row->event->operation == access->operation && row->event->pc == access->pc;
}

static const char *note_for(struct lanes *lanes, uint32_t index)
{
    const struct row *row = row_at(lanes, index);
    const struct wire_finding *finding = lanes->story->finding;
    bool race = finding->kind == KIND_RACE || finding->kind == KIND_VOLATILE_RACE;
    if (race && (is_access_of(row, &finding->here) || is_access_of(row, &finding->other)))
        return "<- race";
    if (row->event != NULL && row->event->op == OP_FREE && finding->block != 0 && row->event->address == finding->block)
        return "<- freed";
    return loses_update(lanes, index) ? "<- lost update" : NULL;
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

static void add_blocked_rows(struct lanes *lanes)
{
    const struct story *story = lanes->story;
    for (uint32_t i = 0; i < story->result->blocked_count && i < WIRE_BLOCKED && i < ROWS / 2; i++) {
        const struct wire_blocked *blocked = &story->result->blocked[i];
        const struct site *site = story_visible_site(symbols_site(story->symbols, blocked->pc));
        char name[OBJECT_NAME];
        if (blocked->op == OP_JOIN && blocked->holder != UINT16_MAX)
            snprintf(name, sizeof name, "T%u", blocked->holder);
        else
            objects_name(lanes->objects, blocked->address, 0, name, NULL);
        char *text = memory_format("%s %-5s %s", short_where(site), event_op_name(blocked->op), name);
        push_row(lanes, (struct row){.text = text, .note = "BLOCKED", .task = blocked->task});
    }
}

static const char *end_note(uint32_t kind)
{
    return kind == KIND_ASSERT || kind == KIND_ABORT || kind == KIND_UNCAUGHT ? "FAILED" : "<- here";
}

/* The place of the finding itself, as the last row of its thread. */
static void add_end_rows(struct lanes *lanes)
{
    const struct wire_finding *finding = lanes->story->finding;
    if (finding->kind == KIND_DEADLOCK) {
        add_blocked_rows(lanes);
        return;
    }
    for (uint32_t i = 0; i < lanes->count; i++) /* a race is already there */
        if (is_access_of(row_at(lanes, i), &finding->here))
            return;
    const struct site *site = story_frame(lanes->story->symbols, finding, 0);
    if (site == NULL || finding->kind == KIND_HANG)
        return;
    for (uint32_t i = 0; !story_is_application(site); i++) {
        const struct site *outer = story_frame(lanes->story->symbols, finding, i);
        if (outer == NULL)
            break;
        if (story_is_application(outer))
            site = outer;
    }
    const char *source = symbols_source(lanes->story->symbols, site);
    char *text = memory_format("%s %s", short_where(site), source != NULL ? source : finding->text);
    push_row(lanes, (struct row){.text = text, .note = end_note(finding->kind), .task = finding->here.task});
}

/* ---- print ------------------------------------------------------------------------------------------------------- */

struct layout {
    uint32_t tasks[LANES];
    uint32_t count; /* 0: too many threads, their names go into the rows */
    int width;
    int notes; /* where notes begin */
};

static const char *row_note(struct lanes *lanes, uint32_t index)
{
    const struct row *row = row_at(lanes, index);
    return row->note != NULL ? row->note : note_for(lanes, index);
}

/* The threads that appear, in order. */
static bool find_tasks(struct lanes *lanes, struct layout *layout)
{
    bool seen[WIRE_TASKS] = {false};
    uint32_t count = 0;
    for (uint32_t i = 0; i < lanes->count; i++) {
        uint32_t task = row_at(lanes, i)->task;
        count += task < WIRE_TASKS && !seen[task];
        if (task < WIRE_TASKS)
            seen[task] = true;
    }
    for (uint32_t task = 0; task < WIRE_TASKS && count <= LANES; task++)
        if (seen[task])
            layout->tasks[layout->count++] = task;
    return count <= LANES;
}

/* Columns that the text of most rows needs. */
static int text_width(struct lanes *lanes)
{
    int widest = 0;
    for (uint32_t i = 0; i < lanes->count; i++) {
        const char *note = row_note(lanes, i);
        int width = story_width(row_at(lanes, i)->text) + (note != NULL ? 2 + story_width(note) : 0);
        if (width > widest)
            widest = width;
    }
    return widest < TEXT ? widest : TEXT;
}

static void plan_layout(struct lanes *lanes, struct layout *layout)
{
    *layout = (struct layout){.width = LANE};
    if (!find_tasks(lanes, layout))
        return;
    int room = lanes->story->columns - INDENT - text_width(lanes);
    if (layout->count > 1 && room / (int)(layout->count - 1) < LANE)
        layout->width = room / (int)(layout->count - 1);
    if (layout->width < 3)
        layout->count = 0;
}

static int row_start(const struct layout *layout, const struct row *row)
{
    int start = INDENT;
    for (uint32_t i = 0; i < layout->count && layout->tasks[i] != row->task; i++)
        start += layout->width;
    return start;
}

/* Behind the longest row that has one, so that they stand in a column. */
static void place_notes(struct lanes *lanes, struct layout *layout)
{
    layout->notes = NOTE_AT;
    for (uint32_t i = 0; i < lanes->count; i++) {
        const struct row *row = row_at(lanes, i);
        int end = row_start(layout, row) + story_width(row->text) + 2;
        if (row_note(lanes, i) != NULL && end > layout->notes)
            layout->notes = end;
    }
}

static void print_header(FILE *out, const struct story *story, const struct layout *layout)
{
    fprintf(out, "%*s%s", INDENT, "", story->colour ? "\033[1m" : "");
    for (uint32_t i = 0; i < layout->count; i++) {
        char name[TASK_NAME];
        story_task_name(story->symbols, story->result, layout->tasks[i], name);
        bool last = i + 1 == layout->count;
        int room = last ? story->columns - INDENT - (int)i * layout->width : layout->width - 1;
        if (story_width(name) > room && strchr(name, ' ') != NULL && room < 8)
            *strchr(name, ' ') = '\0';
        int taken = story_print_cut(out, name, room);
        if (!last)
            fprintf(out, "%*s", layout->width - taken, "");
    }
    fprintf(out, "%s\n", story->colour ? "\033[0m" : "");
}

static void print_note(FILE *out, const struct story *story, const struct layout *layout, const char *note, int at)
{
    bool bad = note[0] != '<';
    int column = layout->notes;
    if (column > story->columns - story_width(note))
        column = story->columns - story_width(note);
    fprintf(out, "%*s%s%s%s", column > at ? column - at : 2, "", story->colour ? (bad ? "\033[1;31m" : "\033[33m") : "",
            note, story->colour ? "\033[0m" : "");
}

static void print_row(FILE *out, struct lanes *lanes, const struct layout *layout, uint32_t index)
{
    const struct story *story = lanes->story;
    const struct row *row = row_at(lanes, index);
    const char *note = row_note(lanes, index);
    int at = fprintf(out, "%*s", row_start(layout, row), "");
    if (layout->count == 0)
        at += fprintf(out, "T%-4" PRIu32 " ", row->task);
    int room = story->columns - at - (note != NULL ? story_width(note) + 2 : 0) - (row->repeated > 0 ? 12 : 0);
    at += story_print_cut(out, row->text, room > 8 ? room : 8);
    if (row->repeated > 0)
        at += fprintf(out, " (%" PRIu32 " times)", row->repeated + 1);
    if (note != NULL)
        print_note(out, story, layout, note, at);
    fputc('\n', out);
}

void lanes_print(FILE *out, const struct story *story)
{
    struct lanes *lanes = memory_allocate(1, sizeof *lanes);
    struct layout layout;
    lanes->story = story;
    find_shared(lanes);
    collect_rows(lanes);
    add_end_rows(lanes);
    if (lanes->count > 0) {
        plan_layout(lanes, &layout);
        place_notes(lanes, &layout);
        fputc('\n', out);
        print_header(out, story, &layout);
        if (lanes->dropped > 0)
            fprintf(out, "%*s… %" PRIu64 " earlier events\n", INDENT, "", lanes->dropped);
        for (uint32_t i = 0; i < lanes->count; i++)
            print_row(out, lanes, &layout, i);
    }
    for (uint32_t i = 0; i < lanes->count; i++)
        free(row_at(lanes, i)->text);
    objects_close(lanes->objects);
    table_free(&lanes->uses);
    free(lanes);
}
