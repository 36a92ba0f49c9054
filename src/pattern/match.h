/* SPDX-License-Identifier: MIT
 *
 * match.h - whether an execution shows one pattern, for patterns that the observer does not know: those without a family, and
 * those that ask for an occurrence, a calling context, or a window of their own.
 *
 * DESIGN
 *   The observer finds all instances of all families at once, and online.  Here one pattern is looked for in the whole list of
 *   events, by trying for each step all accesses that it may be.  That is exact, and takes the product of their numbers if
 *   nothing is found, so there is an end to the trying.
 */
#ifndef RADDLE_PATTERN_MATCH_H
#define RADDLE_PATTERN_MATCH_H

#include <stddef.h>

#include "pattern/pattern.h"

enum match { MATCH_NO, MATCH_YES, MATCH_UNKNOWN /* would have taken too long */ };

/* event_sites: of each event.  What the family of the pattern asks for is not looked at. */
enum match pattern_match(const struct pattern *pattern, const struct sites *sites, const struct wire_event *events,
                         const uint32_t *event_sites, size_t count);

#endif
