/* SPDX-License-Identifier: MIT
 *
 * cc_ir.h - `raddle cc --ir`: the IR of the sources becomes a section of what the compiler makes.
 */
#ifndef RADDLE_CLI_CC_IR_H
#define RADDLE_CLI_CC_IR_H

#include "cli/ir.h"

struct cc_ir {
    bool wanted; /* the command compiles something */
    bool plus;   /* C++ */
    struct ir_command command;
    char *clang;
    char *directory; /* for temporary files; NULL */
    char *object;    /* to be linked with the program: has the IR; NULL: the objects get it when they are made */
};

/* --ir, which is taken out of the arguments, or RADDLE_IR=1. */
bool cc_ir_is_asked_for(int *argc, char **argv);
/* `include`: directory of raddle.h. */
bool cc_ir_open(struct cc_ir *ir, const char *name, const char *include, int count, char **words, struct error *error);
/* Runs the compiler, adds the IR; the exit code. */
int cc_ir_run(struct cc_ir *ir, char **command);

#endif
