/* SPDX-License-Identifier: MIT
 *
 * search.h - depth-first search: which choices the next schedule makes, and from where it is continued.
 *
 * DESIGN
 *   The search is a path: the choices of the last schedule, each with the number of alternatives there were.  The next schedule changes the last
 *   choice that has another alternative left and forgets what came after it; when there is none, everything has been seen.  Which accesses are
 *   scheduling points is learned while running, and a newly learned one changes the tree: the search then begins again.
 *
 *   Schedules that follow each other differ near their end.  Where it pays (checkpoints.h), one is held before a choice a little above the one that
 *   changes, and those that follow are continued from there; what lies too deep is let go.
 */
#ifndef RADDLE_TECHNIQUE_SEARCH_H
#define RADDLE_TECHNIQUE_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "control/checkpoints.h"
#include "util/vector.h"
#include "wire/wire_check.h"

struct search {
    VECTOR(struct wire_choice) path;
    checkpoints_steps steps;           /* the same, as steps */
    uint64_t sites;                    /* known when the path was made */
    uint64_t schedules;                /* seen since the search began, or began again */
    bool finished;                     /* there is no other schedule */
    uint32_t waits;                    /* WAITS_*, of all schedules */
    bool cut;                          /* a schedule had more choices than fit */
    VECTOR(struct wire_passed) passed; /* loops that were taken for waiting, in all schedules */
};

/* The next schedule makes the choices of `path`.  Returns the slot of the checkpoint to continue it from, or -1; may ask the run of
   the plan to make one. */
int search_checkpoint(struct search *search, struct checkpoints *checkpoints, struct server *server,
                      struct wire_plan *plan);
/* A schedule has ended. */
void search_observe(struct search *search, const struct wire_copy *copy);
void search_free(struct search *search);
/* At the end: loops that were passed over (dfs.c). */
struct technique_end;
void search_leave_out_loops(const struct wire_passed *loops, size_t count, struct technique_end *end);

#endif
