/* SPDX-License-Identifier: MIT
 *
 * main.c - selects the command by the name of the program (raddle-cc, raddle-c++, as) or by the first argument.
 */
#include <malloc.h>
#include <stdio.h>
#include <string.h>

#include "campaign/options.h"
#include "cli/command.h"
#include "cli/memo_options.h"
#include "cli/report_options.h"
#include "util/error.h"
#include "util/file.h"
#include "util/log.h"

struct command {
    const char *name, *arguments, *text;
    int (*run)(int argc, char **argv);
};

static const struct command commands[] = {
#define X(function, name, arguments, text) {name, arguments, text, command_##function},
    COMMANDS(X)
#undef X
};
enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static const struct command *find_command(const char *name)
{
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

/* Edits (insert, delete, replace, swap neighbours) that turn a into b; words of up to 15 characters, else 99. */
static int edit_distance(const char *a, const char *b)
{
    int d[16][16];
    int m = (int)strlen(a), n = (int)strlen(b);
    if (m > 15 || n > 15)
        return 99;
    for (int i = 0; i <= m; i++)
        for (int j = 0; j <= n; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            int best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            if (d[i - 1][j] + 1 < best)
                best = d[i - 1][j] + 1;
            if (d[i][j - 1] + 1 < best)
                best = d[i][j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && d[i - 2][j - 2] + 1 < best)
                best = d[i - 2][j - 2] + 1;
            d[i][j] = best;
        }
    return d[m][n];
}

/* The command that was probably meant, or NULL. */
static const char *guess_command(const char *typed)
{
    const char *guess = NULL;
    int best = 3;
    for (int i = 0; i < COMMAND_COUNT; i++) {
        bool beginning = strlen(typed) >= 2 && strncmp(commands[i].name, typed, strlen(typed)) == 0;
        int distance = beginning ? 0 : edit_distance(typed, commands[i].name);
        if (distance < best && distance < (int)strlen(commands[i].name)) {
            best = distance;
            guess = commands[i].name;
        }
    }
    return guess;
}

static void print_help(FILE *to)
{
    fputs("raddle takes control of the interleaving of a multithreaded C or C++ program, finds the interleavings that\n"
          "break it, and replays them.\n"
          "\n"
          "    raddle cc -g program.c -o program\n"
          "    raddle run -- ./program\n"
          "\n",
          to);
    for (int i = 0; i < COMMAND_COUNT; i++)
        fprintf(to, "raddle %s %s\n        %s\n", commands[i].name, commands[i].arguments, commands[i].text);
    fputs("raddle --version, raddle --help, raddle COMMAND --help\n"
          "\n"
          "Exit codes: 0 nothing found, 1 usage or configuration, 2 a bug was found, 3 internal error,\n"
          "4 nothing was under control, 77 this environment cannot support it.\n",
          to);
}

/* FOR_RUN, FOR_REPLAY, or 0 for a command whose options are not in the table. */
static int option_mask(const char *command)
{
    return strcmp(command, "run") == 0 || strcmp(command, "force") == 0 ? FOR_RUN
           : strcmp(command, "replay") == 0                             ? FOR_REPLAY
                                                                        : 0;
}

/* For the shell: the commands, or the options of one. */
static void print_completions(const char *command)
{
    if (command == NULL) {
        for (int i = 0; i < COMMAND_COUNT; i++)
            puts(commands[i].name);
        return;
    }
    puts("--help");
    for (size_t i = 0; i < options_count; i++)
        if (options_table[i].commands & option_mask(command))
            printf("--%s\n", options_table[i].name);
    if (strcmp(command, "cc") == 0 || strcmp(command, "c++") == 0)
        puts("--ir\n--print-cflags\n--print-ldflags");
    if (strcmp(command, "doctor") == 0)
        puts("--keep");
    if (strcmp(command, "explain") == 0)
        puts("--full\n--width\n--rebuild");
    if (strcmp(command, "shrink") == 0)
        puts("--runs\n--time\n--quiet");
    if (strcmp(command, "memo") == 0)
        memo_options_print_words();
    if (strcmp(command, "report") == 0)
        report_options_print_words();
}

/* Escapes - for roff, so that it can be copied. */
static void print_roff(const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '-')
            putchar('\\');
        putchar(*text);
    }
}

/* The options of a command, for its man page. */
static void print_manual_options(const char *command)
{
    for (size_t i = 0; i < options_count; i++) {
        const struct option_entry *option = &options_table[i];
        if (!(option->commands & option_mask(command)))
            continue;
        printf(".TP\n\\fB");
        if (option->letter != 0)
            printf("\\-%c\\fR, \\fB", option->letter);
        printf("\\-\\-");
        print_roff(option->name);
        printf("\\fR");
        if (option->argument != NULL)
            printf(" \\fI%s\\fR", option->argument);
        putchar('\n');
        print_roff(option->help);
        bool none = option->value == NULL || strcmp(option->value, "0") == 0 || strcmp(option->value, "0s") == 0;
        if (!none && option->type != OPTION_FLAG)
            printf("; default: %s", option->value);
        puts(".");
    }
}

static int unknown_command(const char *typed)
{
    const char *guess = guess_command(typed);
    if (guess != NULL)
        log_error("there is no command '%s'; did you mean 'raddle %s'?", typed, guess);
    else
        log_error("there is no command '%s'; 'raddle --help' lists them", typed);
    return EXIT_USAGE;
}

/* Buffers of a run are freed and allocated again for the next: the heap is not given back to the system each time. */
enum { KEPT_HEAP = 64 << 20 };

int main(int argc, char **argv)
{
    mallopt(M_TRIM_THRESHOLD, KEPT_HEAP);
    const char *called = argc > 0 ? file_base_name(argv[0]) : "raddle";
    if (strcmp(called, "raddle-cc") == 0)
        return command_cc(argc, argv);
    if (strcmp(called, "raddle-c++") == 0)
        return command_cxx(argc, argv);
    if (strcmp(called, "as") == 0)
        return command_as(argc, argv);
    if (argc < 2) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
        const struct command *about = argc > 2 ? find_command(argv[2]) : NULL;
        if (about != NULL)
            return about->run(2, (char *[]){argv[2], "--help", NULL});
        print_help(stdout);
        return 0;
    }
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        puts("raddle " RADDLE_VERSION);
        return 0;
    }
    if (strcmp(word, "--complete") == 0) {
        print_completions(argc > 2 ? argv[2] : NULL);
        return 0;
    }
    if (strcmp(word, "--manual-options") == 0 && argc > 2) {
        print_manual_options(argv[2]);
        return 0;
    }
    const struct command *command = find_command(word);
    return command != NULL ? command->run(argc - 1, argv + 1) : unknown_command(word);
}
