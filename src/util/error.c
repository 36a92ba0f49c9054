/* SPDX-License-Identifier: MIT
 *
 * error.c - errors that are returned to the caller.
 */
#include "util/error.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "util/log.h"

bool error_set(struct error *error, int code, const char *format, ...)
{
    assert(error != NULL && code != 0);
    va_list arguments;
    va_start(arguments, format);
    error->code = code;
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return false;
}

int error_report(const struct error *error)
{
    assert(error->code != 0);
    log_error("%s", error->text);
    return error->code;
}
