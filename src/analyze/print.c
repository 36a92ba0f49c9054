/* SPDX-License-Identifier: MIT
 *
 * print.c - an analysis as text.
 */
#include <inttypes.h>
#include <string.h>

#include "analyze/analysis.h"
#include "util/file.h"

static size_t at_most(size_t count, size_t most)
{
    return most != 0 && count > most ? most : count;
}

static void print_rest(size_t count, size_t most, FILE *to)
{
    if (most != 0 && count > most)
        fprintf(to, "  … %zu more (--full)\n", count - most);
}

static void add_place(const struct analysis *analysis, uint32_t op, struct buffer *out)
{
    const struct ir_place *place = analysis_place(analysis, op);
    buffer_printf(out, "%s:%u", file_base_name(ir_text(&analysis->program, place->file)), place->line);
}

/* "read   main bank.c:34, withdraw bank.c:15" */
static void print_accesses(const struct analysis *analysis, const struct conflict_variable *variable, bool reads,
                           FILE *to)
{
    struct buffer line = {0}, last = {0}, item = {0};
    enum { MOST = 12 };
    size_t count = 0;
    for (size_t i = 0; i < variable->accesses; i++) {
        const struct conflict_access *access = &analysis->conflicts.accesses.data[variable->first + i];
        if ((access->kind == CONFLICT_READ) != reads)
            continue;
        buffer_clear(&item);
        buffer_add_string(&item, ir_text(&analysis->program, analysis_place(analysis, access->op)->function));
        buffer_add_char(&item, ' ');
        add_place(analysis, access->op, &item);
        if (access->kind > CONFLICT_WRITE)
            buffer_printf(&item, " (%s)", conflicts_kind_name(access->kind));
        if (strcmp(buffer_text(&item), buffer_text(&last)) == 0)
            continue;
        buffer_clear(&last);
        buffer_add_string(&last, buffer_text(&item));
        if (count++ < MOST)
            buffer_printf(&line, "%s%s", line.size > 0 ? ", " : "", buffer_text(&item));
    }
    if (count > MOST)
        buffer_printf(&line, ", … %zu more", count - MOST);
    if (line.size > 0)
        fprintf(to, "    %s  %s\n", reads ? "read   " : "changed", buffer_text(&line));
    buffer_free(&line);
    buffer_free(&last);
    buffer_free(&item);
}

static void print_variables(const struct analysis *analysis, size_t most, FILE *to)
{
    size_t count = analysis->conflicts.variables.count;
    fprintf(to, "\nshared variables: %zu\n", count);
    for (size_t i = 0; i < at_most(count, most); i++) {
        const struct conflict_variable *variable = &analysis->conflicts.variables.data[i];
        struct buffer name = {0};
        analysis_name_variable(analysis, variable, &name);
        fprintf(to, "  %s\n", buffer_text(&name));
        print_accesses(analysis, variable, true, to);
        print_accesses(analysis, variable, false, to);
        buffer_free(&name);
    }
    print_rest(count, most, to);
}

static void print_pairs(const struct analysis *analysis, size_t most, FILE *to)
{
    static const char *const guards[] = {"", "   (perhaps under one lock)", "   (under one lock)"};
    size_t count = analysis->conflicts.pairs.count, of[RELATION_KINDS] = {0}, cut = 0;
    for (size_t i = 0; i < count; i++)
        of[analysis->conflicts.pairs.data[i].relation]++;
    for (size_t i = 0; i < analysis->conflicts.variables.count; i++)
        cut += analysis->conflicts.variables.data[i].cut;
    fprintf(to, "\npairs of accesses that may happen in parallel: %zu", count);
    const char *separator = " (";
    for (unsigned i = 1; i < RELATION_KINDS; i++)
        if (of[i] > 0) {
            fprintf(to, "%s%zu %s", separator, of[i], conflicts_relation_name((uint8_t)i));
            separator = ", ";
        }
    fprintf(to, "%s\n", count > 0 ? ")" : "");
    for (size_t i = 0; i < at_most(count, most); i++) {
        const struct conflict_pair *pair = &analysis->conflicts.pairs.data[i];
        struct buffer text = {0};
        analysis_pattern(analysis, pair, &text);
        fprintf(to, "  %s%s%s\n", buffer_text(&text), guards[pair->guard], pair->atomic ? "   (atomic)" : "");
        buffer_free(&text);
    }
    print_rest(count, most, to);
    if (cut > 0)
        fprintf(to, "  %zu variables have more pairs than are listed: any two of their accesses\n", cut);
}

static void print_breaks(const struct analysis *analysis, const struct discipline *discipline, FILE *to)
{
    const struct conflict_variable *variable = &analysis->conflicts.variables.data[discipline->variable];
    struct buffer last = {0}, item = {0};
    for (size_t i = 0; i < variable->accesses; i++) {
        const struct conflict_access *access = &analysis->conflicts.accesses.data[variable->first + i];
        if (!access->paired || set_has(locks_held(analysis->locks, access->op), discipline->lock))
            continue;
        buffer_clear(&item);
        buffer_printf(&item, "    not at %s ", conflicts_kind_name(access->kind));
        add_place(analysis, access->op, &item);
        buffer_printf(&item, " (%s)\n", ir_text(&analysis->program, analysis_place(analysis, access->op)->function));
        if (strcmp(buffer_text(&item), buffer_text(&last)) != 0)
            fputs(buffer_text(&item), to);
        buffer_clear(&last);
        buffer_add_string(&last, buffer_text(&item));
    }
    buffer_free(&last);
    buffer_free(&item);
}

static void print_discipline(const struct analysis *analysis, size_t most, FILE *to)
{
    size_t count = analysis->disciplines.count;
    if (count == 0)
        return;
    fprintf(to, "\nlocks and what they guard\n");
    for (size_t i = 0; i < at_most(count, most); i++) {
        const struct discipline *discipline = &analysis->disciplines.data[i];
        struct points_spot spot = points_spot(analysis->points, discipline->lock);
        struct buffer lock = {0}, name = {0};
        analysis_name_spot(analysis, spot.object, spot.offset, &lock);
        analysis_name_variable(analysis, &analysis->conflicts.variables.data[discipline->variable], &name);
        fprintf(to, "  %s is held at %u of %u accesses to %s\n", buffer_text(&lock), discipline->with, discipline->of,
                buffer_text(&name));
        print_breaks(analysis, discipline, to);
        buffer_free(&lock);
        buffer_free(&name);
    }
    print_rest(count, most, to);
}

static void print_cycles(const struct analysis *analysis, size_t most, FILE *to)
{
    size_t count = analysis->cycle_edges.count, unused;
    const struct lock_edge *edges = locks_edges(analysis->locks, &unused);
    if (count == 0)
        return;
    fprintf(to, "\nlocks that are taken in a circle\n");
    for (size_t i = 0; i < at_most(count, most); i++) {
        const struct lock_edge *edge = &edges[analysis->cycle_edges.data[i]];
        struct points_spot held = points_spot(analysis->points, edge->held);
        struct points_spot taken = points_spot(analysis->points, edge->taken);
        struct buffer line = {0};
        analysis_name_spot(analysis, held.object, held.offset, &line);
        buffer_add_string(&line, ", then ");
        analysis_name_spot(analysis, taken.object, taken.offset, &line);
        buffer_add_string(&line, ": ");
        add_place(analysis, edge->op, &line);
        fprintf(to, "  %s (%s)\n", buffer_text(&line),
                ir_text(&analysis->program, analysis_place(analysis, edge->op)->function));
        buffer_free(&line);
    }
    print_rest(count, most, to);
}

void analysis_print(const struct analysis *analysis, size_t most, FILE *to)
{
    uint32_t threads = threads_count(analysis->threads);
    fprintf(
        to,
        "raddle: what the threads of %s may do to each other; possible, not proven: `raddle run` shows what happens\n",
        analysis->name != NULL ? analysis->name : "the program");
    for (size_t i = 0; i < analysis->without_ir.list.count; i++)
        fprintf(to, "raddle: not seen: %s\n", analysis->without_ir.list.data[i]);
    fprintf(to, "\nthreads:");
    for (uint32_t i = 0; i < threads; i++) {
        const struct thread_class *class = threads_class(analysis->threads, i);
        struct buffer name = {0};
        if (set_is_empty(&class->functions))
            continue;
        analysis_name_class(analysis, i, &name);
        if (class->create != IR_NONE) {
            buffer_add_string(&name, " (");
            add_place(analysis, class->create, &name);
            buffer_printf(&name, "%s)", set_has(&class->beside, i) ? ", several" : "");
        }
        fprintf(to, "%s %s", i > 0 ? "," : "", buffer_text(&name));
        buffer_free(&name);
    }
    fputc('\n', to);
    print_variables(analysis, most, to);
    print_pairs(analysis, most, to);
    print_discipline(analysis, most, to);
    print_cycles(analysis, most, to);
}
