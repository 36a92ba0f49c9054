/* SPDX-License-Identifier: MIT
 *
 * results.c - see results.h.
 */
#include "generate/results.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "generate/page.h"
#include "util/file.h"
#include "util/json_writer.h"
#include "util/log.h"

struct generate_pair *results_pair(struct generate_results *results, uint32_t a, uint32_t b)
{
    for (size_t i = 0; i < results->pairs.count; i++)
        if (results->pairs.data[i].a == a && results->pairs.data[i].b == b)
            return &results->pairs.data[i];
    struct generate_pair pair = {.a = a, .b = b};
    vector_push(&results->pairs, pair);
    return &results->pairs.data[results->pairs.count - 1];
}

bool results_knows(const struct generate_results *results, const char *key)
{
    for (size_t i = 0; i < results->faults.count; i++)
        if (strcmp(results->faults.data[i].key, key) == 0)
            return true;
    return false;
}

void results_say(const struct generate_results *results, const struct generate_options *options)
{
    log_say("%" PRIu64 " sequences with %" PRIu64 " traces of calls (%" PRIu64 " calls run alone); %" PRIu64
            " violations predicted",
            results->sequences, results->traces, results->executed, results->violations);
    if (results->doubtful > 0)
        log_say("%" PRIu64 " failures did not come back in the test that was written; they are not counted",
                results->doubtful);
    log_say("%" PRIu64 " tests (%" PRIu64 " left out: they fail without threads; %" PRIu64
            " explored completely), %" PRIu64 " schedules in %.1f s; %zu fault%s   [seed %" PRIu64 "]",
            results->tests, results->rejected, results->complete, results->schedules, results->seconds,
            results->faults.count, results->faults.count == 1 ? "" : "s", options->seed);
}

/* ---- JSON --------------------------------------------------------------------------------------------------------------- */

static void write_fault(struct json_writer *json, const struct generate_fault *fault)
{
    json_begin(json, NULL, '{');
    json_text(json, "kind", fault->kind);
    json_text(json, "text", fault->text);
    json_text(json, "test", fault->test);
    json_text(json, "directory", fault->directory);
    json_fraction(json, "seconds", fault->seconds);
    json_number(json, "tests", fault->tests);
    json_number(json, "schedules", fault->schedules);
    json_end(json);
}

static void write_pair(struct json_writer *json, const struct api *api, const struct generate_pair *pair)
{
    json_begin(json, NULL, '{');
    json_text(json, "first", api->functions.data[pair->a].name);
    json_text(json, "second", api->functions.data[pair->b].name);
    json_number(json, "tests", pair->tests);
    json_number(json, "schedules", pair->schedules);
    json_number(json, "predicted", pair->predicted);
    json_number(json, "faults", pair->faults);
    json_end(json);
}

static void write_all(struct json_writer *json, const struct generate_results *results, const struct api *api,
                      const struct generate_options *options)
{
    json_begin(json, NULL, '{');
    json_text(json, "header", options->input.headers.data[0]);
    json_number(json, "seed", options->seed);
    json_fraction(json, "seconds", results->seconds);
    json_number(json, "sequences", results->sequences);
    json_number(json, "traces", results->traces);
    json_number(json, "calls_alone", results->executed);
    json_number(json, "violations", results->violations);
    json_number(json, "tests", results->tests);
    json_number(json, "rejected", results->rejected);
    json_number(json, "complete", results->complete);
    json_number(json, "schedules", results->schedules);
    json_begin(json, "faults", '[');
    for (size_t i = 0; i < results->faults.count; i++)
        write_fault(json, &results->faults.data[i]);
    json_end(json);
    json_begin(json, "pairs", '[');
    for (size_t i = 0; i < results->pairs.count; i++)
        write_pair(json, api, &results->pairs.data[i]);
    json_end(json);
    json_end(json);
}

static bool write_json(const struct generate_results *results, const struct api *api,
                       const struct generate_options *options, struct error *error)
{
    struct buffer text = {0};
    struct json_writer json = {.to = &text, .indent = 1, .flat = 3};
    write_all(&json, results, api, options);
    buffer_add_char(&text, '\n');
    bool good = file_write(options->json, text.data, text.size, error);
    buffer_free(&text);
    return good;
}

bool results_write(const struct generate_results *results, const struct api *api,
                   const struct generate_options *options, struct error *error)
{
    return (options->json == NULL || write_json(results, api, options, error)) &&
           (options->html == NULL || page_write(results, api, options, error));
}

void results_clear(struct generate_results *results)
{
    for (size_t i = 0; i < results->faults.count; i++) {
        struct generate_fault *fault = &results->faults.data[i];
        free(fault->key);
        free(fault->kind);
        free(fault->text);
        free(fault->test);
        free(fault->directory);
    }
    vector_free(&results->faults);
    vector_free(&results->pairs);
}
