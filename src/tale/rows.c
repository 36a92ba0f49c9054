/* SPDX-License-Identifier: MIT
 *
 * rows.c - the rows of the picture: one per event; loops and consecutive creations or joins are merged, and the middle
 * of a long list is left out.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tale/picture.h"
#include "trace/events.h"
#include "util/memory.h"

enum {
    ROWS = 50, /* if there are more, some in the middle are not shown */
    FIRST = 8, /* rows at the beginning and at the end that are always shown */
    LAST = 20,
    MOST = 200,   /* if there are still more, loops, preemptions and lost updates are left out, too */
    BLOCK = 12,   /* most rows in the body of a loop */
    ROUNDS = 4,   /* fewer rounds of a loop with different values are all shown, */
    UNFOLDED = 8, /* and so are those that are no more rows than this */
    HOLDING = 3,  /* most locks that are named */
};

/* ---- one row -------------------------------------------------------------------------------------------------------------- */

/* Without the directory, to save room; the function, if the line is unknown. */
static const char *short_where(const struct tale *tale, int32_t place)
{
    if (place == TALE_NONE)
        return "";
    const struct tale_place *at = &tale->places.data[place];
    if (at->line == 0 && at->function[0] != '\0')
        return at->function;
    const char *slash = at->line > 0 ? strrchr(at->where, '/') : NULL;
    return slash != NULL ? slash + 1 : at->where;
}

/* Length of the file name in `where`. */
static size_t file_of(const struct tale *tale, int32_t place, const char *where)
{
    const char *colon = place != TALE_NONE && tale->places.data[place].line > 0 ? strrchr(where, ':') : NULL;
    return colon != NULL ? (size_t)(colon - where) : 0;
}

/* The note at the failing operation. */
static const char *failure_note(const char *kind)
{
    static const char *const notes[][2] = {
        {"signal", "CRASHED"},
        {"hang", "HANGS"},
        {"use-after-free", "<- use after free"},
        {"double-free", "<- freed again"},
        {"invalid-free", "<- invalid free"},
        {"out-of-block", "<- out of block"},
        {"lock-misuse", "<- lock misuse"},
        {"race", "<- race"},
        {"volatile-race", "<- race"},
        {"exit", "<- exit"},
        {"leak", "<- lost"},
    };
    for (size_t i = 0; i < sizeof notes / sizeof notes[0]; i++)
        if (strcmp(kind, notes[i][0]) == 0)
            return notes[i][1];
    return "FAILED";
}

/* Whether it is the failing operation itself; for a hang it is the loop. */
static bool is_failing_operation(const struct tale *tale, const struct tale_event *event)
{
    return (event->marks & TALE_ITSELF) || ((event->marks & TALE_FAILURE) && strcmp(tale->kind, "hang") == 0);
}

static const char lost_note[] = "<- lost update";
static const char part_note[] = "<- a part of it";

static const char *event_note(const struct tale *tale, const struct tale_event *event)
{
    if (event->marks & TALE_BLOCKED)
        return "BLOCKED";
    if ((event->marks & TALE_RACE) && strcmp(tale->kind, "serializability") != 0)
        return "<- race";
    if (is_failing_operation(tale, event))
        return failure_note(tale->kind);
    if (event->marks & TALE_FREED)
        return "<- freed";
    if (event->marks & TALE_LOST)
        return lost_note;
    return event->flags & EVENT_PART ? part_note : NULL;
}

static uint32_t step_of(const struct tale *tale, uint32_t event)
{
    assert(event < tale->events.count);
    uint32_t step = 0;
    if (!(tale->events.data[event].marks & TALE_CAUSE))
        return 0;
    for (size_t i = 0; i < tale->cause.events.count; i++) /* in the order in which they happened */
        step += tale->cause.events.data[i] <= event;
    return step;
}

static void add_event(struct rows *rows, const struct tale *tale, uint32_t index)
{
    assert(index < tale->events.count);
    const struct tale_event *event = &tale->events.data[index];
    struct buffer text = {0};
    tale_add_text(event, &text);
    bool line = (event->marks & TALE_END) && event->op == OP_NONE;
    struct picture_row row = {.type = line ? ROW_END : ROW_EVENT,
                              .thread = event->thread,
                              .event = index,
                              .step = step_of(tale, index),
                              .where = memory_copy_string(short_where(tale, event->place)),
                              .file = file_of(tale, event->place, short_where(tale, event->place)),
                              .text = buffer_take(&text),
                              .note = event_note(tale, event),
                              .source =
                                  event->place != TALE_NONE && !line ? tale->places.data[event->place].source : NULL};
    vector_push(&rows->list, row);
}

/* ---- preemptions ---------------------------------------------------------------------------------------------------------- */

/* "preempted, holding lock_a" */
static void add_preemption(struct rows *rows, const struct tale *tale, const struct style *style,
                           struct lock_query *query, uint32_t index)
{
    assert(index > 0 && index < tale->events.count);
    uint32_t thread = tale->events.data[index - 1].thread;
    const struct tale_bar *bars[HOLDING];
    size_t count = lock_query_before(query, thread, index, bars, HOLDING);
    const char *line = style->utf8 ? "┄┄" : "~~";
    struct buffer text = {0};
    buffer_printf(&text, "%s preempted", line);
    for (size_t i = 0; i < count; i++)
        buffer_printf(&text, "%s%s", i > 0 ? ", " : ", holding ", bars[i]->object);
    buffer_printf(&text, " %s", line);
    struct picture_row row = {
        .type = ROW_PREEMPTED, .thread = thread, .where = memory_copy_string(""), .text = buffer_take(&text)};
    vector_push(&rows->list, row);
}

/* ---- loops ---------------------------------------------------------------------------------------------------------------- */

static bool is_special(const struct picture_row *row)
{
    return row->type != ROW_EVENT || row->note != NULL || row->step != 0 || row->comment != NULL;
}

/* "table[3]" and "table[14]" */
static bool same_but_digits(const char *a, const char *b)
{
    for (;;) {
        while (*a >= '0' && *a <= '9')
            a++;
        while (*b >= '0' && *b <= '9')
            b++;
        if (*a != *b || *a == '\0')
            return *a == *b;
        a++;
        b++;
    }
}

static bool same_row(const struct tale *tale, const struct picture_row *left, const struct picture_row *right,
                     bool loop)
{
    const struct tale_event *a = &tale->events.data[left->event], *b = &tale->events.data[right->event];
    return left->thread == right->thread && a->op == b->op && a->place == b->place &&
           (a->object == b->object || (loop && same_but_digits(a->object, b->object)));
}

/* Whether rows [at, at+length) and the `length` before them are the same, and none of them must stay visible.  `values`: the values,
   too. */
static bool repeats(const struct rows *rows, const struct tale *tale, size_t at, size_t length, bool values)
{
    if (at < length || at + length > rows->list.count)
        return false;
    for (size_t i = at; i < at + length; i++) {
        const struct picture_row *row = &rows->list.data[i], *before = &rows->list.data[i - length];
        if (is_special(row) || is_special(before) || !same_row(tale, row, before, length > 1) ||
            (values && strcmp(row->text, before->text) != 0))
            return false;
    }
    return true;
}

/* How often the rows are repeated from `at` on, itself included. */
static size_t count_rounds(const struct rows *rows, const struct tale *tale, size_t at, size_t length, bool values)
{
    size_t times = 1;
    while (repeats(rows, tale, at + times * length, length, values))
        times++;
    return times;
}

static void free_row(struct picture_row *row)
{
    free(row->where);
    free(row->text);
    free((char *)(uintptr_t)row->comment);
}

/* Removes the rows from `kept` to `at`. */
static void close_gap(struct rows *rows, size_t kept, size_t at)
{
    if (kept == at)
        return;
    assert(kept <= at && at <= rows->list.count);
    memmove(&rows->list.data[kept], &rows->list.data[at], (rows->list.count - at) * sizeof rows->list.data[0]);
    rows->list.count -= at - kept;
}

/* The loop body at `at` is repeated `times` times: only the last one is shown.  Returns its index; the rows before are
   freed. */
static size_t fold(struct rows *rows, const struct tale *tale, size_t at, size_t length, size_t times,
                   const char *addition)
{
    assert(times >= 2 && length >= 1 && at + times * length <= rows->list.count);
    uint32_t first = rows->list.data[at].event;
    size_t body = at + (times - 1) * length;
    for (size_t i = at; i < body; i++)
        free_row(&rows->list.data[i]);
    struct picture_row *last = &rows->list.data[body + length - 1];
    const char *more = tale->dropped > 0 && first < tale->head && last->event >= tale->head ? "more than " : "";
    if (length == 1)
        last->comment = memory_format("(%s%zu times%s)", more, times, addition);
    else
        last->comment = memory_format("(these %zu rows %s%zu times%s)", length, more, times, addition);
    return body;
}

/* Loops with a body of `length` rows.  Rounds with the same values are one; rounds with different values only if there are many: then
   the first and the last of them are shown. */
static void fold_loops(struct rows *rows, const struct tale *tale, size_t length)
{
    assert(length >= 1);
    size_t kept = 0, at = 0;
    for (; at + 2 * length <= rows->list.count; at++) {
        size_t times = count_rounds(rows, tale, at, length, true);
        size_t rounds = times >= ROUNDS ? 0 : count_rounds(rows, tale, at, length, false);
        if (times >= (length == 1 ? 2 : 3)) {
            at = fold(rows, tale, at, length, times, "");
        } else if (rounds >= ROUNDS && rounds * length > UNFOLDED) {
            for (size_t i = 0; i < length; i++)
                rows->list.data[kept++] = rows->list.data[at++];
            at = fold(rows, tale, at, length, rounds - 1, " more, with other values");
        }
        rows->list.data[kept++] = rows->list.data[at];
    }
    close_gap(rows, kept, at);
}

/* Whether both rows create a thread, or both join one. */
static bool can_join(const struct tale *tale, const struct picture_row *before, const struct picture_row *row)
{
    if (is_special(row) || before->type != ROW_EVENT || before->note != NULL || before->step != 0 ||
        row->thread != before->thread)
        return false;
    const struct tale_event *event = &tale->events.data[row->event], *last = &tale->events.data[before->event];
    if ((event->op != OP_CREATE && event->op != OP_JOIN) || event->op != last->op)
        return false;
    return !((event->flags | last->flags) & EVENT_FAILED) && (event->op == OP_JOIN || event->object == last->object);
}

static void join_row(const struct tale *tale, struct picture_row *before, const struct picture_row *row)
{
    assert(before != row && before->text != NULL && row->text != NULL);
    const struct tale_event *event = &tale->events.data[row->event], *last = &tale->events.data[before->event];
    struct buffer text = {0};
    size_t length = strlen(before->text);
    if (event->op == OP_CREATE && strlen(last->object) < length && strcmp(last->object, "-") != 0 &&
        strcmp(before->text + length - strlen(last->object), last->object) == 0)
        length -= strlen(last->object) + 1; /* the routine is named once, after all threads */
    buffer_printf(&text, "%.*s, %s", (int)length, before->text,
                  event->op == OP_CREATE ? row->text + strlen("create ") : row->text + strlen("join  "));
    free(before->text);
    before->text = buffer_take(&text);
    if (strcmp(before->where, row->where) != 0)
        before->source = NULL;
    before->event = row->event;
}

/* "create T1 worker" and "create T2 worker", or "join  T1" and "join  T2", right after each other are one row. */
static void join_rows(struct rows *rows, const struct tale *tale)
{
    size_t kept = 0;
    for (size_t at = 0; at < rows->list.count; at++) {
        struct picture_row *row = &rows->list.data[at], *before = kept > 0 ? &rows->list.data[kept - 1] : NULL;
        if (before != NULL && can_join(tale, before, row)) {
            join_row(tale, before, row);
            free_row(row);
        } else {
            rows->list.data[kept++] = *row;
        }
    }
    rows->list.count = kept;
}

/* ---- all ------------------------------------------------------------------------------------------------------------------ */

/* In a race, where the other thread was, if its access has no event. */
static void add_end(struct rows *rows, const struct tale *tale, const struct tale_stack *stack)
{
    assert(stack->thread < tale->threads.count && stack->places.count > 0);
    int32_t at = stack->places.data[0];
    const struct tale_place *place = &tale->places.data[at];
    struct picture_row row = {.type = ROW_END,
                              .thread = stack->thread,
                              .where = memory_copy_string(short_where(tale, at)),
                              .file = file_of(tale, at, short_where(tale, at)),
                              .text = memory_copy_string(place->source != NULL ? place->source : place->function),
                              .note = failure_note(tale->kind)};
    vector_push(&rows->list, row);
}

static bool has_race_row(const struct tale *tale, uint32_t thread)
{
    for (size_t i = 0; i < tale->events.count; i++)
        if (tale->events.data[i].thread == thread && (tale->events.data[i].marks & TALE_RACE))
            return true;
    return false;
}

static void add_ends(struct rows *rows, const struct tale *tale)
{
    bool race = strstr(tale->kind, "race") != NULL;
    for (size_t i = 1; race && i < tale->stacks.count; i++)
        if (tale->stacks.data[i].places.count > 0 && tale->stacks.data[i].thread != tale->failing_thread &&
            !has_race_row(tale, tale->stacks.data[i].thread))
            add_end(rows, tale, &tale->stacks.data[i]);
}

static bool may_be_skipped(const struct rows *rows, size_t at, bool spare)
{
    const struct picture_row *row = &rows->list.data[at];
    bool must_be_seen = row->type == ROW_END ||
                        (row->note != NULL && row->note != lost_note && row->note != part_note) || row->step != 0;
    return at >= FIRST && at + LAST < rows->list.count && !(spare ? is_special(row) : must_be_seen);
}

/* Replaces `count` rows by one; frees them. */
static struct picture_row skip(struct picture_row *first, size_t count, const struct style *style)
{
    assert(count >= 2);
    struct picture_row row = {.type = ROW_SKIPPED, .where = memory_copy_string("")};
    for (size_t i = 0; i < count; i++) {
        row.skipped += first[i].type == ROW_SKIPPED ? first[i].skipped : 1;
        free_row(&first[i]);
    }
    row.text = memory_format("%s %zu more rows (--full shows all)", style->utf8 ? "…" : "...", row.skipped);
    return row;
}

/* Leaves out rows if there are too many.  The first, the last and the important ones stay; with `spare` loops,
   preemptions and lost updates stay, too. */
static void skip_rows(struct rows *rows, const struct style *style, bool spare)
{
    size_t most = spare ? ROWS : MOST, left = rows->list.count > most ? rows->list.count - ROWS : 0;
    size_t kept = FIRST, at = FIRST;
    for (; left > 0 && at < rows->list.count; at++) {
        size_t count = 0;
        while (count < left && may_be_skipped(rows, at + count, spare))
            count++;
        if (count < 2) { /* the row that says so would take as much room */
            rows->list.data[kept++] = rows->list.data[at];
            continue;
        }
        rows->list.data[kept++] = skip(&rows->list.data[at], count, style);
        at += count - 1;
        left -= count;
    }
    close_gap(rows, kept, at);
}

/* The source of a line that is the same as in the row before is shown once. */
static void drop_repeated_sources(struct rows *rows)
{
    const char *last = NULL;
    for (size_t i = 0; i < rows->list.count; i++) {
        struct picture_row *row = &rows->list.data[i];
        const char *source = row->source;
        if (source != NULL && last != NULL && strcmp(source, last) == 0 &&
            strcmp(row->where, rows->list.data[i - 1].where) == 0 && row->thread == rows->list.data[i - 1].thread)
            row->source = NULL;
        last = source;
    }
}

void rows_collect(struct rows *rows, const struct tale *tale, const struct style *style, bool full)
{
    assert(rows->list.count == 0);
    struct lock_query *query = lock_query_open(tale);
    for (uint32_t i = 0; i < tale->events.count; i++) {
        const struct tale_event *event = &tale->events.data[i];
        if ((event->marks & TALE_PREEMPTION) && i > 0 && (full || rows->list.count > 0))
            add_preemption(rows, tale, style, query, i);
        if (full || (event->marks & TALE_MATTERS))
            add_event(rows, tale, i);
    }
    lock_query_close(query);
    if (!full) {
        join_rows(rows, tale);
        for (size_t length = 1; length <= BLOCK; length++)
            fold_loops(rows, tale, length);
    }
    add_ends(rows, tale);
    if (!full) {
        skip_rows(rows, style, true);
        skip_rows(rows, style, false);
    }
    drop_repeated_sources(rows);
}

const char *rows_file(const struct rows *rows)
{
    const struct picture_row *first = NULL;
    for (size_t i = 0; i < rows->list.count; i++) {
        const struct picture_row *row = &rows->list.data[i];
        if (row->file == 0)
            continue;
        if (first == NULL)
            first = row;
        if (row->file != first->file || strncmp(row->where, first->where, first->file) != 0)
            return NULL;
    }
    return first != NULL ? first->where : NULL;
}

void rows_free(struct rows *rows)
{
    for (size_t i = 0; i < rows->list.count; i++)
        free_row(&rows->list.data[i]);
    vector_free(&rows->list);
}
