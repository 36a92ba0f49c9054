/* SPDX-License-Identifier: MIT
 *
 * core_words.h - why a pattern is impossible (solve/core.h), in source lines and names of the program.
 */
#ifndef RADDLE_COVERAGE_CORE_WORDS_H
#define RADDLE_COVERAGE_CORE_WORDS_H

#include "pattern/site.h"
#include "solve/core.h"
#include "trace/symbols.h"

/* A sentence without its end.  `symbols` are of a process with the same addresses; NULL: a lock has no name then. */
void core_words(const struct core *core, const struct sites *sites, struct symbols *symbols, struct buffer *out);

#endif
