/* SPDX-License-Identifier: MIT
 *
 * as.c - the assembler that compilers call under `raddle cc` (gcc and clang search a program `as` in the directory of
 * -B).
 *
 * DESIGN
 *   The text is filtered (asm/filter.h) and passed to the real assembler in an anonymous file.  If nothing has to be
 *   changed, the real assembler is executed directly.  If the changed text does not assemble, only the names of what is
 *   not instrumented are added, and then the original text is tried, so that a build fails only if it would fail
 *   without raddle.  Text from clang is finally passed to clang itself, which accepts more than GNU as.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "asm/filter.h"
#include "cli/command.h"
#include "util/file.h"
#include "util/log.h"
#include "util/vector.h"

struct assembler {
    char *program;
    const char *clang; /* AS_CLANG: the compiler that started us; NULL: gcc */
    char **arguments;
    int input;   /* which argument is the source; 0: standard input */
    bool simple; /* one source, for this machine */
};

/* Options of GNU as whose argument is the next word. */
static bool takes_argument(const char *option)
{
    static const char *const options[] = {"-o", "-I", "--MD", "--defsym", "--debug-prefix-map", "-G"};
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        if (strcmp(option, options[i]) == 0)
            return true;
    return false;
}

static void read_arguments(struct assembler *assembler, int argc, char **argv)
{
    int sources = 0;
    assembler->simple = true;
    for (int i = 1; i < argc; i++) {
        if (takes_argument(argv[i])) {
            i++;
        } else if (strcmp(argv[i], "--32") == 0 || strcmp(argv[i], "--x32") == 0 || argv[i][0] == '@') {
            assembler->simple = false;
        } else if (argv[i][0] != '-' || strcmp(argv[i], "-") == 0) {
            assembler->input = i;
            sources++;
        }
    }
    assembler->simple &= sources <= 1;
#if !defined(__x86_64__)
    assembler->simple = false;
#endif
}

static bool read_stream(struct buffer *text)
{
    char piece[1 << 16];
    for (ssize_t got; (got = read(STDIN_FILENO, piece, sizeof piece)) != 0;) {
        if (got > 0)
            buffer_add(text, piece, (size_t)got);
        else if (errno != EINTR)
            return false;
    }
    return true;
}

static bool is_stream(const struct assembler *assembler)
{
    return assembler->input == 0 || strcmp(assembler->arguments[assembler->input], "-") == 0;
}

/* Keeps the name of hand-written text, because the file that the real assembler reads is anonymous. */
static bool read_source(const struct assembler *assembler, struct buffer *text)
{
    enum { TEXT_MOST = 1 << 30 };
    if (is_stream(assembler))
        return read_stream(text);
    struct buffer file = {0};
    struct error error = {0};
    const char *path = assembler->arguments[assembler->input];
    bool good = file_read(path, TEXT_MOST, &file, &error);
    if (good && !asm_is_compiled(buffer_text(&file)))
        buffer_printf(text, "# 1 \"%s\"\n", path);
    buffer_add(text, buffer_text(&file), file.size);
    buffer_free(&file);
    return good;
}

static int anonymous_file(const struct buffer *text)
{
    int fd = memfd_create("raddle-as", 0);
    if (fd >= 0 && (!file_write_all(fd, buffer_text(text), text->size) || lseek(fd, 0, SEEK_SET) != 0)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* The real assembler with the arguments that came; input NULL: with the source, too. */
static void become_assembler(const struct assembler *assembler, const char *input)
{
    VECTOR(char *) list = {0};
    vector_push(&list, "as");
    for (int i = 1; assembler->arguments[i] != NULL; i++)
        if (input == NULL || i != assembler->input)
            vector_push(&list, assembler->arguments[i]);
    if (input != NULL)
        vector_push(&list, (char *)input);
    vector_push(&list, NULL);
    execv(assembler->program, list.data);
    log_error("raddle cc: cannot run '%s': %s", assembler->program, strerror(errno));
    _exit(EXIT_USAGE);
}

/* clang's own assembler: of the arguments only the output matters to it. */
static void become_clang(const struct assembler *assembler, const char *input)
{
    char *output = "a.out";
    for (int i = 1; assembler->arguments[i] != NULL && assembler->arguments[i + 1] != NULL; i++)
        if (strcmp(assembler->arguments[i], "-o") == 0)
            output = assembler->arguments[i + 1];
    execlp(assembler->clang, assembler->clang, "-c", "-x", "assembler", input, "-o", output, (char *)NULL);
    log_error("raddle cc: cannot run '%s': %s", assembler->clang, strerror(errno));
    _exit(EXIT_USAGE);
}

static void show(int fd)
{
    char piece[4096];
    lseek(fd, 0, SEEK_SET);
    for (ssize_t got; (got = read(fd, piece, sizeof piece)) > 0;)
        file_write_all(STDERR_FILENO, piece, (size_t)got);
}

/* The messages of the assembler are shown only if it succeeds, or if it is the last attempt. */
static bool assemble(const struct assembler *assembler, const struct buffer *text, bool by_clang, bool last)
{
    int source = anonymous_file(text), messages = memfd_create("raddle-as-messages", MFD_CLOEXEC);
    int status = -1;
    pid_t child = source >= 0 && messages >= 0 ? fork() : -1;
    if (child == 0) {
        char path[40];
        snprintf(path, sizeof path, "/proc/self/fd/%d", source);
        dup2(messages, STDERR_FILENO);
        (by_clang ? become_clang : become_assembler)(assembler, path);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    bool good = child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (good || last)
        show(messages);
    close(source);
    close(messages);
    return good;
}

static bool assemble_filtered(const struct assembler *assembler, const struct buffer *text, bool by_clang)
{
    bool done = false;
    for (int instrument = 1; instrument >= 0 && !done; instrument--) {
        struct buffer filtered = {0};
        if (asm_filter(buffer_text(text), text->size, instrument, &filtered))
            done = assemble(assembler, &filtered, by_clang, false);
        buffer_free(&filtered);
    }
    return done;
}

/* Text that only clang can assemble: without raddle, clang would have assembled it. */
static bool assemble_by_clang(const struct assembler *assembler, const struct buffer *text)
{
    return assemble(assembler, text, false, false) || assemble_filtered(assembler, text, true) ||
           assemble(assembler, text, true, true);
}

/* The first `as` of PATH that is not this program. */
static char *find_assembler(void)
{
    char *self = realpath("/proc/self/exe", NULL), *found = NULL;
    const char *named = getenv("RADDLE_AS"), *path = getenv("PATH");
    if (named != NULL && named[0] != '\0')
        found = file_find_program(named);
    for (const char *at = path != NULL ? path : "/usr/bin:/bin"; found == NULL && *at != '\0';) {
        size_t length = strcspn(at, ":");
        char *candidate = memory_format("%.*s/as", (int)length, at), *resolved = realpath(candidate, NULL);
        bool own = self != NULL && resolved != NULL && strcmp(self, resolved) == 0;
        free(resolved);
        if (!own && access(candidate, X_OK) == 0)
            found = candidate;
        else
            free(candidate);
        at += length + (at[length] == ':');
    }
    free(self);
    return found;
}

/* The original text. */
static void assemble_as_it_is(const struct assembler *assembler, const struct buffer *text, bool readable)
{
    char path[40];
    int fd = readable && is_stream(assembler) ? anonymous_file(text) : -1; /* it has been read */
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    become_assembler(assembler, fd >= 0 ? path : NULL);
}

int command_as(int argc, char **argv)
{
    struct assembler assembler = {.program = find_assembler(), .clang = getenv(AS_CLANG), .arguments = argv};
    if (assembler.program == NULL) {
        log_error("raddle cc: there is no assembler 'as' in PATH: install it (binutils), or name one in RADDLE_AS");
        return EXIT_USAGE;
    }
    read_arguments(&assembler, argc, argv);
    struct buffer text = {0};
    bool readable = assembler.simple && read_source(&assembler, &text);
    bool good = readable && assemble_filtered(&assembler, &text, false);
    if (!good && readable && assembler.clang != NULL)
        good = assemble_by_clang(&assembler, &text);
    else if (!good)
        assemble_as_it_is(&assembler, &text, readable);
    buffer_free(&text);
    free(assembler.program);
    return good ? 0 : EXIT_USAGE;
}
