/* SPDX-License-Identifier: MIT
 *
 * error.c - errors that are returned to the caller.
 */
#include "util/error.h"

#include <stdarg.h>
#include <stdio.h>

#include "util/log.h"

bool error_set(struct error *error, int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    error->code = code;
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return false;
}

int error_report(const struct error *error)
{
    log_error("%s", error->text);
    return error->code;
}
