/* SPDX-License-Identifier: MIT
 *
 * json.c - an analysis as JSON: what `raddle run --targets` reads.
 */
#include "analyze/analysis.h"

static void write_place(const struct analysis *analysis, struct json_writer *json, const struct ir_place *place)
{
    json_text(json, "file", ir_text(&analysis->program, place->file));
    json_number(json, "line", place->line);
    json_text(json, "function", ir_text(&analysis->program, place->function));
}

static void write_spot(const struct analysis *analysis, struct json_writer *json, const char *name, uint32_t number)
{
    struct points_spot spot = points_spot(analysis->points, number);
    struct buffer text = {0};
    analysis_name_spot(analysis, spot.object, spot.offset, &text);
    json_text(json, name, buffer_text(&text));
    buffer_free(&text);
}

static void write_threads(const struct analysis *analysis, struct json_writer *json)
{
    json_begin(json, "threads", '[');
    for (uint32_t i = 0; i < threads_count(analysis->threads); i++) {
        const struct thread_class *class = threads_class(analysis->threads, i);
        struct buffer name = {0};
        analysis_name_class(analysis, i, &name);
        json_begin(json, NULL, '{');
        json_number(json, "number", i);
        json_text(json, "name", buffer_text(&name));
        json_number(json, "functions", set_size(&class->functions));
        json_truth(json, "several", set_has(&class->beside, i));
        if (class->create != IR_NONE)
            write_place(analysis, json, analysis_place(analysis, class->create));
        json_end(json);
        buffer_free(&name);
    }
    json_end(json);
}

static void write_access(const struct analysis *analysis, struct json_writer *json,
                         const struct conflict_access *access)
{
    struct set classes = {0};
    json_begin(json, NULL, '{');
    json_text(json, "kind", conflicts_kind_name(access->kind));
    write_place(analysis, json, analysis_place(analysis, access->op));
    if (access->atomic)
        json_truth(json, "atomic", true);
    conflicts_classes(&analysis->conflicts, access, &classes);
    json_begin(json, "threads", '[');
    for (struct set_walk walk = {.set = &classes}; set_next(&walk);)
        json_number(json, NULL, walk.number);
    json_end(json);
    json_begin(json, "locks", '[');
    for (struct set_walk walk = {.set = locks_held(analysis->locks, access->op)}; set_next(&walk);)
        write_spot(analysis, json, NULL, walk.number);
    json_end(json);
    json_end(json);
    set_free(&classes);
}

static void write_variables(const struct analysis *analysis, struct json_writer *json)
{
    json_begin(json, "variables", '[');
    for (size_t i = 0; i < analysis->conflicts.variables.count; i++) {
        const struct conflict_variable *variable = &analysis->conflicts.variables.data[i];
        struct buffer name = {0};
        analysis_name_variable(analysis, variable, &name);
        json_begin(json, NULL, '{');
        json_text(json, "name", buffer_text(&name));
        json_truth(json, "all_pairs", variable->cut);
        json_number(json, "first_access", variable->first);
        json_begin(json, "accesses", '[');
        for (size_t j = 0; j < variable->accesses; j++)
            write_access(analysis, json, &analysis->conflicts.accesses.data[variable->first + j]);
        json_end(json);
        json_end(json);
        buffer_free(&name);
    }
    json_end(json);
}

static void write_pairs(const struct analysis *analysis, struct json_writer *json)
{
    static const char *const guards[] = {"no", "perhaps", "yes"};
    json_begin(json, "pairs", '[');
    for (size_t i = 0; i < analysis->conflicts.pairs.count; i++) {
        const struct conflict_pair *pair = &analysis->conflicts.pairs.data[i];
        struct buffer pattern = {0};
        analysis_pattern(analysis, pair, &pattern);
        json_begin(json, NULL, '{');
        json_text(json, "kind", conflicts_relation_name(pair->relation));
        json_number(json, "a", pair->a);
        json_number(json, "b", pair->b);
        json_text(json, "guarded", guards[pair->guard]);
        json_truth(json, "atomic", pair->atomic);
        json_text(json, "pattern", buffer_text(&pattern));
        json_end(json);
        buffer_free(&pattern);
    }
    json_end(json);
}

static void write_disciplines(const struct analysis *analysis, struct json_writer *json)
{
    json_begin(json, "discipline", '[');
    for (size_t i = 0; i < analysis->disciplines.count; i++) {
        const struct discipline *discipline = &analysis->disciplines.data[i];
        const struct conflict_variable *variable = &analysis->conflicts.variables.data[discipline->variable];
        json_begin(json, NULL, '{');
        write_spot(analysis, json, "lock", discipline->lock);
        json_number(json, "variable", discipline->variable);
        json_number(json, "held", discipline->with);
        json_number(json, "of", discipline->of);
        json_begin(json, "not_held", '[');
        for (size_t j = variable->first; j < variable->first + variable->accesses; j++)
            if (analysis->conflicts.accesses.data[j].paired &&
                !set_has(locks_held(analysis->locks, analysis->conflicts.accesses.data[j].op), discipline->lock))
                json_number(json, NULL, j);
        json_end(json);
        json_end(json);
    }
    json_end(json);
}

static void write_cycles(const struct analysis *analysis, struct json_writer *json)
{
    size_t unused;
    const struct lock_edge *edges = locks_edges(analysis->locks, &unused);
    json_begin(json, "lock_order", '[');
    for (size_t i = 0; i < analysis->cycle_edges.count; i++) {
        const struct lock_edge *edge = &edges[analysis->cycle_edges.data[i]];
        json_begin(json, NULL, '{');
        write_spot(analysis, json, "held", edge->held);
        write_spot(analysis, json, "taken", edge->taken);
        write_place(analysis, json, analysis_place(analysis, edge->op));
        json_end(json);
    }
    json_end(json);
}

void analysis_json(const struct analysis *analysis, struct json_writer *json)
{
    json_begin(json, NULL, '{');
    json_text(json, "format", "raddle-analysis");
    json_number(json, "version", 1);
    json_text(json, "program", analysis->name);
    json_number(json, "lines", analysis->program.lines);
    json_begin(json, "not_seen", '[');
    for (size_t i = 0; i < analysis->without_ir.list.count; i++)
        json_text(json, NULL, analysis->without_ir.list.data[i]);
    json_end(json);
    write_threads(analysis, json);
    write_variables(analysis, json);
    write_pairs(analysis, json);
    write_disciplines(analysis, json);
    write_cycles(analysis, json);
    json_end(json);
}
