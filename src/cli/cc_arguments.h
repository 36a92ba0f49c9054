/* SPDX-License-Identifier: MIT
 *
 * cc_arguments.h - what a command line for gcc or clang asks for, as far as the wrapper must know.
 */
#ifndef RADDLE_CLI_CC_ARGUMENTS_H
#define RADDLE_CLI_CC_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "util/error.h"

enum cc_output {
    CC_NOTHING,     /* no input: --version, -print-search-dirs, -v, ... */
    CC_OBJECT,      /* -c, -S, -E, -M, -fsyntax-only, a header to precompile */
    CC_RELOCATABLE, /* -r */
    CC_SHARED,
    CC_PROGRAM,
};

struct cc_arguments {
    enum cc_output output;
    bool compiles;     /* at least one input is source code that gets instrumented; assembler does not */
    bool preprocesses; /* ... and is not preprocessed already */
    bool
        assembles; /* at least one input is source code or assembler: the assembler is called, unless -S and the like stop before */
    bool instrument;     /* false: the user said -fno-sanitize=thread */
    bool errors;         /* warnings, or some of them, are errors */
    bool optimises_late; /* -flto */
    bool intel;          /* -masm=intel */
};

/* Reads the arguments, those in response files (@file) too.  False, with a sentence, for what raddle cannot do. */
bool cc_arguments_read(struct cc_arguments *arguments, int count, char **words, struct error *error);

enum cc_word { CC_WORD_OPTION, CC_WORD_SOURCE, CC_WORD_ASSEMBLER, CC_WORD_OTHER };

/* What words[at] is, and how many words it takes.  `language`, of `room` bytes: what -x said last; empty at the beginning. */
int cc_arguments_word(char **words, int at, int count, char *language, size_t room, enum cc_word *kind);

#endif
