/* SPDX-License-Identifier: MIT
 *
 * symbols_test.c - pcs to lines and addresses to variables, on programs made by gcc and clang in many ways.  Each
 * program (fixture/) says itself where its things are; the answers must be the same at its real and at other load
 * addresses.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/demangle.h"
#include "trace/object.h"
#include "trace/range.h"
#include "trace/symbols.h"
#include "util/hash.h"
#include "util/memory.h"
#include "util/table.h"

static char directory[] = "/tmp/raddle-symbols-XXXXXX";

static int shell(const char *format, ...) __attribute__((format(printf, 1, 2)));
static int shell(const char *format, ...)
{
    char command[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    return system(command);
}

static const char *type_name(enum value_type type)
{
    static const char *const names[] = {"unknown",   "signed", "unsigned", "boolean",
                                        "character", "float",  "pointer",  "enum"};
    return names[type];
}

/* ---- what a program says about itself ---------------------------------------------------------------------------- */

struct said {
    struct wire_module module;
    uint64_t thread_pointer;
    char *lines[64];
    int count;
};

static void free_said(struct said *said)
{
    for (int i = 0; i < said->count; i++)
        free(said->lines[i]);
    free(said);
}

static struct said *listen(const char *program)
{
    struct said *said = calloc(1, sizeof *said);
    char *line = NULL;
    size_t capacity = 0;
    FILE *pipe = popen(program, "r");
    assert_non_null(pipe);
    while (getline(&line, &capacity, pipe) > 0) {
        line[strcspn(line, "\n")] = '\0';
        unsigned long base, lo, hi, pointer;
        if (sscanf(line, "module %lx %lx %lx %511s %lx", &base, &lo, &hi, said->module.path, &pointer) == 5) {
            said->module.base = base, said->module.lo = lo, said->module.hi = hi;
            said->module.instrumented = 1;
            said->thread_pointer = pointer;
        } else if (said->count < 64) {
            said->lines[said->count++] = strdup(line);
        }
    }
    free(line);
    assert_int_equal(pclose(pipe), 0);
    assert_true(said->count > 0 && said->module.hi > said->module.lo);
    return said;
}

static void check_variable(struct objects *objects, struct symbols *symbols, const char *line, uint64_t shift)
{
    unsigned long address;
    unsigned size;
    char type[32], expected[128], name[OBJECT_NAME];
    struct variable variable;
    assert_int_equal(sscanf(line, "variable %lx %u %31s %127s", &address, &size, type, expected), 4);
    uint64_t moved = strncmp(expected, "T0.", 3) == 0 ? address : address + shift;
    assert_string_equal(objects_name(objects, moved, size, name, &variable), expected);
    assert_string_equal(type_name(variable.type), type);
    if (variable.type == VALUE_ENUM) {
        assert_string_equal(symbols_enumerator(symbols, &variable, 2), "GREEN");
        assert_string_equal(symbols_enumerator(symbols, &variable, (uint32_t)-3), "BLUE");
        assert_null(symbols_enumerator(symbols, &variable, 17));
    }
}

static void check_site(struct symbols *symbols, const char *line, const char *file, uint64_t shift)
{
    unsigned long pc;
    unsigned number;
    char function[128], where[256];
    assert_int_equal(sscanf(line, "site %lx %u %127s", &pc, &number, function), 3);
    const struct site *site = symbols_site(symbols, pc + shift);
    assert_string_equal(site->function, function);
    assert_string_equal(site->file, file);
    assert_int_equal(site->line, number);
    assert_true(site->column > 0);
    assert_true(site->instrumented);
    snprintf(where, sizeof where, "%s:%u", file, number);
    assert_string_equal(site->where, where);
    assert_ptr_equal(site, symbols_site(symbols, pc + shift));
    const char *source = symbols_source(symbols, site);
    assert_true(source != NULL && strncmp(source, "say_site(", strlen("say_site(")) == 0);
    if (strcmp(function, "inlined") == 0) {
        assert_non_null(site->caller);
        assert_string_equal(site->caller->function, "outer");
        assert_string_equal(symbols_source(symbols, site->caller), "inlined();");
        assert_null(site->caller->caller);
    } else {
        assert_null(site->caller);
    }
}

static void check_program(const struct said *said, const char *file, uint64_t shift)
{
    struct wire_module module = said->module;
    struct wire_result *result = calloc(1, sizeof *result);
    module.base += shift, module.lo += shift, module.hi += shift;
    result->task_count = 1;
    result->tasks[0].thread_pointer = said->thread_pointer;
    struct symbols *symbols = symbols_open(&module, 1);
    struct objects *objects = objects_open(symbols, result);
    for (int i = 0; i < said->count; i++) {
        if (said->lines[i][0] == 'v')
            check_variable(objects, symbols, said->lines[i], shift);
        else
            check_site(symbols, said->lines[i], file, shift);
    }
    objects_close(objects);
    symbols_close(symbols);
    free(result);
}

static void build_and_check(const char *compiler, const char *options, const char *source)
{
    char program[256];
    snprintf(program, sizeof program, "%s/program", directory);
    if (shell("command -v %s >%s/log 2>&1", compiler, directory) != 0)
        skip();
    if (shell("%s %s tests/unit/fixture/%s -o %s -pthread", compiler, options, source, program) != 0)
        fail_msg("%s %s does not compile %s", compiler, options, source);
    struct said *said = listen(program);
    char file[128];
    snprintf(file, sizeof file, "tests/unit/fixture/%s", source);
    check_program(said, file, 0);
    check_program(said, file, 0x10000000);
    free_said(said);
}

static void test_gcc(void **state)
{
    (void)state;
    build_and_check("gcc", "-g -O0", "variables.c");
    build_and_check("gcc", "-g -O2", "variables.c");
    build_and_check("gcc", "-g -O1 -gdwarf-4 -no-pie", "variables.c");
}

static void test_split_debug_information(void **state)
{
    (void)state;
    char options[128];
    snprintf(options, sizeof options, "-g -O1 -gz -gsplit-dwarf -dumpdir %s/", directory);
    build_and_check("gcc", options, "variables.c");
}

static void test_clang(void **state)
{
    (void)state;
    build_and_check("clang", "-g -O0", "variables.c");
    build_and_check("clang", "-g -O2 -gdwarf-5", "variables.c");
    build_and_check("clang", "-g -O1 -gdwarf-4 -no-pie", "variables.c");
}

static void test_cplusplus(void **state)
{
    (void)state;
    build_and_check("g++", "-g -O0", "variables.cc");
    build_and_check("g++", "-g -O2", "variables.cc");
}

static void test_clang_cplusplus(void **state)
{
    (void)state;
    build_and_check("clang++", "-g -O1 -gdwarf-5", "variables.cc");
}

/* ---- files without debug information ----------------------------------------------------------------------------- */

static struct said *build(const char *name, const char *options)
{
    char program[256];
    snprintf(program, sizeof program, "%s/%s", directory, name);
    assert_int_equal(shell("gcc %s tests/unit/fixture/variables.c -o %s -pthread", options, program), 0);
    return listen(program);
}

/* The pc of the site in main, and the address of a variable. */
static uint64_t find_said(const struct said *said, const char *end)
{
    for (int i = 0; i < said->count; i++) {
        size_t length = strlen(said->lines[i]), wanted = strlen(end);
        unsigned long address;
        if (length > wanted && strcmp(said->lines[i] + length - wanted, end) == 0 &&
            sscanf(said->lines[i], "%*s %lx", &address) == 1)
            return address;
    }
    fail_msg("the program does not say where %s is", end);
    return 0;
}

static void test_separate_debug_file(void **state)
{
    (void)state;
    struct said *said = build("separate", "-g -O1");
    assert_int_equal(shell("cd %s && objcopy --only-keep-debug separate separate.debug && strip separate && "
                           "objcopy --add-gnu-debuglink=separate.debug separate",
                           directory),
                     0);
    check_program(said, "tests/unit/fixture/variables.c", 0);
    free_said(said);
}

static void test_without_debug_information(void **state)
{
    (void)state;
    struct said *said = build("symbols-only", "-O1 -g0");
    struct symbols *symbols = symbols_open(&said->module, 1);
    const struct site *site = symbols_site(symbols, find_said(said, " main"));
    assert_string_equal(site->function, "main");
    assert_int_equal(site->line, 0);
    assert_memory_equal(site->where, "main+0x", strlen("main+0x"));
    assert_null(symbols_source(symbols, site));
    struct variable variable;
    assert_true(symbols_variable(symbols, find_said(said, " table[1].value"), 4, &variable));
    assert_string_equal(variable.name, "table");
    assert_int_equal(variable.offset, 24);
    symbols_close(symbols);
    free_said(said);
}

static void test_stripped(void **state)
{
    (void)state;
    struct said *said = build("stripped", "-O1 -g -s");
    struct symbols *symbols = symbols_open(&said->module, 1);
    const struct site *site = symbols_site(symbols, find_said(said, " main"));
    assert_string_equal(site->function, "");
    assert_memory_equal(site->where, "stripped+0x", strlen("stripped+0x"));
    struct variable variable;
    assert_true(symbols_variable(symbols, find_said(said, " counter"), 4, &variable));
    assert_string_equal(variable.name, "stripped");
    symbols_close(symbols);
    free_said(said);
}

static void check_useless_file(const struct said *said)
{
    struct symbols *symbols = symbols_open(&said->module, 1);
    uint64_t pc = find_said(said, " main");
    const struct site *site = symbols_site(symbols, pc);
    assert_memory_equal(site->where, "gone+0x", strlen("gone+0x"));
    assert_string_equal(symbols_site(symbols, 0)->where, "?");
    assert_string_equal(symbols_site(symbols, 1)->where, "?");
    assert_string_equal(symbols_function(symbols, UINT64_MAX)->where, "?");
    struct variable variable;
    symbols_variable(symbols, find_said(said, " counter"), 4, &variable);
    symbols_close(symbols);
}

static void test_vanished_and_broken_files(void **state)
{
    (void)state;
    struct said *said = build("gone", "-g -O1");
    const char *path = said->module.path;
    assert_int_equal(shell("cp %s %s.whole && rm %s", path, path, path), 0);
    check_useless_file(said);
    assert_int_equal(shell("mkfifo %s", path), 0);
    check_useless_file(said); /* must not block */
    assert_int_equal(shell("rm %s && mkdir %s", path, path), 0);
    check_useless_file(said);
    assert_int_equal(shell("rmdir %s && head -c 100 %s.whole >%s", path, path, path), 0);
    check_useless_file(said);
    memset(said->module.path, '/', sizeof said->module.path); /* not terminated */
    struct symbols *symbols = symbols_open(&said->module, 1);
    symbols_site(symbols, find_said(said, " main"));
    symbols_close(symbols);
    free_said(said);
}

/* Bytes of a whole file overwritten at random: any answer, but an answer. */
static void test_damaged_files(void **state)
{
    (void)state;
    struct said *said = build("damaged", "-g -O1");
    const char *path = said->module.path;
    struct generator generator = {4711};
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    for (int round = 0; round < 60; round++) {
        char copy[600];
        snprintf(copy, sizeof copy, "%s.copy", path);
        assert_int_equal(shell("cp %s %s", path, copy), 0);
        int fd = open(copy, O_WRONLY);
        assert_true(fd >= 0);
        for (int i = 0; i < 200; i++) {
            unsigned char byte = (unsigned char)generator_next(&generator);
            off_t offset = (off_t)generator_below(&generator, (uint64_t)status.st_size - 64) + 64;
            assert_int_equal(pwrite(fd, &byte, 1, offset), 1);
        }
        close(fd);
        struct wire_module module = said->module;
        snprintf(module.path, sizeof module.path, "%.500s.copy", path);
        struct symbols *symbols = symbols_open(&module, 1);
        for (int i = 0; i < said->count; i++) {
            unsigned long address;
            struct variable variable;
            assert_int_equal(sscanf(said->lines[i], "%*s %lx", &address), 1);
            assert_non_null(symbols_site(symbols, address));
            symbols_source(symbols, symbols_site(symbols, address));
            symbols_variable(symbols, address, 4, &variable);
        }
        symbols_close(symbols);
    }
    free_said(said);
}

/* ---- names do not depend on the machine -------------------------------------------------------------------------- */

static void test_absolute_path_becomes_short(void **state)
{
    (void)state;
    char *here = getcwd(NULL, 0), program[256];
    assert_int_equal(
        shell("cd %s && gcc -g -O1 %s/tests/unit/fixture/variables.c -o absolute -pthread", directory, here), 0);
    snprintf(program, sizeof program, "%s/absolute", directory);
    struct said *said = listen(program);
    check_program(said, "variables.c", 0);
    free_said(said);
    free(here);
}

static void test_changed_source_is_not_shown(void **state)
{
    (void)state;
    char program[256];
    assert_int_equal(shell("cp tests/unit/fixture/variables.c %s/own.c && cd %s && gcc -g own.c -o own -pthread && "
                           "touch -d '1 hour' own.c",
                           directory, directory),
                     0);
    snprintf(program, sizeof program, "%s/own", directory);
    struct said *said = listen(program);
    struct symbols *symbols = symbols_open(&said->module, 1);
    const struct site *site = symbols_site(symbols, find_said(said, " main"));
    assert_string_equal(site->file, "own.c");
    assert_null(symbols_source(symbols, site));
    symbols_close(symbols);
    free_said(said);
}

/* ---- symbols of C++ ---------------------------------------------------------------------------------------------- */

static const char *const mangled[][2] = {
    {"main", NULL},
    {"_Z", NULL},
    {"_ZN", NULL},
    {"_ZNE", NULL},
    {"_Z99999999999999999999foo", NULL},
    {"_Z3foov", "foo"},
    {"_ZL3foov", "foo"},
    {"_ZNSt6thread4joinEv", "std::thread::join"},
    {"_ZNKSt6vectorIiSaIiEE4sizeEv", "std::vector::size"},
    {"_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4dataEv", "std::basic_string::data"},
    {"_ZN4bank7accountC2Ev", "bank::account::account"},
    {"_ZN4bank7accountD0Ev", "bank::account::~account"},
    {"_Znwm", "operator new"},
    {"_ZdlPv", "operator delete"},
    {"_ZNK4bank7accounteqERKS0_", "bank::account::operator=="},
    {"_ZTV7Service", "vtable of Service"},
    {"_ZGVZL6pluginvE8instance", "guard of plugin::instance"},
    {"_ZZN4bank7account3addEvE5calls", "bank::account::add::calls"},
    {"_ZSt4moveIRiEONSt16remove_referenceIT_E4typeEOS2_", "std::move"},
    {"_ZTVSt23_Sp_counted_ptr_inplaceI6ConfigSaIvELN9__gnu_cxx12_Lock_policyE2EE",
     "vtable of std::_Sp_counted_ptr_inplace"},
    {"_ZNSs5clearB5cxx11Ev", "std::string::clear"},
    {"_ZN12_GLOBAL__N_13fooEv", "(anonymous)::foo"},
    {"_ZZ4mainENKUlvE_clEv", "main::{lambda#1}"},
    {"_ZZN4bank7account3addEvENKUliPKcE1_clEiS1_", "bank::account::add::{lambda#3}"},
    {"_ZZ4mainENUt0_3runEv", "main::{unnamed#2}::run"},
    {"_ZZ4mainENKUlvE", NULL},
};

static void test_demangle(void **state)
{
    (void)state;
    struct generator generator = {8};
    for (size_t i = 0; i < sizeof mangled / sizeof mangled[0]; i++) {
        char *name = demangle(mangled[i][0]), damaged[128];
        if (mangled[i][1] == NULL)
            assert_null(name);
        else
            assert_true(name != NULL && strcmp(name, mangled[i][1]) == 0);
        free(name);
        for (int round = 0; round < 2000; round++) {
            snprintf(damaged, sizeof damaged, "%s", mangled[i][0]);
            for (int j = 0; j < 3; j++)
                damaged[generator_below(&generator, strlen(mangled[i][0]))] =
                    "0123456789_ZNISTELCDJFXtavUl"[generator_below(&generator, 28)];
            free(demangle(damaged));
        }
    }
}

/* ---- tables and ranges ------------------------------------------------------------------------------------------- */

static void test_table(void **state)
{
    (void)state;
    struct table table = {0};
    assert_null(table_get(&table, 5));
    for (uint64_t key = 0; key < 5000; key++)
        *table_put(&table, key * 4096) = key + 1;
    for (uint64_t key = 0; key < 5000; key++)
        assert_int_equal(*table_get(&table, key * 4096), key + 1);
    assert_null(table_get(&table, 4095));
    assert_int_equal(table.count, 5000);
    table_free(&table);
}

/* Against an array that holds the owner of every address. */
static void test_ranges(void **state)
{
    (void)state;
    enum { SPACE = 300 };
    struct generator generator = {99};
    struct ranges ranges = {0};
    uint32_t owners[SPACE] = {0}, owner;
    for (uint32_t round = 1; round < 2000; round++) {
        uint64_t lo = generator_below(&generator, SPACE - 1),
                 size = 1 + generator_below(&generator, round % 7 ? 12 : 90);
        uint64_t hi = lo + size < SPACE ? lo + size : SPACE;
        ranges_put(&ranges, lo, hi, round);
        for (uint64_t i = lo; i < hi; i++)
            owners[i] = round;
        for (uint64_t i = 0; i < SPACE; i++) {
            bool found = ranges_find(&ranges, i, &owner);
            assert_int_equal(found ? owner : 0, owners[i]);
        }
    }
    ranges_free(&ranges);
}

static int set_up(void **state)
{
    (void)state;
    return mkdtemp(directory) == NULL;
}

static int tear_down(void **state)
{
    (void)state;
    return shell("rm -rf %s", directory) != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gcc),
        cmocka_unit_test(test_split_debug_information),
        cmocka_unit_test(test_clang),
        cmocka_unit_test(test_cplusplus),
        cmocka_unit_test(test_clang_cplusplus),
        cmocka_unit_test(test_separate_debug_file),
        cmocka_unit_test(test_without_debug_information),
        cmocka_unit_test(test_stripped),
        cmocka_unit_test(test_vanished_and_broken_files),
        cmocka_unit_test(test_damaged_files),
        cmocka_unit_test(test_absolute_path_becomes_short),
        cmocka_unit_test(test_changed_source_is_not_shown),
        cmocka_unit_test(test_demangle),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_ranges),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
