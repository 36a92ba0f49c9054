/* SPDX-License-Identifier: MIT
 *
 * json_writer.h - JSON written directly into a buffer, for data that is too large to be built as a tree first.
 *
 *     struct json_writer json = {.to = &buffer, .indent = 2};
 *     json_begin(&json, NULL, '{');
 *     json_text(&json, "name", "bank");
 *     json_begin(&json, "list", '[');
 *     json_number(&json, NULL, 7);
 *     json_end(&json);
 *     json_end(&json);
 *
 * A value in an object has a name, one in a list has NULL.  Texts may contain any bytes: what is not UTF-8 becomes
 * U+FFFD.
 */
#ifndef RADDLE_UTIL_JSON_WRITER_H
#define RADDLE_UTIL_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "util/buffer.h"

enum { JSON_DEPTH = 32 };

struct json_writer {
    struct buffer *to;
    int indent; /* blanks per level; 0: all in one line */
    int flat;   /* levels from this one on are written in one line; 0: none */
    /* private */
    int depth;
    bool filled[JSON_DEPTH]; /* it has a value */
    char closing[JSON_DEPTH];
};

/* `kind`: '{' or '['. */
void json_begin(struct json_writer *json, const char *name, char kind);
void json_end(struct json_writer *json);
void json_text(struct json_writer *json, const char *name, const char *text); /* NULL is written as null */
void json_textf(struct json_writer *json, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void json_number(struct json_writer *json, const char *name, uint64_t value);
void json_signed(struct json_writer *json, const char *name, int64_t value);
void json_fraction(struct json_writer *json, const char *name, double value); /* finite; else null */
void json_truth(struct json_writer *json, const char *name, bool value);
void json_nothing(struct json_writer *json, const char *name);

#endif
