/* SPDX-License-Identifier: MIT
 *
 * util_test.c - buffer, vector, hash, files.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/buffer.h"
#include "util/file.h"
#include "util/hash.h"
#include "util/vector.h"

static void buffer_grows(void **state)
{
    (void)state;
    struct buffer buffer = {0};
    assert_string_equal(buffer_text(&buffer), "");
    for (int i = 0; i < 1000; i++)
        buffer_printf(&buffer, "%d,", i);
    assert_int_equal(buffer.size, 10 * 2 + 90 * 3 + 900 * 4);
    assert_int_equal(strlen(buffer.data), buffer.size);
    buffer_clear(&buffer);
    buffer_add_number(&buffer, 0);
    buffer_add_char(&buffer, ' ');
    buffer_add_number(&buffer, UINT64_MAX);
    buffer_printf(&buffer, "%s", "");
    assert_string_equal(buffer.data, "0 18446744073709551615");
    for (int width = 1; width < 300; width++) { /* all ways to fit exactly, or not quite */
        struct buffer other = {0};
        buffer_printf(&other, "%*d", width, 7);
        buffer_printf(&other, "%*d", width, 8);
        assert_int_equal(other.size, 2 * width);
        assert_int_equal(strlen(other.data), other.size);
        assert_int_equal(other.data[width - 1], '7');
        assert_int_equal(other.data[2 * width - 1], '8');
        buffer_free(&other);
    }
    buffer_clear(&buffer);
    buffer_add(&buffer, "a\0b", 3);
    assert_int_equal(buffer.size, 3);
    buffer_clear(&buffer);
    buffer_add_quoted(&buffer, "plain-word_1.c");
    buffer_add_quoted(&buffer, "");
    buffer_add_quoted(&buffer, "it's $HOME");
    char *text = buffer_take(&buffer);
    assert_string_equal(text, "plain-word_1.c'''it'\\''s $HOME'");
    free(text);
    text = buffer_take(&buffer);
    assert_string_equal(text, "");
    free(text);
}

static void vector_grows(void **state)
{
    (void)state;
    VECTOR(int) numbers = {0};
    for (int i = 0; i < 1000; i++)
        vector_push(&numbers, i);
    int more[] = {1000, 1001};
    vector_append(&numbers, more, 2);
    assert_int_equal(numbers.count, 1002);
    for (int i = 0; i < 1002; i++)
        assert_int_equal(numbers.data[i], i);
    vector_free(&numbers);
    assert_null(numbers.data);
}

/* Seeds are written down by people: these numbers must never change. */
static void hashes_stay_the_same(void **state)
{
    (void)state;
    struct generator generator = {42};
    assert_true(generator_next(&generator) == 0xbdd732262feb6e95ull);
    assert_true(hash_mix(1) == 0x5692161d100b05e5ull);
    assert_true(hash_string("raddle") == hash_bytes("raddle", 6, 0));
    assert_true(hash_combine(1, 2) != hash_combine(2, 1));
    unsigned counts[10] = {0};
    for (int i = 0; i < 10000; i++)
        counts[generator_below(&generator, 10)]++;
    for (int i = 0; i < 10; i++)
        assert_in_range(counts[i], 850, 1150);
}

static void files_are_written_whole(void **state)
{
    (void)state;
    char directory[] = "/tmp/raddle-util-XXXXXX";
    struct error error = {0};
    struct buffer text = {0};
    assert_non_null(mkdtemp(directory));
    char *deep = file_join(directory, "a/b/c"), *path = file_join(directory, "a/b/c/file");
    assert_true(file_make_directories(deep, &error));
    assert_true(file_make_directories(deep, &error));
    assert_true(file_write(path, "one", 3, &error));
    assert_true(file_write(path, "two", 3, &error));
    assert_true(file_read(path, 100, &text, &error));
    assert_string_equal(text.data, "two");
    buffer_clear(&text);
    assert_false(file_read(path, 2, &text, &error));
    assert_non_null(strstr(error.text, "larger than 2 bytes"));
    assert_false(file_make_directories(path, &error));
    assert_non_null(strstr(error.text, "not a directory"));
    assert_false(file_write(deep, "x", 1, &error));
    assert_false(file_write("/nonexistent/file", "x", 1, &error));
    assert_string_equal(error.text, "cannot write /nonexistent/file: No such file or directory");
    assert_int_equal(error.code, EXIT_USAGE);
    assert_false(file_write("/dev/full", "x", 1, &error));
    assert_non_null(strstr(error.text, "No space left"));
    assert_true(file_remove_tree(directory));
    assert_false(file_exists(directory));
    free(deep);
    free(path);
    buffer_free(&text);
}

static void programs_are_found(void **state)
{
    (void)state;
    char *path = file_find_program("sh");
    assert_non_null(path);
    assert_true(path[0] == '/');
    free(path);
    assert_null(file_find_program("no-such-program-anywhere"));
    assert_int_equal(errno, ENOENT);
    assert_null(file_find_program("/"));
    assert_int_equal(errno, EISDIR);
    assert_null(file_find_program("/dev/null"));
    assert_int_equal(errno, EACCES);
    assert_null(file_find_program(""));
    assert_string_equal(file_base_name("/usr/bin/env"), "env");
    assert_string_equal(file_base_name("env"), "env");
    assert_string_equal(file_base_name("/"), "program");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buffer_grows),         cmocka_unit_test(vector_grows),
        cmocka_unit_test(hashes_stay_the_same), cmocka_unit_test(files_are_written_whole),
        cmocka_unit_test(programs_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
