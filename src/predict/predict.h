/* SPDX-License-Identifier: MIT
 *
 * predict.h - instances that other executions of the program could show, from the events of one.
 *
 * Maple: Yu, Narayanasamy, Pereira, Pokam, "Maple: A Coverage-Driven Testing Tool for Multithreaded Programs", OOPSLA
 * 2012, section 3.  A ⇒ B is predicted for two accesses of different tasks that are partners, if B does not happen before
 * A without mutexes, and for each lock that both hold, A is the last access in its critical section and B the first in
 * its own.  Compound idioms are two such predictions whose ends are close to each other in both tasks.
 *
 * Where we differ, and why:
 *   - "Last" and "first" are with respect to what hides one access from the other: for a read and a write only strong
 *     accesses count (access.h).  So everything that can happen is predicted, and not only most of it.
 *   - If A happens before B anyway, an access that always lies between forbids A ⇒ B.
 *   - A compound is predicted only if an order of its accesses, of the critical sections around them and of the accesses
 *     in between exists (order.c): most infeasible compounds go here.
 *   - An access is put into the history at once; what is learned about it at the end of its critical section is added
 *     then.  Histories are condensed over critical sections, since only the first and last bits of a section matter.
 *   - All families of the table are predicted in this way, and races: concurrent without mutexes, and no common lock.
 *
 * The paper's four optimisations: accesses alike are one entry of the history; an entry is compared with others only when
 * it is new or something was learned about it; entries that can no longer be part of a prediction leave the history;
 * events are those of shared locations (the runtime sees to it).
 *
 * Memory: locations × tasks × sites, and pairs of these within a window.  A bound on both can be given; when it is reached
 * the predictor goes on with what it has, and says so.
 */
#ifndef RADDLE_PREDICT_PREDICT_H
#define RADDLE_PREDICT_PREDICT_H

#include "pattern/instance.h"

struct predictor;

struct predictor_options {
    family_mask wanted;
    uint32_t window;     /* as for the observer; 0: OBSERVE_WINDOW */
    uint32_t entry_most; /* accesses kept, at most; 0: a million */
    uint32_t pair_most;  /* pairs of them, at most; 0: four million */
    uint64_t work_most;  /* combinations that are looked at, at most (predictor_work); 0: any number */
    uint64_t turn;       /* when not all can be looked at: another part of them for another number */
};

/* Predictions are added to `found`, with the accesses that they were made of as witnesses.  What did occur is among
   them. */
struct predictor *predictor_new(const struct predictor_options *options, struct instances *found);
void predictor_feed(struct predictor *predictor, const struct event *event);
/* The execution is over: compounds are put together.  Nothing may be fed after it. */
void predictor_end(struct predictor *predictor);
void predictor_free(struct predictor *predictor);

/* What was done, whatever the machine: combinations of dependencies that were looked at (one whose order had to be checked
   counts as several), and pairs of accesses in proportion. */
uint64_t predictor_work(const struct predictor *predictor);
/* A bound was reached. */
bool predictor_is_cut(const struct predictor *predictor);
size_t predictor_memory(const struct predictor *predictor);

#endif
