/* SPDX-License-Identifier: MIT
 *
 * formats.h - the formats of a report (html.h has the page).  Each is a function from the model to a text and cannot
 * fail.  They are described in raddle-report(1); report.schema.json is the schema of the JSON.
 */
#ifndef RADDLE_REPORT_FORMATS_H
#define RADDLE_REPORT_FORMATS_H

#include "report/model.h"
#include "util/buffer.h"

#ifndef RADDLE_VERSION
#define RADDLE_VERSION "unknown"
#endif

enum { REPORT_VERSION = 1 }; /* of the JSON */

void report_summary(const struct report *report, struct buffer *text); /* for the terminal */
void report_json(const struct report *report, struct buffer *text);
void report_junit(const struct report *report, struct buffer *text);
void report_sarif(const struct report *report, struct buffer *text);
void report_tap(const struct report *report, struct buffer *text);
void report_trace(const struct report *report, struct buffer *text); /* Chrome trace events */

/* output.c: writes the text to a file in one go; "-" is standard output. */
bool report_output(const char *path, const struct buffer *text, struct error *error);

#endif
