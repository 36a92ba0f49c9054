/* SPDX-License-Identifier: MIT
 *
 * points.h - where the addresses of a program may point to (Andersen's analysis, with fields, function pointers as they are
 * found, without contexts).
 *
 * DESIGN
 *   A *spot* is an object and a canonical offset (layout.h).  The result is a set of spots for each node.  Memory is nodes as
 *   well, one for each eight bytes of an object, since an address may be written there in one piece and read in two.
 *
 *   Rounds (wave propagation): cycles of copies become one node, what is new goes along the copies in their order, then loads,
 *   stores and calls make new copies.  Until nothing changes.
 */
#ifndef RADDLE_ANALYZE_POINTS_H
#define RADDLE_ANALYZE_POINTS_H

#include "analyze/ir.h"
#include "analyze/set.h"

struct points;

struct points *points_solve(struct ir_program *program);
void points_free(struct points *points);

struct points_spot {
    uint32_t object;
    uint64_t offset; /* 0 if the object is collapsed */
};

/* The spots of a node; the empty set for IR_NONE. */
const struct set *points_of(const struct points *points, uint32_t node);
uint32_t points_spot_count(const struct points *points);
struct points_spot points_spot(const struct points *points, uint32_t spot);
bool points_is_collapsed(const struct points *points, uint32_t object);
/* The functions that a call may call; *unseen: others, too. */
void points_called(const struct points *points, uint32_t call, struct set *functions, bool *unseen);
/* Everything that memory of the object may point to is added. */
void points_content(const struct points *points, uint32_t object, struct set *spots);
uint32_t points_rounds(const struct points *points);

#endif
