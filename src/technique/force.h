/* SPDX-License-Identifier: MIT
 *
 * force.h - make one pattern happen that somebody wrote down, or say why not.
 *
 * DESIGN
 *   A few profile runs tell which of the program's sites the pattern's can be, and which instances of its family are
 *   predicted.  Those that fit are tried one after the other, each in all the director's ways; if none is predicted, the
 *   pattern is tried as it stands.  It has happened when the observer saw a fitting instance.  A pattern without a family, or
 *   one that says more than an instance can (occurrence, context, a window of its own), is looked for in the events of each
 *   run (pattern/match.h); only where that takes too long the program's own account of a directed run is believed.
 */
#ifndef RADDLE_TECHNIQUE_FORCE_H
#define RADDLE_TECHNIQUE_FORCE_H

#include "coverage/coverage.h"
#include "technique/maple.h"

struct force;

/* Parses the pattern.  NULL: error.  The coverage is given later, before the first plan. */
struct force *force_new(const char *text, struct error *error);
void force_free(struct force *force);
/* The rows of the table of families that have to be observed. */
family_mask force_rows(const struct force *force);
bool force_begin(struct force *force, struct coverage *coverage, uint64_t seed, struct error *error);

/* As maple_plan and maple_observe; the coverage has just observed the run. */
void force_plan(struct force *force, struct maple_run *run, const struct wire_modules *modules, struct wire_plan *plan);
void force_observe(struct force *force, const struct maple_run *run, const struct execution *execution,
                   const struct wire_directed *directed, struct symbols *symbols, uint64_t schedule);

bool force_has_succeeded(const struct force *force);
/* One or more lines: what happened, or why it did not. */
void force_print(const struct force *force, struct buffer *out);

#endif
