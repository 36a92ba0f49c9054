/* SPDX-License-Identifier: MIT
 *
 * reorder.h - a known run in another order: as it was, but for the steps of a pattern, which come as the pattern says.
 *
 * DESIGN
 *   A thread takes the way that it took as long as it reads what it read, or something after which it goes the same way
 *   (flow.h).  So what must come before a step is what its task did before, whatever that needs (event_graph.h), and the ends of the
 *   critical sections that are in the way: this is done, no more, and in the order in which it was done.  Then comes the step,
 *   and then the same for the next one.  An order in which a task that has more to do reads something after which nobody knows
 *   where it goes is none; so what is found here mostly happens as it was meant.
 *
 *   (Predictive analyses look for orders that keep what is read, to prove that a race is possible: U. Mathur, A. Pavlogiannis,
 *   M. Viswanathan, "Optimal Prediction of Synchronization-Preserving Races", POPL 2021.)
 *
 *   Several orders are tried: for each way in which two tasks of the run could do the steps (step_candidates.h), for each order of steps that
 *   the pattern leaves open; and with the task of the next step brought to the section entry of its step before this one is done, or not.
 *   Most fail because two steps cannot follow each other at once, whatever the others do; of two events this is found out once for all
 *   patterns.
 */
#ifndef RADDLE_DIRECT_REORDER_H
#define RADDLE_DIRECT_REORDER_H

#include "direct/goal.h"

struct reorderer;

struct reorderer *reorderer_new(void);
void reorderer_free(struct reorderer *reorderer);

/* A run; sites: of each event. */
struct reorderer_run {
    const struct wire_event *events;
    const uint32_t *sites;
    size_t event_count;
    const struct wire_step *steps;
    size_t step_count;
};
/* Remembers which ways threads go. */
void reorderer_learn(struct reorderer *reorderer, const struct reorderer_run *run);
/* The run that shall be reordered; it must live as long as that goes on. */
void reorderer_read(struct reorderer *reorderer, const struct reorderer_run *run);

/* A schedule up to the pattern's last step, to be followed as far as possible (PLAN_BEST_EFFORT), with the choices that the run made; replaces what
   was in `steps`.  False: none was found.  Every step of the pattern has a site.  `uncertain_reads`: places where a task that has read something else may go another way. */
bool reorder(struct reorderer *reorderer, const struct pattern *pattern, uint32_t window, goal_steps *steps,
             uint32_t *uncertain_reads);

/* How often two events at the sites of the pattern's steps could follow each other as it wants, where it was tried: from 0 to 1. */
double reorderer_odds(const struct reorderer *reorderer, const struct pattern *pattern);
/* What it has done, whatever the machine: events that were put into an order. */
uint64_t reorderer_work(const struct reorderer *reorderer);

#endif
