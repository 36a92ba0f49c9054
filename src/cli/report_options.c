/* SPDX-License-Identifier: MIT
 *
 * report_options.c - the options of `raddle report`, as a table.
 */
#include "cli/report_options.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *help;
} formats[REPORT_FORMAT_COUNT] = {
    [REPORT_HTML] = {"html", "one page that needs nothing else: lanes per thread, source, coverage, campaigns"},
    [REPORT_JSON] = {"json", "everything, for scripts; raddle-report(1) names the schema"},
    [REPORT_JUNIT] = {"junit", "JUnit XML, for CI systems"},
    [REPORT_SARIF] = {"sarif", "SARIF 2.1.0, for code scanning and editors: a thread flow per thread"},
    [REPORT_TAP] = {"tap", "Test Anything Protocol, for prove and other harnesses"},
    [REPORT_TRACE] = {"trace", "Chrome trace events of all failures: opens in Perfetto"},
};

static int find_format(const char *name, size_t length)
{
    for (int i = 0; i < REPORT_FORMAT_COUNT; i++)
        if (strlen(formats[i].name) == length && memcmp(formats[i].name, name, length) == 0)
            return i;
    return -1;
}

/* One option, and its file: after "=", or the next word. */
static bool read_option(struct report_options *options, int argc, char **argv, int *next, struct error *error)
{
    const char *word = argv[(*next)++];
    size_t length = strcspn(word, "=");
    int format = length > 2 && word[1] == '-' ? find_format(word + 2, length - 2) : -1;
    if (format < 0)
        return error_set(error, EXIT_USAGE, "raddle report has no option '%s'; 'raddle report --help' lists them",
                         word);
    const char *path = word[length] == '=' ? word + length + 1 : *next < argc ? argv[(*next)++] : "";
    if (path[0] == '\0')
        return error_set(error, EXIT_USAGE, "--%s needs a file after it, or - for standard output",
                         formats[format].name);
    if (options->paths[format] != NULL)
        return error_set(error, EXIT_USAGE, "--%s was given twice", formats[format].name);
    options->paths[format] = path;
    return true;
}

/* Two formats cannot share a file. */
static bool check_paths(const struct report_options *options, struct error *error)
{
    for (int i = 0; i < REPORT_FORMAT_COUNT; i++)
        for (int k = 0; k < i; k++)
            if (options->paths[i] != NULL && options->paths[k] != NULL &&
                strcmp(options->paths[i], options->paths[k]) == 0)
                return error_set(error, EXIT_USAGE, "--%s and --%s cannot both go to %s", formats[k].name,
                                 formats[i].name,
                                 strcmp(options->paths[i], "-") == 0 ? "standard output" : options->paths[i]);
    return true;
}

bool report_options_read(struct report_options *options, int argc, char **argv, struct error *error)
{
    bool words_only = false;
    *options = (struct report_options){0};
    for (int next = 1; next < argc;) {
        const char *word = argv[next];
        if (!words_only && strcmp(word, "--") == 0) {
            words_only = true;
            next++;
        } else if (words_only || word[0] != '-' || word[1] == '\0') {
            if (options->directory != NULL)
                return error_set(error, EXIT_USAGE,
                                 "raddle report takes one directory, not '%s' and '%s'; a directory with several "
                                 "programs in it reports on all",
                                 options->directory, word);
            options->directory = word;
            next++;
        } else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            options->help = true;
            return true;
        } else if (!read_option(options, argc, argv, &next, error)) {
            return false;
        }
    }
    return check_paths(options, error);
}

void report_options_print_help(void)
{
    puts("usage: raddle report [DIR] [--html FILE] [--json FILE] [--junit FILE] [--sarif FILE] [--tap FILE]\n"
         "                     [--trace FILE]\n"
         "\n"
         "Reports what 'raddle run' found: failures with their cause, coverage, campaigns.  DIR is the directory of a\n"
         "program, raddle.out/PROGRAM, or one with several of them in it, such as raddle.out; default: the only one\n"
         "there is in raddle.out.  Without an option a summary is printed.  The program is not needed.\n");
    for (int i = 0; i < REPORT_FORMAT_COUNT; i++)
        printf("  --%-5s FILE   %s\n", formats[i].name, formats[i].help);
    puts("\n"
         "FILE may be - for standard output.  Several formats may be asked for at once.\n"
         "\n"
         "Examples:\n"
         "    raddle report                                     # the summary of the only program\n"
         "    raddle report raddle.out --junit junit.xml        # all programs, for CI\n"
         "    raddle report raddle.out/bank --html bank.html --trace bank.trace\n"
         "    raddle report --json - | jq '.programs[].failures[].text'\n"
         "\n"
         "Exit codes: 0 reported, whether there are failures or not; 1 usage, or there is nothing to report on, or a\n"
         "file cannot be written, or one could not be read (what else there is has been reported); 3 internal error.");
}

void report_options_print_words(void)
{
    for (int i = 0; i < REPORT_FORMAT_COUNT; i++)
        printf("--%s\n", formats[i].name);
}
