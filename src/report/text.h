/* SPDX-License-Identifier: MIT
 *
 * text.h - what several formats say in the same words.
 */
#ifndef RADDLE_REPORT_TEXT_H
#define RADDLE_REPORT_TEXT_H

#include <stdio.h>

#include "report/model.h"
#include "util/buffer.h"

/* How a program stands.  A failure is open until a later run has found it fixed. */
enum report_status {
    REPORT_PASSED,
    REPORT_FAILED,  /* a failure is open, or the last campaign showed one */
    REPORT_ERROR,   /* the last campaign could not do its work: nothing was under control, … */
    REPORT_UNKNOWN, /* all failures are fixed, and there is no campaign */
};
enum report_status report_status(const struct report_program *program);
const char *report_status_name(enum report_status status);

/* "" or "s" */
const char *report_plural(uint64_t count);
/* The picture that `raddle explain` prints, and if there is no tale what is known without; fresh, ends with a line end. */
char *report_story(const struct report_failure *failure);
/* "bank: 1 failure in 37 schedules", "bank: nothing was under control"; fresh. */
char *report_verdict(const struct report_program *program);
/* "T1 withdraw" */
void report_thread_name(const struct tale *tale, uint32_t thread, struct buffer *text);
/* What an event did, blanks made single: "read balance = 100". */
void report_event_text(const struct tale_event *event, struct buffer *text);
/* "2026-11-16T01:28:03", in UTC; "" if it is not known. */
void report_time(int64_t seconds, char *text, size_t size);

/* Control characters as \xNN, line ends and tabs as blanks: for one line of plain text. */
void report_add_line(struct buffer *buffer, const char *text);
/* The same, but line ends and tabs stay. */
void report_add_plain(struct buffer *buffer, const char *text);

#endif
