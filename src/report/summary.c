/* SPDX-License-Identifier: MIT
 *
 * summary.c - the report on the terminal: per program what the last campaign did, what is covered, and each failure.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/formats.h"
#include "report/text.h"
#include "trace/finding_groups.h"

enum { LABEL = 15 };

static void add_label(struct buffer *text, const char *label)
{
    buffer_printf(text, "  %-*s", LABEL, label);
}

static void add_campaign(const struct report_campaign *campaign, struct buffer *text)
{
    char when[32];
    report_time(campaign->began, when, sizeof when);
    if (when[0] != '\0')
        when[10] = ' ';
    add_label(text, "last campaign");
    buffer_printf(text, "%s%s%" PRIu64 " schedule%s in %.2f s, strategy ", when, when[0] != '\0' ? " UTC: " : "",
                  campaign->count.schedules, report_plural(campaign->count.schedules), campaign->seconds);
    report_add_line(text, campaign->strategy);
    buffer_printf(text, ", seed %" PRIu64 "%s\n", campaign->seed, campaign->interrupted ? ", interrupted" : "");
    if (campaign->count.exhausted > 0) {
        add_label(text, "");
        buffer_printf(text, "all schedules have been tried: there are %" PRIu64 "\n", campaign->count.exhausted);
    }
    for (const struct campaign_counter *counter = campaign_counters; counter->name != NULL; counter++) {
        uint64_t value = counter_value(&campaign->count, counter);
        if (counter->words == NULL || value == 0)
            continue;
        add_label(text, "");
        buffer_printf(text, "%" PRIu64 " %s\n", value, counter->words);
    }
    if (campaign->error != NULL) {
        add_label(text, "problem");
        report_add_line(text, campaign->error);
        buffer_add_char(text, '\n');
    }
}

static void add_coverage(const struct report_coverage *coverage, struct buffer *text)
{
    if (!coverage->measured)
        return;
    add_label(text, "coverage");
    for (size_t i = 0; i < coverage->families.count; i++) {
        const struct report_count *count = &coverage->families.data[i].count;
        report_add_line(text, count->name);
        buffer_printf(text, "s %" PRIu64 " of %" PRIu64 " (%.1f%%", count->covered, count->covered + count->open,
                      report_share(count) * 100);
        if (count->impossible > 0)
            buffer_printf(text, "; %" PRIu64 " more are impossible", count->impossible);
        if (count->estimate.known && count->estimate.total > 0)
            buffer_printf(text, "; %.2f%% of T_C", (double)count->estimate.covered / count->estimate.total * 100);
        buffer_add_string(text, "), ");
    }
    buffer_printf(text, "chance that the next schedule covers a new one %.1f%%%s\n", coverage->chance_of_new * 100,
                  coverage->saturated ? " (saturated)" : "");
}

static void add_shares(const struct report_campaign *campaign, struct buffer *text)
{
    struct buffer line = {0};
    for (size_t i = 0; i < campaign->shares.count; i++) {
        const struct report_share *share = &campaign->shares.data[i];
        if (share->schedules == 0)
            continue;
        buffer_add_string(&line, line.size > 0 ? ", " : "");
        report_add_line(&line, share->strategy);
        buffer_printf(&line, " %" PRIu64 " (%" PRIu64 " new)", share->schedules, share->newly_covered);
    }
    if (line.size > 0) {
        add_label(text, "strategies");
        buffer_printf(text, "%s\n", buffer_text(&line));
    }
    buffer_free(&line);
}

static void add_limits(const struct report_campaign *campaign, struct buffer *text)
{
    if (campaign->uncontrolled.count > 0) {
        add_label(text, "not controlled");
        for (size_t i = 0; i < campaign->uncontrolled.count; i++) {
            buffer_add_string(text, i > 0 ? ", " : "");
            report_add_line(text, campaign->uncontrolled.data[i].name);
            buffer_printf(text, " (%" PRIu64 ")", campaign->uncontrolled.data[i].count);
        }
        buffer_add_char(text, '\n');
    }
    if (campaign->limits.count > 0) {
        add_label(text, "limits");
        for (size_t i = 0; i < campaign->limits.count; i++) {
            buffer_add_string(text, i > 0 ? ", " : "");
            report_add_line(text, campaign->limits.data[i]);
        }
        buffer_add_char(text, '\n');
    }
}

static void add_warnings(const struct report_campaign *campaign, struct buffer *text)
{
    VECTOR(struct warning_item) items = {0};
    struct buffer lines = {0};
    for (size_t i = 0; i < campaign->warnings.count; i++) {
        const struct report_warning *warning = &campaign->warnings.data[i];
        vector_push(&items, (struct warning_item){warning->kind, warning->text, warning->variable, warning->schedule,
                                                  warning->count});
    }
    finding_groups_print(items.data, items.count, WARNING_LINES, "; --json and --html have all", &lines);
    for (const char *line = buffer_text(&lines); *line != '\0'; line = strchr(line, '\n') + 1) {
        char *one = strndup(line, strcspn(line, "\n"));
        add_label(text, line == buffer_text(&lines) ? "warnings" : "");
        report_add_line(text, one);
        buffer_add_char(text, '\n');
        free(one);
    }
    buffer_free(&lines);
    vector_free(&items);
}

static void add_cause(const struct tale_cause *cause, struct buffer *text)
{
    if (cause->pattern == NULL && cause->sentence == NULL)
        return;
    add_label(text, "");
    buffer_add_string(text, "cause: ");
    if (cause->statement != NULL) {
        report_add_line(text, cause->statement);
        buffer_add_char(text, '\n');
        add_label(text, "");
    }
    if (cause->pattern != NULL) {
        buffer_printf(text, "%s%s", cause->family != NULL ? cause->family : "", cause->family != NULL ? " " : "");
        report_add_line(text, cause->pattern);
    }
    if (cause->second != NULL) {
        buffer_printf(text, " %s ", tale_cause_word(cause));
        report_add_line(text, cause->second);
    }
    if (cause->pattern != NULL && cause->sentence != NULL) {
        buffer_add_char(text, '\n');
        add_label(text, "");
    }
    if (cause->sentence != NULL)
        report_add_line(text, cause->sentence);
    buffer_add_char(text, '\n');
}

static void add_failure(const struct report_failure *failure, struct buffer *text)
{
    const struct failure *about = &failure->about;
    uint32_t preemptions = report_preemptions(failure);
    add_label(text, failure->name);
    buffer_printf(text, "%s: ", about->fixed ? "fixed" : "open");
    report_add_line(text, report_headline(failure));
    buffer_add_char(text, '\n');
    add_label(text, "");
    buffer_printf(text, "%u preemption%s", preemptions, report_plural(preemptions));
    if (about->preemptions_found > preemptions)
        buffer_printf(text, " (found with %u)", about->preemptions_found);
    buffer_printf(text, ", %u thread%s", about->threads, report_plural(about->threads));
    if (about->schedule_number > 0 && about->strategy != NULL)
        buffer_printf(text, ", found in schedule %" PRIu64 " by %s", about->schedule_number, about->strategy);
    if (failure->count > 0)
        buffer_printf(text, ", in %" PRIu64 " schedule%s of the last campaign", failure->count,
                      report_plural(failure->count));
    buffer_printf(text, "%s\n", about->confirmed ? "" : "; it did not replay the same");
    if (failure->has_tale)
        add_cause(&failure->tale.cause, text);
    add_label(text, "");
    buffer_add_string(text, "raddle replay ");
    buffer_add_quoted(text, about->path);
    buffer_add_char(text, '\n');
}

static void add_program(const struct report_program *program, struct buffer *text)
{
    char *verdict = report_verdict(program);
    report_add_line(text, program->name);
    buffer_add_string(text, ": ");
    report_add_line(text, verdict);
    buffer_add_char(text, '\n');
    free(verdict);
    if (program->has_campaign) {
        const struct report_campaign *campaign = &program->campaign;
        char *command = report_command(campaign->command);
        add_label(text, "program");
        report_add_line(text, command);
        buffer_printf(text, "   (%" PRIu64 " thread%s, %" PRIu64 " shared site%s, %" PRIu64 " lock%s)\n",
                      campaign->count.threads, report_plural(campaign->count.threads), campaign->coverage.shared_sites,
                      report_plural(campaign->coverage.shared_sites), campaign->count.locks,
                      report_plural(campaign->count.locks));
        free(command);
        add_campaign(campaign, text);
        add_coverage(&campaign->coverage, text);
        add_shares(campaign, text);
        add_limits(campaign, text);
        add_warnings(campaign, text);
    }
    for (size_t i = 0; i < program->failures.count; i++)
        add_failure(&program->failures.data[i], text);
}

void report_summary(const struct report *report, struct buffer *text)
{
    for (size_t i = 0; i < report->programs.count; i++) {
        if (i > 0)
            buffer_add_char(text, '\n');
        add_program(&report->programs.data[i], text);
    }
}
