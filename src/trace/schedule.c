/* SPDX-License-Identifier: MIT
 *
 * schedule.c - writing schedules as text and reading them back, defensively.
 */
#include "trace/schedule.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "util/file.h"
#include "util/hash.h"

#define SCHEDULE_MAGIC "raddle schedule"

/* The plan's flags that belong to a schedule, by name. */
static const struct {
    const char *name;
    uint32_t flag;
} flag_names[] = {
    {"spurious", PLAN_SPURIOUS},
    {"races", PLAN_RACES},
    {"heap", PLAN_HEAP},
    {"misuse", PLAN_MISUSE},
    {"race-fails", PLAN_RACE_FAILS},
    {"all-visible", PLAN_ALL_VISIBLE},
    {"then-random", PLAN_THEN_RANDOM},
    {"lock-order", PLAN_LOCK_ORDER},
    {"patient", PLAN_PATIENT},
    {"leaks", PLAN_LEAKS},
    {"only-read", PLAN_ONLY_READ},
    {"same-heap", PLAN_SAME_HEAP},
    {"transitions", PLAN_TRANSITIONS},
};
enum { FLAG_NAMES = sizeof flag_names / sizeof flag_names[0] };

void schedule_write(const struct schedule *schedule, const char *comment, struct buffer *text)
{
    assert(text != NULL);
    buffer_printf(text, SCHEDULE_MAGIC " %d\n", SCHEDULE_VERSION);
    if (comment != NULL)
        buffer_printf(text, "# %s\n", comment);
    buffer_add_string(text, "flags");
    for (int i = 0; i < FLAG_NAMES; i++)
        if (schedule->flags & flag_names[i].flag)
            buffer_printf(text, " %s", flag_names[i].name);
    buffer_printf(text, "\nmax-steps %" PRIu64 "\nseed %" PRIu64 "\nearly-timeouts %u\n", schedule->max_steps,
                  schedule->seed, schedule->early_timeouts);
    for (size_t i = 0; i < schedule->steps.count; i++) {
        const struct wire_step *step = &schedule->steps.data[i];
        if (step->type == STEP_CHOICE)
            buffer_printf(text, "choose %u %" PRIu64 " %u\n", step->task, step->until, step->value);
        else if (step->until == UINT64_MAX)
            buffer_printf(text, "run %u end%s\n", step->task, step->value ? " preempted" : "");
        else
            buffer_printf(text, "run %u %" PRIu64 "%s\n", step->task, step->until, step->value ? " preempted" : "");
    }
    buffer_printf(text, "steps %zu\n", schedule->steps.count);
}

/* ---- reading -------------------------------------------------------------------------------------------------------- */

struct schedule_reader {
    const char *name;
    const char *next, *end; /* the rest of the file */
    unsigned line;
    const char *word, *line_end; /* the rest of the current line */
};

static bool complain(const struct schedule_reader *reader, struct error *error, const char *what)
{
    if (reader->next == reader->end && reader->end[-1] != '\n') /* end > start here, because there is a current line */
        return error_set(error, EXIT_USAGE, "%s is truncated in line %u", reader->name, reader->line);
    return error_set(error, EXIT_USAGE, "%s:%u: %s", reader->name, reader->line, what);
}

/* Goes to the next line that is not empty or a comment; false at the end. */
static bool next_line(struct schedule_reader *reader)
{
    while (reader->next < reader->end) {
        const char *newline = memchr(reader->next, '\n', (size_t)(reader->end - reader->next));
        reader->word = reader->next;
        reader->line_end = newline != NULL ? newline : reader->end;
        reader->next = newline != NULL ? newline + 1 : reader->end;
        reader->line++;
        if (reader->line_end > reader->word && reader->line_end[-1] == '\r')
            reader->line_end--;
        if (reader->word < reader->line_end && *reader->word != '#')
            return true;
    }
    return false;
}

static void skip_blanks(struct schedule_reader *reader)
{
    while (reader->word < reader->line_end && (*reader->word == ' ' || *reader->word == '\t'))
        reader->word++;
}

static bool at_line_end(struct schedule_reader *reader)
{
    skip_blanks(reader);
    return reader->word == reader->line_end;
}

/* Takes the next word of the line if it is `text`. */
static bool take_word(struct schedule_reader *reader, const char *text)
{
    skip_blanks(reader);
    size_t length = strlen(text), left = (size_t)(reader->line_end - reader->word);
    if (left < length || memcmp(reader->word, text, length) != 0)
        return false;
    if (left > length && reader->word[length] != ' ' && reader->word[length] != '\t')
        return false;
    reader->word += length;
    return true;
}

static bool take_number(struct schedule_reader *reader, uint64_t limit, uint64_t *number)
{
    skip_blanks(reader);
    const char *begin = reader->word;
    uint64_t value = 0;
    while (reader->word < reader->line_end && *reader->word >= '0' && *reader->word <= '9') {
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(*reader->word - '0'), &value))
            return false;
        reader->word++;
    }
    bool ends = reader->word == reader->line_end || *reader->word == ' ' || *reader->word == '\t';
    *number = value;
    return reader->word > begin && ends && value <= limit;
}

static bool read_header(struct schedule_reader *reader, struct error *error)
{
    uint64_t version;
    if (!next_line(reader) || !take_word(reader, "raddle") || !take_word(reader, "schedule"))
        return error_set(error, EXIT_USAGE,
                         "%s is not a schedule of raddle: its first line must be '" SCHEDULE_MAGIC " %d'", reader->name,
                         SCHEDULE_VERSION);
    if (!take_number(reader, UINT32_MAX, &version) || !at_line_end(reader))
        return complain(reader, error, "the version of the format is missing");
    if (version != SCHEDULE_VERSION)
        return error_set(error, EXIT_USAGE,
                         "%s has version %" PRIu64
                         " of the schedule format, this raddle reads version %d; use the raddle "
                         "that wrote it, or find the failure again with 'raddle run'",
                         reader->name, version, SCHEDULE_VERSION);
    return true;
}

static bool read_flags(struct schedule_reader *reader, struct schedule *schedule, struct error *error)
{
    while (!at_line_end(reader)) {
        int i = 0;
        while (i < FLAG_NAMES && !take_word(reader, flag_names[i].name))
            i++;
        if (i == FLAG_NAMES)
            return complain(reader, error, "unknown flag");
        schedule->flags |= flag_names[i].flag;
    }
    return true;
}

/* The one number of a header line. */
static bool read_setting(struct schedule_reader *reader, uint64_t limit, uint64_t *number, struct error *error)
{
    if (take_number(reader, limit, number) && at_line_end(reader))
        return true;
    return complain(reader, error, "expected one number after the name");
}

static bool read_run(struct schedule_reader *reader, struct schedule *schedule, struct error *error)
{
    struct wire_step step = {.type = STEP_RUN, .until = UINT64_MAX};
    uint64_t task;
    if (!take_number(reader, WIRE_TASKS - 1, &task))
        return complain(reader, error, "expected 'run TASK OPERATION', with a thread number below 4096");
    if (!take_word(reader, "end") && !take_number(reader, UINT64_MAX - 1, &step.until))
        return complain(reader, error, "expected 'run TASK OPERATION' or 'run TASK end'");
    step.task = (uint16_t)task;
    step.value = take_word(reader, "preempted");
    if (!at_line_end(reader))
        return complain(reader, error, "too much after 'run TASK OPERATION'");
    vector_push(&schedule->steps, step);
    return true;
}

static bool read_choice(struct schedule_reader *reader, struct schedule *schedule, struct error *error)
{
    uint64_t task, operation, value;
    if (!take_number(reader, WIRE_TASKS - 1, &task) || !take_number(reader, UINT64_MAX, &operation) ||
        !take_number(reader, UINT32_MAX, &value) || !at_line_end(reader))
        return complain(reader, error, "expected 'choose TASK OPERATION VALUE'");
    vector_push(
        &schedule->steps,
        (struct wire_step){.type = STEP_CHOICE, .task = (uint16_t)task, .value = (uint32_t)value, .until = operation});
    return true;
}

/* The last line: everything before it is complete. */
static bool read_end(struct schedule_reader *reader, struct schedule *schedule, struct error *error)
{
    uint64_t count;
    if (!take_number(reader, UINT64_MAX, &count) || !at_line_end(reader))
        return complain(reader, error, "expected 'steps NUMBER'");
    if (count != schedule->steps.count)
        return error_set(error, EXIT_USAGE,
                         "%s:%u: there should be %" PRIu64 " steps but there are %zu: the file is damaged",
                         reader->name, reader->line, count, schedule->steps.count);
    if (next_line(reader))
        return complain(reader, error, "something follows the end of the schedule");
    return true;
}

static bool read_steps(struct schedule_reader *reader, struct schedule *schedule, struct error *error)
{
    while (next_line(reader)) {
        bool good;
        if (schedule->steps.count > WIRE_STEPS)
            return complain(reader, error, "the schedule is longer than raddle can replay");
        if (take_word(reader, "run"))
            good = read_run(reader, schedule, error);
        else if (take_word(reader, "choose"))
            good = read_choice(reader, schedule, error);
        else if (take_word(reader, "flags"))
            good = read_flags(reader, schedule, error);
        else if (take_word(reader, "max-steps"))
            good = read_setting(reader, UINT64_MAX, &schedule->max_steps, error);
        else if (take_word(reader, "seed"))
            good = read_setting(reader, UINT64_MAX, &schedule->seed, error);
        else if (take_word(reader, "early-timeouts")) {
            uint64_t early = 0;
            good = read_setting(reader, 65536, &early, error);
            schedule->early_timeouts = (uint32_t)early;
        } else if (take_word(reader, "steps"))
            return read_end(reader, schedule, error);
        else
            good = complain(reader, error, "expected 'run', 'choose' or 'steps' at the beginning of the line");
        if (!good)
            return false;
    }
    return error_set(error, EXIT_USAGE, "%s is truncated: its last line, 'steps NUMBER', is missing", reader->name);
}

bool schedule_parse(struct schedule *schedule, const char *name, const char *text, size_t size, struct error *error)
{
    struct schedule_reader reader = {.name = name, .next = text, .end = text + size};
    *schedule = (struct schedule){0};
    if (read_header(&reader, error) && read_steps(&reader, schedule, error))
        return true;
    schedule_free(schedule);
    return false;
}

bool schedule_read(struct schedule *schedule, const char *path, struct error *error)
{
    struct buffer text = {0};
    bool good = file_read(path, SCHEDULE_LIMIT, &text, error) &&
                schedule_parse(schedule, path, buffer_text(&text), text.size, error);
    buffer_free(&text);
    return good;
}

void schedule_copy(struct schedule *to, const struct schedule *from)
{
    assert(to != from);
    *to = *from;
    to->steps.data = NULL;
    to->steps.count = to->steps.capacity = 0;
    vector_append(&to->steps, from->steps.data, from->steps.count);
}

void schedule_free(struct schedule *schedule)
{
    vector_free(&schedule->steps);
}

uint32_t schedule_preemptions(const struct wire_step *steps, size_t count)
{
    assert(steps != NULL || count == 0);
    uint32_t preemptions = 0;
    for (size_t i = 0; i < count; i++)
        preemptions += steps[i].type == STEP_RUN && steps[i].value != 0;
    return preemptions;
}

uint64_t schedule_hash(const struct wire_step *steps, size_t count)
{
    uint64_t hash = count;
    for (size_t i = 0; i < count; i++) {
        hash = hash_combine(hash, steps[i].until);
        hash = hash_combine(hash, (uint64_t)steps[i].type << 48 | (uint64_t)steps[i].task << 32 |
                                      (steps[i].type == STEP_CHOICE ? steps[i].value : 0));
    }
    return hash;
}
