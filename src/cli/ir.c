/* SPDX-License-Identifier: MIT
 *
 * ir.c - see ir.h.
 *
 * DESIGN
 *   clang is run with the options of the command line, without those that are about the output, the linker or the machine code.  An option
 *   that clang does not know is left out, and clang is run again.  It is not told to optimise: the analysis wants all accesses, at the
 *   lines where they are written.
 */
#include "cli/ir.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cc_arguments.h"
#include "util/file.h"

/* ---- the command line ----------------------------------------------------------------------------------------------- */

static bool begins_with_one(const char *word, const char *const *beginnings)
{
    for (; *beginnings != NULL; beginnings++)
        if (strncmp(word, *beginnings, strlen(*beginnings)) == 0)
            return true;
    return false;
}

/* About what is not wanted: output, linking, dependency files, instrumentation, warnings, machine code. */
static bool is_left_out(const char *word)
{
    static const char *const beginnings[] = {
        "-M",
        "-l",
        "-L",
        "-Wl,",
        "-shared",
        "-static",
        "-pie",
        "-no-pie",
        "-rdynamic",
        "-flto",
        "-fno-lto",
        "-fsanitize",
        "-fno-sanitize",
        "-Werror",
        "-W",
        "-masm",
        "-pipe",
        "-save-temps",
        "-fprofile",
        "--coverage",
        "-ftest-coverage",
        "-fuse-ld",
        "-specs",
        "-B",
        "-Xlinker",
        "-z",
        "-O",
        "-ggdb",
        "-g",
        "-Wa,",
        "-fplugin",
        "-fdump",
        "-T",
        NULL,
    };
    static const char *const words[] = {"-c", "-S", "-E", "-s", "-r", "-v", NULL};
    for (const char *const *at = words; *at != NULL; at++)
        if (strcmp(word, *at) == 0)
            return true;
    return strncmp(word, "-Wp,", 4) != 0 && begins_with_one(word, beginnings);
}

static void add_source(struct ir_command *command, const char *path, const char *language)
{
    struct ir_source source = {memory_copy_string(path), language[0] != '\0' ? memory_copy_string(language) : NULL};
    vector_push(&command->sources, source);
}

static void read_option(struct ir_command *command, char **words, int count)
{
    static const char *const stopping[] = {"-S", "-E", "-M", "-MM", "-fsyntax-only", NULL};
    const char *word = words[0];
    if (strcmp(word, "-o") == 0 && count > 1) {
        free(command->output);
        command->output = memory_copy_string(words[1]);
        return;
    }
    if (strncmp(word, "-o", 2) == 0) {
        free(command->output);
        command->output = memory_copy_string(word + 2);
        return;
    }
    command->object |= strcmp(word, "-c") == 0;
    for (const char *const *at = stopping; *at != NULL; at++)
        command->other |= strcmp(word, *at) == 0;
    if (is_left_out(word) || strcmp(word, "-x") == 0)
        return;
    for (int i = 0; i < count; i++)
        names_add(&command->options, words[i]);
}

void ir_command_read(struct ir_command *command, const char *include, int count, char **words)
{
    char language[40] = "";
    *command = (struct ir_command){0};
    names_add(&command->options, "-idirafter");
    names_add(&command->options, include);
    for (int at = 0; at < count;) {
        enum cc_word kind;
        int taken = cc_arguments_word(words, at, count, language, sizeof language, &kind);
        if (kind == CC_WORD_OPTION)
            read_option(command, words + at, taken);
        else if (kind == CC_WORD_SOURCE)
            add_source(command, words[at], language);
        else if (kind == CC_WORD_ASSEMBLER)
            names_add(&command->assembler, words[at]);
        at += taken;
    }
}

void ir_command_free(struct ir_command *command)
{
    for (size_t i = 0; i < command->sources.count; i++) {
        free(command->sources.data[i].path);
        free(command->sources.data[i].language);
    }
    vector_free(&command->sources);
    names_free(&command->assembler);
    names_free(&command->options);
    free(command->output);
}

/* ---- clang ---------------------------------------------------------------------------------------------------------- */

char *ir_find_clang(struct error *error)
{
    static const char *const names[] = {"clang", "clang-14", "clang-15", "clang-16", NULL};
    const char *named = getenv("RADDLE_IR_CLANG");
    char *found = NULL;
    if (named != NULL && named[0] != '\0')
        found = file_find_program(named);
    else
        for (const char *const *name = names; *name != NULL && found == NULL; name++)
            found = file_find_program(*name);
    if (found == NULL)
        error_set(error, EXIT_USAGE,
                  "IR is made by clang, and %s was not found: install clang, or name one in RADDLE_IR_CLANG",
                  named != NULL ? named : "clang");
    return found;
}

static void read_back(int fd, struct buffer *into)
{
    char piece[1 << 16];
    lseek(fd, 0, SEEK_SET);
    for (ssize_t got; (got = read(fd, piece, sizeof piece)) > 0;)
        buffer_add(into, piece, (size_t)got);
    close(fd);
}

/* Whether it succeeded. */
static bool run(char *const *arguments, struct buffer *output, struct buffer *messages)
{
    int out = memfd_create("raddle-ir", MFD_CLOEXEC), err = memfd_create("raddle-ir-messages", MFD_CLOEXEC);
    int status = -1;
    pid_t child = out >= 0 && err >= 0 ? fork() : -1;
    if (child == 0) {
        dup2(out, STDOUT_FILENO);
        dup2(err, STDERR_FILENO);
        execv(arguments[0], arguments);
        _exit(127);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    read_back(out, output);
    read_back(err, messages);
    return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Leaves out the options that clang complains about; false: it complains about something else. */
static bool drop_unknown(struct names *options, const char *messages)
{
    bool dropped = false;
    for (size_t i = 0; i < options->list.count; i++) {
        char *quoted = memory_format("'%s'", options->list.data[i]);
        const char *line = strstr(messages, quoted);
        bool named = false;
        for (const char *at = line; at != NULL && at > messages && *at != '\n' && !named; at--)
            named = strncmp(at, "unknown argument", 16) == 0 || strncmp(at, "unsupported", 11) == 0 ||
                    strncmp(at, "invalid", 7) == 0;
        if (named) {
            free(options->list.data[i]);
            memmove(options->list.data + i, options->list.data + i + 1,
                    (options->list.count - i - 1) * sizeof options->list.data[0]);
            options->list.count--;
            i--;
            dropped = true;
        }
        free(quoted);
    }
    return dropped;
}

static char *first_error(const char *messages)
{
    const char *at = strstr(messages, "error: ");
    at = at != NULL ? at + strlen("error: ") : messages;
    return memory_format("%.*s", (int)strcspn(at, "\n"), at);
}

static bool compile(const char *clang, const struct names *options, const struct ir_source *source, bool plus,
                    struct buffer *output, struct buffer *messages)
{
    static const char *const own[] = {"-w",
                                      "-g",
                                      "-O0",
                                      "-Xclang",
                                      "-disable-O0-optnone",
                                      "-Xclang",
                                      "-disable-llvm-passes",
                                      "-fno-discard-value-names",
                                      "-fno-sanitize=all",
                                      "-emit-llvm",
                                      "-c"};
    VECTOR(char *) arguments = {0};
    vector_push(&arguments, (char *)clang);
    if (plus)
        vector_push(&arguments, "--driver-mode=g++");
    vector_append(&arguments, options->list.data, options->list.count);
    vector_append(&arguments, (char **)own, sizeof own / sizeof own[0]);
    if (source->language != NULL) {
        vector_push(&arguments, "-x");
        vector_push(&arguments, source->language);
    }
    vector_push(&arguments, source->path);
    vector_push(&arguments, "-o");
    vector_push(&arguments, "-");
    vector_push(&arguments, NULL);
    buffer_clear(output);
    buffer_clear(messages);
    bool good = run(arguments.data, output, messages);
    vector_free(&arguments);
    return good;
}

void ir_add_source(const char *clang, const struct ir_command *command, const struct ir_source *source, bool plus,
                   struct buffer *section)
{
    struct names options = {0};
    struct buffer output = {0}, messages = {0};
    for (size_t i = 0; i < command->options.list.count; i++)
        names_add(&options, command->options.list.data[i]);
    bool good = compile(clang, &options, source, plus, &output, &messages);
    while (!good && drop_unknown(&options, buffer_text(&messages)))
        good = compile(clang, &options, source, plus, &output, &messages);
    if (good && output.size > 0) {
        section_add(section, source->path, output.data, output.size);
    } else {
        char *problem = first_error(buffer_text(&messages));
        char *name = memory_format("%s: clang cannot compile it: %s", source->path, problem);
        section_add(section, name, NULL, 0);
        free(name);
        free(problem);
    }
    names_free(&options);
    buffer_free(&output);
    buffer_free(&messages);
}

void ir_add_assembler(const char *path, struct buffer *section)
{
    char *name = memory_format("%s: it is assembler", path);
    section_add(section, name, NULL, 0);
    free(name);
}
