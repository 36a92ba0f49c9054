/* SPDX-License-Identifier: MIT
 *
 * atomic_sets_print.c - what is assumed about a program, and why, for people.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/atomic_sets.h"
#include "trace/module.h"

struct printer {
    FILE *out;
    unsigned variables;
};

static void print_variable(void *context, const char *variable, uint64_t elements)
{
    struct printer *printer = context;
    fprintf(printer->out, "%s%s", printer->variables++ > 0 ? ", " : "", variable);
    if (elements > 1)
        fprintf(printer->out, "[%" PRIu64 "]", elements);
}

static void print_sets(FILE *out, const struct atomic_sets *sets, uint32_t kind)
{
    const struct set_kind *shown = atomic_sets_kind(sets, kind);
    struct printer printer = {.out = out};
    if (shown->is_file) {
        fprintf(out, "static variables of %s, together\n    ", shown->name);
    } else {
        fprintf(out, "%s", shown->name);
        if (shown->known)
            fprintf(out, " (%" PRIu64 " bytes, %s:%u)", shown->size, shown->file, shown->line);
        fprintf(out, ", each object by itself\n    heap blocks%s, variables on stacks",
                shown->known && !shown->flexible ? " of this size" : "");
    }
    if (!shown->is_file) {
        printer.variables = 1;
    }
    atomic_sets_each_variable(sets, kind, print_variable, &printer);
    fputc('\n', out);
}

static void print_units(FILE *out, const struct atomic_sets *sets, uint32_t kind)
{
    const struct set_kind *shown = atomic_sets_kind(sets, kind);
    for (uint32_t i = 1; i <= atomic_sets_function_count(sets); i++) {
        const struct set_function *function = atomic_sets_function(sets, i);
        if (!atomic_sets_is_unit(sets, i, kind))
            continue;
        fprintf(out, "    unit of work: %s", function->name);
        if (function->line > 0)
            fprintf(out, " (%s:%u)", function->file, function->line);
        fprintf(out, ": %s\n",
                function->is_wanted ? "you say so"
                : shown->is_file    ? "an external function of the file"
                                    : "has a pointer or reference to it, or to a part of it");
    }
}

static void print_refused(FILE *out, const struct atomic_sets *sets)
{
    for (uint32_t i = 1; i <= atomic_sets_function_count(sets); i++) {
        const struct set_function *function = atomic_sets_function(sets, i);
        if (function->is_refused)
            fprintf(out, "no unit of work: %s: you say so\n", function->name);
    }
    for (uint32_t i = 1; i <= atomic_sets_kind_count(sets); i++) {
        const struct set_kind *kind = atomic_sets_kind(sets, i);
        if (kind->is_refused)
            fprintf(out, "no atomic set: %s: you say so\n", kind->name);
        else if (!kind->is_file && !kind->is_used && kind->known)
            fprintf(out, "no atomic set: %s: no function has a pointer to it\n", kind->name);
    }
}

static bool has_variables(const struct atomic_sets *sets, uint32_t kind)
{
    char *ignored = NULL;
    size_t size = 0;
    struct printer printer = {.out = open_memstream(&ignored, &size)};
    if (printer.out == NULL)
        return false;
    atomic_sets_each_variable(sets, kind, print_variable, &printer);
    fclose(printer.out);
    free(ignored);
    return printer.variables > 0;
}

static size_t print_all(FILE *out, const struct atomic_sets *sets)
{
    size_t printed = 0;
    for (uint32_t kind = 1; kind <= atomic_sets_kind_count(sets); kind++) {
        const struct set_kind *shown = atomic_sets_kind(sets, kind);
        if (!shown->is_used || shown->is_refused || (shown->is_file && !has_variables(sets, kind)))
            continue;
        print_sets(out, sets, kind);
        print_units(out, sets, kind);
        printed++;
    }
    print_refused(out, sets);
    return printed;
}

bool atomic_sets_print(FILE *out, const char *program, const struct assumptions *assumptions, struct error *error)
{
    struct wire_module module = {.lo = 0, .hi = UINT64_MAX / 2, .instrumented = 1};
    char *path = realpath(program, NULL);
    if (path == NULL)
        return error_set(error, EXIT_USAGE, "%s cannot be read: %s", program, strerror(errno));
    bool fits = strlen(path) < sizeof module.path;
    if (fits)
        strcpy(module.path, path);
    free(path);
    if (!fits)
        return error_set(error, EXIT_USAGE, "%s: the path is too long", program);
    struct symbols *symbols = symbols_open(&module, 1);
    uint32_t count;
    bool readable = symbols_modules(symbols, &count)[0].dwarf != NULL;
    bool good = readable || error_set(error, EXIT_USAGE,
                                      "%s has no debug information that can be read: compile it with -g", program);
    if (readable) {
        struct atomic_sets *sets = atomic_sets_open(symbols, assumptions);
        if (print_all(out, sets) == 0)
            fprintf(out, "no atomic sets: no function has a pointer to a structure of the program, and no file has "
                         "static variables\n");
        atomic_sets_close(sets);
    }
    symbols_close(symbols);
    return good;
}
