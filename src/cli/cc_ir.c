/* SPDX-License-Identifier: MIT
 *
 * cc_ir.c - see cc_ir.h.
 *
 * DESIGN
 *   An object that was compiled gets the section from objcopy.  A command that compiles and links has no object that could get it, so
 *   one more is linked that has nothing else.
 */
#include "cli/cc_ir.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/file.h"
#include "util/log.h"

bool cc_ir_is_asked_for(int *argc, char **argv)
{
    const char *variable = getenv("RADDLE_IR");
    bool asked = variable != NULL && strcmp(variable, "") != 0 && strcmp(variable, "0") != 0;
    int kept = 1;
    for (int i = 1; i < *argc; i++) {
        if (strcmp(argv[i], "--ir") == 0)
            asked = true;
        else
            argv[kept++] = argv[i];
    }
    if (*argc > 0)
        argv[ *argc = kept] = NULL;
    return asked;
}

static int run(char *const *command)
{
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        execvp(command[0], command);
        log_error("raddle cc: cannot run '%s': %s", command[0], strerror(errno));
        _exit(EXIT_USAGE);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    if (child < 0)
        return EXIT_UNSUPPORTED;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static bool make_directory(struct cc_ir *ir, struct error *error)
{
    const char *where = getenv("TMPDIR");
    ir->directory = memory_format("%s/raddle-ir-XXXXXX", where != NULL && where[0] != '\0' ? where : "/tmp");
    if (mkdtemp(ir->directory) != NULL)
        return true;
    error_set(error, EXIT_USAGE, "%s cannot be made: %s", ir->directory, strerror(errno));
    free(ir->directory);
    ir->directory = NULL;
    return false;
}

/* An object that has the section and nothing else. */
static bool make_object(struct cc_ir *ir, const struct buffer *section, struct error *error)
{
    char *bytes = file_join(ir->directory, "section"), *text = file_join(ir->directory, "ir.s");
    char *object = file_join(ir->directory, "ir.o");
    char *source = memory_format(".section " SECTION_NAME ",\"\",@progbits\n.balign 8\n.incbin \"%s\"\n"
                                 ".section .note.GNU-stack,\"\",@progbits\n",
                                 bytes);
    bool good =
        file_write(bytes, section->data, section->size, error) && file_write(text, source, strlen(source), error);
    char *command[] = {"as", text, "-o", object, NULL};
    if (good && run(command) != 0)
        good = error_set(error, EXIT_USAGE, "the assembler 'as' cannot make an object for the IR");
    if (good)
        ir->object = object;
    else
        free(object);
    free(bytes);
    free(text);
    free(source);
    return good;
}

static void add_source(const struct cc_ir *ir, size_t number, struct buffer *section)
{
    ir_add_source(ir->clang, &ir->command, &ir->command.sources.data[number], ir->plus, section);
}

bool cc_ir_open(struct cc_ir *ir, const char *name, const char *include, int count, char **words, struct error *error)
{
    ir_command_read(&ir->command, include, count, words);
    ir->plus = strcmp(name, "c++") == 0;
    size_t inputs = ir->command.sources.count + ir->command.assembler.list.count;
    ir->wanted = inputs > 0 && !ir->command.other;
    if (!ir->wanted)
        return true;
    ir->clang = ir_find_clang(error);
    if (ir->clang == NULL || !make_directory(ir, error))
        return false;
    if (ir->command.object)
        return true;
    struct buffer section = {0};
    for (size_t i = 0; i < ir->command.sources.count; i++)
        add_source(ir, i, &section);
    for (size_t i = 0; i < ir->command.assembler.list.count; i++)
        ir_add_assembler(ir->command.assembler.list.data[i], &section);
    bool good = make_object(ir, &section, error);
    buffer_free(&section);
    return good;
}

/* "dir/a.c" becomes "a.o", as compilers do it. */
static char *object_of(const struct cc_ir *ir, const char *source)
{
    if (ir->command.output != NULL)
        return memory_copy_string(ir->command.output);
    const char *name = file_base_name(source), *dot = strrchr(name, '.');
    return memory_format("%.*s.o", (int)(dot != NULL ? dot - name : (ptrdiff_t)strlen(name)), name);
}

static bool add_section(const struct cc_ir *ir, const char *source, const struct buffer *section)
{
    char *bytes = file_join(ir->directory, "section"), *object = object_of(ir, source);
    char *addition = memory_format(SECTION_NAME "=%s", bytes);
    char flags[] = SECTION_NAME "=readonly";
    char *command[] = {"objcopy", "--remove-section",    SECTION_NAME, "--add-section",
                       addition,  "--set-section-flags", flags,        object,
                       NULL};
    struct error error = {0};
    bool good = true;
    if (strcmp(object, "/dev/null") != 0 && file_exists(object)) {
        good = file_write(bytes, section->data, section->size, &error);
        if (!good)
            error_report(&error);
        else if (run(command) != 0)
            good = false;
    }
    free(bytes);
    free(object);
    free(addition);
    return good;
}

static bool add_to_objects(const struct cc_ir *ir)
{
    bool good = true;
    for (size_t i = 0; i < ir->command.sources.count; i++) {
        struct buffer section = {0};
        add_source(ir, i, &section);
        good &= add_section(ir, ir->command.sources.data[i].path, &section);
        buffer_free(&section);
    }
    for (size_t i = 0; i < ir->command.assembler.list.count; i++) {
        struct buffer section = {0};
        ir_add_assembler(ir->command.assembler.list.data[i], &section);
        good &= add_section(ir, ir->command.assembler.list.data[i], &section);
        buffer_free(&section);
    }
    return good;
}

int cc_ir_run(struct cc_ir *ir, char **command)
{
    int code = run(command);
    if (code == 0 && ir->command.object && !add_to_objects(ir))
        code = EXIT_USAGE;
    file_remove_tree(ir->directory);
    free(ir->directory);
    free(ir->object);
    free(ir->clang);
    ir_command_free(&ir->command);
    return code;
}
