/* SPDX-License-Identifier: MIT
 *
 * failure_test.c - failures on disk: round trip, numbering, and every defect refused with a sentence.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/failure.h"
#include "util/file.h"

static char directory[64];

static int setup(void **state)
{
    (void)state;
    strcpy(directory, "/tmp/raddle-failure-XXXXXX");
    assert_non_null(mkdtemp(directory));
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    assert_true(file_remove_tree(directory));
    return 0;
}

static void make(struct failure *failure)
{
    char *command[] = {"./bank", "two words", "quote'd", "", NULL};
    *failure = (struct failure){
        .kind = memory_copy_string("assert"),
        .site = memory_copy_string("bank.c:42"),
        .text = memory_copy_string("assertion `a == \"b\"' failed\nat \xff bank.c:42"),
        .key = memory_copy_string("assert bank.c:42"),
        .confirmed = true,
        .strategy = memory_copy_string("pct"),
        .campaign_seed = 4711,
        .schedule_number = 37,
        .preemptions = 1,
        .threads = 3,
        .command = failure_copy_command(command),
        .directory = memory_copy_string("/somewhere"),
        .check = memory_copy_string("all"),
        .expect_exit = 3,
    };
    failure->schedule.flags = PLAN_RACES;
    vector_push(&failure->schedule.steps, (struct wire_step){.type = STEP_RUN, .task = 1, .until = UINT64_MAX});
}

static void save(struct failure *failure, const struct failure_files *files)
{
    struct error error = {0};
    make(failure);
    if (!failure_write(failure, directory, files, &error))
        fail_msg("%s", error.text);
}

static char *path_of(const char *name)
{
    return file_join(directory, name);
}

static void round_trip(void **state)
{
    (void)state;
    struct failure written, got;
    struct failure_files files = {.has_input = true};
    struct error error;
    buffer_add_string(&files.output, "printed");
    buffer_add_string(&files.input, "given");
    save(&written, &files);
    assert_non_null(strstr(written.path, "/failure-1"));
    assert_true(failure_read(&got, written.path, &error));
    assert_string_equal(got.kind, "assert");
    assert_string_equal(got.key, "assert bank.c:42");
    assert_string_equal(got.command[1], "two words");
    assert_string_equal(got.command[2], "quote'd");
    assert_string_equal(got.command[3], "");
    assert_null(got.command[4]);
    assert_null(got.oracle);
    assert_true(got.confirmed && !got.fixed && got.expect_exit == 3 && got.campaign_seed == 4711 &&
                got.schedule_number == 37);
    assert_int_equal(got.schedule.steps.count, 1);

    got.fixed = true;
    assert_true(failure_update(&got, &error));
    failure_free(&got);
    assert_true(failure_read(&got, written.path, &error));
    assert_true(got.fixed);
    failure_free(&got);

    struct buffer text = {0};
    char *path = file_join(written.path, "command");
    assert_true(file_read(path, 1000, &text, &error));
    assert_string_equal(text.data, "./bank 'two words' 'quote'\\''d' ''\n");
    free(path);
    buffer_free(&text);
    failure_free(&written);
    buffer_free(&files.output);
    buffer_free(&files.input);
}

static void expect_content(const struct failure *failure, const char *name, const char *wanted)
{
    struct buffer text = {0};
    struct error error = {0};
    char *path = file_join(failure->path, name);
    if (!file_read(path, 100000, &text, &error))
        fail_msg("%s", error.text);
    if (strstr(buffer_text(&text), wanted) == NULL)
        fail_msg("%s has no '%s' but: %s", name, wanted, buffer_text(&text));
    free(path);
    buffer_free(&text);
}

/* All that a shrunk schedule changes is replaced, the rest stays, and what was found first is never lost. */
static void replaced(void **state)
{
    (void)state;
    struct failure failure, got;
    struct failure_files files = {.has_input = true};
    struct schedule found = {.seed = 77};
    struct error error = {0};
    buffer_add_string(&files.output, "printed");
    buffer_add_string(&files.input, "given");
    save(&failure, &files);
    buffer_clear(&files.output);
    buffer_add_string(&files.output, "printed otherwise");
    buffer_add_string(&files.events, "new events");
    buffer_add_string(&files.tale, "{}");
    for (uint64_t round = 0; round < 2; round++) {
        vector_push(&found.steps, (struct wire_step){.type = STEP_RUN, .task = 2, .until = 5 + round, .value = 1});
        files.found = &found;
        failure.shrunk = failure.shrink_complete = true;
        failure.preemptions = 0;
        failure.preemptions_found = 4;
        failure.shrink_runs = 60;
        free(failure.cause);
        failure.cause = memory_copy_string("it is so");
        if (!failure_replace(&failure, &files, &error))
            fail_msg("%s", error.text);
        expect_content(&failure, "stdout", "printed otherwise");
        expect_content(&failure, "stdin", "given");
        expect_content(&failure, "events", "new events");
        expect_content(&failure, "tale.json", "{}");
        expect_content(&failure, "command", "./bank");
        expect_content(&failure, "schedule.found", "steps 1\n"); /* of the first time */
    }
    assert_true(failure_read(&got, failure.path, &error));
    assert_true(got.shrunk && got.shrink_complete && got.shrink_runs == 60);
    assert_int_equal(got.preemptions_found, 4);
    assert_string_equal(got.cause, "it is so");
    struct failure_numbers numbers = {0};
    failure_list(directory, &numbers);
    assert_int_equal(numbers.list.count, 1);
    vector_free(&numbers.list);

    free(got.path);
    got.path = path_of("failure-9");
    assert_false(failure_replace(&got, &files, &error));
    assert_non_null(strstr(error.text, "failure-9"));
    failure_free(&got);
    failure_free(&failure);
    schedule_free(&found);
    failure_files_free(&files);
}

/* Of before there was shrinking. */
static void old_about(void **state)
{
    (void)state;
    static const char text[] =
        "{\"format\": 1, \"kind\": \"assert\", \"key\": \"k\", \"preemptions\": 3, \"command\": [\"a\"]}";
    struct failure got;
    struct error error = {0};
    assert_true(failure_parse(&got, "about.json", text, strlen(text), &error));
    assert_int_equal(got.preemptions_found, 3);
    assert_true(!got.shrunk && !got.shrink_complete && got.cause == NULL);
    failure_free(&got);
}

static void numbers_go_on(void **state)
{
    (void)state;
    struct failure failure;
    struct failure_files files = {0};
    struct failure_numbers numbers = {0};
    char *gap = path_of("failure-7"), *other = path_of("failure-x"), *file = path_of("failure-12.fixed");
    assert_int_equal(mkdir(gap, 0777) | mkdir(other, 0777) | mkdir(file, 0777), 0);
    for (int i = 0; i < 2; i++) {
        save(&failure, &files);
        failure_free(&failure);
    }
    failure_list(directory, &numbers);
    assert_int_equal(numbers.list.count, 3);
    assert_int_equal(numbers.list.data[0], 7);
    assert_int_equal(numbers.list.data[2], 9);
    vector_free(&numbers.list);
    failure_list("/nonexistent", &numbers);
    assert_int_equal(numbers.list.count, 0);
    free(gap);
    free(other);
    free(file);
}

static void nothing_half_is_left_behind(void **state)
{
    (void)state;
    struct failure failure;
    struct failure_files files = {0};
    struct error error;
    make(&failure);
    assert_false(failure_write(&failure, "/proc/nowhere", &files, &error));
    assert_int_equal(error.code, EXIT_USAGE);
    char *in_the_way = path_of("file");
    assert_true(file_write(in_the_way, "x", 1, &error));
    assert_false(failure_write(&failure, in_the_way, &files, &error));
    assert_null(failure.path);
    free(in_the_way);
    failure_free(&failure);
}

static void each_defect_has_its_sentence(void **state)
{
    (void)state;
    static const struct {
        const char *text, *sentence;
    } defects[] = {
        {"", "not JSON"},
        {"{", "not JSON"},
        {"[]", "does not describe a failure"},
        {"{}", "does not describe a failure"},
        {"{\"format\": \"1\"}", "does not describe a failure"},
        {"{\"format\": 2}", "has version 2"},
        {"{\"format\": 1}", "does not say what failed"},
        {"{\"format\": 1, \"kind\": 3, \"key\": \"k\"}", "does not say what failed"},
        {"{\"format\": 1, \"kind\": \"a\", \"key\": \"k\"}", "does not say which program"},
        {"{\"format\": 1, \"kind\": \"a\", \"key\": \"k\", \"command\": []}", "does not say which program"},
        {"{\"format\": 1, \"kind\": \"a\", \"key\": \"k\", \"command\": \"x\"}", "does not say which program"},
        {"{\"format\": 1, \"kind\": \"a\", \"key\": \"k\", \"command\": [\"x\", 1]}", "must be a list of texts"},
        {"{\"format\": 1, \"kind\": \"a\", \"key\": \"k\", \"command\": [\"x\"]}", NULL},
    };
    for (size_t i = 0; i < sizeof defects / sizeof defects[0]; i++) {
        struct failure failure;
        struct error error = {0};
        bool good = failure_parse(&failure, "about.json", defects[i].text, strlen(defects[i].text), &error);
        assert_int_equal(good, defects[i].sentence == NULL);
        if (good)
            failure_free(&failure);
        else if (strstr(error.text, defects[i].sentence) == NULL || strstr(error.text, "about.json") == NULL)
            fail_msg("'%s' does not say '%s'", error.text, defects[i].sentence);
    }
}

static void what_is_missing_is_named(void **state)
{
    (void)state;
    struct failure failure;
    struct error error;
    assert_false(failure_read(&failure, "/nonexistent/failure-1", &error));
    assert_non_null(strstr(error.text, "/nonexistent/failure-1"));
    assert_false(failure_read(&failure, directory, &error));
    assert_non_null(strstr(error.text, "about.json"));
    assert_int_equal(error.code, EXIT_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(round_trip, setup, teardown),
        cmocka_unit_test_setup_teardown(replaced, setup, teardown),
        cmocka_unit_test(old_about),
        cmocka_unit_test_setup_teardown(numbers_go_on, setup, teardown),
        cmocka_unit_test_setup_teardown(nothing_half_is_left_behind, setup, teardown),
        cmocka_unit_test(each_defect_has_its_sentence),
        cmocka_unit_test_setup_teardown(what_is_missing_is_named, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
