/* SPDX-License-Identifier: MIT
 *
 * analyze.c - `raddle analyze`: what raddle knows or assumes about a program without running it.
 */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "trace/atomic_sets.h"
#include "util/log.h"

struct analyze_options {
    const char *program, *assume;
    bool atomic_sets, help;
};

static void print_help(void)
{
    puts("usage: raddle analyze --atomic-sets [--assume FILE] PROGRAM\n"
         "\n"
         "Says what raddle knows or assumes about a program without running it.\n"
         "\n"
         "  --atomic-sets   which memory is assumed to be consistent as a whole, which functions\n"
         "                  keep it so, and why\n"
         "  --assume FILE   what you know better: lines \"unit FUNCTION\", \"no-unit FUNCTION\",\n"
         "                  \"no-set TYPE\", \"benign FUNCTION\"\n"
         "  --help          this text\n"
         "\n"
         "See raddle-analyze(1).");
}

static bool read_options(struct analyze_options *options, int argc, char **argv, struct error *error)
{
    *options = (struct analyze_options){0};
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            options->help = true;
        } else if (strcmp(word, "--atomic-sets") == 0) {
            options->atomic_sets = true;
        } else if (strcmp(word, "--assume") == 0 && i + 1 < argc) {
            options->assume = argv[++i];
        } else if (strncmp(word, "--assume=", 9) == 0) {
            options->assume = word + 9;
        } else if (word[0] == '-') {
            return error_set(error, EXIT_USAGE, "analyze does not know %s; see raddle analyze --help", word);
        } else if (options->program == NULL) {
            options->program = word;
        } else {
            return error_set(error, EXIT_USAGE, "analyze takes one program, not %s too", word);
        }
    }
    if (!options->help && (options->program == NULL || !options->atomic_sets))
        return error_set(error, EXIT_USAGE,
                         "analyze needs a question and a program: raddle analyze --atomic-sets PROGRAM");
    return true;
}

int command_analyze(int argc, char **argv)
{
    struct analyze_options options;
    struct error error = {0};
    struct assumptions *assumptions = NULL;
    if (!read_options(&options, argc, argv, &error))
        return error_report(&error);
    if (options.help) {
        print_help();
        return 0;
    }
    bool good = options.assume == NULL || (assumptions = assumptions_read(options.assume, &error)) != NULL;
    good = good && atomic_sets_print(stdout, options.program, assumptions, &error);
    assumptions_free(assumptions);
    return good ? 0 : error_report(&error);
}
