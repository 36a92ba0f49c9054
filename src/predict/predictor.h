/* SPDX-License-Identifier: MIT
 *
 * predictor.h - a predictor names instances that other executions of the program could show, from the events of one.
 *
 * A predictor is a row: a name and a function.  Those that there are stand below.
 */
#ifndef RADDLE_PREDICT_PREDICTOR_H
#define RADDLE_PREDICT_PREDICTOR_H

#include "pattern/instance.h"
#include "trace/execution.h"

struct predictor_options {
    family_mask wanted;
    uint32_t window;     /* as for the observer; 0: OBSERVE_WINDOW */
    uint32_t entry_most; /* accesses kept, at most; 0: a million */
    uint32_t pair_most;  /* pairs of them, at most; 0: four million */
    uint64_t work_most;  /* work on combinations, at most; 0: any amount */
    uint64_t read_most;  /* work of reading the events, at most, in the same unit; 0: any amount */
    uint64_t turn;       /* when not all can be looked at: another part of it for another number */
};

enum { PREDICT_READ = 2 };

struct predictor_result {
    uint64_t work; /* what was done, in a unit that does not depend on the machine: combinations of dependencies */
    uint64_t read; /* what it took to read the events: PREDICT_READ for each, and what they were compared with */
    size_t memory; /* bytes in use at the end, found instances not counted */
    bool cut;      /* a bound was reached: there may be more */
};

struct predictor {
    const char *name;
    /* Adds predictions to `found`, with the accesses that they were made of as witnesses.  What did occur is among them.  Ends early if
       stop_requested(). */
    struct predictor_result (*predict)(const struct execution *execution, const struct predictor_options *options,
                                       struct instances *found);
};

/* Happens-before without mutexes, and locksets (predict.c). */
extern const struct predictor predictor_locksets;

#endif
