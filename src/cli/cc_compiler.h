/* SPDX-License-Identifier: MIT
 *
 * cc_compiler.h - the compiler that the wrapper calls.
 */
#ifndef RADDLE_CLI_CC_COMPILER_H
#define RADDLE_CLI_CC_COMPILER_H

#include "util/error.h"
#include "util/vector.h"

enum cc_family { CC_GCC, CC_CLANG };

struct cc_compiler {
    VECTOR(char *) words; /* the command, mostly one word; RADDLE_CC may have more: "ccache gcc" */
    enum cc_family family;
};

/* The compiler named by the environment variable, else by `standard`.  `self` is raddle's own path: never that one. */
bool cc_compiler_find(struct cc_compiler *compiler, const char *variable, const char *standard, const char *self,
                      struct error *error);
void cc_compiler_free(struct cc_compiler *compiler);

#endif
