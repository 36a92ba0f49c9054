/* SPDX-License-Identifier: MIT
 *
 * search.h - depth-first search: which choices the next schedule makes, and from where it is continued.
 *
 * DESIGN
 *   The search is a path: the choices of the last schedule, each with the number of ways there were.  The next schedule changes the last
 *   choice that has another way left and forgets what came after it; when there is none, everything has been seen.  Which accesses are
 *   scheduling points is learned while running, and a newly learned one changes the tree: the search then begins anew.
 *
 *   Schedules that follow each other differ near their end.  Where a whole run takes longer than a continued one, one is held before a choice a
 *   little above the one that changes (a checkpoint), and those that follow are continued from there; what lies too deep is let go.
 */
#ifndef RADDLE_EXPLORE_SEARCH_H
#define RADDLE_EXPLORE_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "explore/server.h"
#include "util/vector.h"
#include "wire/wire_check.h"

struct search {
    VECTOR(struct wire_choice) path;
    uint64_t sites;                   /* known when the path was made */
    uint64_t schedules;               /* seen since the search began (anew) */
    bool finished;                    /* there is no other schedule */
    bool whole;                       /* the current run is not a continuation */
    uint64_t wholes;                  /* whole runs */
    double seconds;                   /* of a whole run, mean of late */
    double continued_seconds;         /* of one that was continued */
    uint32_t depth[WIRE_CHECKPOINTS]; /* before which choice each holder stands */
    uint64_t continued;               /* schedules that did not begin at the beginning */
};

/* Puts the choices of the next schedule into the plan. Returns the slot of the server's holder to continue from, or -1. */
int search_plan(struct search *search, struct server *server, struct wire_plan *plan);
/* A schedule has ended. */
void search_observe(struct search *search, const struct wire_copy *copy, double seconds);
void search_free(struct search *search);

#endif
