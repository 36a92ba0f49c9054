/* SPDX-License-Identifier: MIT
 *
 * solver_none.c - solver.h in a build without Z3.
 */
#include <stddef.h>

#include "solve/solver.h"

const char solver_missing[] = "this raddle was built without Z3 (Debian package libz3-dev)";

bool solver_available(void)
{
    return false;
}

struct solver *solver_open(const struct solver_limits *limits)
{
    (void)limits;
    return NULL;
}

void solver_close(struct solver *solver)
{
    (void)solver;
}

void solver_ask(struct solver *solver, const struct rules *rules, const struct question *question,
                struct answer *answer)
{
    (void)solver, (void)rules, (void)question;
    vector_clear(&answer->order);
    vector_clear(&answer->leaves);
    vector_clear(&answer->reasons);
    answer->kind = ANSWER_UNKNOWN;
    answer->certain = false;
    answer->work = 0;
}
