/* SPDX-License-Identifier: MIT
 *
 * ir.h - the LLVM IR of source files, made by clang from the command line that compiles them.
 */
#ifndef RADDLE_CLI_IR_H
#define RADDLE_CLI_IR_H

#include "analyze/section.h"
#include "util/names.h"

struct ir_source {
    char *path;
    char *language; /* of -x; NULL: by its suffix */
};

struct ir_command {
    VECTOR(struct ir_source) sources; /* that are compiled; assembler is not */
    struct names assembler;           /* sources that are assembler */
    struct names options;             /* what clang is to be told */
    char *output;                     /* of -o; NULL */
    bool object;                      /* -c */
    bool other;                       /* -S, -E, -M: nothing is compiled to the end */
};

/* What a command line for gcc or clang compiles, and how.  `include`: directory of raddle.h. */
void ir_command_read(struct ir_command *command, const char *include, int count, char **words);
void ir_command_free(struct ir_command *command);

/* The clang to use, freed by the caller; NULL: there is none, and `error` says what to do. */
char *ir_find_clang(struct error *error);

/* The record of one source is appended: its IR, or why there is none. */
void ir_add_source(const char *clang, const struct ir_command *command, const struct ir_source *source, bool plus,
                   struct buffer *section);
/* The record of a file that has none. */
void ir_add_assembler(const char *path, struct buffer *section);

#endif
