/* SPDX-License-Identifier: MIT
 *
 * technique_test.c - a new technique is one row of a table: this one exists here only.  It plans the runs of a real campaign, learns
 * from them, ends the campaign, and what it counts and says is in the summary, in JSON and in the reports.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "campaign/conduct.h"
#include "report/formats.h"
#include "report/html.h"
#include "technique/techniques.h"
#include "util/file.h"
#include "util/memory.h"

/* ---- the technique ------------------------------------------------------------------------------------------------------ */

enum { ENOUGH = 12 }; /* runs of its own, after which it has nothing left to do */

struct alternate {
    uint64_t planned, own, others, recorded;
};

struct alternate_run {
    uint64_t number; /* as it was planned */
};

static void *open_alternate(const struct technique_setup *setup, struct error *error)
{
    (void)error;
    assert_int_equal(setup->seed, 5);
    return memory_allocate(1, sizeof(struct alternate));
}

/* Each second run is without preemptions, the others are random. */
static void plan_alternate(void *state, struct technique_run *run)
{
    struct alternate *alternate = state;
    struct alternate_run *own = run->own;
    assert_int_equal(own->number, 0);
    assert_int_equal(run->plan->strategy, STRATEGY_RANDOM);
    own->number = run->number;
    run->aimed = run->observe = true;
    if (alternate->planned++ % 2 == 0) {
        run->plan->strategy = STRATEGY_ROUNDROBIN;
        run->plan->seed = roundrobin_seed(run->plan->seed, 0);
    }
}

static bool observe_alternate(void *state, const struct technique_run *run, const struct technique_seen *seen)
{
    struct alternate *alternate = state;
    if (run != NULL)
        assert_int_equal(((const struct alternate_run *)run->own)->number, seen->schedule);
    alternate->own += run != NULL;
    alternate->others += run == NULL;
    alternate->recorded += run != NULL && seen->observed && execution_count(seen->execution) > 0;
    return alternate->own == ENOUGH;
}

static const char *const counters[] = {"planned", "recorded", NULL};

static void count_alternate(const void *state, uint64_t *values)
{
    const struct alternate *alternate = state;
    values[0] = alternate != NULL ? alternate->planned : 0;
    values[1] = alternate != NULL ? alternate->recorded : 0;
}

static void end_alternate(void *state, struct technique_end *end)
{
    const struct alternate *alternate = state;
    assert_int_equal(end->unfinished, 0);
    vector_push(&end->lines, memory_format("alternated %d times", (int)alternate->own));
}

static const struct technique technique_alternate = {
    .name = "alternate",
    .help = "for this test",
    .flags = TECHNIQUE_IN_ALL | TECHNIQUE_COVERAGE,
    .strategy = STRATEGY_RANDOM,
    .run_size = sizeof(struct alternate_run),
    .counters = counters,
    .open = open_alternate,
    .plan = plan_alternate,
    .observe = observe_alternate,
    .counts = count_alternate,
    .end = end_alternate,
    .close = free,
};

static const struct technique *const table[] = {&technique_pos, &technique_alternate, &technique_maple, NULL};

/* ---- the campaign ------------------------------------------------------------------------------------------------------- */

static char directory[] = "/tmp/raddle-technique-XXXXXX";

/* Builds the program with the raddle beside this test. */
static char *build_program(void)
{
    static const char source[] = "#include <pthread.h>\n"
                                 "static int total;\n"
                                 "static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;\n"
                                 "static void *add(void *arg)\n"
                                 "{\n"
                                 "    pthread_mutex_lock(&mutex);\n"
                                 "    total++;\n"
                                 "    pthread_mutex_unlock(&mutex);\n"
                                 "    return arg;\n"
                                 "}\n"
                                 "int main(void)\n"
                                 "{\n"
                                 "    pthread_t thread;\n"
                                 "    pthread_create(&thread, 0, add, 0);\n"
                                 "    add(0);\n"
                                 "    pthread_join(thread, 0);\n"
                                 "    return total != 2;\n"
                                 "}\n";
    struct error error;
    char self[1024];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(length > 0);
    self[length] = '\0';
    *strrchr(self, '/') = '\0'; /* build/unit */
    char *file = file_join(directory, "sum.c"), *program = file_join(directory, "sum");
    assert_true(file_write(file, source, sizeof source - 1, &error));
    char *command = memory_format("'%s/../raddle' cc -g -pthread '%s' -o '%s'", self, file, program);
    assert_int_equal(system(command), 0);
    free(command);
    free(file);
    return program;
}

/* Runs the campaign with the table above; its JSON. */
static json_t *run_campaign(const char *strategy, struct conduct *conduct, int *code)
{
    struct error error = {0};
    struct options options;
    json_error_t problem;
    char *json = file_join(directory, "result.json"), *out = file_join(directory, "out");
    char *command[] = {build_program(), NULL};
    options_set_defaults(&options);
    options.strategy = strategy;
    options.seed = 5;
    options.runs = 100;
    options.json = json;
    options.out = out;
    options.quiet = true;
    conduct->options = &options;
    conduct->command = command;
    conduct->techniques = table;
    *code = conduct_campaign(conduct, &error);
    json_t *all = json_load_file(json, 0, &problem);
    free(json);
    free(out);
    free(command[0]);
    options_free(&options);
    return all;
}

static json_int_t number_at(const json_t *all, const char *object, const char *name)
{
    return json_integer_value(json_object_get(json_object_get(all, object), name));
}

/* Alone: it plans every run, and ends the campaign. */
static void it_plans_a_campaign(void **state)
{
    (void)state;
    int code;
    struct conduct *conduct = memory_allocate(1, sizeof *conduct);
    json_t *all = run_campaign("alternate", conduct, &code);
    assert_int_equal(code, EXIT_NOTHING_FOUND);
    assert_int_equal(conduct->results.schedules, ENOUGH);
    assert_int_equal(conduct->results.end.lines.count, 1);
    assert_string_equal(conduct->results.end.lines.data[0], "alternated 12 times");
    assert_int_equal(number_at(all, "alternate", "planned"), ENOUGH);
    assert_int_equal(number_at(all, "alternate", "recorded"), ENOUGH);
    assert_int_equal(number_at(all, "schedules_by_strategy", "alternate"), ENOUGH);
    assert_int_equal(json_object_size(json_object_get(all, "maple")), 16); /* counts, though it had no part */
    assert_int_equal(json_array_size(json_object_get(all, "techniques")), 2);
    json_decref(all);
    conduct_close(conduct);
    free(conduct);
}

/* Beside others: it is told of their runs. */
static void it_shares_a_campaign(void **state)
{
    (void)state;
    int code;
    struct conduct *conduct = memory_allocate(1, sizeof *conduct);
    json_t *all = run_campaign("all", conduct, &code);
    const struct alternate *alternate = conduct->portfolio.members[1].state;
    assert_int_equal(conduct->portfolio.count, 3);
    assert_int_equal(alternate->own, ENOUGH);
    assert_true(alternate->others >= ENOUGH);
    assert_int_equal(alternate->own + alternate->others, conduct->results.schedules);
    json_decref(all);
    conduct_close(conduct);
    free(conduct);
}

/* What it counts comes to the reports. */
static void its_counters_are_reported(void **state)
{
    (void)state;
    struct report report;
    struct error error;
    struct buffer text = {0};
    char *out = file_join(directory, "out");
    assert_true(report_read(&report, out, &error));
    report_json(&report, &text);
    assert_non_null(strstr(buffer_text(&text), "\"alternate\""));
    assert_non_null(strstr(buffer_text(&text), "\"recorded\""));
    buffer_clear(&text);
    char *page = file_join(directory, "page.html");
    assert_true(report_html(&report, page, &error) && file_read(page, SIZE_MAX, &text, &error));
    assert_non_null(strstr(buffer_text(&text), "\"alternate\""));
    free(page);
    buffer_free(&text);
    report_free(&report);
    free(out);
}

static void it_is_a_word_of_the_table(void **state)
{
    (void)state;
    struct portfolio portfolio = {0};
    struct error error;
    assert_true(portfolio_parse(&portfolio, table, "alternate,pos", &error));
    assert_false(portfolio_parse(&portfolio, table, "random", &error));
    assert_non_null(strstr(error.text, "there are pos, alternate, maple, and all"));
}

static int make_directory(void **state)
{
    (void)state;
    return mkdtemp(directory) == NULL;
}

static int remove_directory(void **state)
{
    (void)state;
    return !file_remove_tree(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_plans_a_campaign),
        cmocka_unit_test(it_shares_a_campaign),
        cmocka_unit_test(its_counters_are_reported),
        cmocka_unit_test(it_is_a_word_of_the_table),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
