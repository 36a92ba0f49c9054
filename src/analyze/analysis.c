/* SPDX-License-Identifier: MIT
 *
 * analysis.c - see analysis.h.
 */
#include "analyze/analysis.h"

#include <dlfcn.h>
#include <string.h>

#include "analyze/layout.h"
#include "util/file.h"
#include "util/paths.h"

/* ---- the reader ------------------------------------------------------------------------------------------------------ */

static reader_function *load_reader(struct error *error)
{
    struct paths paths;
    if (!paths_find(&paths, error))
        return NULL;
    void *library = dlopen(paths.reader, RTLD_NOW | RTLD_LOCAL);
    void *function = library != NULL ? dlsym(library, READER_SYMBOL) : NULL;
    if (function == NULL && !file_exists(paths.reader))
        error_set(error, EXIT_UNSUPPORTED,
                  "this raddle was built without LLVM, which reads the IR: install llvm-dev and build it again");
    else if (function == NULL)
        error_set(error, EXIT_UNSUPPORTED, "%s cannot be loaded: %s", paths.reader, dlerror());
    paths_free(&paths);
    return (reader_function *)function;
}

static bool read_program(struct analysis *analysis, const struct reader_input *inputs, size_t count,
                         const struct reader_options *options, struct error *error)
{
    char text[800] = "";
    reader_function *read = load_reader(error);
    if (read == NULL)
        return false;
    ir_free(&analysis->program);
    ir_open(&analysis->program);
    return read(inputs, count, options, &analysis->program, text, sizeof text) ||
           error_set(error, EXIT_USAGE, "%s", text);
}

/* ---- locks ---------------------------------------------------------------------------------------------------------- */

/* The lock that is held at most of the accesses, if it is at half of them and at two at least. */
static void find_discipline(struct analysis *analysis, size_t number)
{
    const struct conflicts *conflicts = &analysis->conflicts;
    const struct conflict_variable *variable = &conflicts->variables.data[number];
    struct set all = {0};
    struct discipline best = {.variable = number};
    for (size_t i = variable->first; i < variable->first + variable->accesses; i++) {
        if (!conflicts->accesses.data[i].paired)
            continue;
        best.of++;
        set_unite(&all, locks_held(analysis->locks, conflicts->accesses.data[i].op));
    }
    for (struct set_walk walk = {.set = &all}; set_next(&walk);) {
        uint32_t with = 0;
        for (size_t i = variable->first; i < variable->first + variable->accesses; i++)
            with += conflicts->accesses.data[i].paired &&
                    set_has(locks_held(analysis->locks, conflicts->accesses.data[i].op), walk.number);
        if (with > best.with) {
            best.with = with;
            best.lock = walk.number;
        }
    }
    if (best.with >= 2 && best.with * 2 >= best.of && conflicts->accesses.data[variable->first].kind <= CONFLICT_FREE)
        vector_push(&analysis->disciplines, best);
    set_free(&all);
}

static bool leads_to(const struct lock_edge *edges, size_t count, uint32_t from, uint32_t to)
{
    struct set reached = {0};
    set_add(&reached, from);
    for (bool changed = true; changed && !set_has(&reached, to);) {
        changed = false;
        for (size_t i = 0; i < count; i++)
            if (set_has(&reached, edges[i].held))
                changed |= set_add(&reached, edges[i].taken);
    }
    bool found = set_has(&reached, to);
    set_free(&reached);
    return found;
}

static void find_cycles(struct analysis *analysis)
{
    size_t count;
    const struct lock_edge *edges = locks_edges(analysis->locks, &count);
    for (size_t i = 0; i < count; i++)
        if (leads_to(edges, count, edges[i].taken, edges[i].held))
            vector_push(&analysis->cycle_edges, (uint32_t)i);
}

/* ---- all ------------------------------------------------------------------------------------------------------------ */

bool analysis_make(struct analysis *analysis, const struct reader_input *inputs, size_t count, struct names *without_ir,
                   struct error *error)
{
    *analysis = (struct analysis){.without_ir = *without_ir};
    *without_ir = (struct names){0};
    struct reader_options options = {.open = analysis->without_ir.list.count > 0};
    ir_open(&analysis->program);
    if (!read_program(analysis, inputs, count, &options, error))
        return false;
    if (analysis->program.main == IR_NONE && !options.open) {
        options.open = true;
        if (!read_program(analysis, inputs, count, &options, error))
            return false;
    }
    analysis->points = points_solve(&analysis->program);
    analysis->threads = threads_find(&analysis->program, analysis->points);
    analysis->locks = locks_find(&analysis->program, analysis->points, analysis->threads);
    conflicts_find(&analysis->conflicts, &analysis->program, analysis->points, analysis->threads, analysis->locks);
    for (size_t i = 0; i < analysis->conflicts.variables.count; i++)
        find_discipline(analysis, i);
    find_cycles(analysis);
    return true;
}

void analysis_free(struct analysis *analysis)
{
    if (analysis->threads != NULL) {
        conflicts_free(&analysis->conflicts);
        locks_free(analysis->locks);
        threads_free(analysis->threads);
        points_free(analysis->points);
    }
    vector_free(&analysis->disciplines);
    vector_free(&analysis->cycle_edges);
    names_free(&analysis->without_ir);
    ir_free(&analysis->program);
    free(analysis->name);
}

/* ---- names ---------------------------------------------------------------------------------------------------------- */

const struct ir_place *analysis_place(const struct analysis *analysis, uint32_t op)
{
    return &analysis->program.places.data[analysis->program.ops.data[op].place];
}

static void name_place(const struct analysis *analysis, const struct ir_place *place, struct buffer *out)
{
    buffer_printf(out, "%s:%u", file_base_name(ir_text(&analysis->program, place->file)), place->line);
}

static void name_object(const struct analysis *analysis, const struct ir_object *object, struct buffer *out)
{
    const struct ir_program *program = &analysis->program;
    const char *name = ir_text(program, object->name);
    if (object->kind == OBJECT_HEAP) {
        buffer_add_string(out, "block of ");
        name_place(analysis, &object->place, out);
    } else {
        buffer_add_string(out, name[0] != '\0' ? name : "unnamed");
        if (object->kind == OBJECT_LOCAL)
            buffer_printf(out, " of %s", ir_text(program, program->functions.data[object->function].name));
    }
}

void analysis_name_spot(const struct analysis *analysis, uint32_t number, uint64_t offset, struct buffer *out)
{
    name_object(analysis, &analysis->program.objects.data[number], out);
    if (offset != 0)
        buffer_printf(out, "+%llu", (unsigned long long)offset);
}

void analysis_name_variable(const struct analysis *analysis, const struct conflict_variable *variable,
                            struct buffer *out)
{
    analysis_name_spot(analysis, variable->object, variable->lo, out);
}

void analysis_name_class(const struct analysis *analysis, uint32_t number, struct buffer *out)
{
    const struct thread_class *class = threads_class(analysis->threads, number);
    if (number == CLASS_MAIN)
        buffer_add_string(out, "main");
    else if (number == CLASS_OUTSIDE)
        buffer_add_string(out, "libraries");
    else
        buffer_add_string(out, ir_text(&analysis->program, analysis->program.functions.data[class->start].name));
}

static void add_step(const struct analysis *analysis, char thread, const struct conflict_access *access,
                     const char *variable, struct buffer *out)
{
    buffer_printf(out, "%c:%s(%s)@", thread, conflicts_kind_name(access->kind), variable);
    const struct ir_place *place = analysis_place(analysis, access->op);
    const char *file = file_base_name(ir_text(&analysis->program, place->file));
    bool plain = file[strspn(file, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-$")] == '\0';
    buffer_printf(out, plain ? "%s:%u" : "\"%s\":%u", file, place->line);
}

/* A name for the language of patterns: letters, digits and what it allows; 31 characters. */
static char *pattern_name(const struct analysis *analysis, const struct conflict_access *access)
{
    for (size_t i = 0; i < analysis->conflicts.variables.count; i++) {
        const struct conflict_variable *variable = &analysis->conflicts.variables.data[i];
        size_t at = (size_t)(access - analysis->conflicts.accesses.data);
        const char *name = ir_text(&analysis->program, analysis->program.objects.data[variable->object].name);
        if (at < variable->first || at >= variable->first + variable->accesses)
            continue;
        size_t plain = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
        return name[0] != '\0' && name[plain] == '\0' && plain < 32 ? memory_copy_string(name)
                                                                    : memory_copy_string("x");
    }
    return memory_copy_string("x");
}

void analysis_pattern(const struct analysis *analysis, const struct conflict_pair *pair, struct buffer *out)
{
    const struct conflict_access *a = &analysis->conflicts.accesses.data[pair->a];
    const struct conflict_access *b = &analysis->conflicts.accesses.data[pair->b];
    char *name = pattern_name(analysis, a);
    add_step(analysis, 'a', a, name, out);
    buffer_add_string(out, " << ");
    add_step(analysis, 'b', b, name, out);
    free(name);
}
