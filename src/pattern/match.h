/* SPDX-License-Identifier: MIT
 *
 * match.h - whether an execution shows one pattern, for patterns that the observer does not know: those without a family, and
 * those that ask for an occurrence, a calling context, or a window of their own.
 *
 * DESIGN
 *   The observer finds all instances of all families in one pass.  Here one pattern is looked for, by trying for each step all
 *   accesses that it may be.  That is exact, and takes the product of their numbers if nothing is found, so the number of tries is
 *   bounded.
 */
#ifndef RADDLE_PATTERN_MATCH_H
#define RADDLE_PATTERN_MATCH_H

#include "pattern/pattern.h"
#include "trace/execution.h"

enum match { MATCH_NO, MATCH_YES, MATCH_UNKNOWN /* would have taken too long */ };

/* What the family of the pattern asks for is not looked at.  The sites of the execution are those of `sites`. */
enum match pattern_match(const struct pattern *pattern, const struct sites *sites, const struct execution *execution);

#endif
