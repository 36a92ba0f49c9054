/* SPDX-License-Identifier: MIT
 *
 * goal.h - a pattern as the program under test is told to make it happen (wire.h, struct wire_goal), and the beginning of a
 * known run as what it is to do first.
 */
#ifndef RADDLE_DIRECT_GOAL_H
#define RADDLE_DIRECT_GOAL_H

#include "pattern/instance.h"
#include "util/vector.h"
#include "wire/wire.h"

/* What of a witness a goal insists on. */
enum {
    GOAL_TASK = 1,
    GOAL_OCCURRENCE = 2,
    GOAL_CONTEXT = 4,
    GOAL_SECTION_ENTRY = 8,
    GOAL_CONTEXTS = 16 /* of all steps */
};

/* Return addresses in the program that a site stands for; how many there are, at most `most` of them in pcs. */
typedef size_t goal_pcs(void *context, uint32_t site, uint64_t *pcs, size_t most);

/* witnesses: one per step, NULL: none.  False: one of the sites is nowhere in the program (*missing tells which step). */
bool goal_make(struct wire_goal *goal, const struct pattern *pattern, uint32_t window, const struct witness *witnesses,
               unsigned insist, goal_pcs *pcs, void *context, unsigned *missing);

typedef VECTOR(struct wire_step) goal_steps;

/* Steps that may come in any order get one.  `turned` has a bit for each two of them, 0: as they are written, 1: the other way round. */
void goal_order(struct wire_goal *goal, unsigned turned);

/* The schedule up to where the first of the witnesses is about to do its step, or, if to_section, to enter the critical section in
   which it lies; replaces what was in `prefix`. */
void goal_prefix(const struct wire_step *steps, size_t count, const struct witness *witnesses, unsigned witness_count,
                 bool to_section, goal_steps *prefix);

#endif
