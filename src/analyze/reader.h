/* SPDX-License-Identifier: MIT
 *
 * reader.h - from LLVM bitcode to a program (ir.h): the one function of the library that is linked with LLVM (src/llvm/).
 *
 * The driver loads the library when it is needed: loading LLVM takes longer than most commands run, and raddle can be built
 * without it.
 */
#ifndef RADDLE_ANALYZE_READER_H
#define RADDLE_ANALYZE_READER_H

#include "analyze/ir.h"

struct reader_input {
    const char *name;
    const void *bytes; /* bitcode */
    size_t size;
};

struct reader_options {
    bool open; /* there is more of the program than the inputs: it may call and use all that has a public name */
};

/* Fills an empty program with all inputs, as one.  False: `error` (of `room` bytes) has a sentence. */
typedef bool reader_function(const struct reader_input *inputs, size_t count, const struct reader_options *options,
                             struct ir_program *program, char *error, size_t room);
#define READER_SYMBOL "raddle_read_ir"

#endif
