/* SPDX-License-Identifier: MIT
 *
 * text.h - words in sentences.
 */
#ifndef RADDLE_UTIL_TEXT_H
#define RADDLE_UTIL_TEXT_H

#include <stdint.h>

/* The end of a noun after a number: "1 schedule", "2 schedules". */
static inline const char *text_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

#endif
