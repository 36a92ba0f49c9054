/* SPDX-License-Identifier: MIT
 *
 * options.h - the options of `run` and `replay`: read from a configuration file, the environment and the command line,
 * later ones winning.  The table is options.def.
 */
#ifndef RADDLE_CAMPAIGN_OPTIONS_H
#define RADDLE_CAMPAIGN_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "util/error.h"
#include "util/vector.h"

enum { FOR_RUN = 1, FOR_REPLAY = 2 };

typedef bool option_FLAG;
typedef uint64_t option_NUMBER;
typedef int64_t option_DURATION;
typedef uint64_t option_SIZE;
typedef double option_FRACTION;
typedef const char *option_TEXT;

struct options {
#define OPTION(commands, name, letter, type, field, value, argument, help) option_##type field;
#include "campaign/options.def"
#undef OPTION
    bool help;            /* --help was given */
    int positional;       /* index in argv of the first word that is not an option (FAILURE of replay); 0: none */
    int program;          /* index in argv of the program and its arguments; argc if none */
    VECTOR(char *) texts; /* owns the texts */
};

enum option_type { OPTION_FLAG, OPTION_NUMBER, OPTION_DURATION, OPTION_SIZE, OPTION_FRACTION, OPTION_TEXT };

/* The table as data, for help, completion and checks. */
struct option_entry {
    int commands;
    const char *name;
    char letter;
    enum option_type type;
    size_t offset; /* in struct options */
    const char *value, *argument, *help;
};
extern const struct option_entry options_table[];
extern const size_t options_count;

/* Reads raddle.conf (or --config), RADDLE_* and argv[1…] for the command FOR_RUN or FOR_REPLAY.  Freed by
   options_free, also after an error, which names the place and has code EXIT_USAGE. */
bool options_read(struct options *options, int command, int argc, char **argv, struct error *error);
/* Only the text of a configuration file; for tests and fuzzing. */
bool options_read_config(struct options *options, int command, const char *name, char *text, struct error *error);
void options_set_defaults(struct options *options);
void options_free(struct options *options);
/* The option list of --help. */
void options_print_help(FILE *stream, int command);

/* A number (7, 0x10, 3k) or a time (500ms, 10s, 30d), for commands with options of their own; false if it is not one. */
bool options_parse_number(const char *text, uint64_t *value);
bool options_parse_duration(const char *text, int64_t *nanoseconds);

/* --threads and --fresh, as flags of the wire's head; or an error. */
bool options_threads(const struct options *options, uint32_t *head_flags, struct error *error);

#endif
