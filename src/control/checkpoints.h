/* SPDX-License-Identifier: MIT
 *
 * checkpoints.h - the checkpoints of one server: which there are, which one a run can be continued from, and where to make the next.
 *
 * DESIGN
 *   A checkpoint is a process that holds a run in the middle (runtime/checkpoint.h).  What led there is known as steps of a schedule;
 *   every run that is to begin with these steps can be continued from there instead of being run from the beginning, and is
 *   the same run then, so all that is decided here is a matter of time and memory and may depend on both.  The process looks for
 *   itself whether a plan leads there, and declines if not.
 *
 *   Depth-first search has its choices as steps (search.c).  Runs that no steps are given for, of all other strategies, can be continued
 *   from the point where the second task comes, unless their strategy takes an interest in what happens before.
 *
 *   It pays to continue if what is not done again takes longer than to fork a process in the middle; what both take is measured.
 */
#ifndef RADDLE_CONTROL_CHECKPOINTS_H
#define RADDLE_CONTROL_CHECKPOINTS_H

#include <stdbool.h>
#include <stdint.h>

#include "control/server.h"
#include "util/vector.h"
#include "wire/wire_check.h"

typedef VECTOR(struct wire_step) checkpoints_steps;

/* What a run is to begin with. */
struct checkpoints_wish {
    const struct wire_step *steps; /* of the last STEP_RUN, `until` is where the plan stops to care */
    size_t count;                  /* 0: nothing, the strategy decides from the beginning */
    uint32_t flags;                /* of the plan */
};

/* A live checkpoint, if the server has a process in its slot. */
struct checkpoint {
    checkpoints_steps steps; /* of the last STEP_RUN, `until` is where it stands */
    uint32_t flags;
    bool first; /* no task but the first has done anything */
    uint64_t operations;
    uint64_t used; /* by this run last */
};

enum checkpoints_policy { CHECKPOINTS_IF_IT_PAYS, CHECKPOINTS_ALWAYS, CHECKPOINTS_NEVER };

struct checkpoints {
    enum checkpoints_policy policy;
    struct checkpoint places[WIRE_CHECKPOINTS];
    uint64_t sites;     /* visible ones; more of them, and no place is what it was */
    uint64_t runs;      /* so far */
    uint64_t wholes;    /* that were not continued */
    uint64_t continued; /* that were */
    double seconds;     /* of a whole run, of late */
    double rate;        /* seconds per operation of whole runs */
    double overhead;    /* seconds that it takes to continue, beside the operations that are done; 0: not known */
    struct {
        uint32_t slot, where, flags, strategy; /* of the plan */
    } asked;                                   /* of the current run, if where is not CHECKPOINT_NOWHERE */
    uint64_t first_operations;                 /* up to where the second task comes; 0: not known */
    uint32_t refused;                          /* times in a row that none was made, or one that does not pay */
    uint64_t next;                             /* none is asked for before this run */
    uint64_t memory;                           /* bytes that all holders may have; 0: a quarter of the machine's */
};

void checkpoints_free(struct checkpoints *checkpoints);

/* A choice of depth-first search as a step. */
static inline struct wire_step checkpoints_choice(struct wire_choice choice)
{
    return (struct wire_step){.type = STEP_CHOICE, .value = choice.chosen};
}

/* The slot of the deepest place from which the run can be continued, if that pays; else -1. */
int checkpoints_find(struct checkpoints *checkpoints, struct server *server, const struct checkpoints_wish *wish);
/* Ends the holders that no run with these first steps can be continued from. */
void checkpoints_keep(struct checkpoints *checkpoints, struct server *server, const struct checkpoints_wish *wish);

/* Runs take long enough to think of checkpoints. */
bool checkpoints_may_ask(const struct checkpoints *checkpoints);
/* It is worth it to have a place where the second task comes. */
bool checkpoints_wants_first(const struct checkpoints *checkpoints, const struct server *server, uint32_t flags);
/* The steps of the wish are long enough, from there on, to think of a place on the way. */
bool checkpoints_is_far(const struct checkpoints *checkpoints, const struct checkpoints_wish *wish, int from);
/* Has the run of the plan make a checkpoint, if there is room: what to put into plan->checkpoint and …_until. */
void checkpoints_ask(struct checkpoints *checkpoints, struct server *server, struct wire_plan *plan, uint32_t where,
                     uint64_t until);
/* Where in the steps of `wish` a checkpoint would save most to others that are going to run; false: nowhere enough. */
bool checkpoints_choose(const struct checkpoints *checkpoints, const struct server *server,
                        const struct checkpoints_wish *wish, const struct checkpoints_wish *others, size_t count,
                        uint32_t *step, uint64_t *until);

/* A run has ended, after so many seconds. */
void checkpoints_observe(struct checkpoints *checkpoints, struct server *server, const struct wire_copy *copy,
                         double seconds);

#endif
