/* SPDX-License-Identifier: MIT
 *
 * text.c - sentences that several formats share.
 */
#include "report/text.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "util/utf8.h"

enum report_status report_status(const struct report_program *program)
{
    const struct report_campaign *campaign = &program->campaign;
    if (report_count_open(program) > 0 || (program->has_campaign && campaign->exit_code == EXIT_BUG_FOUND))
        return REPORT_FAILED;
    if (!program->has_campaign)
        return REPORT_UNKNOWN;
    return campaign->exit_code == EXIT_NOTHING_FOUND ? REPORT_PASSED : REPORT_ERROR;
}

bool report_is_repeated(const struct report_program *program, size_t index)
{
    const struct failure *about = &program->failures.data[index].about;
    bool repeated = false;
    for (size_t i = 0; i < index && !repeated && !about->fixed; i++)
        repeated =
            !program->failures.data[i].about.fixed && failure_has_key(&program->failures.data[i].about, about->key);
    return repeated;
}

bool report_fails_by_itself(const struct report_program *program)
{
    return report_status(program) == REPORT_FAILED && report_count_open(program) == 0;
}

size_t report_count_tests(const struct report_program *program)
{
    size_t count = 1;
    for (size_t i = 0; i < program->failures.count; i++)
        count += !report_is_repeated(program, i);
    return count;
}

const char *report_status_name(enum report_status status)
{
    static const char *const names[] = {"passed", "failed", "error", "unknown"};
    return names[status];
}

const char *report_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* ---- lines ---------------------------------------------------------------------------------------------------------------- */

static void add_clean(struct buffer *buffer, const char *text, bool one_line)
{
    size_t size = strlen(text);
    for (size_t i = 0, length; i < size; i += length) {
        uint32_t character = utf8_next(text + i, size - i, &length);
        if (character == '\n' || character == '\t')
            buffer_add_char(buffer, one_line ? ' ' : (char)character);
        else if (character < 0x20 || (character >= 0x7f && character < 0xa0))
            buffer_printf(buffer, "\\x%02x", (unsigned)character);
        else if (character == 0x2028 || character == 0x2029) /* some readers take these for line ends */
            buffer_add_char(buffer, ' ');
        else
            utf8_add(buffer, character);
    }
}

void report_add_line(struct buffer *buffer, const char *text)
{
    assert(text != NULL);
    add_clean(buffer, text, true);
}

void report_add_plain(struct buffer *buffer, const char *text)
{
    assert(text != NULL);
    add_clean(buffer, text, false);
}

/* ---- sentences ------------------------------------------------------------------------------------------------------------ */

static char *tell(const struct tale *tale)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL)
        return NULL;
    tale_print(tale, stream, 0, false);
    if (fclose(stream) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

uint32_t report_preemptions(const struct report_failure *failure)
{
    return failure->has_tale ? failure->tale.preemptions : failure->about.preemptions;
}

char *report_story(const struct report_failure *failure)
{
    char *told = failure->has_tale ? tell(&failure->tale) : NULL;
    if (told != NULL)
        return told;
    const struct failure *about = &failure->about;
    char *path = text_quoted(about->path);
    char *text =
        memory_format("%s\n%u preemption%s, %u thread%s; there is no tale of it, this makes one: raddle explain %s\n",
                      report_headline(failure), about->preemptions, report_plural(about->preemptions), about->threads,
                      report_plural(about->threads), path);
    free(path);
    return text;
}

char *report_verdict(const struct report_program *program)
{
    const struct report_campaign *campaign = &program->campaign;
    size_t open = report_count_open(program);
    if (!program->has_campaign)
        return memory_format("%zu open failure%s, no campaign", open, report_plural(open));
    if (report_status(program) == REPORT_ERROR)
        return memory_format("%s", campaign->error != NULL ? campaign->error : "the campaign could not do its work");
    if (campaign->failures == 0 && open > 0)
        return memory_format("nothing in %" PRIu64 " schedule%s, but %zu failure%s of earlier campaigns open",
                             campaign->count.schedules, report_plural(campaign->count.schedules), open,
                             open == 1 ? " is" : "s are");
    return memory_format("%s%" PRIu64 " failure%s in %" PRIu64 " schedule%s",
                         campaign->interrupted ? "interrupted: " : "", campaign->failures,
                         report_plural(campaign->failures), campaign->count.schedules,
                         report_plural(campaign->count.schedules));
}

void report_thread_name(const struct tale *tale, uint32_t thread, struct buffer *text)
{
    const char *name = thread < tale->threads.count ? tale->threads.data[thread].name : "";
    buffer_printf(text, "T%" PRIu32, thread);
    if (name != NULL && name[0] != '\0')
        buffer_printf(text, " %s", name);
}

void report_event_text(const struct tale_event *event, struct buffer *text)
{
    struct buffer words = {0};
    tale_add_text(event, &words);
    const char *from = buffer_text(&words);
    for (size_t i = 0; from[i] != '\0'; i++)
        if (from[i] != ' ' || (from[i + 1] != ' ' && from[i + 1] != '\0'))
            buffer_add_char(text, from[i]);
    buffer_free(&words);
}

void report_time(int64_t seconds, char *text, size_t size)
{
    time_t when = (time_t)seconds;
    struct tm parts;
    text[0] = '\0';
    if (seconds > 0 && gmtime_r(&when, &parts) != NULL && strftime(text, size, "%Y-%m-%dT%H:%M:%S", &parts) == 0)
        text[0] = '\0';
}
