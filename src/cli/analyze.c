/* SPDX-License-Identifier: MIT
 *
 * analyze.c - `raddle analyze`: what raddle knows or assumes about a program without running it.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "cli/analyze_static.h"
#include "cli/command.h"
#include "trace/atomic_sets.h"
#include "util/log.h"

struct analyze_options {
    struct analyze_static search; /* the static analysis: what threads may do to each other */
    const char *assume;
    bool atomic_sets, help;
};

static void print_help(void)
{
    puts("usage: raddle analyze [--full] [--json FILE] PROGRAM [LIBRARY...]\n"
         "       raddle analyze [--full] [--json FILE] FILE.c... [-- COMPILER FLAGS]\n"
         "       raddle analyze --atomic-sets [--assume FILE] PROGRAM\n"
         "\n"
         "Says what raddle knows or assumes about a program without running it.\n"
         "\n"
         "Without a question: which variables the threads share, which accesses may conflict and happen in parallel,\n"
         "which lock guards what, and where it is not held. All of it is possible, none of it is shown to happen.\n"
         "The program, and its libraries, must have been built with `raddle cc --ir` or RADDLE_IR=1.\n"
         "\n"
         "  --full          all of it, not only the first of each kind\n"
         "  --json FILE     the same as JSON, for `raddle run --targets FILE`; - is the standard output\n"
         "  --quiet         no text\n"
         "  --atomic-sets   which memory is assumed to be consistent as a whole, which functions\n"
         "                  keep it so, and why\n"
         "  --assume FILE   what you know better: lines \"unit FUNCTION\", \"no-unit FUNCTION\",\n"
         "                  \"set TYPE\", \"no-set TYPE\", \"benign FUNCTION\"\n"
         "  --help          this text\n"
         "\n"
         "See raddle-analyze(1).");
}

/* The first program or file; there is one. */
static const char *first_input(const struct analyze_options *options)
{
    assert(options->search.inputs.list.count > 0 && options->search.inputs.list.data != NULL);
    return options->search.inputs.list.data[0];
}

/* An option with an argument, "--name VALUE" or "--name=VALUE"; NULL: it is another one. */
static const char *take_argument(const char *name, int *at, int argc, char **argv)
{
    size_t length = strlen(name);
    const char *word = argv[*at];
    assert(word != NULL);
    if (strcmp(word, name) == 0 && *at + 1 < argc)
        return argv[++*at];
    return strncmp(word, name, length) == 0 && word[length] == '=' ? word + length + 1 : NULL;
}

static bool read_word(struct analyze_options *options, int *at, int argc, char **argv, struct error *error)
{
    const char *word = argv[*at], *value = NULL;
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        options->help = true;
    else if (strcmp(word, "--atomic-sets") == 0)
        options->atomic_sets = true;
    else if (strcmp(word, "--full") == 0)
        options->search.full = true;
    else if (strcmp(word, "--quiet") == 0)
        options->search.quiet = true;
    else if ((value = take_argument("--assume", at, argc, argv)) != NULL)
        options->assume = value;
    else if ((value = take_argument("--json", at, argc, argv)) != NULL)
        options->search.json = value;
    else if (word[0] == '-')
        return error_set(error, EXIT_USAGE, "analyze does not know %s; see raddle analyze --help", word);
    else
        names_add(&options->search.inputs, word);
    return true;
}

static bool read_options(struct analyze_options *options, int argc, char **argv, struct error *error)
{
    *options = (struct analyze_options){0};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--") == 0) {
            options->search.flags = argv + i + 1;
            options->search.flag_count = argc - i - 1;
            break;
        }
        if (!read_word(options, &i, argc, argv, error))
            return false;
    }
    if (options->help)
        return true;
    size_t count = options->search.inputs.list.count;
    if (count == 0)
        return error_set(error, EXIT_USAGE, "analyze needs a program: raddle analyze PROGRAM");
    if (options->atomic_sets && count > 1)
        return error_set(error, EXIT_USAGE, "analyze --atomic-sets takes one program, not %s too",
                         options->search.inputs.list.data[1]);
    return true;
}

static bool print_atomic_sets(const struct analyze_options *options, struct error *error)
{
    struct assumptions *assumptions = NULL;
    bool good = options->assume == NULL || (assumptions = assumptions_read(options->assume, error)) != NULL;
    good = good && atomic_sets_print(stdout, first_input(options), assumptions, error);
    assumptions_free(assumptions);
    return good;
}

int command_analyze(int argc, char **argv)
{
    struct analyze_options options;
    struct error error = {0};
    bool good = read_options(&options, argc, argv, &error);
    if (good && options.help)
        print_help();
    else if (good && options.atomic_sets)
        good = print_atomic_sets(&options, &error);
    else if (good)
        good = analyze_static(&options.search, &error);
    names_free(&options.search.inputs);
    return good ? 0 : error_report(&error);
}
