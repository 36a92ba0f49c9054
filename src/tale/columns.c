/* SPDX-License-Identifier: MIT
 *
 * columns.c - the rows of the picture, in a column per thread.
 *
 * DESIGN
 *   A column is where the rows of a thread begin.  Each row belongs to one thread, so its text may extend over the
 *   columns to the right.  Notes are printed after the longest row, and after them the source, if there is room.  If
 *   there are too many threads for columns, the name of the thread is printed in the row.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tale/picture.h"
#include "util/memory.h"
#include "util/stop.h"

enum {
    INDENT = 3,
    LANE = 23,        /* columns of a thread, if there is room */
    LANE_NARROW = 15, /* to make room for the source */
    LANE_LEAST = 4,
    LANES = 24,         /* most threads that get their own columns */
    TEXT = 64,          /* most columns that are reserved for the text of a row */
    WHERE = 24,         /* most columns for its place; the texts after it are aligned */
    SOURCE = 20,        /* fewest columns in which the source is shown */
    SOURCE_WIDE = 30,   /* enough columns to read it easily */
    NOTE_AT = 56,       /* leftmost column of notes, if there is room */
    NOTE_AT_SHORT = 40, /* without the names of files */
    GAP = 2,
    LEAST = 1000, /* rows that are printed even after the end of the time */
};

struct columns_layout {
    const struct tale *tale;
    const struct style *style;
    uint32_t threads[LANES];
    uint32_t count;   /* of threads with columns; 0: too many threads, names are printed in the rows */
    const char *file; /* the file of all rows: then only line numbers are printed; NULL: there are several files */
    size_t file_size;
    int indent;
    int lane, widest;
    int where;
    int notes;    /* where notes begin */
    bool crowded; /* some rows are so long that their source has no room */
    int source;   /* where the source begins; 0: no room */
};

/* ---- measures ------------------------------------------------------------------------------------------------------------- */

/* The threads that appear, in order.  False: too many. */
static bool find_threads(const struct rows *rows, struct columns_layout *layout)
{
    size_t all = layout->tale->threads.count;
    bool *seen = memory_allocate(all > 0 ? all : 1, sizeof *seen);
    uint32_t count = 0;
    for (size_t i = 0; i < rows->list.count; i++)
        if (rows->list.data[i].type != ROW_SKIPPED)
            seen[rows->list.data[i].thread] = true;
    for (uint32_t i = 0; i < all && count <= LANES; i++) {
        if (seen[i] && count < LANES)
            layout->threads[count] = i;
        count += seen[i];
    }
    free(seen);
    layout->count = count <= LANES ? count : 0;
    return count <= LANES;
}

/* The place of a row as it is shown. */
static const char *where_of(const struct columns_layout *layout, const struct picture_row *row)
{
    return row->where + (layout->file != NULL ? row->file : 0);
}

static void measure_where(const struct rows *rows, struct columns_layout *layout)
{
    layout->where = 0;
    for (size_t i = 0; i < rows->list.count; i++) {
        int width = picture_width(where_of(layout, &rows->list.data[i]));
        if (width > layout->where && width <= WHERE)
            layout->where = width;
    }
}

/* Columns of a row, from the beginning of its lane to the end of its text. */
static int row_width(const struct columns_layout *layout, const struct picture_row *row)
{
    int width = picture_width(row->text) + (row->comment != NULL ? 1 + picture_width(row->comment) : 0);
    if (row->type == ROW_EVENT || row->type == ROW_END) {
        int where = picture_width(where_of(layout, row));
        width += (where > layout->where ? where : layout->where) + 1;
    }
    return layout->count == 0 ? width + 6 : width;
}

static int lane_of(const struct columns_layout *layout, uint32_t thread)
{
    assert(layout->count <= LANES);
    for (uint32_t i = 0; i < layout->count; i++)
        if (layout->threads[i] == thread)
            return (int)i;
    return 0;
}

static int row_start(const struct columns_layout *layout, const struct picture_row *row)
{
    assert(row->thread < layout->tale->threads.count || row->type == ROW_SKIPPED);
    return layout->indent + (row->type == ROW_SKIPPED ? 0 : lane_of(layout, row->thread) * layout->lane);
}

static int note_width(const struct picture_row *row)
{
    return row->note != NULL ? GAP + picture_width(row->note) : 0;
}

/* Chooses the widest lanes with which the rows of all threads still fit into the line. */
static void plan_lanes(const struct rows *rows, struct columns_layout *layout)
{
    layout->lane = layout->widest;
    if (!find_threads(rows, layout))
        return;
    for (size_t i = 0; i < rows->list.count; i++) {
        const struct picture_row *row = &rows->list.data[i];
        int lane = lane_of(layout, row->thread), width = row_width(layout, row) + note_width(row);
        int most = row->type == ROW_END ? TEXT / 2 : TEXT;
        int room = layout->style->columns - layout->indent - (width < most ? width : most);
        bool counts = row->type == ROW_EVENT || row->type == ROW_END;
        if (lane > 0 && counts && room / lane < layout->lane)
            layout->lane = room / lane;
    }
    if (layout->lane < LANE_LEAST)
        layout->count = 0;
}

/* Notes are aligned after the longest row that has one.  The source is aligned after all rows that are not extremely
   long. */
static void place_notes(const struct rows *rows, struct columns_layout *layout)
{
    int columns = layout->style->columns, longest = 0, widest = 0, furthest = 0;
    layout->notes = 0;
    for (size_t i = 0; i < rows->list.count; i++) {
        const struct picture_row *row = &rows->list.data[i];
        int end = row_start(layout, row) + row_width(layout, row);
        if (end > longest && row->type == ROW_EVENT)
            longest = end;
        if (row_start(layout, row) > furthest)
            furthest = row_start(layout, row);
        if (row->note == NULL)
            continue;
        if (row->type == ROW_END && end > longest && longest > 0)
            end = longest; /* a line of source may be long: its note is then printed right after it */
        if (end + GAP > layout->notes)
            layout->notes = end + GAP;
        if (picture_width(row->note) > widest)
            widest = picture_width(row->note);
    }
    int least = layout->file != NULL ? NOTE_AT_SHORT : NOTE_AT;
    if (layout->notes < least && least + widest <= columns)
        layout->notes = least;
    if (widest > 0 && layout->notes > columns - widest)
        layout->notes = columns - widest;
    int source = widest > 0 ? layout->notes + widest + GAP : longest + GAP;
    if (source < longest + GAP && columns - longest - GAP >= SOURCE)
        source = longest + GAP;
    layout->crowded = source < longest + GAP;
    bool between = source < furthest + LANE_NARROW && source < longest; /* would start between the lanes */
    layout->source = columns - source >= SOURCE && !between ? source : 0;
}

/* Whether every thread but the last can have its name above its column. */
static bool names_fit(const struct columns_layout *layout)
{
    for (uint32_t i = 0; i + 1 < layout->count; i++) {
        struct buffer name = {0};
        picture_add_thread(layout->tale, layout->threads[i], &name);
        int width = picture_width(buffer_text(&name));
        buffer_free(&name);
        if (width >= layout->lane)
            return false;
    }
    return true;
}

static bool has_wide_source(const struct columns_layout *layout)
{
    return layout->source > 0 && layout->style->columns - layout->source >= SOURCE_WIDE && !layout->crowded;
}

static void measure(const struct rows *rows, struct columns_layout *layout)
{
    measure_where(rows, layout);
    plan_lanes(rows, layout);
    place_notes(rows, layout);
}

/* If there is little room for the source and all rows are in one file, the name of the file is printed once. */
static void plan(const struct rows *rows, struct columns_layout *layout)
{
    measure(rows, layout);
    const char *file = has_wide_source(layout) ? NULL : rows_file(rows);
    if (file == NULL)
        return;
    struct columns_layout shorter = *layout;
    shorter.file = file;
    shorter.file_size = (size_t)(strrchr(file, ':') - file);
    measure(rows, &shorter);
    if (has_wide_source(&shorter) && names_fit(&shorter)) {
        *layout = shorter;
        return;
    }
    bool narrow = layout->count == 0 || !names_fit(layout); /* short places are better in any case */
    shorter.widest = LANE_NARROW;
    measure(rows, &shorter);
    if (narrow || (shorter.source > 0 && names_fit(&shorter)))
        *layout = shorter;
}

/* Prints blanks up to a column.  Returns the new position. */
static int move_to(const struct style *style, int at, int column)
{
    if (column > at)
        fprintf(style->out, "%*s", column - at, "");
    return column > at ? column : at;
}

/* ---- heads ---------------------------------------------------------------------------------------------------------------- */

static void print_heads(const struct columns_layout *layout, bool names)
{
    const struct style *style = layout->style;
    int at = layout->indent;
    fprintf(style->out, "%*s%s", layout->indent, "", style->colour ? "\033[1m" : "");
    for (uint32_t i = 0; i < layout->count; i++) {
        struct buffer name = {0};
        bool last = i + 1 == layout->count;
        if (names)
            picture_add_thread(layout->tale, layout->threads[i], &name);
        else
            buffer_printf(&name, "T%" PRIu32, layout->threads[i]);
        int end = layout->file != NULL && layout->source > 0 ? layout->source : style->columns;
        int room = last ? end - at : layout->lane - 1;
        int taken = picture_print_cut(style, buffer_text(&name), room);
        at = last ? at + taken : move_to(style, at + taken, at + layout->lane);
        buffer_free(&name);
    }
    if (layout->file != NULL && layout->source > 0) {
        move_to(style, at, layout->source);
        fprintf(style->out, "%.*s", (int)layout->file_size, layout->file);
    }
    fprintf(style->out, "%s\n", style->colour ? "\033[0m" : "");
}

/* "T0 main, T1-T4 worker": a line with the names that do not fit above their columns. */
static void print_names(const struct columns_layout *layout)
{
    const struct tale *tale = layout->tale;
    struct buffer text = {0};
    uint32_t count = layout->count > 0 ? layout->count : (uint32_t)tale->threads.count;
    for (uint32_t i = 0; i < count;) {
        uint32_t first = layout->count > 0 ? layout->threads[i] : i, next = i + 1;
        while (next < count && tale->threads.data[layout->count > 0 ? layout->threads[next] : next].name ==
                                   tale->threads.data[first].name)
            next++;
        uint32_t last = layout->count > 0 ? layout->threads[next - 1] : next - 1;
        buffer_printf(&text, "%sT%" PRIu32, i > 0 ? ", " : "", first);
        if (last != first)
            buffer_printf(&text, "%sT%" PRIu32, next - i == last - first + 1 ? "-" : "..", last);
        if (tale->threads.data[first].name[0] != '\0')
            buffer_printf(&text, " %s", tale->threads.data[first].name);
        i = next;
    }
    fprintf(layout->style->out, "%*s", layout->indent, "");
    picture_print_wrapped(layout->style, buffer_text(&text), layout->indent, layout->indent);
    buffer_free(&text);
}

/* ---- rows ----------------------------------------------------------------------------------------------------------------- */

static void set_colour(const struct style *style, const char *sequence)
{
    if (style->colour)
        fprintf(style->out, "\033[%sm", sequence);
}

/* The number of a step of the cause, in the margin. */
static int print_step(const struct columns_layout *layout, const struct picture_row *row)
{
    const struct style *style = layout->style;
    if (row->step == 0)
        return 0;
    set_colour(style, "1;36");
    int taken;
    if (style->utf8 && row->step <= 20) {
        unsigned character = 0x2460 + row->step - 1;
        fprintf(style->out, " %c%c%c", 0xe0 | character >> 12, 0x80 | (character >> 6 & 0x3f),
                0x80 | (character & 0x3f));
        taken = 2;
    } else {
        taken = fprintf(style->out, "(%" PRIu32 ")", row->step);
    }
    set_colour(style, "0");
    return taken;
}

static int print_text(const struct columns_layout *layout, const struct picture_row *row, int at, int room)
{
    const struct style *style = layout->style;
    int begin = at;
    if (layout->count == 0 && row->type != ROW_SKIPPED)
        at += fprintf(style->out, "T%-4" PRIu32 " ", row->thread);
    if (row->type == ROW_PREEMPTED)
        set_colour(style, "35");
    if (row->type == ROW_EVENT || row->type == ROW_END) {
        int taken = picture_print_cut(style, where_of(layout, row), room / 2);
        int where = layout->where < room / 2 ? layout->where : room / 2;
        at = move_to(style, at + taken, at + (taken > where ? taken : where) + 1);
    }
    int left = room - (at - begin), comment = row->comment != NULL ? 1 + picture_width(row->comment) : 0;
    at += picture_print_cut(style, row->text, left - comment > left / 2 ? left - comment : left / 2);
    if (row->comment != NULL && room - (at - begin) > 1) {
        fputc(' ', style->out);
        at += 1 + picture_print_cut(style, row->comment, room - (at - begin) - 1);
    }
    if (row->type == ROW_PREEMPTED)
        set_colour(style, "0");
    return at;
}

static void print_row(const struct columns_layout *layout, const struct picture_row *row)
{
    const struct style *style = layout->style;
    int at = print_step(layout, row);
    at = move_to(style, at, row_start(layout, row));
    at = print_text(layout, row, at, style->columns - at - note_width(row));
    if (row->note != NULL) {
        at = move_to(style, at, layout->notes > at + GAP ? layout->notes : at + GAP);
        set_colour(style, row->note[0] == '<' ? "33" : "1;31");
        fputs(row->note, style->out);
        at += picture_width(row->note);
        set_colour(style, "0");
    }
    if (row->source != NULL && layout->source > 0 && at + GAP <= layout->source) {
        move_to(style, at, layout->source);
        set_colour(style, "2");
        picture_print_cut(style, row->source, style->columns - layout->source);
        set_colour(style, "0");
    }
    fputc('\n', style->out);
}

void columns_print(const struct rows *rows, const struct tale *tale, const struct style *style)
{
    struct columns_layout layout = {.tale = tale, .style = style, .indent = INDENT, .widest = LANE};
    if (rows->list.count == 0)
        return;
    if (tale->cause.events.count > 0 && !style->utf8)
        layout.indent = INDENT + 1; /* "(1) " */
    plan(rows, &layout);
    bool names = layout.count > 0 && names_fit(&layout);
    if (!names)
        print_names(&layout);
    if (layout.file != NULL && (layout.source == 0 || layout.count == 0))
        fprintf(style->out, "%*slines of %.*s\n", layout.indent, "", (int)layout.file_size, layout.file);
    if (layout.count > 0)
        print_heads(&layout, names);
    size_t i = 0;
    for (; i < rows->list.count && (i < LEAST || !stop_requested()); i++)
        print_row(&layout, &rows->list.data[i]);
    if (i < rows->list.count)
        fprintf(style->out, "%*s... %zu more rows: interrupted\n", layout.indent, "", rows->list.count - i);
}
