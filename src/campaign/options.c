/* SPDX-License-Identifier: MIT
 *
 * options.c - reading the option table from a configuration file, the environment and the command line.
 *
 * All values are handled in the same way: find the entry by name, then option_assign.
 */
#include "campaign/options.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/file.h"
#include "util/log.h"
#include "util/memory.h"
#include "wire/wire.h"

extern char **environ;

const struct option_entry options_table[] = {
#define OPTION(commands, name, letter, type, field, value, argument, help)                                             \
    {commands, name, letter, OPTION_##type, offsetof(struct options, field), value, argument, help},
#include "campaign/options.def"
#undef OPTION
};
const size_t options_count = sizeof options_table / sizeof options_table[0];

/* Variables with the same prefix that are not options. */
static const char *const other_variables[] = {"RADDLE_CC",     "RADDLE_CXX",   "RADDLE_DEBUG",
                                              "RADDLE_WIRE",   "RADDLE_CACHE", "RADDLE_STDOUT",
                                              "RADDLE_STDERR", "RADDLE_EXIT",  "RADDLE_VERSION"};

static const struct option_entry *find_by_name(const char *name, size_t length)
{
    for (size_t i = 0; i < options_count; i++)
        if (strlen(options_table[i].name) == length && strncmp(options_table[i].name, name, length) == 0)
            return &options_table[i];
    return NULL;
}

static const struct option_entry *find_for_command(const char *name, size_t length, int command)
{
    const struct option_entry *entry = find_by_name(name, length);
    return entry != NULL && (entry->commands & command) != 0 ? entry : NULL;
}

static const struct option_entry *find_by_letter(char letter, int command)
{
    for (size_t i = 0; i < options_count; i++)
        if (options_table[i].letter == letter && (options_table[i].commands & command) != 0)
            return &options_table[i];
    return NULL;
}

/* The option that was probably meant: the longest common beginning of at least two characters. NULL if none. */
static const char *guess_name(const char *name, size_t length, int command)
{
    const char *best = NULL;
    size_t best_length = 1;
    for (size_t i = 0; i < options_count; i++) {
        size_t common = 0;
        while (common < length && options_table[i].name[common] != '\0' &&
               options_table[i].name[common] == name[common])
            common++;
        if ((options_table[i].commands & command) != 0 && common > best_length) {
            best_length = common;
            best = options_table[i].name;
        }
    }
    return best;
}

/* ---- values --------------------------------------------------------------------------------------------------------- */

/* A number, possibly with a fraction, and the unit after it. */
static bool split_unit(const char *text, double *number, const char **unit)
{
    char *end;
    if (!isdigit((unsigned char)text[0]) && text[0] != '.')
        return false;
    errno = 0;
    *number = strtod(text, &end);
    *unit = end;
    return errno == 0 && end != text && isfinite(*number);
}

static bool parse_number(const char *text, uint64_t *value)
{
    char *end;
    if (!isdigit((unsigned char)text[0]))
        return false;
    errno = 0;
    *value = strtoull(text, &end, 0);
    if (errno != 0)
        return false;
    if ((*end == 'k' || *end == 'M') && end[1] == '\0') {
        uint64_t factor = *end == 'k' ? 1000 : 1000000;
        return !__builtin_mul_overflow(*value, factor, value);
    }
    return *end == '\0';
}

static bool parse_duration(const char *text, int64_t *value)
{
    static const struct {
        const char *unit;
        double nanoseconds;
    } units[] = {{"", 1e9}, {"s", 1e9}, {"ms", 1e6}, {"m", 60e9}, {"min", 60e9}, {"h", 3600e9}, {"d", 86400e9}};
    double number;
    const char *unit;
    if (!split_unit(text, &number, &unit))
        return false;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(unit, units[i].unit) == 0 && number * units[i].nanoseconds < 9e18) {
            *value = (int64_t)(number * units[i].nanoseconds);
            return true;
        }
    return false;
}

bool options_parse_number(const char *text, uint64_t *value)
{
    return parse_number(text, value);
}

bool options_parse_duration(const char *text, int64_t *nanoseconds)
{
    return parse_duration(text, nanoseconds);
}

static bool parse_size(const char *text, uint64_t *value)
{
    static const char letters[] = "kMGT";
    double number;
    const char *unit;
    if (!split_unit(text, &number, &unit))
        return false;
    for (int i = 0; *unit != '\0' && letters[i] != '\0'; i++)
        if (*unit == letters[i] || *unit == toupper((unsigned char)letters[i])) {
            number *= (double)(1ull << (10 * (i + 1)));
            unit++;
            break;
        }
    if (strcmp(unit, "") != 0 && strcmp(unit, "B") != 0 && strcmp(unit, "iB") != 0)
        return false;
    if (number >= 1e18)
        return false;
    *value = (uint64_t)number;
    return true;
}

static bool parse_flag(const char *text, bool *value)
{
    static const char *const yes[] = {"1", "true", "yes", "on"}, *const no[] = {"0", "false", "no", "off", ""};
    for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++)
        if (strcasecmp(text, yes[i]) == 0)
            return *value = true, true;
    for (size_t i = 0; i < sizeof no / sizeof no[0]; i++)
        if (strcasecmp(text, no[i]) == 0)
            return *value = false, true;
    return false;
}

static bool parse_fraction(const char *text, double *value)
{
    const char *unit;
    if (!split_unit(text, value, &unit))
        return false;
    if (strcmp(unit, "%") == 0)
        *value /= 100;
    else if (*unit != '\0')
        return false;
    return *value >= 0 && *value <= 1;
}

static const char *expected_form(enum option_type type)
{
    switch (type) {
    case OPTION_FLAG:
        return "yes or no";
    case OPTION_NUMBER:
        return "a number";
    case OPTION_DURATION:
        return "a time such as 500ms, 10s, 2m";
    case OPTION_SIZE:
        return "a size such as 4096, 64k, 1M";
    case OPTION_FRACTION:
        return "a number from 0 to 1";
    case OPTION_TEXT:
        return "a text";
    }
    return "";
}

static const char *keep_text(struct options *options, const char *text)
{
    vector_push(&options->texts, memory_copy_string(text));
    return options->texts.data[options->texts.count - 1];
}

void options_free(struct options *options)
{
    for (size_t i = 0; i < options->texts.count; i++)
        free(options->texts.data[i]);
    vector_free(&options->texts);
}

/* `where` begins the sentence: "--time", "raddle.conf:3: time", "RADDLE_TIME". */
static bool option_assign(struct options *options, const struct option_entry *entry, const char *text,
                          const char *where, struct error *error)
{
    void *field = (char *)options + entry->offset;
    bool good = true;
    switch (entry->type) {
    case OPTION_FLAG:
        good = parse_flag(text, field);
        break;
    case OPTION_NUMBER:
        good = parse_number(text, field);
        break;
    case OPTION_DURATION:
        good = parse_duration(text, field);
        break;
    case OPTION_SIZE:
        good = parse_size(text, field);
        break;
    case OPTION_FRACTION:
        good = parse_fraction(text, field);
        break;
    case OPTION_TEXT:
        *(const char **)field = keep_text(options, text);
        break;
    }
    if (!good)
        return error_set(error, EXIT_USAGE, "%s needs %s, not '%s'", where, expected_form(entry->type), text);
    return true;
}

void options_set_defaults(struct options *options)
{
    struct error ignored;
    *options = (struct options){0};
    for (size_t i = 0; i < options_count; i++)
        if (options_table[i].value != NULL)
            option_assign(options, &options_table[i], options_table[i].value, "default", &ignored);
}

/* ---- configuration file ------------------------------------------------------------------------------------------- */

static char *trim(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    char *end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1]))
        end--;
    *end = '\0';
    return text;
}

/* Cuts a comment that is not inside quotes. */
static void cut_comment(char *line)
{
    char quote = 0;
    for (; *line != '\0'; line++) {
        if (quote != 0)
            quote = *line == quote ? 0 : quote;
        else if (*line == '"' || *line == '\'')
            quote = *line;
        else if (*line == '#') {
            *line = '\0';
            return;
        }
    }
}

static bool read_config_line(struct options *options, const char *name, int number, char *line, struct error *error)
{
    cut_comment(line);
    line = trim(line);
    if (*line == '\0')
        return true;
    char *equals = strchr(line, '=');
    if (equals == NULL)
        return error_set(error, EXIT_USAGE, "%s:%d: expected 'option = value', not '%s'", name, number, line);
    *equals = '\0';
    char *key = trim(line), *value = trim(equals + 1);
    size_t length = strlen(value);
    if (length >= 2 && (value[0] == '"' || value[0] == '\'') && value[length - 1] == value[0]) {
        value[length - 1] = '\0';
        value++;
    }
    const struct option_entry *entry = find_by_name(key, strlen(key));
    if (entry == NULL || strcmp(key, "config") == 0) {
        const char *guess = guess_name(key, strlen(key), FOR_RUN | FOR_REPLAY);
        return error_set(error, EXIT_USAGE, "%s:%d: there is no option '%s'%s%s%s; 'raddle run --help' lists them",
                         name, number, key, guess ? " (did you mean '" : "", guess ? guess : "", guess ? "'?)" : "");
    }
    char *where = memory_format("%s:%d: %s", name, number, key);
    bool good = option_assign(options, entry, value, where, error);
    free(where);
    return good;
}

bool options_read_config(struct options *options, int command, const char *name, char *text, struct error *error)
{
    (void)command; /* options of other commands are accepted and ignored */
    int number = 1;
    for (char *line = text; line != NULL; number++) {
        char *next = strchr(line, '\n');
        if (next != NULL)
            *next++ = '\0';
        if (!read_config_line(options, name, number, line, error))
            return false;
        line = next;
    }
    return true;
}

static bool read_config_file(struct options *options, int command, const char *path, struct error *error)
{
    struct buffer text = {0};
    bool good = file_read(path, 1 << 20, &text, error);
    if (good && memchr(buffer_text(&text), '\0', text.size) != NULL)
        good = error_set(error, EXIT_USAGE, "%s is not a text file; it should hold lines 'option = value'", path);
    if (good && text.data != NULL)
        good = options_read_config(options, command, path, text.data, error);
    buffer_free(&text);
    return good;
}

/* ---- environment ------------------------------------------------------------------------------------------------------ */

static bool is_other_variable(const char *variable, size_t length)
{
    for (size_t i = 0; i < sizeof other_variables / sizeof other_variables[0]; i++)
        if (strlen(other_variables[i]) == length && strncmp(other_variables[i], variable, length) == 0)
            return true;
    return false;
}

static bool read_variable(struct options *options, const char *variable, struct error *error)
{
    static const char prefix[] = "RADDLE_";
    const char *equals = strchr(variable, '=');
    if (equals == NULL || strncmp(variable, prefix, sizeof prefix - 1) != 0)
        return true;
    size_t length = (size_t)(equals - variable);
    if (is_other_variable(variable, length))
        return true;
    char *name = memory_format("%.*s", (int)(length - (sizeof prefix - 1)), variable + sizeof prefix - 1);
    for (char *c = name; *c != '\0'; c++)
        *c = (char)(*c == '_' ? '-' : tolower((unsigned char)*c));
    const struct option_entry *entry = find_by_name(name, strlen(name));
    char *where = memory_format("%.*s in the environment", (int)length, variable);
    bool good = true;
    if (entry == NULL)
        log_say("%s is not an option of raddle: ignored", where);
    else
        good = option_assign(options, entry, equals + 1, where, error);
    free(name);
    free(where);
    return good;
}

static bool read_environment(struct options *options, struct error *error)
{
    for (char **variable = environ; variable != NULL && *variable != NULL; variable++)
        if (!read_variable(options, *variable, error))
            return false;
    return true;
}

/* ---- command line ----------------------------------------------------------------------------------------------------- */

struct command_line {
    int command, argc, next;
    char **argv;
    const char *program; /* "run" */
};

static bool unknown_option(const struct command_line *line, const char *word, size_t length, struct error *error)
{
    const char *name = word + strspn(word, "-");
    const char *guess = guess_name(name, length - (size_t)(name - word), line->command);
    return error_set(error, EXIT_USAGE, "raddle %s has no option '%.*s'%s%s%s; 'raddle %s --help' lists them",
                     line->program, (int)length, word, guess ? " (did you mean '--" : "", guess ? guess : "",
                     guess ? "'?)" : "", line->program);
}

/* The value of the option: after "=", attached to the letter, or the next word. */
static bool option_value(struct command_line *line, const struct option_entry *entry, const char *attached,
                         const char *where, const char **value, struct error *error)
{
    if (attached != NULL) {
        *value = attached;
    } else if (entry->type == OPTION_FLAG) {
        *value = "yes";
    } else if (line->next < line->argc) {
        *value = line->argv[line->next++];
    } else {
        return error_set(error, EXIT_USAGE, "%s needs %s after it", where, expected_form(entry->type));
    }
    return true;
}

static bool read_long_option(struct options *options, struct command_line *line, const char *word, struct error *error)
{
    size_t length = strcspn(word, "=");
    const struct option_entry *entry = find_for_command(word + 2, length - 2, line->command);
    if (entry == NULL)
        return unknown_option(line, word, length, error);
    char *where = memory_format("--%s", entry->name);
    const char *value = "";
    bool good = option_value(line, entry, word[length] == '=' ? word + length + 1 : NULL, where, &value, error) &&
                option_assign(options, entry, value, where, error);
    free(where);
    return good;
}

static bool read_short_options(struct options *options, struct command_line *line, const char *word,
                               struct error *error)
{
    for (const char *letter = word + 1; *letter != '\0'; letter++) {
        const struct option_entry *entry = find_by_letter(*letter, line->command);
        if (*letter == 'h') {
            options->help = true;
            continue;
        }
        if (entry == NULL)
            return unknown_option(line, word, strlen(word), error);
        char where[3] = {'-', *letter, '\0'};
        const char *attached = entry->type != OPTION_FLAG && letter[1] != '\0' ? letter + 1 : NULL;
        const char *value = "";
        if (!option_value(line, entry, attached, where, &value, error) ||
            !option_assign(options, entry, value, where, error))
            return false;
        if (entry->type != OPTION_FLAG)
            break;
    }
    return true;
}

/* Fills positional and program.  For `run` the first word that is not an option begins the program; `replay` has one
   word, the failure, with options on both sides, and a program only after "--". */
static bool read_command_line(struct options *options, struct command_line *line, struct error *error)
{
    options->program = line->argc;
    options->positional = 0;
    for (line->next = 1; line->next < line->argc;) {
        const char *word = line->argv[line->next];
        if (strcmp(word, "--") == 0) {
            options->program = line->next + 1;
            return true;
        }
        if (word[0] != '-' || word[1] == '\0') {
            if (line->command == FOR_RUN) {
                options->program = line->next;
                return true;
            }
            if (options->positional != 0)
                return error_set(error, EXIT_USAGE, "raddle %s takes one failure, not '%s' as well", line->program,
                                 word);
            options->positional = line->next++;
            continue;
        }
        line->next++;
        if (strcmp(word, "--help") == 0)
            options->help = true;
        else if (word[1] == '-' ? !read_long_option(options, line, word, error)
                                : !read_short_options(options, line, word, error))
            return false;
    }
    return true;
}

bool options_read(struct options *options, int command, int argc, char **argv, struct error *error)
{
    struct command_line line = {
        .command = command, .argc = argc, .argv = argv, .program = command == FOR_RUN ? "run" : "replay"};
    /* The command line is read twice: first for --config and errors, then again to override the file. */
    struct options first;
    options_set_defaults(options);
    options_set_defaults(&first);
    bool good = read_command_line(&first, &line, error);
    options->help = first.help;
    if (good && !first.help) {
        const char *config = first.config != NULL ? first.config : getenv("RADDLE_CONFIG");
        if (config != NULL || file_exists("raddle.conf"))
            good = read_config_file(options, command, config != NULL ? config : "raddle.conf", error);
        good = good && read_environment(options, error) && read_command_line(options, &line, error);
    }
    options_free(&first);
    return good;
}

bool options_threads(const struct options *options, uint32_t *head_flags, struct error *error)
{
    *head_flags = options->fresh ? HEAD_FORK_PER_RUN : 0;
    if (strcmp(options->threads, "kernel") == 0)
        *head_flags |= HEAD_KERNEL_THREADS;
    else if (strcmp(options->threads, "slow-fibre") == 0)
        *head_flags |= HEAD_SLOW_SWITCH;
    else if (strcmp(options->threads, "fibre") != 0)
        return error_set(error, EXIT_USAGE, "--threads: '%s' is not one of fibre, slow-fibre and kernel",
                         options->threads);
    return true;
}
