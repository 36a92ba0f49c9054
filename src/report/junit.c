/* SPDX-License-Identifier: MIT
 *
 * junit.c - the report as JUnit XML, for CI systems.
 *
 * DESIGN
 *   A program is a testsuite.  Its first testcase, "interleavings", is the last campaign: it always exists.  It is an error if the campaign
 *   could not run, is skipped if it showed failures, and fails only if one of them was not saved.  Each failure is a separate
 *   testcase, named by kind and place, so the name is the same from run to run; it passes once the failure is fixed.  One that several
 *   directories hold (failure_has_key) is counted once.
 *
 *   Characters that XML 1.0 does not allow are written as \xNN.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/formats.h"
#include "report/text.h"
#include "util/utf8.h"

static void add_xml(struct buffer *to, const char *text)
{
    size_t size = strlen(text);
    for (size_t i = 0, length; i < size; i += length) {
        uint32_t character = utf8_next(text + i, size - i, &length);
        switch (character) {
        case '<':
            buffer_add_string(to, "&lt;");
            break;
        case '>':
            buffer_add_string(to, "&gt;");
            break;
        case '&':
            buffer_add_string(to, "&amp;");
            break;
        case '"':
            buffer_add_string(to, "&quot;");
            break;
        case '\t':
        case '\n':
            buffer_add_char(to, (char)character);
            break;
        case 0xfffe:
        case 0xffff: /* not characters of XML */
            utf8_add(to, UTF8_REPLACEMENT);
            break;
        default:
            if (character < 0x20 || (character >= 0x7f && character < 0xa0))
                buffer_printf(to, "\\x%02x", (unsigned)character);
            else
                utf8_add(to, character);
        }
    }
}

/* ` name="text"`, in one line: an XML reader may replace line ends in attributes by blanks. */
static void add_attribute(struct buffer *to, const char *name, const char *text)
{
    struct buffer line = {0};
    report_add_line(&line, text);
    buffer_printf(to, " %s=\"", name);
    add_xml(to, buffer_text(&line));
    buffer_add_char(to, '"');
    buffer_free(&line);
}

static void add_property(struct buffer *to, const char *name, const char *value)
{
    buffer_add_string(to, "      <property");
    add_attribute(to, "name", name);
    add_attribute(to, "value", value);
    buffer_add_string(to, "/>\n");
}

static void add_number_property(struct buffer *to, const char *name, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    add_property(to, name, text);
}

static void add_properties(const struct report_program *program, struct buffer *to)
{
    const struct report_campaign *campaign = &program->campaign;
    if (!program->has_campaign)
        return;
    char *command = report_command(campaign->command);
    buffer_add_string(to, "    <properties>\n");
    add_property(to, "command", command);
    add_property(to, "strategy", campaign->strategy);
    add_number_property(to, "seed", campaign->seed);
    add_number_property(to, "schedules", campaign->count.schedules);
    add_number_property(to, "warnings", campaign->warnings.count);
    if (campaign->coverage.measured) {
        char chance[32];
        snprintf(chance, sizeof chance, "%.6g", campaign->coverage.chance_of_new);
        add_number_property(to, "covered", report_covered(&campaign->coverage));
        add_number_property(to, "open", report_open(&campaign->coverage));
        add_property(to, "chance_of_new", chance);
    }
    buffer_add_string(to, "    </properties>\n");
    free(command);
}

static void add_element(struct buffer *to, const char *name, const char *text)
{
    if (text[0] == '\0')
        return;
    buffer_printf(to, "      <%s>", name);
    add_xml(to, text);
    buffer_printf(to, "</%s>\n", name);
}

static void begin_case(const struct report_program *program, const char *name, double seconds, struct buffer *to)
{
    char *class = memory_format("raddle.%s", program->name);
    buffer_add_string(to, "    <testcase");
    add_attribute(to, "classname", class);
    add_attribute(to, "name", name);
    buffer_printf(to, " time=\"%.3f\">\n", seconds);
    free(class);
}

/* Where a campaign has failures, each is a testcase of its own, so that failures are counted once. */
static bool is_skipped(enum report_status status)
{
    return status == REPORT_FAILED || status == REPORT_UNKNOWN;
}

/* The testcase of the campaign. */
static void add_campaign(const struct report_program *program, struct buffer *to)
{
    enum report_status status = report_status(program);
    char *verdict = report_verdict(program);
    struct buffer warnings = {0};
    begin_case(program, "interleavings", program->has_campaign ? program->campaign.seconds : 0, to);
    if (status == REPORT_ERROR) {
        buffer_add_string(to, "      <error type=\"campaign\"");
        add_attribute(to, "message", verdict);
        buffer_add_string(to, "/>\n");
    } else if (report_fails_by_itself(program)) {
        buffer_add_string(to, "      <failure type=\"failures\"");
        add_attribute(to, "message", verdict);
        buffer_add_string(to, "/>\n");
    } else if (is_skipped(status)) {
        buffer_add_string(to, "      <skipped");
        add_attribute(to, "message", status == REPORT_FAILED ? verdict : "there was no campaign");
        buffer_add_string(to, "/>\n");
    }
    for (size_t i = 0; program->has_campaign && i < program->campaign.warnings.count; i++)
        buffer_printf(&warnings, "warning: %s\n", program->campaign.warnings.data[i].text);
    add_element(to, "system-out", buffer_text(&warnings));
    buffer_add_string(to, "    </testcase>\n");
    buffer_free(&warnings);
    free(verdict);
}

/* "assert at bank.c:42", with a number if an earlier failure has the same name. */
static char *case_name(const struct report_program *program, size_t index)
{
    const struct failure *about = &program->failures.data[index].about;
    bool twice = false;
    for (size_t i = 0; i < index; i++) {
        const struct failure *other = &program->failures.data[i].about;
        twice |= strcmp(other->kind, about->kind) == 0 &&
                 strcmp(other->site ? other->site : "", about->site ? about->site : "") == 0;
    }
    return memory_format("%s%s%s%s%s%s", about->kind, about->site ? " at " : "", about->site ? about->site : "",
                         twice ? " (" : "", twice ? program->failures.data[index].name : "", twice ? ")" : "");
}

static void add_failure(const struct report_program *program, size_t index, struct buffer *to)
{
    const struct report_failure *failure = &program->failures.data[index];
    char *name = case_name(program, index), *story = report_story(failure);
    begin_case(program, name, 0, to);
    if (!failure->about.fixed) {
        char *path = text_quoted(failure->about.path);
        buffer_add_string(to, "      <failure");
        add_attribute(to, "type", failure->about.kind);
        add_attribute(to, "message", report_headline(failure));
        buffer_add_string(to, ">\n");
        add_xml(to, story);
        buffer_add_string(to, "\nraddle replay ");
        add_xml(to, path);
        free(path);
        buffer_add_string(to, "\n</failure>\n");
        add_element(to, "system-out", failure->output);
        add_element(to, "system-err", failure->errors);
    } else {
        add_element(to, "system-out", "fixed\n");
    }
    buffer_add_string(to, "    </testcase>\n");
    free(name);
    free(story);
}

static size_t count_failures(const struct report_program *program)
{
    size_t count = report_fails_by_itself(program);
    for (size_t i = 0; i < program->failures.count; i++)
        count += !program->failures.data[i].about.fixed && !report_is_repeated(program, i);
    return count;
}

static void add_suite(const struct report_program *program, struct buffer *to)
{
    char when[32] = "";
    enum report_status status = report_status(program);
    buffer_add_string(to, "  <testsuite");
    add_attribute(to, "name", program->name);
    buffer_printf(to, " tests=\"%zu\" failures=\"%zu\" errors=\"%d\" skipped=\"%d\" time=\"%.3f\"",
                  report_count_tests(program), count_failures(program), status == REPORT_ERROR,
                  is_skipped(status) && !report_fails_by_itself(program),
                  program->has_campaign ? program->campaign.seconds : 0);
    if (program->has_campaign)
        report_time(program->campaign.began, when, sizeof when);
    if (when[0] != '\0')
        add_attribute(to, "timestamp", when);
    buffer_add_string(to, ">\n");
    add_properties(program, to);
    add_campaign(program, to);
    for (size_t i = 0; i < program->failures.count; i++)
        if (!report_is_repeated(program, i))
            add_failure(program, i, to);
    buffer_add_string(to, "  </testsuite>\n");
}

void report_junit(const struct report *report, struct buffer *text)
{
    size_t tests = 0, failures = 0, errors = 0;
    double seconds = 0;
    for (size_t i = 0; i < report->programs.count; i++) {
        const struct report_program *program = &report->programs.data[i];
        tests += report_count_tests(program);
        failures += count_failures(program);
        errors += report_status(program) == REPORT_ERROR;
        seconds += program->has_campaign ? program->campaign.seconds : 0;
    }
    buffer_add_string(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    buffer_printf(text, "<testsuites name=\"raddle\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" time=\"%.3f\">\n",
                  tests, failures, errors, seconds);
    for (size_t i = 0; i < report->programs.count; i++)
        add_suite(&report->programs.data[i], text);
    buffer_add_string(text, "</testsuites>\n");
}
