/* SPDX-License-Identifier: MIT
 *
 * gen.c - `raddle gen`: from the command line to the generation of tests (generate/generate.h).
 */
#include <stdio.h>
#include <string.h>

#include "campaign/options.h"
#include "cli/command.h"
#include "generate/generate.h"
#include "util/clock.h"
#include "util/file.h"
#include "util/log.h"
#include "util/stop.h"

#define DEFAULT_TIME (60 * CLOCK_SECOND)

static void print_help(void)
{
    puts("usage: raddle gen [OPTIONS] HEADER SOURCE... [-- COMPILER FLAGS]\n"
         "\n"
         "Writes concurrent tests for a module that shall be thread-safe, runs their interleavings, and keeps those "
         "that\n"
         "fail, as C files. HEADER declares the module: a type, functions that make and take it. SOURCE is its code: C "
         "or\n"
         "C++ files, objects, libraries.\n"
         "\n"
         "A failure counts only if no order in which the same calls run one after another shows it. Results that no "
         "such\n"
         "order explains are failures too.\n"
         "\n"
         "  --time TIME            stop after this long [60s]\n"
         "  --seed N               seed of all decisions [1]\n"
         "  --out DIR              where faults go: DIR/fault-N/test.c [raddle.gen]\n"
         "  --faults N             stop after N faults; 0: only when the time is over [0]\n"
         "  --threads N            threads of longer tests, 2 or 3 [2]\n"
         "  --print-plan           print what was understood of the header, and stop\n"
         "  --plan FILE            the plan to follow, as printed by --print-plan and edited\n"
         "  --no-linearizability   do not compare results with those of sequential orders\n"
         "  --fail-on LIST         as for raddle run [race]; none: only failures\n"
         "  --random               sequences of calls at random: a baseline to compare with\n"
         "  --no-pruning           look at all sequences: to compare with\n"
         "  --suite DIR            write all tests there, with a Makefile and a CMakeLists.txt\n"
         "  --html FILE            write a report: which pairs of functions were tried, and the faults\n"
         "  --json FILE            write the result as JSON\n"
         "  --quiet, --verbose, --help\n"
         "\n"
         "Examples:\n"
         "  raddle gen queue.h queue.c\n"
         "  raddle gen --print-plan queue.h >queue.plan\n"
         "  raddle gen --plan queue.plan --time 10m queue.h queue.c -- -Iinclude -O2\n"
         "\n"
         "Exit codes: 0 nothing found, 1 usage, or the module cannot be built, 2 a fault was found, 4 nothing could be "
         "tested,\n"
         "77 raddle was built without libclang.");
}

/* The value of "--name VALUE" or "--name=VALUE"; NULL: it is another word. */
static const char *take_value(const char *name, int *at, int argc, char **argv)
{
    size_t length = strlen(name);
    if (strcmp(argv[*at], name) == 0 && *at + 1 < argc)
        return argv[++*at];
    return strncmp(argv[*at], name, length) == 0 && argv[*at][length] == '=' ? argv[*at] + length + 1 : NULL;
}

static bool take_number(const char *name, uint64_t least, uint64_t most, uint64_t *number, int *at, int argc,
                        char **argv, struct error *error)
{
    const char *value = take_value(name, at, argc, argv);
    if (value == NULL)
        return false;
    if (!options_parse_number(value, number) || *number < least || *number > most)
        error_set(error, EXIT_USAGE, "%s needs a number from %llu to %llu, not '%s'", name, (unsigned long long)least,
                  (unsigned long long)most, value);
    return true;
}

static bool take_text(const char *name, const char **text, int *at, int argc, char **argv)
{
    const char *value = take_value(name, at, argc, argv);
    if (value != NULL)
        *text = value;
    return value != NULL;
}

static bool take_flag(struct generate_options *options, const char *word)
{
    const struct {
        const char *name;
        bool *flag;
    } flags[] = {{"--print-plan", &options->print_plan}, {"--no-linearizability", &options->no_linearizability},
                 {"--random", &options->random},         {"--no-pruning", &options->without_pruning},
                 {"--quiet", &options->quiet},           {"--verbose", &options->verbose}};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        if (strcmp(word, flags[i].name) == 0)
            return *flags[i].flag = true;
    return false;
}

static bool take_option(struct generate_options *options, int *at, int argc, char **argv, struct error *error)
{
    uint64_t threads = 0;
    const char *time = NULL;
    if (take_flag(options, argv[*at]) || take_text("--out", &options->out, at, argc, argv) ||
        take_text("--plan", &options->plan, at, argc, argv) ||
        take_text("--fail-on", &options->fail_on, at, argc, argv) ||
        take_text("--json", &options->json, at, argc, argv) || take_text("--html", &options->html, at, argc, argv) ||
        take_text("--suite", &options->suite, at, argc, argv) ||
        take_number("--seed", 1, UINT32_MAX, &options->seed, at, argc, argv, error) ||
        take_number("--faults", 0, UINT32_MAX, &options->faults, at, argc, argv, error))
        return true;
    if (take_number("--threads", 2, GEN_THREADS, &threads, at, argc, argv, error)) {
        options->threads = (unsigned)threads;
        return true;
    }
    if (!take_text("--time", &time, at, argc, argv))
        return false;
    if (!options_parse_duration(time, &options->time) || options->time <= 0)
        error_set(error, EXIT_USAGE, "--time needs a time such as 10s or 2m, not '%s'", time);
    return true;
}

static bool ends_with(const char *text, const char *endings)
{
    const char *dot = strrchr(text, '.');
    size_t length = dot != NULL ? strlen(dot) : 0;
    for (const char *at = dot != NULL ? strstr(endings, dot) : NULL; at != NULL; at = strstr(at + 1, dot))
        if (at[length] == ' ' || at[length] == '\0')
            return true;
    return false;
}

static bool add_input(struct generate_options *options, const char *word, struct error *error)
{
    if (!file_exists(word))
        return error_set(error, EXIT_USAGE, "%s does not exist", word);
    char *path = file_absolute(word);
    options->input.plus = options->input.plus || ends_with(word, ".cc .cpp .cxx .hpp .hh .hxx");
    if (ends_with(word, ".h .hpp .hh .hxx"))
        vector_push(&options->input.headers, path);
    else
        vector_push(&options->input.sources, path);
    return true;
}

static bool check(const struct generate_options *options, struct error *error)
{
    if (options->input.headers.count == 0)
        return error_set(error, EXIT_USAGE, "raddle gen needs a header: raddle gen queue.h queue.c");
    if (options->input.sources.count == 0 && !options->print_plan && options->input.flag_count == 0)
        return error_set(error, EXIT_USAGE, "raddle gen needs the code of the module: raddle gen %s SOURCE...",
                         file_base_name(options->input.headers.data[0]));
    return true;
}

static bool read_options(struct generate_options *options, int argc, char **argv, bool *help, struct error *error)
{
    *options = (struct generate_options){
        .time = DEFAULT_TIME, .seed = 1, .threads = 2, .fail_on = "race", .out = "raddle.gen"};
    for (int i = 1; i < argc && error->code == 0; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            return *help = true;
        }
        if (strcmp(argv[i], "--") == 0) {
            options->input.flags = argv + i + 1;
            options->input.flag_count = argc - i - 1;
            break;
        }
        if (take_option(options, &i, argc, argv, error))
            continue;
        if (argv[i][0] == '-')
            error_set(error, EXIT_USAGE, "gen does not know %s; see raddle gen --help", argv[i]);
        else
            add_input(options, argv[i], error);
    }
    if (options->fail_on != NULL && strcmp(options->fail_on, "none") == 0)
        options->fail_on = NULL;
    return error->code == 0 && check(options, error);
}

int command_gen(int argc, char **argv)
{
    struct error error = {0};
    struct generate_options options;
    bool help = false;
    bool good = read_options(&options, argc, argv, &help, &error);
    int code = 0;
    if (good && help) {
        print_help();
    } else if (good) {
        log_set_level(options.quiet ? LOG_QUIET : options.verbose ? LOG_VERBOSE : LOG_NORMAL);
        stop_install();
        code = generate(&options);
    } else {
        code = error_report(&error);
    }
    api_texts_free(&options.input.headers);
    api_texts_free(&options.input.sources);
    return code;
}
