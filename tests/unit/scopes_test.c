/* SPDX-License-Identifier: MIT
 *
 * scopes_test.c - the scope and the function of every entry of programs made by gcc and clang, compared with a walk that knows the answer
 * from the way that it has come.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/die.h"
#include "trace/module.h"
#include "trace/scopes.h"
#include "util/vector.h"

static char directory[] = "/tmp/raddle-scopes-XXXXXX";

struct function {
    uint64_t lo, hi;
    Dwarf_Die die;
    bool nested;
};

struct walk {
    struct module *module;
    Dwarf_Die unit;
    VECTOR(struct function) functions; /* of the unit */
    size_t entries, in_scopes;
};

static bool is_scope(Dwarf_Die *die)
{
    int tag = dwarf_tag(die);
    if (tag == DW_TAG_namespace)
        return dwarf_diename(die) != NULL && !die_flag(die, DW_AT_export_symbols);
    return tag == DW_TAG_class_type || tag == DW_TAG_structure_type || tag == DW_TAG_union_type ||
           tag == DW_TAG_subprogram;
}

static void note_function(struct walk *walk, Dwarf_Die *die, bool nested)
{
    Dwarf_Addr base, lo, hi;
    ptrdiff_t next = 0;
    while ((next = dwarf_ranges(die, next, &base, &lo, &hi)) > 0)
        if (lo < hi)
            vector_push(&walk->functions, (struct function){lo, hi, *die, nested});
}

/* `around` is NULL outside of all scopes. */
static void check_entries(struct walk *walk, Dwarf_Die *parent, Dwarf_Die *around, bool nested)
{
    Dwarf_Die child, found;
    if (dwarf_child(parent, &child) != 0)
        return;
    do {
        bool is_in = scopes_around(&walk->module->scopes, &child, &found);
        assert_int_equal(is_in, around != NULL);
        if (is_in)
            assert_ptr_equal(found.addr, around->addr);
        walk->entries++;
        walk->in_scopes += is_in;
        if (dwarf_tag(&child) == DW_TAG_subprogram)
            note_function(walk, &child, nested);
        check_entries(walk, &child, is_scope(&child) ? &child : around,
                      nested || dwarf_tag(&child) != DW_TAG_namespace);
    } while (dwarf_siblingof(&child, &child) == 0);
}

/* Of all that have the code, the one that begins last; the first of equal ones. */
static const struct function *function_at(const struct walk *walk, uint64_t pc, bool nested)
{
    const struct function *best = NULL;
    for (size_t i = 0; i < walk->functions.count; i++) {
        const struct function *function = &walk->functions.data[i];
        if (pc < function->lo || pc >= function->hi || (function->nested && !nested))
            continue;
        if (best == NULL || function->lo > best->lo || (function->lo == best->lo && function->hi < best->hi))
            best = function;
    }
    return best;
}

static void check_function(struct walk *walk, uint64_t pc)
{
    for (int nested = 0; nested <= 1; nested++) {
        Dwarf_Die found;
        const struct function *expected = function_at(walk, pc, nested != 0);
        assert_int_equal(scopes_function(&walk->module->scopes, &walk->unit, pc, nested != 0, &found),
                         expected != NULL);
        if (expected != NULL)
            assert_ptr_equal(found.addr, expected->die.addr);
    }
}

static size_t check_unit(struct module *module, Dwarf_Die unit, size_t *in_scopes)
{
    struct walk walk = {.module = module, .unit = unit};
    check_entries(&walk, &unit, NULL, false);
    for (size_t i = 0; i < walk.functions.count; i++) {
        const struct function *function = &walk.functions.data[i];
        check_function(&walk, function->lo);
        check_function(&walk, function->lo - 1);
        check_function(&walk, function->hi - 1);
        check_function(&walk, function->hi);
    }
    vector_free(&walk.functions);
    *in_scopes += walk.in_scopes;
    return walk.entries;
}

static void check_module(const char *compiler, const char *options, const char *source, size_t least)
{
    struct wire_module wire = {.instrumented = 1};
    char command[1024];
    snprintf(wire.path, sizeof wire.path, "%s/program", directory);
    snprintf(command, sizeof command, "command -v %s >%s/log", compiler, directory);
    if (system(command) != 0)
        skip();
    snprintf(command, sizeof command, "%s %s tests/unit/fixture/%s -o %s -pthread", compiler, options, source,
             wire.path);
    assert_int_equal(system(command), 0);
    struct module module;
    module_open(&module, &wire);
    assert_non_null(module.dwarf);
    size_t entries = 0, in_scopes = 0;
    Dwarf_CU *unit = NULL;
    Dwarf_Die die, contents;
    uint8_t type;
    while (dwarf_get_units(module.dwarf, unit, &unit, NULL, &type, &die, &contents) == 0)
        entries += check_unit(&module, type == DW_UT_skeleton && contents.addr != NULL ? contents : die, &in_scopes);
    assert_true(in_scopes >= least && entries > in_scopes);
    module_close(&module);
}

static void test_c(void **state)
{
    (void)state;
    check_module("gcc", "-g -O0", "variables.c", 50);
    check_module("gcc", "-g -O2 -gdwarf-4", "variables.c", 50);
}

static void test_cplusplus(void **state)
{
    (void)state;
    check_module("g++", "-g -O0", "variables.cc", 100);
    check_module("g++", "-g -O2 -fdebug-types-section", "variables.cc", 100);
}

/* clang does not say where the next entry is. */
static void test_clang(void **state)
{
    (void)state;
    check_module("clang++", "-g -O1 -gdwarf-5", "variables.cc", 100);
}

static int make_directory(void **state)
{
    (void)state;
    return mkdtemp(directory) == NULL;
}

static int remove_directory(void **state)
{
    char command[256];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", directory);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_c),
        cmocka_unit_test(test_cplusplus),
        cmocka_unit_test(test_clang),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
