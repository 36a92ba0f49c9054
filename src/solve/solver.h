/* SPDX-License-Identifier: MIT
 *
 * solver.h - answers questions about other orders of an execution (question.h) with Z3.
 *
 * Z3 is optional: without it solver_available() is false, and every answer is ANSWER_UNKNOWN.
 */
#ifndef RADDLE_SOLVE_SOLVER_H
#define RADDLE_SOLVE_SOLVER_H

#include "solve/question.h"

struct solver;

/* Of one question.  An answer that does not come within the limits is ANSWER_UNKNOWN. */
struct solver_limits {
    uint32_t events; /* that may be part of the order; 0: SOLVER_EVENTS */
    uint32_t work;   /* Z3's resource units; 0: SOLVER_WORK */
};
enum {
    SOLVER_EVENTS = 4000,
    SOLVER_WORK = 2000000, /* about a second or two */
    SOLVER_PAIRS =
        30000, /* of critical sections of one lock, and of reads and writes of one location: each is a formula,
                              and what it takes to make them is not part of Z3's work */
    SOLVER_MEMORY = 1024 /* MB, of all solvers together */
};

bool solver_available(void);
/* The sentence that says what is missing. */
extern const char solver_missing[];

struct solver *solver_open(const struct solver_limits *limits);
void solver_close(struct solver *solver); /* NULL is allowed */
/* `rules` must not change while it is asked. */
void solver_ask(struct solver *solver, const struct rules *rules, const struct question *question,
                struct answer *answer);

#endif
