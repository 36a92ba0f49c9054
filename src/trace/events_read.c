/* SPDX-License-Identifier: MIT
 *
 * events_read.c - reads and compares event logs.  A log is not trusted: every field is checked.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "trace/events.h"
#include "util/buffer.h"
#include "util/vector.h"

const struct event_flag event_flags[] = {
    {EVENT_TIMEOUT, "timeout"},     {EVENT_FAILED, "failed"},   {EVENT_VALUE, "value"},
    {EVENT_VOLATILE, "volatile"},   {EVENT_READING, "reading"}, {EVENT_SIGNALLED, "signalled"},
    {EVENT_UNCHANGED, "unchanged"}, {EVENT_PART, "part"},
};
const uint32_t event_flag_count = sizeof event_flags / sizeof event_flags[0];

/* ---- fields ------------------------------------------------------------------------------------------------------ */

enum { FIELDS = 10 };

/* Decimal digits only, at most `limit`. */
static bool parse_number(const char *text, uint64_t limit, uint64_t *number)
{
    uint64_t value = 0;
    if (text[0] == '\0' || (text[0] == '0' && text[1] != '\0'))
        return false;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9' || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(*text - '0'), &value) || value > limit)
            return false;
    }
    *number = value;
    return true;
}

static bool parse_small(const char *text, uint32_t limit, uint32_t *number)
{
    uint64_t value;
    if (!parse_number(text, limit, &value))
        return false;
    *number = (uint32_t)value;
    return true;
}

static bool parse_flags(char *text, uint32_t *flags)
{
    *flags = 0;
    if (strcmp(text, "-") == 0)
        return true;
    char *rest = NULL;
    for (char *word = strtok_r(text, ",", &rest); word != NULL; word = strtok_r(NULL, ",", &rest)) {
        uint32_t i = 0;
        while (i < event_flag_count && strcmp(word, event_flags[i].name) != 0)
            i++;
        if (i == event_flag_count || (*flags & event_flags[i].flag))
            return false;
        *flags |= event_flags[i].flag;
    }
    return *flags != 0;
}

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decodes \xNN, in place.  False for any other backslash, for control characters and for \x00. */
static bool parse_text(char *text)
{
    char *to = text;
    if (text[0] == '\0')
        return false;
    for (const char *from = text; *from != '\0';) {
        if ((unsigned char)*from < ' ')
            return false;
        if (*from != '\\') {
            *to++ = *from++;
            continue;
        }
        int high = from[1] == 'x' ? digit(from[2]) : -1;
        int low = high >= 0 ? digit(from[3]) : -1;
        if (low < 0 || high * 16 + low == 0)
            return false;
        *to++ = (char)(high * 16 + low);
        from += 4;
    }
    *to = '\0';
    return true;
}

static int split_fields(char *line, char *fields[FIELDS + 1])
{
    int count = 0;
    char *rest = line;
    while (rest != NULL && count <= FIELDS)
        fields[count++] = strsep(&rest, "\t");
    return count;
}

/* What is wrong with the line; NULL if nothing. */
static const char *parse_line(char *text, uint64_t expected, struct event_line *line)
{
    char *fields[FIELDS + 1];
    if (split_fields(text, fields) != FIELDS)
        return "does not have 10 fields separated by tabs";
    if (!parse_number(fields[0], UINT64_MAX, &line->number) || line->number != expected)
        return "does not have the next number";
    if (fields[1][0] != 'T' || !parse_small(fields[1] + 1, WIRE_TASKS - 1, &line->task))
        return "names no task";
    if (!parse_number(fields[2], UINT64_MAX, &line->operation))
        return "has no operation number";
    line->op = event_op_by_name(fields[3]);
    if (line->op == WIRE_OP_COUNT)
        return "has an unknown operation";
    if (!parse_small(fields[5], UINT32_MAX, &line->size))
        return "has no size";
    if (!parse_flags(fields[7], &line->flags))
        return "has unknown flags";
    if (!parse_text(fields[4]) || !parse_text(fields[6]) || !parse_text(fields[8]) || !parse_text(fields[9]))
        return "has a text with wrong characters";
    line->object = fields[4];
    line->value = fields[6];
    line->function = fields[8];
    line->site = fields[9];
    return NULL;
}

/* ---- the whole log ----------------------------------------------------------------------------------------------- */

static bool read_all(FILE *in, const char *name, struct buffer *text, struct error *error)
{
    size_t got;
    do {
        buffer_reserve(text, 1 << 16);
        got = fread(text->data + text->size, 1, 1 << 16, in);
        text->size += got;
        if (text->size > EVENTS_LIMIT)
            return error_set(error, EXIT_USAGE, "%s: too large for an event log", name);
    } while (got > 0);
    text->data[text->size] = '\0';
    if (ferror(in))
        return error_set(error, EXIT_USAGE, "%s: cannot be read: %s", name, strerror(errno));
    if (memchr(text->data, '\0', text->size) != NULL)
        return error_set(error, EXIT_USAGE, "%s: not an event log: it has zero bytes", name);
    return true;
}

static bool parse_header(const char *line, const char *name, bool *cut, struct error *error)
{
    *cut = strcmp(line, EVENTS_HEADER_CUT) == 0;
    if (*cut || strcmp(line, EVENTS_HEADER) == 0)
        return true;
    if (strncmp(line, "raddle events ", strlen("raddle events ")) == 0)
        return error_set(error, EXIT_USAGE, "%s: an event log of another version of raddle (\"%.40s\", not \"%s\")",
                         name, line, EVENTS_HEADER);
    return error_set(error, EXIT_USAGE, "%s: not an event log: the first line is not \"%s\"", name, EVENTS_HEADER);
}

struct events_parser {
    VECTOR(struct event_line) lines;
    uint64_t left_out; /* by the line `cut` */
    bool cut, ended;
};

static bool is_digest(const char *text)
{
    size_t length = strspn(text, "0123456789abcdef");
    return length == 16 && text[length] == '\0';
}

/* The line that says how many events are left out. */
static const char *parse_cut(struct events_parser *parser, char *line)
{
    char *fields[FIELDS + 1];
    uint64_t first, count, before = parser->lines.count;
    if (!parser->cut || parser->left_out > 0)
        return "leaves out events, where none may be";
    if (split_fields(line, fields) != 4 || !parse_number(fields[1], EVENTS_MOST, &first) || first != before + 1 ||
        !parse_number(fields[2], EVENTS_MOST, &count) || count == 0 || !is_digest(fields[3]))
        return "does not say which events are left out";
    parser->left_out = count;
    return NULL;
}

/* One line after the header.  What is wrong with it; NULL if nothing. */
static const char *parse_next(struct events_parser *parser, char *line)
{
    uint64_t count;
    if (parser->ended)
        return "comes after the end";
    if (strncmp(line, "events\t", strlen("events\t")) == 0) {
        parser->ended = true;
        bool right = parse_number(line + strlen("events\t"), 2 * EVENTS_MOST, &count) &&
                     count == parser->lines.count + parser->left_out && parser->cut == (parser->left_out > 0);
        return right ? NULL : "does not say how many events there are";
    }
    if (strncmp(line, "cut\t", strlen("cut\t")) == 0)
        return parse_cut(parser, line);
    if (parser->lines.count == WIRE_EVENTS)
        return "is one too many";
    struct event_line parsed;
    const char *wrong = parse_line(line, parser->lines.count + parser->left_out + 1, &parsed);
    if (wrong == NULL)
        vector_push(&parser->lines, parsed);
    return wrong;
}

static bool parse_log(char *text, const char *name, struct events_parser *parser, struct error *error)
{
    char *rest = text, *line;
    for (uint64_t number = 1; *rest != '\0'; number++) {
        char *end = strchr(rest, '\n');
        if (end == NULL)
            return error_set(error, EXIT_USAGE, "%s: line %" PRIu64 " is cut off", name, number);
        *end = '\0';
        line = rest;
        rest = end + 1;
        if (number == 1) {
            if (!parse_header(line, name, &parser->cut, error))
                return false;
            continue;
        }
        const char *wrong = parse_next(parser, line);
        if (wrong != NULL)
            return error_set(error, EXIT_USAGE, "%s: line %" PRIu64 " %s", name, number, wrong);
    }
    if (rest == text)
        return error_set(error, EXIT_USAGE, "%s: empty, not an event log", name);
    return parser->ended || error_set(error, EXIT_USAGE, "%s: the event log is cut off", name);
}

bool events_read(FILE *in, const char *name, struct event_log *log, struct error *error)
{
    struct buffer text = {0};
    struct events_parser parser = {0};
    *log = (struct event_log){0};
    if (!read_all(in, name, &text, error) || !parse_log(text.data, name, &parser, error)) {
        buffer_free(&text);
        vector_free(&parser.lines);
        return false;
    }
    *log = (struct event_log){parser.lines.data, (uint32_t)parser.lines.count, parser.left_out, buffer_take(&text)};
    return true;
}

bool events_is_cut(FILE *in)
{
    char line[sizeof EVENTS_HEADER_CUT + 1];
    bool cut = fgets(line, sizeof line, in) != NULL && strcmp(line, EVENTS_HEADER_CUT "\n") == 0;
    rewind(in);
    return cut;
}

void events_free(struct event_log *log)
{
    free(log->lines);
    free(log->text);
    *log = (struct event_log){0};
}

/* ---- comparison -------------------------------------------------------------------------------------------------- */

/* The next line without its end; NULL at the end of the file, or with ferror. */
static char *next_line(FILE *in, size_t *size)
{
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length = getline(&line, &capacity, in);
    if (length < 0) {
        free(line);
        return NULL;
    }
    *size = (size_t)length;
    return line;
}

static char *without_end(char *line, size_t size)
{
    if (line != NULL && size > 0 && line[size - 1] == '\n')
        line[size - 1] = '\0';
    return line;
}

bool events_compare(FILE *left, FILE *right, struct event_difference *difference)
{
    *difference = (struct event_difference){0};
    for (uint64_t number = 1;; number++) {
        size_t left_size = 0, right_size = 0;
        char *left_line = next_line(left, &left_size), *right_line = next_line(right, &right_size);
        if (ferror(left) || ferror(right)) {
            free(left_line);
            free(right_line);
            return false;
        }
        bool same = (left_line == NULL) == (right_line == NULL) && left_size == right_size &&
                    (left_line == NULL || memcmp(left_line, right_line, left_size) == 0);
        if (!same) {
            *difference = (struct event_difference){number, without_end(left_line, left_size),
                                                    without_end(right_line, right_size)};
            return true;
        }
        bool ended = left_line == NULL;
        free(left_line);
        free(right_line);
        if (ended)
            return true;
    }
}

void event_difference_free(struct event_difference *difference)
{
    free(difference->left);
    free(difference->right);
    *difference = (struct event_difference){0};
}
