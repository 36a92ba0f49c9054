/* SPDX-License-Identifier: MIT
 *
 * log.h - messages to the user: on stderr, with the prefix "raddle: ", and one live progress line on a terminal.
 */
#ifndef RADDLE_UTIL_LOG_H
#define RADDLE_UTIL_LOG_H

#include <stdbool.h>
#include <stdio.h>

enum log_level { LOG_QUIET, LOG_NORMAL, LOG_VERBOSE };
void log_set_level(enum log_level level);

/* Errors are printed even with --quiet. */
void log_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Normal messages. */
void log_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Only with --verbose. */
void log_verbose(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The live line: overwritten by the next one, erased by any message.  Only if log_is_terminal(). */
void log_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Erases the live line.  Returns the stream of messages, for longer texts without prefix. */
FILE *log_stream(void);
bool log_is_terminal(void);
bool log_is_quiet(void);
bool log_is_verbose(void);
/* Escape sequences, or "" if stderr is not a terminal or NO_COLOR is set. */
const char *log_bold(void);
const char *log_red(void);
const char *log_plain(void);

#endif
