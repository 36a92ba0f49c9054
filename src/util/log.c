/* SPDX-License-Identifier: MIT
 *
 * log.c - messages with the prefix, and the live line.
 */
#include "util/log.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

static enum log_level log_level = LOG_NORMAL;
static bool progress_shown;

void log_set_level(enum log_level level)
{
    log_level = level;
}

bool log_is_quiet(void)
{
    return log_level == LOG_QUIET;
}

bool log_is_verbose(void)
{
    return log_level == LOG_VERBOSE;
}

bool log_is_terminal(void)
{
    static int known = -1;
    if (known < 0)
        known = isatty(STDERR_FILENO);
    return known != 0;
}

static const char *log_escape(const char *sequence)
{
    return log_is_terminal() && getenv("NO_COLOR") == NULL ? sequence : "";
}

const char *log_bold(void)
{
    return log_escape("\033[1m");
}

const char *log_red(void)
{
    return log_escape("\033[1;31m");
}

const char *log_plain(void)
{
    return log_escape("\033[0m");
}

FILE *log_stream(void)
{
    if (progress_shown)
        fputs("\r\033[K", stderr);
    progress_shown = false;
    return stderr;
}

/* One write per message, so that messages of parallel processes do not mix. */
static void log_line(const char *format, va_list arguments)
{
    assert(format != NULL);
    char *text = NULL;
    FILE *stream = log_stream();
    if (vasprintf(&text, format, arguments) < 0)
        return;
    fprintf(stream, "raddle: %s\n", text);
    fflush(stream);
    free(text);
}

void log_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    log_line(format, arguments);
    va_end(arguments);
}

void log_say(const char *format, ...)
{
    if (log_level == LOG_QUIET)
        return;
    va_list arguments;
    va_start(arguments, format);
    log_line(format, arguments);
    va_end(arguments);
}

void log_verbose(const char *format, ...)
{
    if (log_level != LOG_VERBOSE)
        return;
    va_list arguments;
    va_start(arguments, format);
    log_line(format, arguments);
    va_end(arguments);
}

void log_progress(const char *format, ...)
{
    if (log_level == LOG_QUIET)
        return;
    struct winsize window = {0};
    int width = ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 20 ? window.ws_col : 80;
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int size = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (size < 0)
        return;
    fprintf(stderr, "\rraddle: %.*s\033[K", width - 9, text);
    fflush(stderr);
    progress_shown = true;
    free(text);
}
