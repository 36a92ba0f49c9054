/* SPDX-License-Identifier: MIT
 *
 * variable_cache_test.c - lists of variables that are kept in files: the same with the file as without it; damage, other modules, several
 * writers, a place where nothing can be written.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace/symbols.h"
#include "trace/variable_cache.h"
#include "util/file.h"

static char directory[] = "/tmp/raddle-variables-XXXXXX";
static char program[64], cache[64];

static void run(const char *command)
{
    assert_int_equal(system(command), 0);
}

/* A program with more than 4 MB of debug information. */
static int make_program(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(directory));
    snprintf(program, sizeof program, "%s/many", directory);
    snprintf(cache, sizeof cache, "%s/cache", directory);
    char *source = memory_format("%s/many.c", directory);
    FILE *file = fopen(source, "w");
    assert_non_null(file);
    for (int i = 0; i < 40000; i++)
        fprintf(file,
                "struct s%d { int a%d; struct { long b; char c[%d]; } in; struct s%d *next, *left, *right; union { int "
                "d; long e; } u; };\n",
                i, i, i % 100 + 1, i);
    fputs("enum colour { RED, GREEN };\nint count; static struct s7 table[9]; _Thread_local struct s8 mine; enum "
          "colour paint;\n"
          "int main(void) { static long calls; calls++; count++; table[3].in.b++; mine.a8++; paint = GREEN; return 0; "
          "}\n",
          file);
    for (int i = 0; i < 40000; i += 500)
        fprintf(file, "struct s%d v%d;\n", i, i);
    fclose(file);
    char *command =
        memory_format("cc -g -O0 -fno-eliminate-unused-debug-types -Wl,--build-id %s -o %s", source, program);
    run(command);
    free(command);
    free(source);
    setenv("RADDLE_CACHE", cache, 1);
    return 0;
}

static int remove_program(void **state)
{
    (void)state;
    return file_remove_tree(directory) ? 0 : -1;
}

static struct symbols *open_symbols(void)
{
    static struct wire_module module;
    memset(&module, 0, sizeof module);
    snprintf(module.path, sizeof module.path, "%s", program);
    module.hi = 1 << 20;
    module.instrumented = 1;
    return symbols_open(&module, 1);
}

/* All that is said of every fourth address of the data. */
static char *describe_all(void)
{
    struct symbols *symbols = open_symbols();
    struct buffer text = {0};
    struct module *module = symbols_modules(symbols, &(uint32_t){0});
    for (uint64_t address = module->all.lo; address < module->all.hi; address += 4) {
        struct variable variable;
        if (!symbols_variable(symbols, address, 4, &variable))
            continue;
        buffer_printf(&text, "%s+%lu %lu %d %u", variable.name, (unsigned long)variable.offset,
                      (unsigned long)variable.size, variable.type, variable.pointed);
        if (variable.type == VALUE_ENUM)
            buffer_printf(&text, " %s", symbols_enumerator(symbols, &variable, 1));
        buffer_printf(&text, " %s\n", variable.target != NULL ? variable.target->signature : "");
    }
    struct variable mine;
    uint64_t lo, hi;
    if (symbols_thread_block(symbols, 1 << 20, &lo, &hi) && symbols_thread_local(symbols, 1 << 20, lo, 4, &mine))
        buffer_printf(&text, "thread-local %s\n", mine.name);
    symbols_close(symbols);
    return buffer_take(&text);
}

static unsigned count_files(char **last)
{
    unsigned count = 0;
    DIR *files = opendir(cache);
    struct dirent *entry;
    while (files != NULL && (entry = readdir(files)) != NULL)
        if (entry->d_name[0] != '.') {
            count++;
            free(*last);
            *last = file_join(cache, entry->d_name);
        }
    if (files != NULL)
        closedir(files);
    return count;
}

static char *the_file(void)
{
    char *file = NULL;
    assert_int_equal(count_files(&file), 1);
    return file;
}

static void assert_same(const char *expected)
{
    char *text = describe_all();
    assert_string_equal(text, expected);
    free(text);
}

static char *without_file(void)
{
    setenv("RADDLE_CACHE", "off", 1);
    char *text = describe_all(), *file = NULL;
    setenv("RADDLE_CACHE", cache, 1);
    assert_int_equal(count_files(&file), 0);
    assert_non_null(strstr(text, "table[3].in.b"));
    assert_non_null(strstr(text, "main::calls"));
    assert_non_null(strstr(text, "GREEN"));
    assert_non_null(strstr(text, "thread-local mine"));
    return text;
}

static void change(const char *file, size_t at, unsigned char by)
{
    FILE *stream = fopen(file, "r+");
    assert_non_null(stream);
    fseek(stream, (long)at, SEEK_SET);
    int byte = fgetc(stream);
    fseek(stream, (long)at, SEEK_SET);
    fputc(byte ^ by, stream);
    fclose(stream);
}

/* A list is only used if it is the one of this module, to the last byte; else it is read and written again. */
static void results_are_the_same(void **state)
{
    (void)state;
    struct error error = {0};
    struct buffer whole = {0}, again = {0};
    char *expected = without_file();
    assert_same(expected);
    char *file = the_file();
    assert_same(expected); /* from the file */
    assert_true(file_read(file, 64 << 20, &whole, &error));
    for (size_t at = 0; at < whole.size; at += whole.size / 16) {
        change(file, at, 0x41);
        assert_same(expected);
        buffer_free(&again);
        assert_true(file_read(file, 64 << 20, &again, &error));
        assert_int_equal(again.size, whole.size); /* replaced */
        assert_memory_equal(again.data, whole.data, whole.size);
    }
    for (size_t size = 0; size < whole.size; size += whole.size / 5 + 1) {
        assert_int_equal(truncate(file, (off_t)size), 0);
        assert_same(expected);
    }
    buffer_free(&whole);
    buffer_free(&again);
    free(file);
    free(expected);
}

/* A list from the file is used: with another name in it, and a digest that fits, that name is said. */
static void the_file_is_used(void **state)
{
    (void)state;
    struct module module;
    struct wire_module wire = {.hi = 1 << 20, .instrumented = 1};
    struct cached_variables variables, other = {0};
    free(describe_all());
    snprintf(wire.path, sizeof wire.path, "%s", program);
    module_open(&module, &wire);
    assert_true(variable_cache_has(&module) && variable_cache_read(&module, &variables));
    for (size_t i = 0; i < variables.list.count; i++) {
        struct cached_variable variable = variables.list.data[i];
        if (strcmp(variable.name, "count") == 0)
            variable.name = "renamed";
        vector_push(&other.list, variable);
    }
    variable_cache_write(&module, &other);
    char *text = describe_all();
    assert_non_null(strstr(text, "renamed+0 4"));
    assert_null(strstr(text, "count+0 4"));
    free(text);
    char *file = the_file();
    unlink(file);
    free(file);
    cached_variables_free(&variables);
    cached_variables_free(&other);
    module_close(&module);
}

static void another_module_is_refused(void **state)
{
    (void)state;
    struct module_identity one = {.debug_size = 9, .build_id_size = 1, .build_id = {5}}, two = one;
    struct cached_variables variables = {0}, read;
    vector_push(&variables.list, (struct cached_variable){.address = 1, .size = 2, .type = 3, .name = "x"});
    struct {
        uint64_t debug_size;
        uint8_t id;
        bool good;
    } rows[] = {{9, 5, true}, {10, 5, false}, {9, 6, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct buffer file = {0};
        two.debug_size = rows[i].debug_size;
        two.build_id[0] = rows[i].id;
        variable_cache_format(&one, &variables, &file);
        assert_int_equal(variable_cache_parse(&two, &file, &read), rows[i].good);
        cached_variables_free(&read);
    }
    cached_variables_free(&variables);
}

/* Several at a time, some of which are killed at any moment: afterwards all is as before. */
static void writers_may_be_many_and_may_die(void **state)
{
    (void)state;
    enum { WRITERS = 6 };
    char *expected = NULL;
    for (int round = 0; round < 3; round++) {
        pid_t writers[WRITERS];
        for (int i = 0; i < WRITERS; i++) {
            writers[i] = fork();
            if (writers[i] == 0) {
                free(describe_all());
                _exit(0);
            }
        }
        for (int i = 0; i < WRITERS; i++) {
            if (i % 2 == 1) {
                usleep((useconds_t)(20000 * (i + round)));
                kill(writers[i], SIGKILL);
            }
            waitpid(writers[i], NULL, 0);
        }
        setenv("RADDLE_CACHE", "off", 1);
        free(expected);
        expected = describe_all();
        setenv("RADDLE_CACHE", cache, 1);
        assert_same(expected);
        assert_same(expected);
        file_remove_tree(cache);
    }
    free(expected);
}

static void there_are_never_many_files(void **state)
{
    (void)state;
    struct module module = {.identity = {.debug_size = 5 << 20, .build_id_size = 2}};
    struct cached_variables none = {0};
    for (int i = 0; i < 200; i++) {
        module.identity.build_id[0] = (uint8_t)i;
        variable_cache_write(&module, &none);
    }
    char *last = NULL;
    unsigned count = count_files(&last);
    assert_true(count > 50 && count <= 64);
    free(last);
    assert_true(variable_cache_read(&module, &none)); /* the newest is there */
    cached_variables_free(&none);
    file_remove_tree(cache);
}

static void it_works_where_nothing_can_be_written(void **state)
{
    (void)state;
    setenv("RADDLE_CACHE", "off", 1);
    char *expected = describe_all();
    setenv("RADDLE_CACHE", "/proc/self/status/none", 1);
    assert_same(expected);
    setenv("RADDLE_CACHE", cache, 1);
    free(expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_the_same),       cmocka_unit_test(the_file_is_used),
        cmocka_unit_test(another_module_is_refused),  cmocka_unit_test(writers_may_be_many_and_may_die),
        cmocka_unit_test(there_are_never_many_files), cmocka_unit_test(it_works_where_nothing_can_be_written),
    };
    return cmocka_run_group_tests(tests, make_program, remove_program);
}
