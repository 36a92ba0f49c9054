/* SPDX-License-Identifier: MIT
 *
 * cc_compiler.c - the compiler that the wrapper calls, and whether it is gcc or clang.
 *
 * A wrapper runs once per source file, so the family is derived from the file's name if possible (links resolved: cc ->
 * gcc -> x86_64-linux-gnu-gcc-12), and only else asked for its predefined macros.
 */
#include "cli/cc_compiler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/buffer.h"
#include "util/file.h"

static void split_words(struct cc_compiler *compiler, const char *text)
{
    for (const char *at = text + strspn(text, " \t"); *at != '\0'; at += strspn(at, " \t")) {
        size_t length = strcspn(at, " \t");
        vector_push(&compiler->words, memory_format("%.*s", (int)length, at));
        at += length;
    }
}

/* The path of a compiler may have blanks in it: then it is one word. */
static void set_words(struct cc_compiler *compiler, const char *text)
{
    if (strchr(text, '/') != NULL && access(text, X_OK) == 0)
        vector_push(&compiler->words, memory_copy_string(text));
    else
        split_words(compiler, text);
}

static bool family_by_name(const char *path, enum cc_family *family)
{
    const char *name = file_base_name(path);
    bool gcc = strstr(name, "gcc") != NULL || strstr(name, "g++") != NULL;
    bool clang = strstr(name, "clang") != NULL;
    *family = clang ? CC_CLANG : CC_GCC;
    return gcc != clang && strstr(name, "cache") == NULL;
}

/* The macros that the compiler predefines; empty if it cannot be run. */
static void ask_macros(const struct cc_compiler *compiler, struct buffer *answer)
{
    struct buffer command = {0};
    for (size_t i = 0; i < compiler->words.count; i++) {
        buffer_add_quoted(&command, compiler->words.data[i]);
        buffer_add_char(&command, ' ');
    }
    buffer_add_string(&command, "-dM -E -x c /dev/null 2>/dev/null");
    FILE *pipe = popen(buffer_text(&command), "re");
    char piece[4096];
    for (size_t got; pipe != NULL && (got = fread(piece, 1, sizeof piece, pipe)) > 0;)
        buffer_add(answer, piece, got);
    if (pipe != NULL)
        pclose(pipe);
    buffer_free(&command);
}

static bool family_by_question(struct cc_compiler *compiler, struct error *error)
{
    struct buffer answer = {0};
    ask_macros(compiler, &answer);
    bool clang = strstr(buffer_text(&answer), "#define __clang__ ") != NULL;
    bool gcc = strstr(buffer_text(&answer), "#define __GNUC__ ") != NULL;
    buffer_free(&answer);
    if (!clang && !gcc)
        return error_set(error, EXIT_USAGE,
                         "'%s' is neither gcc nor clang: its predefined macros (-dM -E) do not say so",
                         compiler->words.data[0]);
    compiler->family = clang ? CC_CLANG : CC_GCC;
    return true;
}

bool cc_compiler_find(struct cc_compiler *compiler, const char *variable, const char *standard, const char *self,
                      struct error *error)
{
    *compiler = (struct cc_compiler){0};
    const char *value = getenv(variable);
    set_words(compiler, value != NULL ? value : standard);
    if (compiler->words.count == 0)
        return error_set(error, EXIT_USAGE, "the environment variable %s is empty: unset it, or give it a compiler",
                         variable);

    char *found = file_find_program(compiler->words.data[0]);
    if (found == NULL)
        return error_set(error, EXIT_USAGE, "the compiler '%s' was not found: install it, or name another one in %s",
                         compiler->words.data[0], variable);
    char *resolved = realpath(found, NULL);
    free(found);
    if (resolved != NULL && strcmp(resolved, self) == 0) {
        free(resolved);
        return error_set(error, EXIT_USAGE, "'%s' is raddle itself: name the real compiler in %s",
                         compiler->words.data[0], variable);
    }
    bool known = resolved != NULL && family_by_name(resolved, &compiler->family);
    free(resolved);
    return known || family_by_question(compiler, error);
}

void cc_compiler_free(struct cc_compiler *compiler)
{
    for (size_t i = 0; i < compiler->words.count; i++)
        free(compiler->words.data[i]);
    vector_free(&compiler->words);
}
