/* SPDX-License-Identifier: MIT
 *
 * html_test.c - the HTML report of made-up failures: nothing of the data can end its element, damaged coverage is refused, and
 * a page that would be too large keeps what matters.
 *
 * With HTML_PAGES=DIR the pages stay there, for the tests in a browser (tests/browser): large.html has a hundred thousand
 * events, hostile.html texts that would like to be HTML.
 */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
/* after setjmp.h and its like */
#include <cmocka.h>

#include "report/html_private.h"
#include "util/file.h"

static const char *pages;
static char made[] = "/tmp/raddle-html-XXXXXX";

static char *page_path(const char *name)
{
    return file_join(pages, name);
}

/* ---- made-up failures --------------------------------------------------------------------------------------------------- */

static int32_t add_place(struct tale *tale, const char *function, const char *file, uint32_t line, const char *source)
{
    char *where = memory_format("%s:%u", file, line);
    vector_push(&tale->places, ((struct tale_place){.function = memory_copy_string(function),
                                                    .file = memory_copy_string(file),
                                                    .line = line,
                                                    .where = where,
                                                    .source = source != NULL ? memory_copy_string(source) : NULL,
                                                    .application = true}));
    return (int32_t)tale->places.count - 1;
}

static void add_thread(struct tale *tale, const char *name)
{
    vector_push(&tale->threads, ((struct tale_thread){.name = memory_copy_string(name),
                                                      .parent = tale->threads.count > 0 ? 0 : TALE_NONE,
                                                      .created = TALE_NONE}));
}

static void add_event(struct tale *tale, uint32_t thread, enum wire_op op, int32_t place, char *object, char *value,
                      uint32_t marks)
{
    size_t count = tale->events.count;
    if (count > 0 && tale->events.data[count - 1].thread != thread)
        marks |= TALE_SWITCH;
    tale->threads.data[thread].operations++;
    vector_push(&tale->events, ((struct tale_event){.thread = thread,
                                                    .op = op,
                                                    .marks = marks,
                                                    .size = 4,
                                                    .place = place,
                                                    .operation = tale->threads.data[thread].operations,
                                                    .object = object,
                                                    .value = value}));
}

/* Texts of events belong to a pool, which made-up tales do not have: they are constants here. */
static void free_tale(struct tale *tale)
{
    for (size_t i = 0; i < tale->places.count; i++) {
        free(tale->places.data[i].function);
        free(tale->places.data[i].file);
        free(tale->places.data[i].where);
        free(tale->places.data[i].source);
    }
    for (size_t i = 0; i < tale->threads.count; i++)
        free(tale->threads.data[i].name);
    vector_free(&tale->places);
    vector_free(&tale->threads);
    vector_free(&tale->events);
    vector_free(&tale->arrows);
    vector_free(&tale->bars);
    vector_free(&tale->notes);
    vector_free(&tale->cause.events);
}

/* Threads that take turns at a lock and a counter, `count` events in all. */
static void make_long_tale(struct tale *tale, uint32_t threads, uint32_t count)
{
    static char *const numbers[] = {"0", "1", "2", "3", "4", "5", "6", "7"};
    add_thread(tale, "main");
    for (uint32_t i = 1; i < threads; i++)
        add_thread(tale, "worker");
    int32_t lock = add_place(tale, "work", "large.c", 12, "pthread_mutex_lock(&guard);");
    int32_t read = add_place(tale, "work", "large.c", 13, "int now = counter;");
    int32_t write = add_place(tale, "work", "large.c", 14, "counter = now + 1;");
    int32_t unlock = add_place(tale, "work", "large.c", 15, "pthread_mutex_unlock(&guard);");
    for (uint32_t round = 0; tale->events.count + 4 <= count; round++) {
        uint32_t thread = round % threads, first = (uint32_t)tale->events.count;
        uint32_t marks = round % 1000 == 0 ? TALE_MATTERS : 0;
        add_event(tale, thread, OP_MUTEX_LOCK, lock, "guard", "", marks);
        add_event(tale, thread, OP_READ, read, "counter", numbers[round % 8], marks);
        add_event(tale, thread, OP_WRITE, write, "counter", numbers[(round + 1) % 8], marks);
        add_event(tale, thread, OP_MUTEX_UNLOCK, unlock, "guard", "", marks);
        vector_push(&tale->bars,
                    ((struct tale_bar){.thread = thread, .from = first, .until = first + 3, .object = "guard"}));
        if (first > 0)
            vector_push(&tale->arrows, ((struct tale_arrow){.from = first - 1, .to = first}));
    }
    uint32_t last = (uint32_t)tale->events.count - 1; /* and what spans all of it */
    vector_push(&tale->arrows, ((struct tale_arrow){.from = 2, .to = last}));
    vector_push(&tale->arrows, ((struct tale_arrow){.from = 6, .to = last - 4}));
    vector_push(&tale->bars,
                ((struct tale_bar){.thread = 0, .from = 0, .until = UINT32_MAX, .shared = true, .object = "all"}));
    tale->cause = (struct tale_cause){.pattern = "made up", .sentence = "made up"};
    vector_push(&tale->cause.events, 1);
    vector_push(&tale->cause.events, last - 1);
    tale->events.data[1].marks |= TALE_CAUSE;
    tale->events.data[last - 1].marks |= TALE_CAUSE;
    tale->events.data[last].marks |= TALE_FAILURE | TALE_MATTERS;
}

#define EVIL "</script><script>document.title='broken'</script><img src=x onerror=alert(1)>&lt;\xe2\x80\xa8 \"'`${1}"

static void make_hostile_tale(struct tale *tale)
{
    add_thread(tale, "main");
    add_thread(tale, EVIL);
    int32_t place = add_place(tale, EVIL, EVIL ".c", 3, "x = 1; // " EVIL);
    add_event(tale, 0, OP_WRITE, place, EVIL, EVIL, TALE_MATTERS);
    add_event(tale, 1, OP_WRITE, place, "x", "1", TALE_MATTERS | TALE_PREEMPTION);
    add_event(tale, 0, OP_READ, place, "x", "\xff\xfe not UTF-8", TALE_MATTERS | TALE_FAILURE);
    vector_push(&tale->notes, EVIL);
    tale->cause = (struct tale_cause){.pattern = EVIL, .sentence = EVIL, .family = EVIL, .failing_with = 3};
    vector_push(&tale->cause.events, 0);
    vector_push(&tale->cause.events, 1);
}

struct made_report {
    struct report report;
    char *command[3];
};

static void make_report(struct made_report *made_report, char *text, struct tale *tale)
{
    struct report *report = &made_report->report;
    made_report->command[0] = text;
    made_report->command[1] = text;
    made_report->command[2] = NULL;
    struct report_program program = {.name = text, .path = made, .has_campaign = true};
    program.campaign = (struct report_campaign){.version = "0",
                                                .command = made_report->command,
                                                .strategy = text,
                                                .error = NULL,
                                                .exit_code = 2,
                                                .count = {.schedules = 10},
                                                .seconds = 0.5};
    struct report_failure failure = {.name = text, .has_tale = tale != NULL, .output = text, .errors = text};
    failure.about =
        (struct failure){.path = text, .kind = "assert", .site = text, .text = text, .command = made_report->command};
    if (tale != NULL)
        failure.tale = *tale;
    vector_push(&program.failures, failure);
    vector_push(&report->programs, program);
    vector_push(&report->problems, text);
}

static void free_report(struct made_report *made_report)
{
    vector_free(&made_report->report.programs.data[0].failures);
    vector_free(&made_report->report.programs);
    vector_free(&made_report->report.problems);
}

static char *write_page(const char *name, char *text, struct tale *tale)
{
    struct made_report made_report = {0};
    struct error error = {0};
    struct buffer page = {0};
    char *path = page_path(name);
    make_report(&made_report, text, tale);
    assert_true(report_html(&made_report.report, path, &error));
    assert_true(file_read(path, SIZE_MAX / 2, &page, &error));
    free_report(&made_report);
    free(path);
    return buffer_take(&page);
}

static size_t occurrences(const char *text, const char *what)
{
    size_t count = 0;
    for (; (text = strstr(text, what)) != NULL; text++)
        count++;
    return count;
}

/* ---- tests -------------------------------------------------------------------------------------------------------------- */

static void nothing_of_the_data_is_html(void **state)
{
    (void)state;
    struct tale tale = {0};
    make_hostile_tale(&tale);
    char *page = write_page("hostile.html", EVIL, &tale);
    /* Ours: one for the data of the report, one for the tale, one for the script. */
    assert_int_equal(occurrences(page, "<script"), 3);
    assert_int_equal(occurrences(page, "</script"), 3);
    assert_int_equal(occurrences(page, "<img"), 0);
    assert_int_equal(occurrences(page, "\xe2\x80\xa8"), 1); /* in the title */
    assert_non_null(strstr(page, "\\u003cimg src=x"));
    assert_non_null(strstr(page, "default-src 'none'"));
    assert_null(strstr(page, "{{"));
    free(page);
    free_tale(&tale);
}

static void data_is_json(void **state)
{
    (void)state;
    struct tale tale = {0};
    make_hostile_tale(&tale);
    char *page = write_page("hostile.html", EVIL, &tale);
    for (const char *at = page; (at = strstr(at, "type=\"application/json\"")) != NULL;) {
        json_error_t problem;
        at = strchr(at, '>') + 1;
        json_t *data = json_loadb(at, (size_t)(strstr(at, "</script>") - at), 0, &problem);
        assert_non_null(data);
        json_decref(data);
    }
    free(page);
    free_tale(&tale);
}

static void a_hundred_thousand_events_are_small(void **state)
{
    (void)state;
    struct tale tale = {0};
    make_long_tale(&tale, 8, 100000);
    char *page = write_page("large.html", "large", &tale);
    assert_true(strlen(page) < 6 << 20);
    free(page);
    free_tale(&tale);
}

static void what_matters_alone(void **state)
{
    (void)state;
    struct tale tale = {0};
    struct buffer text = {0};
    make_long_tale(&tale, 3, 4000 + 8);
    html_add_tale(&text, &tale, false);
    json_t *data = json_loadb(text.data, text.size, 0, NULL);
    json_t *events = json_object_get(data, "events"), *threads = json_object_get(events, "thread");
    assert_int_equal(json_array_size(threads), 4 + 4 + 2); /* rounds 0 and 1000, cause and failure */
    assert_int_equal(json_integer_value(json_object_get(data, "omitted")), 4008 - 10);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(events, "number"), 4)), 4001);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(events, "marks"), 4)) & TALE_SWITCH,
                     TALE_SWITCH);
    size_t i;
    json_t *bar;
    json_array_foreach(json_object_get(data, "bars"), i, bar)
    {
        json_int_t from = json_integer_value(json_array_get(bar, 1)),
                   until = json_integer_value(json_array_get(bar, 2));
        assert_true(from < until || until == -1);
        assert_true(json_integer_value(json_array_get(bar, 2)) <= 10);
    }
    json_decref(data);
    buffer_free(&text);
    free_tale(&tale);
}

static void damaged_coverage_is_refused(void **state)
{
    (void)state;
#define FRAME(sites, instances)                                                                                        \
    "{\"total\": 1, \"families\": [{\"name\": \"idiom.1\", \"meaning\": \"\", \"shape\": \"\"}], \"files\": "          \
    "[{\"name\": \"a.c\", \"lines\": [[3, \"x = 1;\"]]}], \"sites\": [" sites "], \"instances\": [" instances "]}"
#define SITE "{\"file\": \"a.c\", \"line\": 3, \"function\": \"f\", \"where\": \"a.c:3\"}"
    static const struct {
        bool good;
        const char *text;
    } cases[] = {
        {true, FRAME(SITE, "[0, [0, 0], [\"R\", \"W\"], 1, 0, 0, 0]")},
        {true, FRAME(SITE, "")},
        {false, ""},
        {false, "{"},
        {false, "[]"},
        {false, "{}"},
        {false, FRAME(SITE, "[1, [0, 0], [\"R\", \"W\"], 1, 0, 0, 0]")},
        {false, FRAME(SITE, "[0, [0, 1], [\"R\", \"W\"], 1, 0, 0, 0]")},
        {false, FRAME(SITE, "[0, [0, -1], [\"R\", \"W\"], 1, 0, 0, 0]")},
        {false, FRAME(SITE, "[0, [0], [\"R\"], 1, 0, 0, 0]")},
        {false, FRAME(SITE, "[0, [0, 0], [\"R\"], 1, 0, 0, 0]")},
        {false, FRAME(SITE, "[0, [0, 0], [\"R\", 1], 1, 0, 0, 0]")},
        {false, FRAME(SITE, "[0, [0, 0], [\"R\", \"W\"], -1, 0, 0, 0]")},
        {false, FRAME(SITE, "[0, [0, 0], [\"R\", \"W\"], 1, 0, 0]")},
        {false, FRAME("{\"file\": 3}", "")},
        {false, FRAME("7", "")},
    };
    char *path = file_join(made, "coverage.json"), *problem;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error error;
        assert_true(file_write(path, cases[i].text, strlen(cases[i].text), &error));
        json_t *coverage = html_coverage(made, &problem);
        assert_int_equal(coverage != NULL, cases[i].good);
        assert_int_equal(problem == NULL, cases[i].good);
        json_decref(coverage);
        free(problem);
    }
    unlink(path);
    assert_null(html_coverage(made, &problem));
    assert_null(problem);
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_of_the_data_is_html),         cmocka_unit_test(data_is_json),
        cmocka_unit_test(a_hundred_thousand_events_are_small), cmocka_unit_test(what_matters_alone),
        cmocka_unit_test(damaged_coverage_is_refused),
    };
    if (mkdtemp(made) == NULL)
        return 1;
    pages = getenv("HTML_PAGES") != NULL ? getenv("HTML_PAGES") : made;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    file_remove_tree(made);
    return failed;
}
