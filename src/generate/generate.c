/* SPDX-License-Identifier: MIT
 *
 * generate.c - see generate.h.
 */
#include "generate/generate.h"

#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "generate/fault.h"
#include "generate/header.h"
#include "generate/plan.h"
#include "generate/results.h"
#include "generate/roles.h"
#include "generate/session.h"
#include "generate/suite.h"
#include "util/clock.h"
#include "util/file.h"
#include "util/log.h"
#include "util/stop.h"

enum { FIRST_RUNS = 60, LONG_TESTS = 4, MOST_ROUNDS = 6, SEARCH_EVERY = 6 };

/* ---- one test --------------------------------------------------------------------------------------------------------- */

static void note_pair(struct session *session, const struct candidate *candidate, uint64_t schedules, bool fault)
{
    uint32_t a = candidate->test.calls[0].function, b = candidate->test.calls[candidate->test.count[0]].function;
    struct generate_pair *pair = results_pair(session->results, a < b ? a : b, a < b ? b : a);
    pair->tests += candidate->rounds == 0;
    pair->predicted += candidate->rounds == 0 ? candidate->fresh : 0;
    pair->schedules += schedules;
    pair->faults += fault;
}

/* Runs all orders of its calls first.  False: it says nothing about threads, or it is time to stop. */
static bool prepare(struct session *session, struct candidate *candidate)
{
    struct error error = {0};
    struct gen_report failed = {0};
    enum test_alone alone = test_find_orders(&candidate->test, &session->library, &failed, &error);
    if (alone == TEST_MANY || session->options->no_linearizability)
        vector_clear(&candidate->test.rows);
    if (alone == TEST_GOOD || alone == TEST_MANY)
        return true;
    if (alone == TEST_FAILS) {
        char *text = test_text(&candidate->test, session->api);
        log_verbose("left out, because it %s without threads: %s", search_failure(failed.status), text);
        free(text);
    }
    session->results->rejected += alone != TEST_STOPPED;
    candidate->rounds = UINT_MAX;
    return false;
}

static void say_test(const struct session *session, const struct candidate *candidate)
{
    unsigned compared = 0;
    if (!session->options->verbose)
        return;
    for (unsigned i = 0; i < test_call_count(&candidate->test) + candidate->test.observers; i++)
        compared += (unsigned)__builtin_popcount(candidate->test.compared[i]);
    char *text = test_text(&candidate->test, session->api);
    log_verbose("test: %s   (round %u, weight %u of %u; %zu orders, %u results compared)", text, candidate->rounds + 1,
                candidate->fresh, candidate->score, candidate->test.rows.count, compared);
    free(text);
}

static void explore_candidate(struct session *session, struct candidate *candidate)
{
    struct explore explore = {.runs = (uint64_t)FIRST_RUNS << candidate->rounds,
                              .seed = session->options->seed * 1000003 + candidate->rounds + 1};
    if (candidate->rounds == 0 && !prepare(session, candidate))
        return;
    if (candidate->rounds == 2)
        explore.strategy = "dfs";
    session->results->tests += candidate->rounds == 0;
    say_test(session, candidate);
    session_explore(session, &candidate->test, &explore);
    candidate->schedules += explore.schedules;
    bool fault = explore.found && fault_found(session, &candidate->test, &explore);
    note_pair(session, candidate, explore.schedules, fault);
    if (explore.complete)
        session->results->complete++;
    candidate->rounds = explore.found || explore.complete ? UINT_MAX : candidate->rounds + 1;
    explore_free(&explore);
}

/* ---- the loop --------------------------------------------------------------------------------------------------------- */

static void progress(const struct session *session)
{
    const struct generate_results *results = session->results;
    if (log_is_terminal() && !session->options->quiet)
        log_progress("%zu sequences, %" PRIu64 " tests, %" PRIu64 " schedules, %zu faults",
                     session->search.sequences.count, results->tests, results->schedules, results->faults.count);
}

static void say_left_out(struct session *session)
{
    for (uint32_t i = 0; i < session->search.functions.count; i++) {
        struct search_function *seen = &session->search.functions.data[i];
        if (seen->failed == 0 || seen->said)
            continue;
        seen->said = true;
        log_say("%s is left out: %s", session->api->functions.data[i].name, search_why(seen->failed));
    }
}

static bool is_over(const struct session *session)
{
    const struct generate_options *options = session->options;
    return stop_requested() || (options->faults > 0 && session->results->faults.count >= options->faults);
}

/* Another sequence, and candidates from it. */
static void search_more(struct session *session, struct error *error)
{
    const struct sequence *sequence = search_next(&session->search, error);
    say_left_out(session);
    if (sequence != NULL)
        candidates_add(&session->candidates, &session->search, sequence, error);
}

/* The baseline: nothing is known of the calls. */
static struct candidate *choose_at_random(struct session *session, struct error *error)
{
    search_next(&session->search, error);
    say_left_out(session);
    struct candidate *candidate =
        candidates_add_long(&session->candidates, &session->search, session->options->threads);
    return candidate != NULL ? candidate : candidates_best(&session->candidates, MOST_ROUNDS);
}

/* Tests first between whose calls something is predicted, then new sequences, the other pairs, longer tests, and more schedules. */
static struct candidate *choose(struct session *session, struct error *error)
{
    struct candidates *candidates = &session->candidates;
    struct candidate *best = candidates_best(candidates, 1);
    if (best != NULL && best->score > 0)
        return best;
    if (session->turns++ % SEARCH_EVERY == 0)
        search_more(session, error);
    best = candidates_best(candidates, 1);
    if (best != NULL)
        return best;
    for (int i = 0; i < LONG_TESTS; i++)
        candidates_add_long(candidates, &session->search, session->options->threads);
    if (session->round < MOST_ROUNDS && candidates_best(candidates, session->round + 1) == NULL)
        session->round++;
    return candidates_best(candidates, session->round + 1);
}

static void loop(struct session *session, struct error *error)
{
    unsigned idle = 0;
    while (!is_over(session) && idle < 10 * SEARCH_EVERY) {
        struct candidate *candidate =
            session->options->random ? choose_at_random(session, error) : choose(session, error);
        idle = candidate == NULL ? idle + 1 : 0;
        if (error->code != 0)
            return;
        if (candidate != NULL)
            explore_candidate(session, candidate);
        progress(session);
    }
}

/* ---- subjects --------------------------------------------------------------------------------------------------------- */

static void sum_up(struct session *session)
{
    struct generate_results *results = session->results;
    results->sequences += session->search.sequences.count;
    results->traces += session->search.covered.count;
    results->executed += session->search.executed;
    results->violations += session->candidates.predicted.count;
}

/* Tests one type of object. */
static bool test_subject(const struct generate_options *options, const struct api *api, uint32_t subject,
                         struct generate_results *results, int64_t began, struct error *error)
{
    struct session session = {.options = options, .api = api, .results = results, .began = began};
    session.library.input = &options->input;
    session.library.api = api;
    session.library.subject = subject;
    bool good = library_build(&session.library, error);
    if (good) {
        search_open(&session.search, &session.library, options->seed);
        session.search.random = options->random;
        session.search.without_pruning = options->without_pruning;
        loop(&session, error);
        sum_up(&session);
        good = options->suite == NULL || suite_add(&session, error);
        search_close(&session.search);
        candidates_free(&session.candidates);
        good = good && error->code == 0;
    }
    library_close(&session.library);
    return good;
}

static size_t count_subjects(const struct api *api)
{
    size_t count = 0;
    for (uint32_t i = 0; i < api->records.count; i++)
        count += roles_is_subject(api, i);
    return count;
}

static bool test_subjects(const struct generate_options *options, const struct api *api,
                          struct generate_results *results, struct error *error)
{
    int64_t began = clock_now();
    size_t left = count_subjects(api);
    int64_t end = began + options->time;
    bool good = true;
    for (uint32_t i = 0; i < api->records.count && good && !stop_interrupted(); i++) {
        if (!roles_is_subject(api, i))
            continue;
        assert(left > 0);
        int64_t share = (end - clock_now()) / (int64_t)left--;
        stop_at(clock_now() + (share > 0 ? share : 1));
        good = test_subject(options, api, i, results, began, error);
    }
    stop_at(0);
    results->seconds = (double)(clock_now() - began) / (double)CLOCK_SECOND;
    return good;
}

/* ---- the command ------------------------------------------------------------------------------------------------------ */

static bool check_api(const struct api *api, const char *header, struct error *error)
{
    size_t handles = 0;
    for (size_t i = 0; i < api->functions.count; i++)
        handles += api->functions.data[i].role == ROLE_CALL;
    if (handles == 0)
        return error_set(error, EXIT_UNCONTROLLED,
                         "no function of %s takes a pointer to a structure: there is no object to share", header);
    if (count_subjects(api) == 0)
        return error_set(error, EXIT_UNCONTROLLED,
                         "%s has no constructor: no function that returns a pointer to a structure which others take, "
                         "and none named "
                         "init or new; name it in a plan (--plan)",
                         header);
    return true;
}

static bool read_api(const struct generate_options *options, struct api *api, struct error *error)
{
    const char *header = options->input.headers.data[0];
    if (!header_read(header, options->input.plus, options->input.flags, options->input.flag_count, api, error))
        return false;
    roles_assign(api);
    for (size_t i = 0; i < options->input.sources.count; i++) {
        struct buffer text = {0};
        struct error unreadable = {0};
        const char *dot = strrchr(options->input.sources.data[i], '.');
        if (dot != NULL && dot[1] == 'c' && file_read(options->input.sources.data[i], 4 << 20, &text, &unreadable))
            values_add_constants(api, buffer_text(&text));
        buffer_free(&text);
    }
    return options->plan == NULL || plan_read(options->plan, api, error);
}

static int exit_code(const struct generate_results *results, struct error *error)
{
    if (results->faults.count > 0)
        return EXIT_BUG_FOUND;
    if (results->tests > 0)
        return EXIT_NOTHING_FOUND;
    error_set(error, EXIT_UNCONTROLLED, "nothing could be tested: no two calls could be made at the same time");
    return error_report(error);
}

static void say_left_out_functions(const struct api *api)
{
    for (size_t i = 0; i < api->functions.count; i++)
        if (api->functions.data[i].role == ROLE_NEVER && api->functions.data[i].why != NULL)
            log_say("%s is left out: %s", api->functions.data[i].name, api->functions.data[i].why);
}

int generate(const struct generate_options *options)
{
    struct error error = {0};
    struct api api = {0};
    struct generate_results results = {0};
    int code;
    if (!read_api(options, &api, &error)) {
        code = error_report(&error);
    } else if (options->print_plan) {
        plan_print(&api, options->input.headers.data[0], stdout);
        code = EXIT_NOTHING_FOUND;
    } else if (!check_api(&api, options->input.headers.data[0], &error)) {
        code = error_report(&error);
    } else {
        say_left_out_functions(&api);
        bool good = test_subjects(options, &api, &results, &error);
        results_say(&results, options);
        if (!results_write(&results, &api, options, &error) ||
            (options->suite != NULL && !suite_finish(options, &error)))
            good = false;
        code = good ? exit_code(&results, &error) : error_report(&error);
        code = results.faults.count > 0 ? EXIT_BUG_FOUND : code;
    }
    results_clear(&results);
    api_free(&api);
    return code;
}
