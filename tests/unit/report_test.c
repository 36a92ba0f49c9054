/* SPDX-License-Identifier: MIT
 *
 * report_test.c - the formats of a report on a tale made by hand, with texts as hostile as a program can make them; the readers
 * of campaign.json and campaigns.jsonl; and what they refuse.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "campaign/result.h"
#include "report/formats.h"
#include "report/html.h"
#include "report/text.h"
#include "technique/portfolio.h"
#include "trace/campaign_counters.h"
#include "trace/campaign_files.h"
#include "util/file.h"
#include "util/json_writer.h"
#include "util/utf8.h"

/* Everything that some format has to escape: markup, the end of CDATA, quotes, YAML, a directive of TAP, a link and a placeholder
   of SARIF, control characters, a byte that is not UTF-8, a character that XML does not have, the line end of JavaScript. */
#define HOSTILE                                                                                                        \
    "</script><b>&amp;]]>'\"\\ # SKIP [a](1) {0} \x1b[31m\x01\x7f\xff\xef\xbf\xbf\xe2\x80\xa8\xc3\xa9\n---\n...\nnot " \
    "ok"

static char long_name[5000];

/* ---- a report made by hand ------------------------------------------------------------------------------------------------- */

static void add_place(struct tale *tale, const char *file, uint32_t line, const char *source)
{
    struct tale_place place = {.function = HOSTILE,
                               .file = (char *)file,
                               .line = line,
                               .where = HOSTILE,
                               .source = (char *)source,
                               .application = true};
    vector_push(&tale->places, place);
}

static void add_event(struct tale *tale, uint32_t thread, uint32_t op, const char *object, const char *value,
                      uint32_t marks, int32_t place)
{
    struct tale_event event = {.thread = thread,
                               .op = op,
                               .marks = marks | TALE_MATTERS,
                               .place = place,
                               .size = 4,
                               .operation = tale->events.count,
                               .object = (char *)object,
                               .value = (char *)value};
    vector_push(&tale->events, event);
}

/* Two threads that deposit, a lock, a lost update, a thread that waits for ever. */
static void make_tale(struct tale *tale)
{
    *tale = (struct tale){.kind = "assert",
                          .site = "bank.c:42",
                          .text = HOSTILE,
                          .key = HOSTILE,
                          .place = 0,
                          .preemptions = 1,
                          .preemptions_found = 5};
    vector_push(&tale->threads, (struct tale_thread){"main", TALE_NONE, TALE_NONE, 3});
    vector_push(&tale->threads, (struct tale_thread){HOSTILE, 0, 0, 4});
    vector_push(&tale->threads, (struct tale_thread){long_name, 0, 0, 2});
    add_place(tale, "src/../src/./my bank%.c", 42, HOSTILE);
    add_place(tale, "/somewhere/lib/x.c", 7, NULL);
    add_place(tale, "/usr/include/y:z.h", 0, NULL);
    add_event(tale, 0, OP_CREATE, "worker", "T1", 0, 0);                                           /* 0 */
    add_event(tale, 1, OP_START, "T1", "", TALE_SWITCH, 1);                                        /* 1 */
    add_event(tale, 1, OP_MUTEX_LOCK, HOSTILE, "", 0, 1);                                          /* 2 */
    add_event(tale, 1, OP_READ, long_name, HOSTILE, TALE_CAUSE, 2);                                /* 3 */
    add_event(tale, 2, OP_WRITE, "balance", "150", TALE_SWITCH | TALE_PREEMPTION | TALE_CAUSE, 0); /* 4 */
    add_event(tale, 1, OP_MUTEX_UNLOCK, HOSTILE, "", TALE_SWITCH, TALE_NONE);                      /* 5 */
    add_event(tale, 2, OP_MUTEX_LOCK, HOSTILE, "", TALE_SWITCH, 0);                                /* 6 */
    add_event(tale, 0, OP_READ, "-", "", TALE_SWITCH | TALE_FAILURE, 0);                           /* 7 */
    add_event(tale, 1, OP_JOIN, "T2", "", TALE_SWITCH | TALE_BLOCKED, 0);                          /* 8 */
    vector_push(&tale->arrows, (struct tale_arrow){0, 1});
    vector_push(&tale->arrows, (struct tale_arrow){5, 6});
    vector_push(&tale->bars, (struct tale_bar){1, 2, 5, false, HOSTILE});
    vector_push(&tale->bars, (struct tale_bar){2, 6, UINT32_MAX, true, HOSTILE});
    static char no_title[] = "";
    struct tale_stack stack = {.thread = 0, .title = no_title};
    vector_push(&stack.places, 0);
    vector_push(&stack.places, 1);
    vector_push(&tale->stacks, stack);
    vector_push(&tale->waits, (struct tale_wait){1, OP_JOIN, 2, 0, "T2"});
    vector_push(&tale->notes, HOSTILE);
    tale->cause = (struct tale_cause){.statement = HOSTILE,
                                      .pattern = HOSTILE,
                                      .family = "map.7",
                                      .sentence = HOSTILE,
                                      .failing_with = 212,
                                      .passing_without = 4031};
    vector_push(&tale->cause.events, 3);
    vector_push(&tale->cause.events, 4);
}

static char *command[] = {"./bank", HOSTILE, NULL};

/* A technique that counts, and its table. */
static const char *const counter_names[] = {"profiles",
                                            "attempts",
                                            "again",
                                            "targets",
                                            "exposed",
                                            "rearranged",
                                            "rearranged_exposed",
                                            "given_up",
                                            "known",
                                            "excluded",
                                            "excluded_kept",
                                            "excluded_memo",
                                            "solver_asked",
                                            "solver_found",
                                            "solver_impossible",
                                            "solver_unknown",
                                            NULL};
static void count_up(const void *state, uint64_t *values)
{
    (void)state;
    for (uint64_t i = 0; counter_names[i] != NULL; i++)
        values[i] = i + 1;
}
static const struct technique counting = {.name = "maple", .counters = counter_names, .counts = count_up};
static const struct technique *const table[] = {&counting, NULL};

static struct portfolio *make_portfolio(void)
{
    struct portfolio *portfolio = memory_allocate(1, sizeof *portfolio);
    portfolio->table = table;
    return portfolio;
}

static void make_campaign(struct report_campaign *campaign)
{
    *campaign = (struct report_campaign){.version = "0.1",
                                         .command = command,
                                         .strategy = HOSTILE,
                                         .seed = UINT64_MAX,
                                         .began = 1700000000,
                                         .seconds = 1.5,
                                         .exit_code = 2,
                                         .failures = 2,
                                         .count = {.schedules = 37, .threads = 3, .locks = 1}};
    vector_push(&campaign->warnings,
                (struct report_warning){"race", "my bank%.c:7", HOSTILE, HOSTILE, HOSTILE, HOSTILE, 1, 9});
    vector_push(&campaign->warnings, (struct report_warning){"unheard-of", HOSTILE, HOSTILE, NULL, NULL, NULL, 1, 9});
    vector_push(&campaign->warnings, (struct report_warning){"race", NULL, "no site", NULL, NULL, NULL, 1, 9});
    struct report_violation violation = {
        .pattern = "asset.9", .set = HOSTILE, .text = HOSTILE, .schedule = 1, .count = 9, .failed = 2, .benign = true};
    for (unsigned i = 0; i < 2; i++) {
        vector_push(&violation.units, HOSTILE);
        vector_push(&violation.calls, HOSTILE);
        vector_push(&violation.sites, HOSTILE);
    }
    vector_push(&campaign->violations, violation);
    vector_push(&campaign->uncontrolled, (struct report_uncontrolled){HOSTILE, 3});
    vector_push(&campaign->limits, HOSTILE);
    vector_push(&campaign->shares,
                (struct report_share){.strategy = "pct", .schedules = 20, .observed = 10, .newly_covered = 5});
    struct report_coverage *coverage = &campaign->coverage;
    *coverage = (struct report_coverage){.measured = true, .observed_schedules = 30, .chance_of_new = 0.004};
    struct report_family family = {.count = {.name = "idiom",
                                             .covered = 41,
                                             .predicted = 50,
                                             .open = 11,
                                             .impossible = 7,
                                             .estimate = {true, 410, 41, 3},
                                             .chance_of_new = 0.004}};
    vector_push(
        &family.members,
        (struct report_count){
            .name = "idiom.1", .covered = 41, .predicted = 50, .open = 11, .impossible = 7, .chance_of_new = -1});
    vector_push(&coverage->families, family);
    vector_push(&coverage->curve, (struct report_point){1, 30});
    vector_push(&coverage->curve, (struct report_point){37, 41});
}

static struct failure make_about(const char *kind, bool fixed)
{
    return (struct failure){.path = "out dir/failure-1",
                            .kind = (char *)kind,
                            .site = HOSTILE,
                            .text = HOSTILE,
                            .key = strcmp(kind, "assert") == 0 ? HOSTILE : (char *)kind,
                            .fixed = fixed,
                            .strategy = "pct",
                            .preemptions_found = 5,
                            .preemptions = 5,
                            .threads = 3,
                            .command = command,
                            .directory = "/somewhere/"};
}

/* Three failures: told, without a tale, fixed.  A second program that has only a campaign, which went wrong. */
static void make(struct report *report)
{
    struct report_program program = {.name = HOSTILE, .path = "out", .has_campaign = true};
    memset(long_name, 'n', sizeof long_name - 1);
    make_campaign(&program.campaign);
    vector_push(&program.history,
                (struct report_past){1600000000, 2, "0.1", HOSTILE, 7, {100, 0, 1, 2, 30, 20}, 0, true});
    struct report_failure failure = {.name = "failure-1",
                                     .about = make_about("assert", false),
                                     .count = 212,
                                     .has_tale = true,
                                     .output = HOSTILE,
                                     .errors = "",
                                     .output_cut = true};
    make_tale(&failure.tale);
    vector_push(&program.failures, failure);
    vector_push(&program.failures,
                (struct report_failure){
                    .name = "failure-2", .about = make_about("unheard-of", false), .output = "", .errors = HOSTILE});
    vector_push(
        &program.failures,
        (struct report_failure){.name = "failure-3", .about = make_about("assert", true), .output = "", .errors = ""});
    vector_push(&report->programs, program);
    struct report_program wrong = {.name = "wrong", .path = "out/wrong", .has_campaign = true};
    wrong.campaign = (struct report_campaign){
        .version = "0.1", .command = command, .strategy = "all", .exit_code = EXIT_UNCONTROLLED, .error = HOSTILE};
    vector_push(&report->programs, wrong);
    vector_push(&report->problems, HOSTILE);
}

/* Only the lists: the texts are literals. */
static void unmake(struct report *report)
{
    struct report_program *program = &report->programs.data[0];
    struct tale *tale = &program->failures.data[0].tale;
    struct report_campaign *campaign = &program->campaign;
    vector_free(&tale->stacks.data[0].places);
    vector_free(&tale->stacks);
    vector_free(&tale->cause.events);
    vector_free(&tale->threads);
    vector_free(&tale->places);
    vector_free(&tale->events);
    vector_free(&tale->arrows);
    vector_free(&tale->bars);
    vector_free(&tale->waits);
    vector_free(&tale->notes);
    vector_free(&campaign->coverage.families.data[0].members);
    vector_free(&campaign->coverage.families);
    vector_free(&campaign->coverage.curve);
    vector_free(&campaign->warnings);
    vector_free(&campaign->violations.data[0].units);
    vector_free(&campaign->violations.data[0].calls);
    vector_free(&campaign->violations.data[0].sites);
    vector_free(&campaign->violations);
    vector_free(&campaign->uncontrolled);
    vector_free(&campaign->limits);
    vector_free(&campaign->shares);
    vector_free(&program->history);
    vector_free(&program->failures);
    vector_free(&report->programs);
    vector_free(&report->problems);
}

/* ---- readers --------------------------------------------------------------------------------------------------------------- */

static json_t *parse(const struct buffer *text)
{
    json_error_t problem;
    json_t *root = json_loadb(buffer_text(text), text->size, JSON_REJECT_DUPLICATES, &problem);
    if (root == NULL)
        fail_msg("line %d: %s", problem.line, problem.text);
    return root;
}

/* "a.1.b": what is there; fails if there is nothing. */
static const json_t *at(const json_t *root, const char *path)
{
    char *copy = memory_copy_string(path), *rest = copy, *part;
    while ((part = strsep(&rest, ".")) != NULL) {
        const json_t *next =
            json_is_array(root) ? json_array_get(root, strtoul(part, NULL, 10)) : json_object_get(root, part);
        if (next == NULL)
            fail_msg("there is no %s in %s", part, path);
        root = next;
    }
    free(copy);
    return root;
}

static void assert_text(const json_t *root, const char *path, const char *wanted)
{
    const char *text = json_string_value(at(root, path));
    assert_non_null(text);
    assert_string_equal(text, wanted);
}

static void assert_number(const json_t *root, const char *path, int64_t wanted)
{
    assert_true(json_is_integer(at(root, path)));
    assert_int_equal(json_integer_value(at(root, path)), wanted);
}

/* HOSTILE in a format in which all valid UTF-8 stays. */
static char *cleaned(void)
{
    return utf8_clean(HOSTILE, strlen(HOSTILE));
}

/* No control character, nothing that is not UTF-8. */
static void assert_plain(const struct buffer *text)
{
    for (size_t i = 0, length; i < text->size; i += length) {
        uint32_t character = utf8_next(text->data + i, text->size - i, &length);
        assert_true(character != UTF8_REPLACEMENT || length == 3);
        assert_true(character >= 0x20 || character == '\n' || character == '\t');
        assert_true(character < 0x7f || character >= 0xa0);
    }
}

static void test_json(void **state)
{
    struct report report = {0};
    struct buffer text = {0};
    (void)state;
    make(&report);
    report_json(&report, &text);
    json_t *root = parse(&text);
    char *clean = cleaned();
    assert_text(root, "format", "raddle report");
    assert_text(root, "programs.0.name", clean);
    assert_text(root, "programs.0.status", "failed");
    assert_text(root, "programs.1.status", "error");
    assert_number(root, "programs.0.campaign.seed", -1);
    assert_number(root, "programs.0.campaign.coverage.families.0.members.0.open", 11);
    assert_null(json_object_get(at(root, "programs.0.campaign.coverage.families.0.members.0"), "chance_of_new"));
    assert_number(root, "programs.0.campaign.coverage.curve.1.1", 41);
    assert_number(root, "programs.0.campaign.coverage.families.0.impossible", 7);
    assert_number(root, "programs.0.campaign.coverage.families.0.estimate.variables", 3);
    assert_text(root, "programs.0.failures.0.tale.events.3.value", clean);
    assert_number(root, "programs.0.failures.0.preemptions", 1); /* of the shrunk one */
    assert_text(root, "programs.0.failures.0.tale.events.4.marks.1", "preemption");
    assert_true(json_is_null(at(root, "programs.0.failures.0.tale.events.7.object")));
    assert_true(json_is_null(at(root, "programs.0.failures.0.tale.bars.1.until")));
    assert_true(json_is_null(at(root, "programs.0.failures.1.tale")));
    assert_text(root, "programs.0.failures.2.status", "fixed");
    assert_text(root, "problems.0", clean);
    free(clean);
    json_decref(root);
    buffer_free(&text);
    unmake(&report);
}

static void test_sarif(void **state)
{
    struct report report = {0};
    struct buffer text = {0};
    (void)state;
    make(&report);
    report_sarif(&report, &text);
    json_t *root = parse(&text);
    assert_text(root, "version", "2.1.0");
    assert_int_equal(json_array_size(at(root, "runs.0.results")), 2 + 3); /* not the fixed one; the warnings */
    assert_text(root, "runs.0.results.0.ruleId", "assert");
    assert_text(root, "runs.0.results.1.ruleId", "failure"); /* a kind that it does not know */
    /* One flow, a thread flow for each of the three threads, in the order of events. */
    assert_int_equal(json_array_size(at(root, "runs.0.results.0.codeFlows.0.threadFlows")), 3);
    const json_t *flow = at(root, "runs.0.results.0.codeFlows.0.threadFlows.1");
    assert_text(flow, "id", "T1");
    assert_number(flow, "locations.0.executionOrder", 2);
    assert_text(flow, "locations.1.kinds.0", "acquire");
    assert_text(flow, "locations.1.kinds.1", "lock");
    assert_number(flow, "locations.1.nestingLevel", 0);
    assert_number(flow, "locations.2.nestingLevel", 1); /* inside the lock */
    assert_number(flow, "locations.3.nestingLevel", 0);
    assert_text(flow, "locations.2.importance", "essential");
    assert_text(flow, "locations.1.importance", "important");
    /* References: normalised and encoded, below the directory of the run, or absolute. */
    assert_text(root, "runs.0.artifacts.0.location.uri", "src/my%20bank%25.c");
    assert_text(root, "runs.0.artifacts.0.location.uriBaseId", "SRCROOT");
    assert_text(flow, "locations.0.location.physicalLocation.artifactLocation.uri", "lib/x.c");
    assert_text(flow, "locations.2.location.physicalLocation.artifactLocation.uri", "file:///usr/include/y%3Az.h");
    assert_null(json_object_get(at(flow, "locations.2.location.physicalLocation.artifactLocation"), "uriBaseId"));
    assert_null(json_object_get(at(flow, "locations.2.location.physicalLocation"), "region")); /* no line */
    /* A warning's file is looked up among those that are known. */
    assert_text(root, "runs.0.results.2.locations.0.physicalLocation.artifactLocation.uri", "src/my%20bank%25.c");
    assert_number(root, "runs.0.results.2.locations.0.physicalLocation.region.startLine", 7);
    /* Placeholders are doubled, links are none. */
    assert_non_null(strstr(json_string_value(at(root, "runs.0.results.0.message.text")), "[a] (1) {{0}}"));
    assert_false(json_is_true(at(root, "runs.1.invocations.0.executionSuccessful")));
    assert_text(root, "runs.1.invocations.0.toolExecutionNotifications.0.level", "error");
    json_decref(root);
    buffer_free(&text);
    unmake(&report);
}

static void test_trace(void **state)
{
    struct report report = {0};
    struct buffer text = {0};
    (void)state;
    make(&report);
    report_trace(&report, &text);
    json_t *root = parse(&text);
    size_t slices = 0, instants = 0, flows = 0, bars = 0, i;
    json_t *event;
    json_array_foreach(json_object_get(root, "traceEvents"), i, event)
    {
        const char *phase = json_string_value(json_object_get(event, "ph"));
        slices += strcmp(phase, "X") == 0;
        instants += strcmp(phase, "i") == 0;
        flows += strcmp(phase, "s") == 0 || strcmp(phase, "f") == 0;
        bars += strcmp(phase, "b") == 0 || strcmp(phase, "e") == 0;
    }
    assert_int_equal(slices, 7 + 6); /* turns, and operations that are no access */
    assert_int_equal(instants, 3 + 1);
    assert_int_equal(flows, 2 * 2);
    assert_int_equal(bars, 2 * 2);
    json_decref(root);
    buffer_free(&text);
    unmake(&report);
}

static size_t count_of(const struct buffer *text, const char *part)
{
    size_t count = 0;
    for (const char *next = buffer_text(text); (next = strstr(next, part)) != NULL; next += strlen(part))
        count++;
    return count;
}

static void test_junit(void **state)
{
    struct report report = {0};
    struct buffer text = {0};
    (void)state;
    make(&report);
    report_junit(&report, &text);
    assert_plain(&text);
    assert_non_null(strstr(buffer_text(&text), "tests=\"5\" failures=\"2\" errors=\"1\""));
    assert_int_equal(count_of(&text, "<testcase "), 5);
    assert_int_equal(count_of(&text, "<failure "), 2);
    assert_int_equal(count_of(&text, "<skipped "), 1); /* the campaign whose failures they are */
    assert_int_equal(count_of(&text, "<error "), 1);
    assert_null(strstr(buffer_text(&text), "<b>"));
    assert_null(strstr(buffer_text(&text), "]]>"));
    assert_null(strstr(buffer_text(&text), "\xef\xbf\xbf"));
    assert_non_null(strstr(buffer_text(&text), "\\x1b[31m\\x01\\x7f\xef\xbf\xbd"));
    assert_non_null(strstr(buffer_text(&text), "(failure-3)")); /* the same kind and place as the first one */
    buffer_free(&text);
    unmake(&report);
}

/* The same failure in two directories, by its key or by another one that it has. */
static void test_a_failure_is_counted_once(void **state)
{
    char *also[] = {"unheard-of", NULL};
    struct report report = {0};
    struct buffer text = {0};
    (void)state;
    make(&report);
    report.programs.data[0].failures.data[0].about.also = also;
    assert_true(report_is_repeated(&report.programs.data[0], 1));
    report_junit(&report, &text);
    assert_non_null(strstr(buffer_text(&text), "tests=\"4\" failures=\"1\" errors=\"1\""));
    assert_int_equal(count_of(&text, "<testcase "), 4);
    buffer_free(&text);
    text = (struct buffer){0};
    report_tap(&report, &text);
    assert_int_equal(strncmp(buffer_text(&text), "TAP version 13\n1..4\n", 20), 0);
    buffer_free(&text);
    report.programs.data[0].failures.count = 0; /* what it showed could not be saved */
    assert_true(report_fails_by_itself(&report.programs.data[0]));
    report_junit(&report, &text);
    assert_int_equal(count_of(&text, "<failure "), 1);
    buffer_free(&text);
    report.programs.data[0].failures.count = 3;
    unmake(&report);
}

static void test_tap(void **state)
{
    struct report report = {0};
    struct buffer text = {0};
    (void)state;
    make(&report);
    report_tap(&report, &text);
    assert_plain(&text);
    assert_int_equal(strncmp(buffer_text(&text), "TAP version 13\n1..5\n", 20), 0);
    assert_int_equal(count_of(&text, "\nnot ok "), 3);
    assert_int_equal(count_of(&text, "\nok "), 2);
    assert_int_equal(count_of(&text, "\n  ---\n"), count_of(&text, "\n  ...\n"));
    char *copy = memory_copy_string(buffer_text(&text)), *rest = copy, *line;
    while ((line = strsep(&rest, "\n")) != NULL) /* no directive but ours */
        if ((strncmp(line, "ok ", 3) == 0 || strncmp(line, "not ok ", 7) == 0) &&
            strstr(line, " interleavings ") == NULL)
            assert_null(strstr(line, " #"));
    free(copy);
    assert_non_null(strstr(buffer_text(&text), "\\# SKIP"));
    buffer_free(&text);
    unmake(&report);
}

static void test_summary(void **state)
{
    struct report report = {0};
    struct buffer text = {0};
    (void)state;
    make(&report);
    report_summary(&report, &text);
    assert_plain(&text);
    assert_non_null(strstr(buffer_text(&text), "1 preemption (found with 5), 3 threads, in 212 schedules"));
    assert_non_null(strstr(buffer_text(&text), "failure-3      fixed: "));
    assert_non_null(strstr(buffer_text(&text),
                           "idioms 41 of 52 (78.8%; 7 more are impossible; 10.00% of T_C), chance that the next "
                           "schedule covers a new one 0.4%"));
    assert_non_null(strstr(buffer_text(&text), "raddle replay 'out dir/failure-1'"));
    buffer_free(&text);
    unmake(&report);
}

/* ---- UTF-8 and the JSON writer ---------------------------------------------------------------------------------------------- */

static void test_utf8(void **state)
{
    static const struct {
        const char *bytes, *wanted;
    } cases[] = {
        {"plain", "plain"},
        {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"},
        {"\xff", "\xef\xbf\xbd"},
        {"a\xc3", "a\xef\xbf\xbd"},                                               /* cut */
        {"\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd"},                                 /* too long for what it says */
        {"\xe0\x80\xaf", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},                 /* too */
        {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},                 /* a surrogate */
        {"\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, /* beyond the last one */
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *clean = utf8_clean(cases[i].bytes, strlen(cases[i].bytes));
        assert_string_equal(clean, cases[i].wanted);
        free(clean);
    }
    char *zero = utf8_clean("a\0b", 3);
    assert_string_equal(zero, "a\xef\xbf\xbd"
                              "b");
    free(zero);
}

static void test_writer(void **state)
{
    struct buffer text = {0};
    struct json_writer json = {.to = &text};
    (void)state;
    json_begin(&json, NULL, '{');
    json_text(&json, "t", "a\"\\\n\t\x02");
    json_text(&json, "n", NULL);
    json_fraction(&json, "f", 0.25);
    json_fraction(&json, "nan", __builtin_nan(""));
    json_begin(&json, "l", '[');
    json_signed(&json, NULL, -3);
    json_truth(&json, NULL, true);
    json_begin(&json, NULL, '[');
    json_end(&json);
    json_end(&json);
    json_end(&json);
    assert_string_equal(buffer_text(&text),
                        "{\"t\":\"a\\\"\\\\\\n\\t\\u0002\",\"n\":null,\"f\":0.25,\"nan\":null,\"l\":[-3,true,[]]}\n");
    buffer_free(&text);
}

/* ---- campaign.json ---------------------------------------------------------------------------------------------------------- */

#define CAMPAIGN                                                                                                       \
    "{\"version\": \"0.1\", \"command\": [\"./bank\"], \"out\": \"out\", \"seed\": 7, \"strategy\": \"all\", "         \
    "\"began\": 5, \"exit_code\": 2, \"error\": null, \"interrupted\": false, \"schedules\": 37, "                     \
    "\"schedules_to_first_failure\": 3, \"seconds_to_first_failure\": 0.5, \"schedules_unfinished\": 1, "              \
    "\"schedules_exhausted\": 0, \"shares\": [{\"strategy\": \"pct\", \"schedules\": 37, \"observed\": 30, "           \
    "\"newly_covered\": 4}], \"maple\": {\"profiles\": 1, \"attempts\": 2, \"again\": 3, \"targets\": 4, "             \
    "\"exposed\": 5, \"given_up\": 6, \"known\": 7}, \"seconds\": 1.5, \"threads\": 3, \"locks\": 1, "                 \
    "\"points\": 100, \"operations\": 200, \"uncontrolled\": [{\"name\": \"select\", \"count\": 2}], "                 \
    "\"coverage\": {\"distinct_schedules\": 30, \"shared_sites\": 5, \"shared_locations\": 2, \"families\": "          \
    "{\"idiom\": {\"covered\": 4, \"predicted\": 6, \"open\": 2, \"chance_of_new\": 0.1, \"members\": "                \
    "{\"idiom.1\": {\"covered\": 4, \"predicted\": 6, \"open\": 2}}}}, \"observed_schedules\": 30, "                   \
    "\"profiled_schedules\": 8, \"chance_of_new\": 0.1, \"saturated\": false, \"curve\": [[1, 2], [9, 4]]}, "          \
    "\"limits\": [\"preload\"], \"failures\": [{\"kind\": \"assert\", \"key\": \"k\", \"count\": 5}], "                \
    "\"warnings\": [{\"kind\": \"race\", \"site\": null, \"text\": \"t\", \"schedule\": 1, \"count\": 2}], "           \
    "\"fixed\": 0}"

static void test_campaign(void **state)
{
    struct report_campaign campaign;
    struct error error;
    (void)state;
    assert_true(report_parse_campaign(&campaign, "c", CAMPAIGN, strlen(CAMPAIGN), &error));
    assert_string_equal(campaign.command[0], "./bank");
    assert_int_equal(campaign.began, 5);
    assert_int_equal(campaign.failures, 1);
    assert_int_equal(campaign.seen.data[0].count, 5);
    assert_true(campaign.has_first && campaign.schedules_to_first == 3);
    assert_true(campaign.coverage.measured);
    assert_string_equal(campaign.coverage.families.data[0].members.data[0].name, "idiom.1");
    assert_int_equal(campaign.coverage.curve.data[1].covered, 4);
    assert_string_equal(campaign.techniques.data[0].name, "maple");
    assert_string_equal(campaign.techniques.data[0].counters.data[5].name, "given_up");
    assert_int_equal(campaign.techniques.data[0].counters.data[5].value, 6);
    assert_int_equal(campaign.count.stopped, 0); /* this campaign is from before it was counted */
    assert_null(campaign.warnings.data[0].site);
    assert_string_equal(campaign.limits.data[0], "preload");
    assert_int_equal(report_covered(&campaign.coverage), 4);
    report_free_campaign(&campaign);
}

/* One member is wrong; the message names it. */
static void test_campaign_refused(void **state)
{
    static const char *const defects[][3] = {
        {"\"began\": 5", "\"began\": -5", "'began'"},
        {"\"schedules\": 37, \"schedules_to", "\"schedules\": \"37\", \"schedules_to", "'schedules'"},
        {"\"version\": \"0.1\"", "\"version\": 1", "'version'"},
        {"[\"./bank\"]", "[]", "'command'"},
        {"[\"./bank\"]", "[7]", "'command'"},
        {"\"interrupted\": false", "\"interrupted\": 0", "'interrupted'"},
        {"[[1, 2], [9, 4]]", "[[1, 2], [9, 1]]", "'curve'"},
        {"[[1, 2], [9, 4]]", "[[1, 2], 3]", "'curve'"},
        {"[[1, 2], [9, 4]]", "7", "'curve'"},
        {"\"shares\": [{", "\"shares\": [3, {", "'shares'"},
        {"\"members\": {", "\"members\": 3, \"x\": {", "'members'"},
        {"\"key\": \"k\", ", "", "'key'"},
        {"\"maple\"", "\"mable\"", "'maple'"},
        {"[\"preload\"]", "[null]", "'limits'"},
        {"\"seconds\": 1.5", "\"seconds\": -1", "'seconds'"},
        {"\"fixed\": 0}", "\"fixed\": 0", "not JSON"},
        {"{\"version\"", "[{\"version\"", "not JSON"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof defects / sizeof defects[0]; i++) {
        const char *before = strstr(CAMPAIGN, defects[i][0]);
        struct report_campaign campaign;
        struct error error = {0};
        assert_non_null(before);
        char *text = memory_format("%.*s%s%s", (int)(before - CAMPAIGN), CAMPAIGN, defects[i][1],
                                   before + strlen(defects[i][0]));
        if (report_parse_campaign(&campaign, "c.json", text, strlen(text), &error))
            fail_msg("taken: %s", defects[i][1]);
        if (strstr(error.text, defects[i][2]) == NULL || strstr(error.text, "c.json") == NULL)
            fail_msg("%s: %s", defects[i][1], error.text);
        assert_int_equal(error.code, EXIT_USAGE);
        free(text);
    }
}

static void test_past(void **state)
{
    static const char line[] = "{\"began\":5,\"seconds\":0.5,\"version\":\"0.1\",\"strategy\":\"all\",\"seed\":1,"
                               "\"schedules\":3,\"failures\":1,\"fixed\":0,\"warnings\":1,\"covered\":11,\"open\":2,"
                               "\"exit_code\":2,\"interrupted\":false}";
    struct report_past past;
    struct error error;
    (void)state;
    assert_true(report_parse_past(&past, "h:1", line, strlen(line), &error));
    assert_int_equal(past.count.covered, 11);
    report_free_past(&past);
    assert_false(report_parse_past(&past, "h:1", line, strlen(line) - 1, &error));
    assert_false(report_parse_past(&past, "h:1", "[]", 2, &error));
    assert_false(report_parse_past(&past, "h:1", "{}", 2, &error));
}

/* ---- what a campaign leaves ------------------------------------------------------------------------------------------------- */

/* The history keeps the last lines, also of a file whose last line was cut. */
static void test_history(void **state)
{
    char directory[] = "/tmp/raddle-report-XXXXXX";
    struct error error;
    struct results results = {.schedules = 3};
    struct portfolio *portfolio = make_portfolio();
    struct result_context context = {.command = command, .out = directory, .strategy = "all", .portfolio = portfolio};
    struct report report;
    (void)state;
    assert_non_null(mkdtemp(directory));
    char *history = file_join(directory, CAMPAIGN_FILE_HISTORY);
    for (int i = 1; i <= RESULT_HISTORY_LINES + 5; i++) {
        context.seed = (uint64_t)i;
        context.began = i;
        assert_true(results_keep(&results, &context, &error));
    }
    assert_true(report_read(&report, directory, &error));
    assert_int_equal(report.problems.count, 0);
    assert_int_equal(report.programs.data[0].history.count, RESULT_HISTORY_LINES);
    assert_int_equal(report.programs.data[0].history.data[0].seed, 6);
    assert_int_equal(report.programs.data[0].campaign.seed, RESULT_HISTORY_LINES + 5);
    report_free(&report);
    assert_true(file_write(history, "{\"cut", 5, &error));
    assert_true(results_keep(&results, &context, &error));
    assert_true(report_read(&report, directory, &error));
    assert_int_equal(report.problems.count, 1);
    assert_int_equal(report.programs.data[0].history.count, 1);
    report_free(&report);
    free(history);
    free(portfolio);
    assert_true(file_remove_tree(directory));
}

/* The program's report from a campaign in which each counter has its own value, from 1. */
static void read_counted(struct report *report, const char *directory)
{
    struct error error;
    struct results counted = {0}, *results = &counted;
    struct portfolio *portfolio = make_portfolio();
    struct result_context context = {.command = command, .out = directory, .strategy = "all", .portfolio = portfolio};
    uint8_t next = 0;
#define X(group, member, name, value, required, words) value = ++next;
    CAMPAIGN_COUNTERS(X)
#undef X
    counted.seconds = 2;
    counted.seconds_telling = 0.5;
    assert_true(results_keep(results, &context, &error));
    if (!report_read(report, directory, &error))
        fail_msg("%s", error.text);
    assert_int_equal(report->problems.count, 0);
    free(portfolio);
}

/* A row of the table of counters: its value, in each report that has numbers. */
static void check_counter(const struct campaign_counter *counter, uint64_t value, json_t *json, const char *page,
                          const char *summary)
{
    char *path = memory_format("programs.0.campaign.%s", counter->name);
    char *member = memory_format("\"%s\":%" PRIu64, counter->member, value);
    assert_number(json, path, (json_int_t)value);
    if (strstr(page, member) == NULL)
        fail_msg("the page has no %s", member);
    if (counter->words != NULL) {
        char *line = memory_format("%" PRIu64 " %s", value, counter->words);
        char *remark = memory_format("[%" PRIu64 ",\"%s\"]", value, counter->words);
        assert_true(strstr(summary, line) != NULL && strstr(page, remark) != NULL);
        free(line);
        free(remark);
    }
    free(path);
    free(member);
}

/* Each counter is in campaign.json, the model and the reports. */
static void test_counters(void **state)
{
    char directory[] = "/tmp/raddle-report-XXXXXX";
    struct report report;
    struct buffer text = {0}, summary = {0}, page = {0};
    (void)state;
    assert_non_null(mkdtemp(directory));
    read_counted(&report, directory);
    report_json(&report, &text);
    report_summary(&report, &summary);
    struct error error;
    char *file = file_join(directory, "page.html");
    assert_true(report_html(&report, file, &error) && file_read(file, REPORT_LIMIT, &page, &error));
    free(file);
    json_t *json = parse(&text);
    const struct report_campaign *campaign = &report.programs.data[0].campaign;
    uint64_t expected = 0;
    for (const struct campaign_counter *counter = campaign_counters; counter->name != NULL; counter++) {
        assert_int_equal(counter_value(&campaign->count, counter), ++expected);
        check_counter(counter, expected, json, buffer_text(&page), buffer_text(&summary));
    }
    assert_true(expected >= 14);
    assert_true(campaign->seconds_telling == 0.5);
    assert_int_equal(report.programs.data[0].history.data[0].count.schedules, campaign->count.schedules);
    assert_int_equal(report.programs.data[0].history.data[0].count.fixed, campaign->count.fixed);
    json_decref(json);
    buffer_free(&text);
    buffer_free(&summary);
    buffer_free(&page);
    report_free(&report);
    assert_true(file_remove_tree(directory));
}

/* A technique's counters come to the report by their own names, all of them. */
static void test_technique_counters(void **state)
{
    char directory[] = "/tmp/raddle-report-XXXXXX";
    struct report report;
    struct buffer text = {0};
    struct error error;
    struct results results = {0};
    struct portfolio *portfolio = make_portfolio();
    struct result_context context = {.command = command, .out = directory, .strategy = "all", .portfolio = portfolio};
    (void)state;
    assert_non_null(mkdtemp(directory));
    assert_true(results_keep(&results, &context, &error) && report_read(&report, directory, &error));
    report_json(&report, &text);
    json_t *json = parse(&text);
    assert_int_equal(json_object_size(at(json, "programs.0.campaign.maple")), 16);
    assert_number(json, "programs.0.campaign.maple.rearranged", 6);
    assert_number(json, "programs.0.campaign.maple.rearranged_exposed", 7);
    json_decref(json);
    buffer_free(&text);
    report_free(&report);
    free(portfolio);
    assert_true(file_remove_tree(directory));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_sarif),
        cmocka_unit_test(test_trace),
        cmocka_unit_test(test_junit),
        cmocka_unit_test(test_a_failure_is_counted_once),
        cmocka_unit_test(test_tap),
        cmocka_unit_test(test_summary),
        cmocka_unit_test(test_utf8),
        cmocka_unit_test(test_writer),
        cmocka_unit_test(test_campaign),
        cmocka_unit_test(test_campaign_refused),
        cmocka_unit_test(test_past),
        cmocka_unit_test(test_history),
        cmocka_unit_test(test_counters),
        cmocka_unit_test(test_technique_counters),
    };
    return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
