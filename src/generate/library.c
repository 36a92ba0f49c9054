/* SPDX-License-Identifier: MIT
 *
 * library.c - see module.h.
 */
#include "generate/library.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "generate/code.h"
#include "util/file.h"
#include "util/stop.h"

/* ---- commands ----------------------------------------------------------------------------------------------------------- */

static pid_t start_command(char **words, const char *log)
{
    pid_t child = fork();
    if (child != 0)
        return child;
    int fd = open(log, O_WRONLY | O_CREAT | O_APPEND, 0666);
    dup2(fd, STDOUT_FILENO);
    dup2(fd, STDERR_FILENO);
    execvp(words[0], words);
    dprintf(STDERR_FILENO, "error: cannot run %s: %s\n", words[0], strerror(errno));
    _exit(127);
}

/* The first line that says what is wrong. */
static bool say_first_error(const char *log, struct error *error)
{
    struct buffer text = {0};
    struct error problem;
    file_read(log, 1 << 20, &text, &problem);
    const char *start = buffer_text(&text), *found = strstr(start, "error");
    if (found == NULL)
        found = strstr(start, "undefined reference");
    if (found == NULL)
        found = start;
    while (found > start && found[-1] != '\n')
        found--;
    error_set(error, EXIT_USAGE, "the module cannot be built: %.*s", (int)strcspn(found, "\n"), found);
    buffer_free(&text);
    return false;
}

bool library_run_commands(char ***commands, size_t count, const char *log, struct error *error)
{
    pid_t *children = memory_allocate(count + 1, sizeof *children);
    bool good = true;
    unlink(log);
    for (size_t i = 0; i < count; i++)
        children[i] = start_command(commands[i], log);
    for (size_t i = 0; i < count; i++) {
        int how = 1;
        while (children[i] > 0 && waitpid(children[i], &how, 0) < 0 && errno == EINTR)
            continue;
        good = good && how == 0;
    }
    free(children);
    return good || say_first_error(log, error);
}

char *library_include_flag(const char *header)
{
    const char *slash = strrchr(header, '/');
    return slash != NULL ? memory_format("-I%.*s", (int)(slash - header), header) : memory_copy_string("-I.");
}

/* ---- building ----------------------------------------------------------------------------------------------------------- */

struct build {
    struct library *library;
    VECTOR(char **) commands;
    VECTOR(char *) texts;
    struct {
        VECTOR(const char *) alone, together;
    } objects;
};

static char *keep(struct build *build, char *text)
{
    vector_push(&build->texts, text);
    return text;
}

static bool is_source(const char *path)
{
    static const char *const endings[] = {".c", ".cc", ".cpp", ".cxx", ".C", NULL};
    const char *dot = strrchr(path, '.');
    for (int i = 0; dot != NULL && endings[i] != NULL; i++)
        if (strcmp(dot, endings[i]) == 0)
            return true;
    return false;
}

static bool is_link_flag(const char *flag)
{
    return strncmp(flag, "-l", 2) == 0 || strncmp(flag, "-L", 2) == 0 || strncmp(flag, "-Wl,", 4) == 0;
}

static void add_flags(struct build *build, library_words *words, bool link)
{
    const struct library_input *input = build->library->input;
    for (int i = 0; i < input->flag_count; i++)
        if (link || !is_link_flag(input->flags[i]))
            vector_push(words, input->flags[i]);
}

static const char *compiler(const struct build *build)
{
    const char *variable = getenv(build->library->input->plus ? "RADDLE_CXX" : "RADDLE_CC");
    bool given = variable != NULL && variable[0] != '\0' && strchr(variable, ' ') == NULL;
    return given ? variable : build->library->input->plus ? "c++" : "cc";
}

/* `how`: "raddle" compiles under control, "alone" for alone_trace.c. */
static char *add_compile(struct build *build, const char *source, const char *how, size_t number)
{
    library_words words = {0};
    char *object = keep(build, memory_format("%s/%s-%zu.o", build->library->work, how, number));
    if (strcmp(how, "raddle") == 0) {
        vector_push(&words, build->library->paths.executable);
        vector_push(&words, (char *)(build->library->input->plus ? "c++" : "cc"));
    } else {
        vector_push(&words, (char *)compiler(build));
    }
    vector_push(&words, (char *)"-g");
    vector_push(&words, (char *)"-O1");
    add_flags(build, &words, false);
    if (strcmp(how, "alone") == 0)
        vector_push(&words, (char *)"-fsanitize=thread");
    if (number == 0)
        vector_push(&words, (char *)"-w"); /* generated code */
    vector_push(&words, (char *)"-c");
    vector_push(&words, (char *)source);
    vector_push(&words, (char *)"-o");
    vector_push(&words, object);
    vector_push(&words, NULL);
    vector_push(&build->commands, words.data);
    return object;
}

static void add_sources(struct build *build, const char *code)
{
    const api_texts *sources = &build->library->input->sources;
    vector_push(&build->objects.alone, add_compile(build, code, "alone", 0));
    vector_push(&build->objects.together, add_compile(build, code, "raddle", 0));
    for (size_t i = 0; i < sources->count; i++) {
        bool source = is_source(sources->data[i]);
        vector_push(&build->objects.alone,
                    source ? add_compile(build, sources->data[i], "alone", i + 1) : sources->data[i]);
        vector_push(&build->objects.together,
                    source ? add_compile(build, sources->data[i], "raddle", i + 1) : sources->data[i]);
    }
}

static void add_link_alone(struct build *build)
{
    static const char *const parts[] = {"alone", "alone_memory", "alone_locks", "alone_trace", "values"};
    library_words words = {0};
    vector_push(&words, (char *)compiler(build));
    vector_push(&words, (char *)"-g");
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        vector_push(&words, keep(build, memory_format("%s/raddle_gen_%s.o", build->library->paths.library, parts[i])));
    vector_append(&words, build->objects.alone.data, build->objects.alone.count);
    add_flags(build, &words, true);
    vector_push(&words, (char *)"-pthread");
    vector_push(&words, (char *)"-o");
    vector_push(&words, build->library->alone);
    vector_push(&words, NULL);
    vector_push(&build->commands, words.data);
}

static void add_link_together(struct build *build)
{
    library_words words = {0};
    vector_push(&words, build->library->paths.executable);
    vector_push(&words, (char *)(build->library->input->plus ? "c++" : "cc"));
    vector_push(&words, (char *)"-g");
    vector_push(&words, keep(build, memory_format("%s/raddle_gen_together.o", build->library->paths.library)));
    vector_push(&words, keep(build, memory_format("%s/raddle_gen_values.o", build->library->paths.library)));
    vector_append(&words, build->objects.together.data, build->objects.together.count);
    add_flags(build, &words, true);
    vector_push(&words, (char *)"-o");
    vector_push(&words, build->library->together);
    vector_push(&words, NULL);
    vector_push(&build->commands, words.data);
}

static bool run_build(struct build *build, struct error *error)
{
    char *log = file_join(build->library->work, "log");
    bool good = library_run_commands(build->commands.data, build->commands.count, log, error);
    for (size_t i = 0; i < build->commands.count; i++)
        free(build->commands.data[i]);
    vector_clear(&build->commands);
    free(log);
    return good;
}

static bool make_directory(struct library *library, struct error *error)
{
    const char *where = getenv("TMPDIR");
    library->work = memory_format("%s/raddle-gen-XXXXXX", where != NULL && where[0] != '\0' ? where : "/tmp");
    if (mkdtemp(library->work) != NULL)
        return true;
    error_set(error, EXIT_USAGE, "%s cannot be made: %s", library->work, strerror(errno));
    free(library->work);
    library->work = NULL;
    return false;
}

bool library_build(struct library *library, struct error *error)
{
    if (!paths_find(&library->paths, error) || !make_directory(library, error))
        return false;
    struct build build = {.library = library};
    struct buffer text = {0};
    char *code = file_join(library->work, library->input->plus ? "calls.cc" : "calls.c");
    library->alone = file_join(library->work, "alone");
    library->together = file_join(library->work, "together");
    code_module(library->api, library->subject, (const char *const *)library->input->headers.data,
                library->input->headers.count, &text);
    bool good = file_write(code, text.data, text.size, error);
    if (good) {
        add_sources(&build, code);
        good = run_build(&build, error);
    }
    if (good) {
        add_link_alone(&build);
        add_link_together(&build);
        good = run_build(&build, error);
    }
    for (size_t i = 0; i < build.texts.count; i++)
        free(build.texts.data[i]);
    vector_free(&build.texts);
    vector_free(&build.commands);
    vector_free(&build.objects.alone);
    vector_free(&build.objects.together);
    buffer_free(&text);
    free(code);
    return good;
}

/* ---- the program that runs calls alone ---------------------------------------------------------------------------------- */

static void become_alone(const struct library *library, unsigned twin, int ask, int tell, int shared)
{
    char number[] = {(char)('0' + twin), '\0'};
    FILE *input = tmpfile();
    int null = open("/dev/null", O_RDWR);
    if (input != NULL && null >= 0) {
        for (int i = 0; i < 64; i++)
            fputs("1\n", input);
        fflush(input);
        lseek(fileno(input), 0, SEEK_SET);
        dup2(fileno(input), STDIN_FILENO);
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
        dup2(ask, GEN_ASK);
        dup2(tell, GEN_TELL);
        dup2(shared, GEN_SHARED);
        execl(library->alone, library->alone, number, NULL);
    }
    _exit(127);
}

static void close_alone(struct library_alone *alone)
{
    if (alone->process == 0)
        return;
    close(alone->ask);
    close(alone->tell);
    kill(alone->process, SIGKILL);
    while (waitpid(alone->process, NULL, 0) < 0 && errno == EINTR)
        continue;
    munmap(alone->shared, sizeof *alone->shared);
    *alone = (struct library_alone){0};
}

static bool start_alone(struct library *library, unsigned twin, struct error *error)
{
    struct library_alone *alone = &library->twins[twin];
    int ask[2] = {-1, -1}, tell[2] = {-1, -1}, memory = memfd_create("raddle-gen", MFD_CLOEXEC);
    if (memory < 0 || ftruncate(memory, sizeof *alone->shared) != 0 || pipe2(ask, O_CLOEXEC) != 0 ||
        pipe2(tell, O_CLOEXEC) != 0)
        return error_set(error, EXIT_UNSUPPORTED, "a process cannot be started: %s", strerror(errno));
    alone->shared = mmap(NULL, sizeof *alone->shared, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    if (alone->shared == MAP_FAILED)
        return error_set(error, EXIT_UNSUPPORTED, "memory cannot be shared: %s", strerror(errno));
    alone->process = fork();
    if (alone->process == 0)
        become_alone(library, twin, ask[0], tell[1], memory);
    close(ask[0]);
    close(tell[1]);
    close(memory);
    alone->ask = ask[1];
    alone->tell = tell[0];
    return alone->process > 0 || error_set(error, EXIT_UNSUPPORTED, "a process cannot be started");
}

struct gen_request *library_request(struct library *library, unsigned twin, struct error *error)
{
    if (library->twins[twin].process == 0 && !start_alone(library, twin, error))
        return NULL;
    struct gen_request *request = &library->twins[twin].shared->request;
    *request = (struct gen_request){0};
    return request;
}

const struct gen_answer *library_ask(struct library *library, unsigned twin)
{
    struct library_alone *alone = &library->twins[twin];
    char byte = 'a';
    library->questions++;
    bool good = alone->process > 0 && write(alone->ask, &byte, 1) == 1;
    struct pollfd ready = {.fd = alone->tell, .events = POLLIN};
    while (good && poll(&ready, 1, 200) <= 0)
        if (stop_requested())
            good = false;
    good = good && read(alone->tell, &byte, 1) == 1;
    if (!good)
        close_alone(alone);
    return good ? &alone->shared->answer : NULL;
}

void library_close(struct library *library)
{
    close_alone(&library->twins[0]);
    close_alone(&library->twins[1]);
    if (library->work != NULL)
        file_remove_tree(library->work);
    free(library->work);
    free(library->together);
    free(library->alone);
    paths_free(&library->paths);
}
