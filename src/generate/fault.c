/* SPDX-License-Identifier: MIT
 *
 * fault.c - see fault.h.
 *
 * DESIGN
 *   A test is reduced while the same kind of failure is found in the smaller one: fewer calls before, fewer observers, first values of parameters.  What
 *   is left is written as a C file, built as a user would build it, and must fail under a campaign of its own, whose failure stays with it.
 */
#include "generate/fault.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "generate/emit.h"
#include "generate/results.h"
#include "util/clock.h"
#include "util/file.h"
#include "util/log.h"
#include "util/stop.h"

enum { REDUCE_RUNS = 150, REDUCTIONS = 24, CONFIRM_RUNS = 1500, CONFIRM_SEEDS = 3 };
#define FINISH_TIME (60 * CLOCK_SECOND)

struct fault {
    struct session *session;
    struct test test;
    const char *kind;
    uint64_t needed; /* schedules until it was seen */
};

/* ---- which fault it is ------------------------------------------------------------------------------------------------ */

static const char *kind_of(const struct explore *explore)
{
    if (explore->text != NULL && strstr(explore->text, "an_order_explains_the_results") != NULL)
        return "linearizability";
    if (explore->text != NULL && strstr(explore->text, "invariant_holds") != NULL)
        return "invariant";
    return explore->kind != NULL ? explore->kind : "failure";
}

/* Races and wrong results are one fault for each pair of functions; others are known by their place. */
static char *key_of(const struct session *session, const struct test *test, const struct explore *explore)
{
    const char *kind = kind_of(explore);
    uint32_t a = test->calls[0].function, b = test->calls[test->count[0]].function;
    if (strcmp(kind, "linearizability") != 0 && strcmp(kind, "invariant") != 0 && strcmp(kind, "race") != 0)
        return memory_format("%s %s", kind, explore->site != NULL ? explore->site : "");
    return memory_format("%s %s", session->api->functions.data[a < b ? a : b].name,
                         session->api->functions.data[a < b ? b : a].name);
}

/* ---- reduction ---------------------------------------------------------------------------------------------------------- */

static bool still_fails(struct fault *fault, struct test *test)
{
    struct error error = {0};
    enum test_alone alone = test_find_orders(test, &fault->session->library, NULL, &error);
    if (alone != TEST_GOOD || fault->session->options->no_linearizability)
        vector_clear(&test->rows);
    if (alone != TEST_GOOD && alone != TEST_MANY)
        return false;
    struct explore explore = {.runs = REDUCE_RUNS + 3 * fault->needed, .seed = fault->session->options->seed};
    session_explore(fault->session, test, &explore);
    bool same = explore.found && strcmp(kind_of(&explore), fault->kind) == 0;
    if (same && explore.at > fault->needed)
        fault->needed = explore.at;
    explore_free(&explore);
    return same;
}

/* `smaller` takes the place of the test if it still fails. */
static bool accept(struct fault *fault, struct test *smaller)
{
    if (stop_requested() || !still_fails(fault, smaller)) {
        test_free(smaller);
        return false;
    }
    test_free(&fault->test);
    fault->test = *smaller;
    return true;
}

static void remove_call(struct gen_call *calls, unsigned at, unsigned count)
{
    memmove(&calls[at], &calls[at + 1], (count - at - 1) * sizeof *calls);
}

static bool drop_prefix(struct fault *fault, unsigned from, unsigned count)
{
    struct test smaller;
    test_copy(&smaller, &fault->test);
    for (unsigned i = 0; i < count; i++)
        remove_call(smaller.prefix, from, smaller.prefix_count--);
    return accept(fault, &smaller);
}

static void reduce_prefix(struct fault *fault, unsigned *left)
{
    for (unsigned size = fault->test.prefix_count; size > 0; size /= 2)
        for (unsigned at = 0; at + size <= fault->test.prefix_count && *left > 0; (*left)--)
            at += drop_prefix(fault, at, size) ? 0 : size;
}

static bool drop_call(struct fault *fault, unsigned thread, unsigned at)
{
    struct test smaller;
    test_copy(&smaller, &fault->test);
    remove_call(smaller.calls, at, test_call_count(&smaller) + smaller.observers);
    if (thread < smaller.threads)
        smaller.count[thread]--;
    else
        smaller.observers--;
    return accept(fault, &smaller);
}

/* Calls of threads that have several, and observers. */
static void reduce_calls(struct fault *fault, unsigned *left)
{
    unsigned first = 0;
    for (unsigned t = 0; t < fault->test.threads; first += fault->test.count[t], t++)
        for (unsigned i = 0; i < fault->test.count[t] && fault->test.count[t] > 1 && *left > 0; (*left)--)
            i += drop_call(fault, t, first + i) ? 0 : 1;
    for (unsigned i = 0; i<fault->test.observers && * left> 0; (*left)--)
        i += drop_call(fault, fault->test.threads, test_call_count(&fault->test) + i) ? 0 : 1;
}

static bool simplify_values(struct fault *fault, unsigned call)
{
    static const uint8_t first[GEN_VALUES];
    struct test smaller;
    if (memcmp(fault->test.calls[call].values, first, sizeof first) == 0)
        return false;
    test_copy(&smaller, &fault->test);
    memcpy(smaller.calls[call].values, first, sizeof first);
    return accept(fault, &smaller);
}

static void reduce(struct fault *fault)
{
    unsigned left = REDUCTIONS;
    reduce_prefix(fault, &left);
    reduce_calls(fault, &left);
    for (unsigned i = 0; i < test_call_count(&fault->test) + fault->test.observers && left > 0; i++, left--)
        simplify_values(fault, i);
}

/* ---- the file ----------------------------------------------------------------------------------------------------------- */

static bool write_source(const struct fault *fault, const char *path, const char *what, struct error *error)
{
    struct buffer text = {0};
    struct emit emit = {&fault->test, &fault->session->library, file_base_name(path), what,
                        fault->session->options->seed};
    emit_test(&emit, &text);
    bool good = file_write(path, text.data, text.size, error);
    buffer_free(&text);
    return good;
}

/* The directories of the headers, so that the file can name them by their names. */
static void add_include_directories(const struct library_input *input, library_words *words, api_texts *texts)
{
    for (size_t i = 0; i < input->headers.count; i++) {
        char *flag = library_include_flag(input->headers.data[i]);
        vector_push(texts, flag);
        vector_push(words, flag);
    }
}

static bool build_test(const struct fault *fault, const char *source, const char *program, struct error *error)
{
    const struct library *library = &fault->session->library;
    const struct library_input *input = library->input;
    library_words words = {0};
    api_texts texts = {0};
    vector_push(&words, library->paths.executable);
    vector_push(&words, (char *)(input->plus ? "c++" : "cc"));
    vector_push(&words, (char *)"-g");
    add_include_directories(input, &words, &texts);
    vector_push(&words, (char *)source);
    vector_append(&words, input->sources.data, input->sources.count);
    vector_append(&words, input->flags, (size_t)input->flag_count);
    vector_push(&words, (char *)"-o");
    vector_push(&words, (char *)program);
    vector_push(&words, NULL);
    char *log = file_join(library->work, "log");
    bool good = library_run_commands(&words.data, 1, log, error);
    free(log);
    vector_free(&words);
    api_texts_free(&texts);
    return good;
}

/* What `raddle explain` says. */
static void write_story(const struct fault *fault, const char *failure, const char *path)
{
    pid_t child = fork();
    if (child == 0) {
        int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666), null = open("/dev/null", O_WRONLY);
        dup2(fd, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
        execl(fault->session->library.paths.executable, "raddle", "explain", failure, NULL);
        _exit(127);
    }
    while (child > 0 && waitpid(child, NULL, 0) < 0)
        continue;
}

/* The test that was written fails too: its failure is kept in its directory. */
static bool confirm(const struct fault *fault, const char *directory, const char *program, struct explore *explore)
{
    char *log = file_join(fault->session->library.work, "campaigns");
    char *command[] = {(char *)program, NULL};
    for (unsigned i = 0; i < CONFIRM_SEEDS && !explore->found; i++) {
        explore_free(explore);
        *explore = (struct explore){.command = command,
                                    .out = directory,
                                    .log = log,
                                    .fail_on = fault->session->options->fail_on,
                                    .runs = CONFIRM_RUNS << i,
                                    .seed = fault->session->options->seed + i,
                                    .simplify = true};
        explore_test(explore);
        fault->session->results->schedules += explore->schedules;
    }
    log_set_level(fault->session->options->quiet ? LOG_QUIET : LOG_NORMAL);
    explore->command = NULL;
    free(log);
    return explore->found && explore->path != NULL;
}

/* The text names the file without its directory: the same seed gives the same file. */
static char *without_directory(const char *text, const char *directory)
{
    const char *found = strstr(text, directory);
    if (found == NULL)
        return memory_copy_string(text);
    return memory_format("%.*s%s", (int)(found - text), text, found + strlen(directory) + 1);
}

static bool write_and_confirm(const struct fault *fault, const char *directory, struct explore *again,
                              struct error *error)
{
    const char *name = fault->session->options->input.plus ? "test.cc" : "test.c";
    char *source = file_join(directory, name), *program = file_join(directory, "test"),
         *story = file_join(directory, "story.txt");
    bool good = file_make_directories(directory, error) && write_source(fault, source, NULL, error) &&
                build_test(fault, source, program, error) && confirm(fault, directory, program, again);
    if (good) {
        char *what = without_directory(again->text, directory);
        good = write_source(fault, source, what, error);
        free(what);
        write_story(fault, again->path, story);
    }
    free(source);
    free(program);
    free(story);
    return good;
}

/* ---- the whole ---------------------------------------------------------------------------------------------------------- */

static void say_fault(const struct fault *fault, const struct generate_fault *found, size_t number)
{
    log_say("%sFAULT %zu: %s%s%s   (test %" PRIu64 ", %.2f s)", log_red(), number, found->text, log_plain(), "",
            found->tests, found->seconds);
    log_say("  %s", found->test);
    log_say("  %s/%s, story.txt; raddle replay %s/failure-1", found->directory,
            fault->session->options->input.plus ? "test.cc" : "test.c", found->directory);
}

static char *describe(const char *kind, const struct explore *again)
{
    if (strcmp(kind, "linearizability") == 0)
        return memory_copy_string("no order of the calls explains their results");
    if (strcmp(kind, "invariant") == 0)
        return memory_copy_string("the invariant does not hold");
    return memory_copy_string(again->text);
}

static bool keep_fault(struct fault *fault, struct generate_fault *found)
{
    struct generate_results *results = fault->session->results;
    struct explore again = {0};
    struct error error = {0};
    found->directory = memory_format("%s/fault-%zu", fault->session->options->out, results->faults.count + 1);
    file_remove_tree(found->directory);
    bool good = write_and_confirm(fault, found->directory, &again, &error);
    if (good) {
        found->kind = memory_copy_string(fault->kind);
        found->text = describe(fault->kind, &again);
        found->test = test_text(&fault->test, fault->session->api);
        vector_push(&results->faults, *found);
        say_fault(fault, found, results->faults.count);
    } else {
        if (error.code != 0)
            log_error("%s", error.text);
        results->doubtful++;
        file_remove_tree(found->directory);
        free(found->directory);
        free(found->key);
    }
    explore_free(&again);
    return good;
}

bool fault_found(struct session *session, const struct test *test, const struct explore *explore)
{
    struct fault fault = {.session = session, .kind = kind_of(explore), .needed = explore->at};
    struct generate_fault found = {.key = key_of(session, test, explore),
                                   .seconds = session_seconds(session),
                                   .tests = session->results->tests,
                                   .schedules = session->results->schedules};
    if (results_knows(session->results, found.key)) {
        free(found.key);
        return false;
    }
    char *kind = memory_copy_string(fault.kind);
    fault.kind = kind;
    int64_t limit = stop_not_within(FINISH_TIME);
    test_copy(&fault.test, test);
    reduce(&fault);
    bool good = keep_fault(&fault, &found);
    stop_at(limit);
    test_free(&fault.test);
    free(kind);
    return good;
}
