/* SPDX-License-Identifier: MIT
 *
 * json.h - texts of programs under test as JSON.
 */
#ifndef RADDLE_UTIL_JSON_H
#define RADDLE_UTIL_JSON_H

#include <jansson.h>
#include <stdint.h>

/* A string; what is not UTF-8 is taken for Latin-1.  null for NULL.  Fresh. */
json_t *json_from_text(const char *text);
/* What is too large for JSON's readers is the largest number that is not. */
json_t *json_from_number(uint64_t number);

#endif
