/* SPDX-License-Identifier: MIT
 *
 * options_test.c - options: every source, which one wins, and the sentences for mistakes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "campaign/options.h"
#include "util/file.h"

static struct options options;
static struct error error;

/* argv from a line of words. */
static bool read_line(int command, const char *line)
{
    static char copy[1000];
    static char *argv[50];
    int argc = 0;
    strcpy(copy, line);
    for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " "))
        argv[argc++] = word;
    argv[argc] = NULL;
    error = (struct error){0};
    options_free(&options);
    return options_read(&options, command, argc, argv, &error);
}

static bool read_config(const char *text)
{
    char copy[1000];
    strcpy(copy, text);
    options_free(&options);
    options_set_defaults(&options);
    return options_read_config(&options, FOR_RUN, "raddle.conf", copy, &error);
}

static void command_line(void **state)
{
    (void)state;
    assert_true(read_line(
        FOR_RUN,
        "run --time 1.5m -j4 --seed=0x10 -kq --check -race --max-output 2k --early-timeouts 5% -- ./prog --time 3"));
    assert_int_equal(options.time, 90000000000);
    assert_int_equal(options.jobs, 4);
    assert_int_equal(options.seed, 16);
    assert_true(options.keep_going && options.quiet && !options.verbose);
    assert_string_equal(options.check, "-race");
    assert_int_equal(options.max_output, 2048);
    assert_true(options.early_timeouts > 0.049 && options.early_timeouts < 0.051);
    assert_int_equal(options.program, 13);
    assert_true(read_line(FOR_RUN, "run -n 5 ./prog -n 7"));
    assert_int_equal(options.runs, 5);
    assert_int_equal(options.program, 3);
    assert_true(read_line(FOR_RUN, "run --runs 10k"));
    assert_int_equal(options.runs, 10000);
    assert_true(read_line(FOR_REPLAY, "replay --times 3 dir -v -- ./prog"));
    assert_int_equal(options.positional, 3);
    assert_int_equal(options.program, 6);
    assert_int_equal(options.times, 3);
    assert_true(read_line(FOR_RUN, "run --help"));
    assert_true(options.help);
}

static void mistakes(void **state)
{
    (void)state;
    static const struct {
        int command;
        const char *line, *sentence;
    } lines[] = {
        {FOR_RUN, "run --tiem 3s", "did you mean '--time'"},
        {FOR_RUN, "run --zzz", "has no option '--zzz'"},
        {FOR_RUN, "run -z", "has no option '-z'"},
        {FOR_RUN, "run --time", "needs a time such as 500ms, 10s, 2m after it"},
        {FOR_RUN, "run --time 3x", "not '3x'"},
        {FOR_RUN, "run --time -3s", "not '-3s'"},
        {FOR_RUN, "run --runs 1e400", "needs a number"},
        {FOR_RUN, "run --runs 99999999999999999999999", "needs a number"},
        {FOR_RUN, "run --early-timeouts 1.5", "from 0 to 1"},
        {FOR_RUN, "run --max-output 1X", "a size such as"},
        {FOR_RUN, "run --spurious=perhaps", "yes or no"},
        {FOR_RUN, "run --times 3", "has no option '--times'"},
        {FOR_REPLAY, "replay --runs 3", "has no option '--runs'"},
        {FOR_REPLAY, "replay a b", "takes one failure"},
        {FOR_RUN, "run --config /nonexistent.conf", "cannot open /nonexistent.conf"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        assert_false(read_line(lines[i].command, lines[i].line));
        assert_int_equal(error.code, EXIT_USAGE);
        if (strstr(error.text, lines[i].sentence) == NULL)
            fail_msg("'%s' does not say '%s'", error.text, lines[i].sentence);
    }
}

static void config_file(void **state)
{
    (void)state;
    assert_true(read_config("# comment\n\n  time = 3s  # that long\nstrategy=\"pct,pos\"\r\noracle = 'a # "
                            "b'\nkeep-going = yes\ntimes = 4"));
    assert_int_equal(options.time, 3000000000);
    assert_string_equal(options.strategy, "pct,pos");
    assert_string_equal(options.oracle, "a # b");
    assert_true(options.keep_going);
    assert_false(read_config("time = 3s\nseeed = 3\n"));
    assert_non_null(strstr(error.text, "raddle.conf:2: there is no option 'seeed' (did you mean 'seed'?)"));
    assert_false(read_config("\n\nnonsense\n"));
    assert_non_null(strstr(error.text, "raddle.conf:3: expected 'option = value'"));
    assert_false(read_config("runs = x\n"));
    assert_string_equal(error.text, "raddle.conf:1: runs needs a number, not 'x'");
    assert_false(read_config("config = other\n"));
}

static void which_one_wins(void **state)
{
    (void)state;
    char directory[] = "/tmp/raddle-options-XXXXXX";
    assert_non_null(mkdtemp(directory));
    assert_int_equal(chdir(directory), 0);
    assert_true(file_write("raddle.conf", "runs = 1\nseed = 1\ndepth = 5\n", 27, &error));
    setenv("RADDLE_RUNS", "2", 1);
    setenv("RADDLE_MAX_STEPS", "222", 1);
    assert_true(read_line(FOR_RUN, "run --runs 3 x"));
    assert_int_equal(options.runs, 3);
    assert_int_equal(options.seed, 1);
    assert_int_equal(options.depth, 5);
    assert_int_equal(options.max_steps, 222);
    assert_true(read_line(FOR_RUN, "run x"));
    assert_int_equal(options.runs, 2);
    setenv("RADDLE_RUNS", "many", 1);
    assert_false(read_line(FOR_RUN, "run x"));
    assert_non_null(strstr(error.text, "RADDLE_RUNS in the environment"));
    unsetenv("RADDLE_RUNS");
    unsetenv("RADDLE_MAX_STEPS");
    assert_int_equal(chdir("/"), 0);
    assert_true(file_remove_tree(directory));
}

static void names_and_letters_are_unique(void **state)
{
    (void)state;
    for (size_t i = 0; i < options_count; i++)
        for (size_t j = i + 1; j < options_count; j++) {
            assert_string_not_equal(options_table[i].name, options_table[j].name);
            bool same = options_table[i].letter != 0 && options_table[i].letter == options_table[j].letter;
            assert_false(same && (options_table[i].commands & options_table[j].commands));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(command_line),
        cmocka_unit_test(mistakes),
        cmocka_unit_test(config_file),
        cmocka_unit_test(which_one_wins),
        cmocka_unit_test(names_and_letters_are_unique),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
