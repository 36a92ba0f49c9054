/* SPDX-License-Identifier: MIT
 *
 * learned.h - sites that runs in several servers have learned to access shared memory, shared among these servers.
 *
 * DESIGN
 *   A run adds the sites that it learns to the table of its own server (wire->sites), and later runs there stop at them.  What a run may use
 *   decides where it has scheduling points, so it must be fixed by the number of the run alone: learned_take() is called when the result of
 *   a run is processed, in order of numbers, and learned_give() when a run is planned.  Sites are only ever added.
 *
 *   Where the system gives each process other addresses, sites are translated by the module that they are in.
 */
#ifndef RADDLE_CONTROL_LEARNED_H
#define RADDLE_CONTROL_LEARNED_H

#include "control/server.h"
#include "util/table.h"
#include "util/vector.h"
#include "wire/wire_check.h"

struct learned { /* all zero to begin with */
    VECTOR(uint64_t) sites;
    struct table known;           /* the same as a set */
    struct wire_modules *modules; /* the addresses are those of these modules; NULL: not needed yet */
};

/* What a server has of it; all zero to begin with. */
struct learned_part {
    size_t given;   /* of the sites */
    uint64_t count; /* sites in its table, as of the last call */
};

/* Adds what the last run in the server has learned. */
void learned_take(struct learned *learned, struct learned_part *part, const struct server *server);
/* Before a run: gives the server the sites that it does not have yet.  A checkpoint of it was made without them: all are ended. */
void learned_give(struct learned *learned, struct learned_part *part, struct server *server);
void learned_free(struct learned *learned);

#endif
