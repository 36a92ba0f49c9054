/* SPDX-License-Identifier: MIT
 *
 * cc_arguments.c - what a command line for gcc or clang asks for, as far as the wrapper must know.
 *
 * DESIGN
 *   The arguments are only read, never rewritten: they go to the compiler as they came.  So an option that is not known
 *   here does no harm, unless it takes a separate argument that looks like an input; those are in the table below.
 */
#include "cli/cc_arguments.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/buffer.h"
#include "util/file.h"
#include "util/vector.h"

typedef VECTOR(char *) word_list;

/* Sets of words are strings with a blank before and after each word. */

/* Options whose argument is the next word, apart from those that read_option looks at. */
static const char takes_argument[] =
    " -D -U -I -L -T -u -z -e -B -A -G -h -o -F -include -imacros -idirafter -iprefix -iwithprefix"
    " -iwithprefixbefore -isystem -iquote -isysroot -imultilib -imultiarch -iframework -framework -include-pch"
    " -ivfsoverlay -cxx-isystem -stdlib++-isystem -MF -MT -MQ -MJ -Xassembler -Xpreprocessor -Xclang -Xanalyzer -mllvm"
    " -Xarch_host -aux-info -dumpbase -dumpdir -dumpbase-ext -auxbase -arch -target -wrapper -serialize-diagnostics"
    " -working-directory -gcc-toolchain -resource-dir -Tbss -Tdata -Ttext --param --target --sysroot --output --include"
    " --define-macro --undefine-macro --include-directory --library-directory --entry --assert --prefix"
    " --serialize-diagnostics ";

/* Options after which nothing is linked. */
static const char stopping[] = " -c -S -E -M -MM -fsyntax-only --compile --assemble --preprocess --analyze --precompile"
                               " -emit-ast --dependencies --user-dependencies ";

/* Sanitizers with a runtime that conflicts with raddle's. */
static const char foreign_sanitizers[] =
    " address thread memory leak hwaddress kernel-address kernel-hwaddress kernel-memory dataflow ";

static const char source_suffixes[] = " c cc cp cxx cpp CPP c++ C m mm M ixx cppm ";
static const char preprocessed_suffixes[] = " i ii mi mii ll bc ";
static const char header_suffixes[] = " h hh H hp hxx hpp HPP h++ tcc ";
static const char assembler_suffixes[] = " s S sx asm ";

enum input { INPUT_SOURCE, INPUT_PREPROCESSED, INPUT_HEADER, INPUT_ASSEMBLER, INPUT_LINKED };

struct reading {
    struct cc_arguments *result;
    char language[40];  /* -x; empty: by suffix */
    char refused[16];   /* the unsupported option: -static */
    char narrow[8];     /* -m32 */
    char sanitizer[32]; /* the unsupported sanitizer */
    bool stops, shared, relocatable;
    int inputs, headers;
    int depth; /* of response files */
};

static bool is_one_of(const char *word, const char *set)
{
    size_t length = strlen(word);
    for (const char *at = set + 1; length > 0 && (at = strstr(at, word)) != NULL; at += length)
        if (at[-1] == ' ' && at[length] == ' ')
            return true;
    return false;
}

static bool starts_with(const char *word, const char *beginning)
{
    return strncmp(word, beginning, strlen(beginning)) == 0;
}

static enum input classify_input(const char *language, const char *path)
{
    if (language[0] != '\0') {
        if (starts_with(language, "assembler"))
            return INPUT_ASSEMBLER;
        if (strstr(language, "-header") != NULL)
            return INPUT_HEADER;
        return strstr(language, "-output") != NULL || strcmp(language, "ir") == 0 ? INPUT_PREPROCESSED : INPUT_SOURCE;
    }
    const char *name = file_base_name(path);
    const char *dot = strrchr(name, '.');
    if (dot == NULL)
        return INPUT_LINKED;
    if (is_one_of(dot + 1, source_suffixes))
        return INPUT_SOURCE;
    if (is_one_of(dot + 1, preprocessed_suffixes))
        return INPUT_PREPROCESSED;
    if (is_one_of(dot + 1, header_suffixes))
        return INPUT_HEADER;
    return is_one_of(dot + 1, assembler_suffixes) ? INPUT_ASSEMBLER : INPUT_LINKED;
}

static void read_input(struct reading *reading, const char *path)
{
    enum input input = classify_input(reading->language, path);
    reading->inputs++;
    if (input == INPUT_HEADER)
        reading->headers++;
    if (input == INPUT_HEADER || input == INPUT_SOURCE)
        reading->result->preprocesses = true;
    if (input != INPUT_ASSEMBLER && input != INPUT_LINKED)
        reading->result->compiles = true;
    if (input != INPUT_HEADER && input != INPUT_LINKED)
        reading->result->assembles = true;
}

static void read_language(struct reading *reading, const char *language)
{
    if (strcmp(language, "none") == 0)
        language = "";
    snprintf(reading->language, sizeof reading->language, "%s", language);
}

/* One option to the linker, or several with commas between. */
static void read_linker_options(struct reading *reading, const char *options)
{
    for (const char *at = options; *at != '\0';) {
        size_t length = strcspn(at, ",");
        char option[32] = "";
        if (length < sizeof option)
            memcpy(option, at, length);
        if (is_one_of(option, " -shared --shared -Bshareable "))
            reading->shared = true;
        if (is_one_of(option, " -r -i -Ur -relocatable --relocatable "))
            reading->relocatable = true;
        at += length + (at[length] == ',');
    }
}

/* -fsanitize=a,b and -fno-sanitize=a,b: the last option for each name counts. */
static void read_sanitizers(struct reading *reading, const char *list, bool on)
{
    while (*list != '\0') {
        size_t length = strcspn(list, ",");
        char name[32] = "";
        if (length < sizeof name)
            memcpy(name, list, length);
        bool all = !on && strcmp(name, "all") == 0;
        if (on && is_one_of(name, foreign_sanitizers))
            memcpy(reading->sanitizer, name, sizeof name);
        if (!on && (all || strcmp(name, reading->sanitizer) == 0))
            reading->sanitizer[0] = '\0';
        if (!on && (all || strcmp(name, "thread") == 0))
            reading->result->instrument = false;
        list += length + (list[length] == ',');
    }
}

/* Looks at words[at], returns how many words it takes. */
static int read_option(struct reading *reading, char **words, int at, int count)
{
    const char *word = words[at];
    const char *next = at + 1 < count ? words[at + 1] : "";
    if (strcmp(word, "-x") == 0 || strcmp(word, "--language") == 0) {
        read_language(reading, next);
        return 2;
    }
    if (strcmp(word, "-Xlinker") == 0 || strcmp(word, "--for-linker") == 0) {
        read_linker_options(reading, next);
        return 2;
    }
    if (strcmp(word, "-l") == 0) {
        reading->inputs++;
        return 2;
    }
    if (is_one_of(word, takes_argument))
        return 2;
    if (starts_with(word, "-x"))
        read_language(reading, word + 2);
    else if (starts_with(word, "--language="))
        read_language(reading, word + strlen("--language="));
    else if (starts_with(word, "-Wl,"))
        read_linker_options(reading, word + 4);
    else if (starts_with(word, "-l"))
        reading->inputs++;
    else if (starts_with(word, "-fsanitize="))
        read_sanitizers(reading, word + strlen("-fsanitize="), true);
    else if (starts_with(word, "-fno-sanitize="))
        read_sanitizers(reading, word + strlen("-fno-sanitize="), false);
    else if (strcmp(word, "-Werror") == 0 || starts_with(word, "-Werror="))
        reading->result->errors = true;
    else if (starts_with(word, "-flto"))
        reading->result->optimises_late = true;
    else if (starts_with(word, "-masm="))
        reading->result->intel = strcmp(word, "-masm=intel") == 0;
    else if (is_one_of(word, " -shared --shared "))
        reading->shared = true;
    else if (strcmp(word, "-r") == 0)
        reading->relocatable = true;
    else if (is_one_of(word, " -m32 -mx32 -m16 "))
        snprintf(reading->narrow, sizeof reading->narrow, "%s", word);
    else if (strcmp(word, "-m64") == 0)
        reading->narrow[0] = '\0';
    else if (is_one_of(word, " -static --static -static-pie "))
        snprintf(reading->refused, sizeof reading->refused, "%s", word);
    else if (is_one_of(word, stopping))
        reading->stops = true;
    return 1;
}

/* The words of a response file, by the compilers' rules: blanks separate, quotes of both kinds and backslashes protect.
 */
static void split_response(const char *text, word_list *into)
{
    struct buffer word = {0};
    while (*text != '\0') {
        while (isspace((unsigned char)*text))
            text++;
        if (*text == '\0')
            break;
        char quote = '\0';
        buffer_clear(&word);
        for (; *text != '\0' && (quote != '\0' || !isspace((unsigned char)*text)); text++) {
            if (*text == '\\' && text[1] != '\0')
                buffer_add_char(&word, *++text);
            else if (quote != '\0' ? *text == quote : *text == '\'' || *text == '"')
                quote = quote != '\0' ? '\0' : *text;
            else
                buffer_add_char(&word, *text);
        }
        vector_push(into, memory_copy_string(buffer_text(&word)));
    }
    buffer_free(&word);
}

static void read_words(struct reading *reading, int count, char **words);

/* @file: its words; where there is no such file the compilers take the word itself, and so do we. */
static void read_response(struct reading *reading, const char *word)
{
    struct buffer text = {0};
    struct error error = {0};
    word_list list = {0};
    if (reading->depth < 32 && file_read(word + 1, 1 << 26, &text, &error)) {
        reading->depth++;
        split_response(buffer_text(&text), &list);
        read_words(reading, (int)list.count, list.data);
        reading->depth--;
    } else {
        read_input(reading, word);
    }
    for (size_t i = 0; i < list.count; i++)
        free(list.data[i]);
    vector_free(&list);
    buffer_free(&text);
}

static void read_words(struct reading *reading, int count, char **words)
{
    for (int i = 0; i < count;) {
        const char *word = words[i];
        if (word[0] == '@' && word[1] != '\0') {
            read_response(reading, word);
            i++;
        } else if (word[0] == '-' && word[1] != '\0') {
            i += read_option(reading, words, i, count);
        } else {
            read_input(reading, word);
            i++;
        }
    }
}

static enum cc_output decide_output(const struct reading *reading)
{
    if (reading->inputs == 0)
        return CC_NOTHING;
    if (reading->stops || reading->headers == reading->inputs)
        return CC_OBJECT;
    if (reading->relocatable)
        return CC_RELOCATABLE;
    return reading->shared ? CC_SHARED : CC_PROGRAM;
}

bool cc_arguments_read(struct cc_arguments *arguments, int count, char **words, struct error *error)
{
    *arguments = (struct cc_arguments){.instrument = true};
    struct reading reading = {.result = arguments};
    read_words(&reading, count, words);
    arguments->output = decide_output(&reading);
    if (arguments->output == CC_NOTHING)
        return true;
    if (reading.sanitizer[0] != '\0')
        return error_set(error, EXIT_USAGE,
                         "-fsanitize=%s cannot be used together with raddle, which links a runtime of its own instead: "
                         "leave it out (-fsanitize=undefined is fine)",
                         reading.sanitizer);
    if (reading.narrow[0] != '\0')
        return error_set(
            error, EXIT_USAGE,
            "%s: only 64-bit programs can be controlled, because raddle's runtime is one: leave it out, or "
            "build this part without raddle",
            reading.narrow);
    if (reading.refused[0] != '\0' && arguments->output == CC_PROGRAM)
        return error_set(
            error, EXIT_USAGE,
            "%s: a statically linked program cannot be controlled, because raddle's runtime calls the real "
            "functions in the shared libc: leave it out",
            reading.refused);
    return true;
}

int cc_arguments_word(char **words, int at, int count, char *language, size_t room, enum cc_word *kind)
{
    static const enum cc_word kinds[] = {
        [INPUT_SOURCE] = CC_WORD_SOURCE,       [INPUT_PREPROCESSED] = CC_WORD_SOURCE, [INPUT_HEADER] = CC_WORD_OTHER,
        [INPUT_ASSEMBLER] = CC_WORD_ASSEMBLER, [INPUT_LINKED] = CC_WORD_OTHER,
    };
    const char *word = words[at];
    if (word[0] != '-' || word[1] == '\0') {
        *kind = word[0] == '@' ? CC_WORD_OTHER : kinds[classify_input(language, word)];
        return 1;
    }
    struct cc_arguments unused = {0};
    struct reading reading = {.result = &unused};
    snprintf(reading.language, sizeof reading.language, "%s", language);
    int taken = read_option(&reading, words, at, count);
    snprintf(language, room, "%s", reading.language);
    *kind = CC_WORD_OPTION;
    return taken <= count - at ? taken : count - at;
}
