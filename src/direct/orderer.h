/* SPDX-License-Identifier: MIT
 *
 * orderer.h - an orderer makes a schedule for a pattern from a known execution, or says why it finds none.
 *
 * An orderer is a row of functions over a state of its own.  Those that there are stand below.
 */
#ifndef RADDLE_DIRECT_ORDERER_H
#define RADDLE_DIRECT_ORDERER_H

#include "direct/goal.h"
#include "trace/execution.h"

/* Why there is no order.  Of several that were tried, the reason of the one in which most steps were done. */
enum order_failure {
    ORDER_FOUND,
    ORDER_NO_CANDIDATES, /* no two tasks of the execution do the steps on variables as the pattern says */
    ORDER_OF_TASK,       /* a task does its steps in another order */
    ORDER_STEP_LATER,    /* a step needs an event that comes only after a later step */
    ORDER_BETWEEN,       /* an access that must come between two steps hides one from the other */
    ORDER_LOCK,          /* a lock that is needed is held, and cannot be given back before the step */
    ORDER_CYCLE,         /* events that are needed wait for each other */
    ORDER_UNKNOWN_PATH,  /* a task would read a value after which its path is not known */
    ORDER_STOPPED,       /* stop_requested() */
    ORDER_FAILURES
};
/* As a sentence without its end. */
const char *order_failure_text(enum order_failure failure);

struct orderer {
    const char *name;
    void *(*open)(void);
    void (*close)(void *state); /* NULL is allowed */
    /* Remembers which paths the tasks take after which values. */
    void (*learn)(void *state, const struct execution *execution);
    /* The execution that `order` uses.  It must not change until the next `read`. */
    void (*read)(void *state, const struct execution *execution);
    /* A schedule up to the pattern's last step, to be followed as far as possible (PLAN_BEST_EFFORT), with the choices of the
       execution; replaces what was in `steps`.  Every step of the pattern has a site.  `uncertain_reads`: how often a task
       that has read another value may take another path.  False: none was found, and *why_not says why; steps are undefined. */
    bool (*order)(void *state, const struct pattern *pattern, uint32_t window, goal_steps *steps,
                  uint32_t *uncertain_reads, enum order_failure *why_not);
    /* How often the pattern's dependencies could be ordered, where that was tried: from 0 to 1. */
    double (*odds)(const void *state, const struct pattern *pattern);
    /* What it has done, in a unit that does not depend on the machine: events that were put into an order. */
    uint64_t (*work)(const void *state);
};

/* The events that a step depends on, in the order of the execution (reorder.c). */
extern const struct orderer orderer_reorder;

#endif
