/* SPDX-License-Identifier: MIT
 *
 * cc_arguments_test.c - reading compiler command lines.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/cc_arguments.h"

/* Splits a line at blanks and reads it. */
static bool read_line(struct cc_arguments *arguments, const char *line, struct error *error)
{
    char copy[512];
    char *words[64], *rest = copy;
    int count = 0;
    snprintf(copy, sizeof copy, "%s", line);
    for (char *word; count < 64 && (word = strsep(&rest, " ")) != NULL;)
        if (*word != '\0')
            words[count++] = word;
    return cc_arguments_read(arguments, count, words, error);
}

static void expect(const char *line, enum cc_output output, bool compiles, bool instrument)
{
    struct cc_arguments arguments;
    struct error error = {0};
    if (!read_line(&arguments, line, &error))
        fail_msg("%s: %s", line, error.text);
    if (arguments.output != output || arguments.compiles != compiles || arguments.instrument != instrument)
        fail_msg("%s: output %d, compiles %d, instrument %d", line, (int)arguments.output, arguments.compiles,
                 arguments.instrument);
}

static void expect_refused(const char *line, const char *word)
{
    struct cc_arguments arguments;
    struct error error = {0};
    if (read_line(&arguments, line, &error))
        fail_msg("%s: not refused", line);
    assert_int_equal(error.code, EXIT_USAGE);
    assert_non_null(strstr(error.text, word));
}

static struct cc_arguments read_good(const char *line)
{
    struct cc_arguments arguments;
    struct error error = {0};
    if (!read_line(&arguments, line, &error))
        fail_msg("%s: %s", line, error.text);
    return arguments;
}

static void test_details(void **state)
{
    (void)state;
    assert_true(read_good("-Werror a.c").errors);
    assert_true(read_good("-Wall -Werror=array-bounds a.c").errors);
    assert_false(read_good("-Wall -Wno-error a.c").errors);
    assert_true(read_good("-c a.c").assembles);
    assert_true(read_good("-c a.S").assembles);
    assert_true(read_good("-x assembler a.txt").assembles);
    assert_false(read_good("a.o").assembles);
    assert_true(read_good("-flto a.c").optimises_late);
    assert_true(read_good("-flto=thin a.o").optimises_late);
    assert_true(read_good("-masm=intel a.c").intel);
    assert_false(read_good("-masm=intel -masm=att a.c").intel);
}

static void test_outputs(void **state)
{
    (void)state;
    expect("", CC_NOTHING, false, true);
    expect("--version", CC_NOTHING, false, true);
    expect("-v", CC_NOTHING, false, true);
    expect("-o out", CC_NOTHING, false, true);
    expect("-print-file-name=libc.so", CC_NOTHING, false, true);
    expect("a.c", CC_PROGRAM, true, true);
    expect("a.o b.o -o a", CC_PROGRAM, false, true);
    expect("-lfoo -o a", CC_PROGRAM, false, true);
    expect("-l foo", CC_PROGRAM, false, true);
    expect("-c a.c", CC_OBJECT, true, true);
    expect("a.c -S", CC_OBJECT, true, true);
    expect("-E a.c", CC_OBJECT, true, true);
    expect("-MM a.c", CC_OBJECT, true, true);
    expect("-MMD a.c", CC_PROGRAM, true, true);
    expect("-MF a.c b.o", CC_PROGRAM, false, true);
    expect("a.h", CC_OBJECT, true, true);
    expect("-shared a.c", CC_SHARED, true, true);
    expect("-Wl,-O1,-shared a.o", CC_SHARED, false, true);
    expect("-Xlinker -shared a.o", CC_SHARED, false, true);
    expect("-shared-libgcc a.o", CC_PROGRAM, false, true);
    expect("-r a.o b.o", CC_RELOCATABLE, false, true);
    expect("-Wl,-r a.o", CC_RELOCATABLE, false, true);
    expect("-static-libgcc a.o", CC_PROGRAM, false, true);
    expect("-rdynamic a.o", CC_PROGRAM, false, true);
}

static void test_languages(void **state)
{
    (void)state;
    expect("-c a.s", CC_OBJECT, false, true);
    expect("-c a.S", CC_OBJECT, false, true);
    expect("-c -x assembler-with-cpp a.c", CC_OBJECT, false, true);
    expect("-c -xassembler a.c", CC_OBJECT, false, true);
    expect("-x c a.txt", CC_PROGRAM, true, true);
    expect("-x c -", CC_PROGRAM, true, true);
    expect("-x c a.txt -x none b.o", CC_PROGRAM, true, true);
    expect("-x assembler a.txt -x none b.o", CC_PROGRAM, false, true);
    expect("-x c-header a.c", CC_OBJECT, true, true);
    expect("a.c b.s", CC_PROGRAM, true, true);
    expect("a.cc", CC_PROGRAM, true, true);
    expect("a.i", CC_PROGRAM, true, true);
    expect("dir.c/object", CC_PROGRAM, false, true);
}

static void test_sanitizers(void **state)
{
    (void)state;
    expect("-fsanitize=undefined a.c", CC_PROGRAM, true, true);
    expect("-fno-sanitize=thread a.c", CC_PROGRAM, true, false);
    expect("-fno-sanitize=all a.c", CC_PROGRAM, true, false);
    expect("-fsanitize=address -fno-sanitize=address a.c", CC_PROGRAM, true, true);
    expect("-fsanitize=address --version", CC_NOTHING, false, true);
    expect_refused("-fsanitize=thread -c a.c", "-fsanitize=thread");
    expect_refused("-fsanitize=undefined,address a.o", "-fsanitize=address");
    expect_refused("-fsanitize=leak a.c", "-fsanitize=leak");
    expect_refused("-static a.c", "-static");
    expect_refused("a.o -static-pie", "-static-pie");
    expect("-static -c a.c", CC_OBJECT, true, true);
    expect("-static -shared a.c", CC_SHARED, true, true);
}

static void test_response_files(void **state)
{
    (void)state;
    char path[] = "/tmp/raddle-unit-XXXXXX", line[64];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    static const char text[] = "-c 'a b.c'\n \"quo\\\"ted\" -x\tc";
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    snprintf(line, sizeof line, "@%s", path);
    expect(line, CC_OBJECT, true, true);
    /* what it sets holds for what comes after it */
    snprintf(line, sizeof line, "@%s text", path);
    expect(line, CC_OBJECT, true, true);
    unlink(path);
    expect("@/nonexistent/file", CC_PROGRAM, false, true);
    expect("@", CC_PROGRAM, false, true);
}

/* A file that names itself must come to an end. */
static void test_response_loop(void **state)
{
    (void)state;
    char path[] = "/tmp/raddle-unit-XXXXXX", line[64];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    snprintf(line, sizeof line, "@%s", path);
    assert_int_equal(write(fd, line, strlen(line)), (ssize_t)strlen(line));
    close(fd);
    expect(line, CC_PROGRAM, false, true);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_details),    cmocka_unit_test(test_outputs),        cmocka_unit_test(test_languages),
        cmocka_unit_test(test_sanitizers), cmocka_unit_test(test_response_files), cmocka_unit_test(test_response_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
