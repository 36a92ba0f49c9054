/* SPDX-License-Identifier: MIT
 *
 * checkpoints.h - the checkpoints of one server: which exist, from which one a run can be continued, and where to make
 * the next one.
 *
 * DESIGN
 *   A checkpoint is a process that holds a run in the middle (runtime/checkpoint.h).  The steps of the schedule that
 *   lead there are known.  Every run that begins with these steps can be continued from there, and is then the same run
 *   as from the beginning.  So decisions here change only time and memory, and may depend on both.  The process itself
 *   checks whether a plan leads there, and declines if not.
 *
 *   For depth-first search the steps are its choices (search.c).  Runs of other strategies have no steps.  They can be
 *   continued from the point where the second task starts, unless their strategy uses what happens before.
 *
 *   To continue pays if the saved operations take longer than the fork of a process; both times are measured.  What is done before
 *   the second task starts is saved by all runs, so a checkpoint there is asked for as soon as one run was long.  Of that work the
 *   time itself is known: it may be done in code that is not instrumented.
 */
#ifndef RADDLE_CONTROL_CHECKPOINTS_H
#define RADDLE_CONTROL_CHECKPOINTS_H

#include <stdbool.h>
#include <stdint.h>

#include "control/server.h"
#include "util/vector.h"
#include "wire/wire_check.h"

typedef VECTOR(struct wire_step) checkpoints_steps;

/* The steps with which a run begins. */
struct checkpoints_wish {
    const struct wire_step *steps; /* the plan constrains the run up to `until` of the last STEP_RUN */
    size_t count;                  /* 0: none, the strategy decides from the beginning */
    uint32_t flags;                /* of the plan */
};

/* A live checkpoint, if the server has a process in its slot. */
struct checkpoint {
    checkpoints_steps steps; /* the run is held at `until` of the last STEP_RUN */
    uint32_t flags;
    bool first; /* only the first task has done operations */
    uint64_t operations;
    double seconds; /* first: that the run took up to here; else 0 */
    uint64_t used;  /* number of the last run that used it */
};

enum checkpoints_policy { CHECKPOINTS_IF_IT_PAYS, CHECKPOINTS_ALWAYS, CHECKPOINTS_NEVER };

struct checkpoints {
    enum checkpoints_policy policy;
    struct checkpoint places[WIRE_CHECKPOINTS];
    uint64_t max_steps; /* of the last plan; if it changes, all checkpoints are invalid */
    uint32_t bound;     /* of the last plan of a search: the same */
    uint64_t sites;     /* number of visible sites; if it grows, all checkpoints are invalid */
    uint64_t runs;      /* so far */
    uint64_t wholes;    /* runs from the beginning */
    uint64_t continued; /* runs from a checkpoint */
    double seconds;     /* of a whole run, recent estimate */
    double rate;        /* seconds per operation of whole runs */
    double overhead;    /* seconds to continue, without the operations; 0: not known */
    struct {
        uint32_t slot, where, flags, strategy; /* of the plan */
    } asked;                                   /* of the current run, if where is not CHECKPOINT_NOWHERE */
    uint64_t first_operations;                 /* before the second task starts; 0: not known */
    double first_seconds;                      /* the same */
    uint32_t refused; /* consecutive requests that gave no checkpoint, or one that does not pay */
    uint64_t next;    /* no checkpoint is requested before this run */
    uint64_t memory;  /* most bytes of all holders; 0: checkpoints_memory() */
};

/* What the holders of all servers together may use: a quarter of the machine's memory. */
uint64_t checkpoints_memory(void);

void checkpoints_free(struct checkpoints *checkpoints);

/* A choice of depth-first search as a step. */
static inline struct wire_step checkpoints_choice(struct wire_choice choice)
{
    return (struct wire_step){.type = STEP_CHOICE, .value = choice.chosen};
}

/* To be called for each plan first: ends all holders if its bounds are not those of the plan before. */
void checkpoints_bound(struct checkpoints *checkpoints, struct server *server, const struct wire_plan *plan);
/* The slot of the deepest checkpoint from which the run can be continued, if that pays; else -1. */
int checkpoints_find(struct checkpoints *checkpoints, struct server *server, const struct checkpoints_wish *wish);
/* Ends the holders that no run with these first steps can be continued from. */
void checkpoints_keep(struct checkpoints *checkpoints, struct server *server, const struct checkpoints_wish *wish);

/* Whether runs take long enough for checkpoints to pay. */
bool checkpoints_may_ask(const struct checkpoints *checkpoints);
/* Whether there is no checkpoint where the second task starts, and one may pay. */
bool checkpoints_wants_first(const struct checkpoints *checkpoints, const struct server *server, uint32_t flags);
/* Whether the remaining steps of the wish are long enough for a checkpoint to pay. */
bool checkpoints_is_far(const struct checkpoints *checkpoints, const struct checkpoints_wish *wish, int from);
/* Requests a checkpoint in the run of the plan, if there is a free slot: sets plan->checkpoint and …_until. */
void checkpoints_ask(struct checkpoints *checkpoints, struct server *server, struct wire_plan *plan, uint32_t where,
                     uint64_t until);
/* Finds where in the steps of `wish` a checkpoint saves most for the runs that come next; false: it does not pay
   anywhere. */
bool checkpoints_choose(const struct checkpoints *checkpoints, const struct server *server,
                        const struct checkpoints_wish *wish, const struct checkpoints_wish *others, size_t count,
                        uint32_t *step, uint64_t *until);

/* To be called when a run has ended.  `seconds`: its duration. */
void checkpoints_observe(struct checkpoints *checkpoints, struct server *server, const struct wire_copy *copy,
                         double seconds);

#endif
