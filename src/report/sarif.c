/* SPDX-License-Identifier: MIT
 *
 * sarif.c - the report as SARIF 2.1.0 (OASIS standard), for code scanning services and editors.
 *
 * DESIGN
 *   A program is a run, a kind of failure a rule, an open failure a result of level error, a warning one of level
 *   warning.  A fixed failure is left out, so that services close it.  Services match results of different runs by the
 *   failure's key (partialFingerprints), which contains neither line numbers nor addresses.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/formats.h"
#include "report/sarif_private.h"
#include "report/sarif_rules.h"
#include "report/text.h"

#define SCHEMA "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
enum { RELATED = 24 }; /* most related locations of a result */

/* ---- results -------------------------------------------------------------------------------------------------------------- */

static char *describe(const struct report_failure *failure)
{
    const struct tale *tale = &failure->tale;
    uint32_t preemptions = report_preemptions(failure);
    struct buffer text = {0};
    buffer_printf(&text, "%s. It happens in an interleaving of %u thread%s with %u preemption%s.",
                  report_headline(failure), failure->about.threads, report_plural(failure->about.threads), preemptions,
                  report_plural(preemptions));
    if (failure->has_tale && tale->cause.statement != NULL)
        buffer_printf(&text, " Cause: %s.", tale->cause.statement);
    if (failure->has_tale && tale->cause.pattern != NULL && tale->cause.second != NULL)
        buffer_printf(&text, " Pattern: %s %s %s.", tale->cause.pattern, tale_cause_word(&tale->cause),
                      tale->cause.second);
    else if (failure->has_tale && tale->cause.pattern != NULL)
        buffer_printf(&text, " Pattern: %s.", tale->cause.pattern);
    if (failure->has_tale && tale->cause.sentence != NULL)
        buffer_printf(&text, " %c%s.", toupper((unsigned char)tale->cause.sentence[0]), tale->cause.sentence + 1);
    buffer_add_string(&text, " To run it again: raddle replay ");
    buffer_add_quoted(&text, failure->about.path);
    return buffer_take(&text);
}

/* The primary location of the result. */
static int32_t main_place(const struct tale *tale)
{
    if (tale->place >= 0)
        return tale->place;
    int32_t place = TALE_NONE;
    for (size_t i = tale->waits.count;
         i-- > 0;) /* where one waits for a lock, not where one only joins another thread */
        if (tale->waits.data[i].place >= 0 && (place < 0 || tale->waits.data[i].op != OP_JOIN))
            place = tale->waits.data[i].place;
    return place;
}

/* The waits of a deadlock, both accesses of a race, the free of the block, lost updates, the steps of the cause. */
static void write_related(struct sarif *sarif, const struct report_failure *failure)
{
    const struct tale *tale = &failure->tale;
    int id = 0;
    json_begin(&sarif->json, "relatedLocations", '[');
    for (size_t i = 0; i < tale->events.count && id < RELATED; i++) {
        const struct tale_event *event = &tale->events.data[i];
        if (!(event->marks & (TALE_RACE | TALE_FREED | TALE_LOST | TALE_CAUSE | TALE_BLOCKED)) || event->place < 0)
            continue;
        struct buffer text = {0};
        report_thread_name(tale, event->thread, &text);
        buffer_add_string(&text, event->marks & TALE_BLOCKED ? " waits for ever: " : ": ");
        report_event_text(event, &text);
        sarif_place(sarif, NULL, failure, event->place, buffer_text(&text), ++id);
        buffer_free(&text);
    }
    json_end(&sarif->json);
}

static void begin_result(struct sarif *sarif, const char *kind, const char *level, const char *message)
{
    size_t rule = sarif_rule(kind);
    json_begin(&sarif->json, NULL, '{');
    json_text(&sarif->json, "ruleId", sarif_rule_id(rule));
    json_number(&sarif->json, "ruleIndex", rule);
    json_text(&sarif->json, "kind", "fail");
    json_text(&sarif->json, "level", level);
    sarif_message(&sarif->json, "message", message);
}

static void write_identity(struct json_writer *json, const char *key, uint64_t count)
{
    json_begin(json, "partialFingerprints", '{');
    json_text(json, "raddleKey/v1", key);
    json_end(json);
    if (count > 0)
        json_number(json, "occurrenceCount", count);
}

static void write_failure(struct sarif *sarif, const struct report_failure *failure)
{
    struct json_writer *json = &sarif->json;
    const struct failure *about = &failure->about;
    char *message = describe(failure);
    begin_result(sarif, about->kind, "error", message);
    free(message);
    int32_t place = failure->has_tale ? main_place(&failure->tale) : TALE_NONE;
    json_begin(json, "locations", '[');
    if (place >= 0)
        sarif_place(sarif, NULL, failure, place, NULL, -1);
    else if (about->site != NULL)
        sarif_site(sarif, NULL, about->site);
    json_end(json);
    if (failure->has_tale) {
        write_related(sarif, failure);
        sarif_write_flow(sarif, failure);
        sarif_write_stacks(sarif, failure);
    }
    write_identity(json, about->key, failure->count);
    json_begin(json, "properties", '{');
    json_text(json, "failure", failure->name);
    json_number(json, "preemptions", report_preemptions(failure));
    json_text(json, "strategy", about->strategy);
    json_truth(json, "confirmed", about->confirmed);
    json_end(json);
    json_end(json);
}

static void write_warning(struct sarif *sarif, const struct report_warning *warning)
{
    begin_result(sarif, warning->kind, "warning", warning->text);
    json_begin(&sarif->json, "locations", '[');
    if (warning->site != NULL)
        sarif_site(sarif, NULL, warning->site);
    json_end(&sarif->json);
    char *key = memory_format("%s %s", warning->kind, warning->site != NULL ? warning->site : warning->text);
    write_identity(&sarif->json, key, warning->count);
    json_end(&sarif->json);
    free(key);
}

static void write_results(struct sarif *sarif)
{
    const struct report_program *program = sarif->program;
    json_begin(&sarif->json, "results", '[');
    for (size_t i = 0; i < program->failures.count; i++)
        if (!program->failures.data[i].about.fixed)
            write_failure(sarif, &program->failures.data[i]);
    for (size_t i = 0; program->has_campaign && i < program->campaign.warnings.count; i++)
        write_warning(sarif, &program->campaign.warnings.data[i]);
    json_end(&sarif->json);
}

/* ---- the run -------------------------------------------------------------------------------------------------------------- */

static void write_tool(struct json_writer *json, const char *version)
{
    json_begin(json, "tool", '{');
    json_begin(json, "driver", '{');
    json_text(json, "name", "raddle");
    json_text(json, "version", version);
    json_begin(json, "shortDescription", '{');
    json_text(json, "text", "Finds the interleavings of threads that break a program.");
    json_end(json);
    sarif_write_rules(json);
    json_end(json);
    json_end(json);
}

static void write_time(struct json_writer *json, const char *name, int64_t seconds)
{
    char text[32];
    report_time(seconds, text, sizeof text);
    if (text[0] != '\0')
        json_textf(json, name, "%sZ", text);
}

static void write_notification(struct json_writer *json, const char *level, const char *text)
{
    json_begin(json, NULL, '{');
    json_text(json, "level", level);
    sarif_message(json, "message", text);
    json_end(json);
}

static void write_notifications(struct json_writer *json, const struct report_campaign *campaign, bool success)
{
    json_begin(json, "toolExecutionNotifications", '[');
    if (campaign->error != NULL)
        write_notification(json, success ? "warning" : "error", campaign->error);
    for (size_t i = 0; i < campaign->limits.count; i++)
        write_notification(json, "note", campaign->limits.data[i]);
    for (size_t i = 0; i < campaign->uncontrolled.count; i++) {
        char *text = memory_format("not under control: %s", campaign->uncontrolled.data[i].name);
        write_notification(json, "note", text);
        free(text);
    }
    json_end(json);
}

static const char *exit_code_text(int code)
{
    switch (code) {
    case EXIT_NOTHING_FOUND:
        return "nothing found";
    case EXIT_USAGE:
        return "usage or configuration";
    case EXIT_BUG_FOUND:
        return "a bug was found";
    case EXIT_UNCONTROLLED:
        return "nothing was under control";
    case EXIT_UNSUPPORTED:
        return "the environment cannot support it";
    default:
        return "internal error";
    }
}

static void write_invocation(struct json_writer *json, const struct report_campaign *campaign)
{
    bool success = campaign->exit_code == EXIT_NOTHING_FOUND || campaign->exit_code == EXIT_BUG_FOUND;
    json_begin(json, "invocations", '[');
    json_begin(json, NULL, '{');
    json_truth(json, "executionSuccessful", success);
    json_signed(json, "exitCode", campaign->exit_code);
    json_text(json, "exitCodeDescription", exit_code_text(campaign->exit_code));
    write_time(json, "startTimeUtc", campaign->began);
    if (campaign->began > 0)
        write_time(json, "endTimeUtc", campaign->began + (int64_t)(campaign->seconds + 0.999));
    write_notifications(json, campaign, success);
    json_begin(json, "properties", '{');
    json_begin(json, "program", '[');
    for (char **word = campaign->command; *word != NULL; word++)
        json_text(json, NULL, *word);
    json_end(json);
    json_text(json, "strategy", campaign->strategy);
    json_signed(json, "seed", (int64_t)campaign->seed);
    json_number(json, "schedules", campaign->count.schedules);
    if (campaign->coverage.measured) {
        json_number(json, "covered", report_covered(&campaign->coverage));
        json_number(json, "open", report_open(&campaign->coverage));
        json_fraction(json, "chanceOfNew", campaign->coverage.chance_of_new);
    }
    json_end(json);
    json_end(json);
    json_end(json);
}

static void write_bases(struct json_writer *json)
{
    json_begin(json, "originalUriBaseIds", '{');
    json_begin(json, SARIF_BASE, '{');
    json_begin(json, "description", '{');
    json_text(json, "text", "The directory that the program was compiled or run in.");
    json_end(json);
    json_end(json);
    json_end(json);
}

static void write_run(struct sarif *sarif)
{
    struct json_writer *json = &sarif->json;
    const struct report_program *program = sarif->program;
    char *category = memory_format("raddle/%s/", program->name);
    json_begin(json, NULL, '{');
    write_tool(json, program->has_campaign ? program->campaign.version : RADDLE_VERSION);
    json_begin(json, "automationDetails", '{');
    json_text(json, "id", category);
    json_end(json);
    if (program->has_campaign)
        write_invocation(json, &program->campaign);
    write_bases(json);
    json_text(json, "columnKind", "unicodeCodePoints");
    json_text(json, "language", "en");
    write_results(sarif);
    sarif_write_artifacts(sarif);
    json_end(json);
    free(category);
}

void report_sarif(const struct report *report, struct buffer *text)
{
    struct sarif sarif = {.json = {.to = text, .indent = 1, .flat = 11}};
    json_begin(&sarif.json, NULL, '{');
    json_text(&sarif.json, "$schema", SCHEMA);
    json_text(&sarif.json, "version", "2.1.0");
    json_begin(&sarif.json, "runs", '[');
    for (size_t i = 0; i < report->programs.count; i++) {
        sarif.program = &report->programs.data[i];
        write_run(&sarif);
    }
    json_end(&sarif.json);
    json_end(&sarif.json);
}
