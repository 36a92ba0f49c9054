/* SPDX-License-Identifier: MIT
 *
 * json.h - texts of programs under test as JSON.
 */
#ifndef RADDLE_UTIL_JSON_H
#define RADDLE_UTIL_JSON_H

#include <jansson.h>
#include <stdint.h>

/* A string; a text that is not UTF-8 is read as Latin-1.  null for NULL.  Owned by the caller. */
json_t *json_from_text(const char *text);
/* The number, limited to the largest one that JSON readers can represent. */
json_t *json_from_number(uint64_t number);

#endif
