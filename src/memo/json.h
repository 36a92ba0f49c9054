/* SPDX-License-Identifier: MIT
 *
 * json.h - records of a memo as JSON, for export.c, import.c and the commands that show them.
 */
#ifndef RADDLE_MEMO_JSON_H
#define RADDLE_MEMO_JSON_H

#include <jansson.h>

#include "memo/memo.h"

#define MEMO_JSON_FORMAT "raddle memo"
enum { MEMO_JSON_VERSION = 1 };

/* A string, null for NULL, or {"hex": "…"} for a text that is not UTF-8.  The caller owns all results. */
json_t *memo_json_text(const char *text);
json_t *memo_json_instance(const struct memo_instance *instance);
json_t *memo_json_core(const struct memo_core *core);
json_t *memo_json_failure(const struct memo_failure *failure);

#endif
