/* SPDX-License-Identifier: MIT
 *
 * json.c - the report as JSON: everything that the model has, in names.  docs/report.schema.json describes it.
 */
#include "report/formats.h"
#include "report/json_tale.h"
#include "report/text.h"
#include "util/json_writer.h"

static void write_estimate(struct json_writer *json, const struct report_estimate *estimate)
{
    json_begin(json, "estimate", '{');
    json_fraction(json, "total", estimate->total);
    json_number(json, "covered", estimate->covered);
    json_number(json, "variables", estimate->variables);
    json_fraction(json, "share", estimate->total > 0 ? (double)estimate->covered / estimate->total : 0);
    json_end(json);
}

static void write_count(struct json_writer *json, const struct report_count *count)
{
    json_text(json, "name", count->name);
    json_number(json, "covered", count->covered);
    json_number(json, "predicted", count->predicted);
    json_number(json, "open", count->open);
    json_number(json, "impossible", count->impossible);
    json_number(json, "corrected", count->corrected);
    json_fraction(json, "share", report_share(count));
    if (count->estimate.known)
        write_estimate(json, &count->estimate);
    if (count->chance_of_new >= 0)
        json_fraction(json, "chance_of_new", count->chance_of_new);
}

static void write_family(struct json_writer *json, const struct report_family *family)
{
    json_begin(json, NULL, '{');
    write_count(json, &family->count);
    json_begin(json, "members", '[');
    for (size_t i = 0; i < family->members.count; i++) {
        json_begin(json, NULL, '{');
        write_count(json, &family->members.data[i]);
        json_end(json);
    }
    json_end(json);
    json_end(json);
}

static void write_coverage(struct json_writer *json, const struct report_coverage *coverage)
{
    json_begin(json, "coverage", '{');
    json_truth(json, "measured", coverage->measured);
    json_number(json, "distinct_schedules", coverage->distinct_schedules);
    json_number(json, "shared_sites", coverage->shared_sites);
    json_number(json, "shared_locations", coverage->shared_locations);
    if (coverage->measured) {
        json_number(json, "observed_schedules", coverage->observed_schedules);
        json_number(json, "profiled_schedules", coverage->profiled_schedules);
        json_begin(json, "looked_at", '{');
        json_number(json, "events", coverage->looked_at.events);
        json_number(json, "events_left_out", coverage->looked_at.events_left_out);
        json_number(json, "dependencies", coverage->looked_at.dependencies);
        json_number(json, "dependencies_passed_over", coverage->looked_at.dependencies_passed_over);
        json_end(json);
        json_fraction(json, "chance_of_new", coverage->chance_of_new);
        json_truth(json, "saturated", coverage->saturated);
        json_begin(json, "families", '[');
        for (size_t i = 0; i < coverage->families.count; i++)
            write_family(json, &coverage->families.data[i]);
        json_end(json);
        json_begin(json, "curve", '[');
        for (size_t i = 0; i < coverage->curve.count; i++) {
            json_begin(json, NULL, '[');
            json_number(json, NULL, coverage->curve.data[i].schedule);
            json_number(json, NULL, coverage->curve.data[i].covered);
            json_end(json);
        }
        json_end(json);
    }
    json_end(json);
}

static void write_texts(struct json_writer *json, const char *name, const report_texts *texts)
{
    json_begin(json, name, '[');
    for (size_t i = 0; i < texts->count; i++)
        json_text(json, NULL, texts->data[i]);
    json_end(json);
}

static void write_violations(struct json_writer *json, const struct report_campaign *campaign)
{
    json_begin(json, "violations", '[');
    for (size_t i = 0; i < campaign->violations.count; i++) {
        const struct report_violation *violation = &campaign->violations.data[i];
        json_begin(json, NULL, '{');
        json_text(json, "pattern", violation->pattern);
        json_text(json, "set", violation->set);
        write_texts(json, "objects", &violation->objects);
        write_texts(json, "units", &violation->units);
        write_texts(json, "calls", &violation->calls);
        write_texts(json, "sites", &violation->sites);
        json_text(json, "text", violation->text);
        json_number(json, "schedule", violation->schedule);
        json_number(json, "count", violation->count);
        json_number(json, "failed", violation->failed);
        json_number(json, "inconsistent", violation->inconsistent);
        json_truth(json, "led_to_failure", violation->failed > 0);
        json_truth(json, "benign", violation->benign);
        json_truth(json, "guarded_apart", violation->guarded_apart);
        json_end(json);
    }
    json_end(json);
}

static void write_lists(struct json_writer *json, const struct report_campaign *campaign)
{
    json_begin(json, "shares", '[');
    for (size_t i = 0; i < campaign->shares.count; i++) {
        const struct report_share *share = &campaign->shares.data[i];
        json_begin(json, NULL, '{');
        json_text(json, "strategy", share->strategy);
        json_number(json, "schedules", share->schedules);
        json_number(json, "observed", share->observed);
        json_number(json, "newly_covered", share->newly_covered);
        json_begin(json, "over_time", '[');
        for (size_t k = 0; k < share->over_time.count; k++)
            json_number(json, NULL, share->over_time.data[k]);
        json_end(json);
        json_end(json);
    }
    json_end(json);
    json_begin(json, "warnings", '[');
    for (size_t i = 0; i < campaign->warnings.count; i++) {
        const struct report_warning *warning = &campaign->warnings.data[i];
        json_begin(json, NULL, '{');
        json_text(json, "kind", warning->kind);
        json_text(json, "site", warning->site);
        json_text(json, "text", warning->text);
        json_text(json, "variable", warning->variable);
        json_text(json, "stacks", warning->stacks);
        json_text(json, "orders", warning->orders);
        json_number(json, "schedule", warning->schedule);
        json_number(json, "count", warning->count);
        json_end(json);
    }
    json_end(json);
    write_violations(json, campaign);
    json_begin(json, "uncontrolled", '[');
    for (size_t i = 0; i < campaign->uncontrolled.count; i++) {
        json_begin(json, NULL, '{');
        json_text(json, "name", campaign->uncontrolled.data[i].name);
        json_number(json, "count", campaign->uncontrolled.data[i].count);
        json_end(json);
    }
    json_end(json);
    json_begin(json, "limits", '[');
    for (size_t i = 0; i < campaign->limits.count; i++)
        json_text(json, NULL, campaign->limits.data[i]);
    json_end(json);
}

static void write_techniques(struct json_writer *json, const struct report_campaign *campaign)
{
    json_begin(json, "techniques", '[');
    for (size_t i = 0; i < campaign->techniques.count; i++)
        json_text(json, NULL, campaign->techniques.data[i].name);
    json_end(json);
    for (size_t i = 0; i < campaign->techniques.count; i++) {
        const struct report_technique *technique = &campaign->techniques.data[i];
        json_begin(json, technique->name, '{');
        for (size_t k = 0; k < technique->counters.count; k++)
            json_number(json, technique->counters.data[k].name, technique->counters.data[k].value);
        json_end(json);
    }
}

static void write_counters(struct json_writer *json, const struct campaign_counter *counter, const void *counts)
{
    for (; counter->name != NULL; counter++)
        json_number(json, counter->name, counter_value(counts, counter));
}

static void write_command(struct json_writer *json, char *const *command)
{
    json_begin(json, "command", '[');
    for (char *const *word = command; *word != NULL; word++)
        json_text(json, NULL, *word);
    json_end(json);
}

static void write_campaign(struct json_writer *json, const struct report_campaign *campaign)
{
    json_begin(json, "campaign", '{');
    json_text(json, "version", campaign->version);
    write_command(json, campaign->command);
    json_text(json, "strategy", campaign->strategy);
    json_signed(json, "seed", (int64_t)campaign->seed);
    json_signed(json, "began", campaign->began);
    json_fraction(json, "seconds", campaign->seconds);
    json_fraction(json, "seconds_telling", campaign->seconds_telling);
    json_signed(json, "exit_code", campaign->exit_code);
    json_text(json, "error", campaign->error);
    json_truth(json, "interrupted", campaign->interrupted);
    write_counters(json, campaign_counters, &campaign->count);
    if (campaign->has_first)
        json_number(json, "schedules_to_first_failure", campaign->schedules_to_first);
    else
        json_nothing(json, "schedules_to_first_failure");
    if (campaign->seconds_to_first > 0)
        json_fraction(json, "seconds_to_first_failure", campaign->seconds_to_first);
    else
        json_nothing(json, "seconds_to_first_failure");
    json_number(json, "failures", campaign->failures);
    write_coverage(json, &campaign->coverage);
    write_techniques(json, campaign);
    write_lists(json, campaign);
    json_end(json);
}

static void write_past(struct json_writer *json, const struct report_past *past)
{
    json_begin(json, NULL, '{');
    json_signed(json, "began", past->began);
    json_fraction(json, "seconds", past->seconds);
    json_text(json, "version", past->version);
    json_text(json, "strategy", past->strategy);
    json_signed(json, "seed", (int64_t)past->seed);
    write_counters(json, history_counters, &past->count);
    json_signed(json, "exit_code", past->exit_code);
    json_truth(json, "interrupted", past->interrupted);
    json_end(json);
}

static void write_failure(struct json_writer *json, const struct report_failure *failure)
{
    const struct failure *about = &failure->about;
    json_begin(json, NULL, '{');
    json_text(json, "name", failure->name);
    json_text(json, "path", about->path);
    json_text(json, "kind", about->kind);
    json_text(json, "site", about->site);
    json_text(json, "text", report_headline(failure));
    json_text(json, "key", about->key);
    json_text(json, "status", about->fixed ? "fixed" : "open");
    json_truth(json, "confirmed", about->confirmed);
    json_number(json, "count", failure->count);
    json_text(json, "strategy", about->strategy);
    json_signed(json, "seed", (int64_t)about->campaign_seed);
    json_number(json, "schedule", about->schedule_number);
    json_number(json, "preemptions", report_preemptions(failure));
    json_number(json, "preemptions_found", about->preemptions_found);
    json_number(json, "threads", about->threads);
    write_command(json, about->command);
    json_text(json, "stdout", failure->output);
    json_truth(json, "stdout_cut", failure->output_cut);
    json_text(json, "stderr", failure->errors);
    json_truth(json, "stderr_cut", failure->errors_cut);
    if (failure->has_tale)
        json_tale(json, "tale", &failure->tale);
    else
        json_nothing(json, "tale");
    json_end(json);
}

static void write_program(struct json_writer *json, const struct report_program *program)
{
    json_begin(json, NULL, '{');
    json_text(json, "name", program->name);
    json_text(json, "path", program->path);
    json_text(json, "status", report_status_name(report_status(program)));
    if (program->has_campaign)
        write_campaign(json, &program->campaign);
    else
        json_nothing(json, "campaign");
    json_begin(json, "history", '[');
    for (size_t i = 0; i < program->history.count; i++)
        write_past(json, &program->history.data[i]);
    json_end(json);
    json_begin(json, "failures", '[');
    for (size_t i = 0; i < program->failures.count; i++)
        write_failure(json, &program->failures.data[i]);
    json_end(json);
    json_end(json);
}

void report_json(const struct report *report, struct buffer *text)
{
    struct json_writer json = {.to = text, .indent = 1, .flat = 8};
    json_begin(&json, NULL, '{');
    json_text(&json, "format", "raddle report");
    json_number(&json, "version", REPORT_VERSION);
    json_text(&json, "raddle", RADDLE_VERSION);
    json_begin(&json, "programs", '[');
    for (size_t i = 0; i < report->programs.count; i++)
        write_program(&json, &report->programs.data[i]);
    json_end(&json);
    json_begin(&json, "problems", '[');
    for (size_t i = 0; i < report->problems.count; i++)
        json_text(&json, NULL, report->problems.data[i]);
    json_end(&json);
    json_end(&json);
}
