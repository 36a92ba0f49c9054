/* SPDX-License-Identifier: MIT
 *
 * print.c - a tale for the terminal: the picture (rows.c, columns.c), and below it the state at the end and the cause.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "tale/picture.h"
#include "trace/events.h"
#include "util/memory.h"

enum { COLUMNS = 100, COLUMNS_LEAST = 40, FRAMES = 12, WAITS = 12, FUNCTION = 48, MARGIN = 11 };

/* ---- texts ---------------------------------------------------------------------------------------------------------------- */

int picture_width(const char *text)
{
    int width = 0;
    for (; *text != '\0'; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80; /* not the later bytes of a UTF-8 character */
    return width;
}

/* Bytes of the first `columns` columns of a text. */
static size_t bytes_of(const char *text, int columns)
{
    assert(text != NULL && columns >= 0);
    size_t size = 0;
    for (int taken = 0; text[size] != '\0'; size++) {
        taken += ((unsigned char)text[size] & 0xc0) != 0x80;
        if (taken > columns)
            break;
    }
    return size;
}

int picture_print_cut(const struct style *style, const char *text, int columns)
{
    int width = picture_width(text), mark = style->utf8 ? 1 : 3;
    if (width <= columns) {
        fputs(text, style->out);
        return width;
    }
    if (columns <= mark) {
        fwrite(text, 1, bytes_of(text, columns > 0 ? columns : 0), style->out);
        return columns > 0 ? columns : 0;
    }
    fwrite(text, 1, bytes_of(text, columns - mark), style->out);
    fputs(style->utf8 ? "…" : "...", style->out);
    return columns;
}

/* Where to break a text that is longer than `room`: after the last blank, else in the middle of a word. */
static size_t break_at(const char *text, int room)
{
    size_t size = bytes_of(text, room > 8 ? room : 8);
    if (text[size] == '\0' || text[size] == ' ')
        return size;
    size_t blank = size;
    while (blank > 0 && text[blank] != ' ')
        blank--;
    return blank > size / 3 ? blank : size;
}

void picture_print_wrapped(const struct style *style, const char *text, int at, int indent)
{
    while (picture_width(text) > style->columns - at) {
        size_t size = break_at(text, style->columns - at);
        fprintf(style->out, "%.*s\n%*s", (int)size, text, indent, "");
        text += size;
        while (*text == ' ')
            text++;
        at = indent;
    }
    fprintf(style->out, "%s\n", text);
}

void picture_add_thread(const struct tale *tale, uint32_t thread, struct buffer *text)
{
    assert(thread < tale->threads.count);
    const char *name = tale->threads.data[thread].name;
    buffer_printf(text, "T%" PRIu32 "%s%s", thread, name[0] != '\0' ? " " : "", name);
}

/* "   stack   " before the first line of a part, blanks before the others. */
static void begin_part(const struct style *style, const char *label, bool first)
{
    if (first)
        fprintf(style->out, "   %s%-7s%s ", style->colour ? "\033[1m" : "", label, style->colour ? "\033[0m" : "");
    else
        fprintf(style->out, "%*s", MARGIN, "");
}

static void print_part(const struct style *style, const char *label, const char *text, bool first)
{
    begin_part(style, label, first);
    picture_print_wrapped(style, text, MARGIN, MARGIN + 2);
}

/* ---- stacks --------------------------------------------------------------------------------------------------------------- */

/* "check at bank.c:42" */
static void add_frame(const struct style *style, const struct tale_place *place, struct buffer *line)
{
    size_t size = bytes_of(place->function, FUNCTION);
    bool cut = place->function[size] != '\0';
    buffer_printf(line, "%.*s%s%s%s", (int)size, place->function, cut ? (style->utf8 ? "…" : "...") : "",
                  size > 0 ? " at " : "", place->where);
}

static int frame_width(const struct style *style, const struct tale_place *place)
{
    struct buffer line = {0};
    add_frame(style, place, &line);
    int width = picture_width(buffer_text(&line));
    buffer_free(&line);
    return width;
}

static void print_frame(const struct style *style, const struct tale_place *place, int source)
{
    struct buffer line = {0};
    add_frame(style, place, &line);
    int at = MARGIN + picture_width(buffer_text(&line));
    fprintf(style->out, "%*s", MARGIN, "");
    picture_print_cut(style, buffer_text(&line), style->columns - MARGIN);
    if (place->source != NULL && at + 2 <= source && source + 12 <= style->columns) {
        fprintf(style->out, "%*s%s", source - at, "", style->colour ? "\033[2m" : "");
        picture_print_cut(style, place->source, style->columns - source);
        fputs(style->colour ? "\033[0m" : "", style->out);
    }
    fputc('\n', style->out);
    buffer_free(&line);
}

static void print_stack(const struct style *style, const struct tale *tale, const struct tale_stack *stack)
{
    assert(stack->thread < tale->threads.count);
    struct buffer name = {0};
    int widest = 0;
    picture_add_thread(tale, stack->thread, &name);
    if (stack->title[0] != '\0')
        buffer_printf(&name, " %s", stack->title);
    print_part(style, "stack", buffer_text(&name), true);
    buffer_free(&name);
    for (size_t i = 0; i < stack->places.count && i < FRAMES; i++) {
        int width = frame_width(style, &tale->places.data[stack->places.data[i]]);
        if (width > widest && width < style->columns / 2)
            widest = width;
    }
    for (size_t i = 0; i < stack->places.count && i < FRAMES; i++)
        print_frame(style, &tale->places.data[stack->places.data[i]], MARGIN + widest + 2);
    if (stack->places.count > FRAMES)
        fprintf(style->out, "%*s%zu more\n", MARGIN, "", stack->places.count - FRAMES);
}

/* ---- which thread waits for which ------------------------------------------------------------------------------------- */

static const char *where_of(const struct tale *tale, int32_t place)
{
    assert(place == TALE_NONE || (size_t)place < tale->places.count);
    return place != TALE_NONE ? tale->places.data[place].where : "?";
}

/* "holds A (bank.c:10), B (bank.c:12) and " */
static void add_held(const struct tale *tale, uint32_t thread, struct buffer *line)
{
    int count = 0;
    for (size_t i = 0; i < tale->bars.count; i++) {
        const struct tale_bar *bar = &tale->bars.data[i];
        if (bar->thread != thread || bar->until != UINT32_MAX || count == 4)
            continue;
        buffer_printf(line, "%s%s (%s)", count++ > 0 ? ", " : " holds ", bar->object,
                      where_of(tale, tale->events.data[bar->from].place));
    }
    if (count > 0)
        buffer_add_string(line, " and");
}

/* The threads that hold what is waited for: the one holder, or all readers of a lock. */
static void add_holders(const struct tale *tale, const struct tale_wait *wait, struct buffer *line)
{
    int count = 0;
    if (wait->op == OP_JOIN)
        return;
    if (wait->holder != TALE_NONE) {
        if ((uint32_t)wait->holder == wait->thread)
            buffer_add_string(line, ", which it holds itself");
        else
            buffer_printf(line, ", held by T%" PRId32, wait->holder);
        return;
    }
    for (size_t i = 0; i < tale->bars.count && count < 4; i++) {
        const struct tale_bar *bar = &tale->bars.data[i];
        if (bar->object == wait->object && bar->until == UINT32_MAX)
            buffer_printf(line, "%sT%" PRIu32, count++ > 0 ? ", " : ", held by ", bar->thread);
    }
}

/* In a hang threads can run, but make no progress: their positions are printed. */
static void print_position(const struct style *style, const struct tale *tale, const struct tale_wait *wait, bool first)
{
    struct buffer line = {0};
    picture_add_thread(tale, wait->thread, &line);
    buffer_printf(&line, " is at %s: %s", where_of(tale, wait->place), event_op_name(wait->op));
    if (strcmp(wait->object, "-") != 0)
        buffer_printf(&line, " %s", wait->object);
    print_part(style, "threads", buffer_text(&line), first);
    buffer_free(&line);
}

static void print_wait(const struct style *style, const struct tale *tale, const struct tale_wait *wait, bool first)
{
    struct buffer line = {0};
    picture_add_thread(tale, wait->thread, &line);
    add_held(tale, wait->thread, &line);
    if (wait->op == OP_JOIN && wait->holder != TALE_NONE)
        buffer_printf(&line, " waits for the end of T%" PRId32, wait->holder);
    else if (strcmp(wait->object, "-") == 0 || op_class(wait->op) == CLASS_IO)
        buffer_printf(&line, " waits in %s%s%s", event_op_name(wait->op), wait->object[0] != '-' ? " for " : "",
                      wait->object[0] != '-' ? wait->object : "");
    else
        buffer_printf(&line, " waits for %s%s", event_object_kind(wait->op), wait->object);
    buffer_printf(&line, " at %s", where_of(tale, wait->place));
    add_holders(tale, wait, &line);
    print_part(style, "waits", buffer_text(&line), first);
    buffer_free(&line);
}

static const struct tale_wait *wait_of(const struct tale *tale, int32_t thread)
{
    for (size_t i = 0; i < tale->waits.count; i++)
        if ((int32_t)tale->waits.data[i].thread == thread)
            return &tale->waits.data[i];
    return NULL;
}

/* The length of the cycle of waits through the thread; 0: it is in none. */
static size_t cycle_length(const struct tale *tale, const struct tale_wait *start)
{
    assert(start != NULL);
    const struct tale_wait *wait = start;
    for (size_t i = 1; i <= tale->waits.count && wait != NULL && wait->holder != TALE_NONE; i++) {
        if (wait->holder == (int32_t)start->thread)
            return i;
        wait = wait_of(tale, wait->holder);
    }
    return 0;
}

/* "T1 → T2 → T1" */
static void print_cycle(const struct style *style, const struct tale *tale)
{
    for (size_t i = 0; i < tale->waits.count; i++) {
        const struct tale_wait *wait = &tale->waits.data[i];
        size_t length = cycle_length(tale, wait);
        if (length < 2)
            continue;
        struct buffer line = {0};
        buffer_printf(&line, "T%" PRIu32, wait->thread);
        for (size_t k = 0; k < length; k++) {
            buffer_printf(&line, " %s T%" PRId32, style->utf8 ? "→" : "->", wait->holder);
            wait = wait_of(tale, wait->holder);
        }
        buffer_add_string(&line, ": each waits for what the next one holds");
        print_part(style, "cycle", buffer_text(&line), true);
        buffer_free(&line);
        return;
    }
}

static void print_waits(const struct style *style, const struct tale *tale)
{
    for (size_t i = 0; i < tale->waits.count && i < WAITS; i++)
        (strcmp(tale->kind, "hang") == 0 ? print_position : print_wait)(style, tale, &tale->waits.data[i], i == 0);
    if (tale->waits.count > WAITS)
        fprintf(style->out, "%*sand %zu more\n", MARGIN, "", tale->waits.count - WAITS);
    print_cycle(style, tale);
}

/* ---- the cause ------------------------------------------------------------------------------------------------------------ */

static void print_cause(const struct style *style, const struct tale *tale)
{
    const struct tale_cause *cause = &tale->cause;
    if (cause->sentence == NULL)
        return;
    if (cause->statement != NULL)
        print_part(style, "cause", cause->statement, true);
    if (cause->pattern != NULL) {
        char *line = memory_format("%s%s%s", cause->family != NULL ? cause->family : "",
                                   cause->family != NULL ? "  " : "", cause->pattern);
        print_part(style, "cause", line, cause->statement == NULL);
        free(line);
        if (cause->second != NULL) {
            char *second = memory_format("%s %s", tale_cause_word(cause), cause->second);
            print_part(style, "cause", second, false);
            free(second);
        }
    }
    print_part(style, "cause", cause->sentence, cause->statement == NULL && cause->pattern == NULL);
}

/* ---- the whole ------------------------------------------------------------------------------------------------------------ */

/* The environment is read instead of calling setlocale, which would change sorting and the format of numbers. */
static bool wants_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = getenv(names[i]);
        if (value != NULL && value[0] != '\0')
            return strcasestr(value, "utf-8") != NULL || strcasestr(value, "utf8") != NULL;
    }
    return false;
}

static struct style style_for(FILE *out, int columns)
{
    bool terminal = fileno(out) >= 0 && isatty(fileno(out)) == 1;
    return (struct style){.out = out,
                          .columns = columns >= COLUMNS_LEAST ? columns : COLUMNS,
                          .colour = terminal && getenv("NO_COLOR") == NULL,
                          .utf8 = wants_utf8()};
}

static bool has_prefix(const char *note, const char *prefix)
{
    return strncmp(note, prefix, strlen(prefix)) == 0;
}

static bool is_printed(const char *note)
{
    return has_prefix(note, TALE_STDERR) || has_prefix(note, TALE_STDOUT);
}

static const char *note_label(const struct tale *tale, const char *note)
{
    if (has_prefix(note, TALE_EARLY))
        return "time";
    if (is_printed(note))
        return "printed";
    return strstr(tale->kind, "race") != NULL ? "race" : strcmp(tale->kind, "lock-order") == 0 ? "locks" : "block";
}

void tale_print(const struct tale *tale, FILE *out, int columns, bool full)
{
    assert(out != NULL);
    struct style style = style_for(out, columns);
    struct rows rows = {0};
    rows_collect(&rows, tale, &style, full);
    columns_print(&rows, tale, &style);
    if (rows.list.count > 0)
        fputc('\n', out);
    rows_free(&rows);
    if (tale_is_cut(tale)) {
        char *cut = memory_format("there was no time to tell the %" PRIu64 " events of this run; 'raddle explain' does",
                                  tale->dropped);
        print_part(&style, "cut", cut, true);
        free(cut);
    }
    for (size_t i = 0; i < tale->notes.count; i++) {
        const char *label = note_label(tale, tale->notes.data[i]);
        print_part(&style, label, tale->notes.data[i],
                   i == 0 || strcmp(label, note_label(tale, tale->notes.data[i - 1])) != 0);
    }
    print_waits(&style, tale);
    for (size_t i = 0; i < tale->stacks.count; i++)
        print_stack(&style, tale, &tale->stacks.data[i]);
    print_cause(&style, tale);
}

void tale_print_headline(const struct tale *tale, FILE *out, int columns)
{
    struct style style = style_for(out, columns);
    struct buffer line = {0};
    buffer_printf(&line, "%s   (%" PRIu32 " preemption%s", tale->text, tale->preemptions,
                  tale->preemptions == 1 ? "" : "s");
    if (tale->preemptions_found > tale->preemptions)
        buffer_printf(&line, "; %" PRIu32 " when it was found", tale->preemptions_found);
    buffer_add_char(&line, ')');
    picture_print_wrapped(&style, buffer_text(&line), 0, 2);
    buffer_free(&line);
}
