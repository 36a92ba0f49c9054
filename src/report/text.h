/* SPDX-License-Identifier: MIT
 *
 * text.h - sentences that several formats share.
 */
#ifndef RADDLE_REPORT_TEXT_H
#define RADDLE_REPORT_TEXT_H

#include <stdio.h>

#include "report/model.h"
#include "util/buffer.h"

/* The state of a program.  A failure is open until a later run finds it fixed. */
enum report_status {
    REPORT_PASSED,
    REPORT_FAILED,  /* a failure is open, or the last campaign showed one */
    REPORT_ERROR,   /* the last campaign could not run: nothing was under control, … */
    REPORT_UNKNOWN, /* all failures are fixed, and there is no campaign */
};
enum report_status report_status(const struct report_program *program);
const char *report_status_name(enum report_status status);

/* The tests of a program, in JUnit and TAP: the campaign, and each failure once. */
size_t report_count_tests(const struct report_program *program);
/* Whether an open failure is the same as one before it (failure_has_key): it is no test of its own. */
bool report_is_repeated(const struct report_program *program, size_t index);
/* Whether the campaign showed a failure that is no test of its own. */
bool report_fails_by_itself(const struct report_program *program);

/* "" or "s" */
const char *report_plural(uint64_t count);
/* The picture that `raddle explain` prints; without a tale, a short text.  Ends with a line end; freed by the caller. */
/* Of the schedule that is told. */
uint32_t report_preemptions(const struct report_failure *failure);
char *report_story(const struct report_failure *failure);
/* "bank: 1 failure in 37 schedules", "bank: nothing was under control"; freed by the caller. */
char *report_verdict(const struct report_program *program);
/* "T1 withdraw" */
void report_thread_name(const struct tale *tale, uint32_t thread, struct buffer *text);
/* An event as text, with single blanks: "read balance = 100". */
void report_event_text(const struct tale_event *event, struct buffer *text);
/* "2026-11-16T01:28:03", in UTC; "" if it is not known. */
void report_time(int64_t seconds, char *text, size_t size);

/* Control characters as \xNN, line ends and tabs as blanks: for one line of plain text. */
void report_add_line(struct buffer *buffer, const char *text);
/* The same, but line ends and tabs stay. */
void report_add_plain(struct buffer *buffer, const char *text);

#endif
