/* SPDX-License-Identifier: MIT
 *
 * error.h - errors that are returned to the caller: one sentence that says what, where and what to do, and an exit
 * code.
 *
 * A function that can fail takes `struct error *` last, and returns false (or NULL, or -1) after error_set.
 */
#ifndef RADDLE_UTIL_ERROR_H
#define RADDLE_UTIL_ERROR_H

#include <stdbool.h>

/* Exit codes of every raddle command. */
enum exit_code {
    EXIT_NOTHING_FOUND = 0,
    EXIT_USAGE = 1, /* usage or configuration */
    EXIT_BUG_FOUND = 2,
    EXIT_INTERNAL = 3,     /* internal error; replay: the run diverged */
    EXIT_UNCONTROLLED = 4, /* nothing was under control */
    EXIT_UNSUPPORTED = 77, /* the environment cannot support it */
};

struct error {
    int code; /* 0: none */
    char text[1024];
};

/* Returns false, so that a function may end with `return error_set(…)`. */
bool error_set(struct error *error, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Prints the sentence on stderr, returns the exit code. */
int error_report(const struct error *error);

#endif
