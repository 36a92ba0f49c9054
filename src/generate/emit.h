/* SPDX-License-Identifier: MIT
 *
 * emit.h - a test as a C or C++ file of its own, to be read, kept and run.
 */
#ifndef RADDLE_GENERATE_EMIT_H
#define RADDLE_GENERATE_EMIT_H

#include "generate/test.h"
#include "util/buffer.h"

struct emit {
    const struct test *test;
    const struct library *library;
    const char *name; /* of the file */
    const char *what; /* fails; NULL: nothing */
    uint64_t seed;
};

void emit_test(const struct emit *emit, struct buffer *text);

#endif
