/* SPDX-License-Identifier: MIT
 *
 * prover.h - asks a solver questions about one execution after another, checks its answers, and counts them.
 */
#ifndef RADDLE_SOLVE_PROVER_H
#define RADDLE_SOLVE_PROVER_H

#include "solve/order_steps.h"
#include "solve/quick.h"
#include "solve/solver.h"
#include "solve/tuples.h"
#include "solve/window.h"

struct prover_counts {
    uint64_t asked, found, impossible, unknown;
    uint64_t by_cycle, by_reordering; /* of these: answered without the solver, with no and with an order */
    uint64_t wrong; /* orders of the solver that do not obey the rules: an error of raddle; they are not used */
    uint64_t work, most_work; /* of all questions; of one */
};

struct prover {
    struct solver *solver;
    struct quick quick;
    const struct execution *execution; /* of the last prover_read */
    struct rules rules;
    struct site_events sites;
    struct tuples tuples;
    struct question question; /* room for one */
    uint64_t work_most;       /* of one pattern: what is not answered then is unknown; 0: any number */
    /* Of the last pattern, if it is impossible: whatever values memory has had, as long as the tasks do these events. */
    bool by_path;
    struct prover_counts counts;
};

/* Without Z3 all answers are ANSWER_UNKNOWN. */
void prover_open(struct prover *prover, const struct solver_limits *limits);
void prover_close(struct prover *prover);

/* The execution that is asked about; it must not change until the next call. */
void prover_read(struct prover *prover, const struct execution *execution);
/* The same of a part of one. */
void prover_read_window(struct prover *prover, const struct window *window);

/* An answer that was found obeys the rules (order_is_possible). */
void prover_ask(struct prover *prover, const struct question *question, struct answer *answer);

/* Whether events of the execution can come in the order of the pattern; every step has a site.  ANSWER_FOUND: as the steps of a schedule, with
   PLAN_BEST_EFFORT.  ANSWER_IMPOSSIBLE: no events that could be the steps can come so, and answer->certain says whether that is proven;
   the reasons are those of the last that were asked about (none: there are no such events).  ANSWER_UNKNOWN: of some it is not known. */
enum answer_kind prover_pattern(struct prover *prover, const struct pattern *pattern, uint32_t window,
                                struct answer *answer, goal_steps *steps);

#endif
