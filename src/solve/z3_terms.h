/* SPDX-License-Identifier: MIT
 *
 * z3_terms.h - the variables of a question, and formulas of them (z3_terms.c), for the files that write the rules down: z3_rules.c what every
 * order must obey, z3_question.c what is asked.
 */
#ifndef RADDLE_SOLVE_Z3_TERMS_H
#define RADDLE_SOLVE_Z3_TERMS_H

#include <z3.h>

#include "solve/question.h"
#include "solve/scope.h"

typedef VECTOR(Z3_ast) term_list;

struct tracked { /* part of the formula that may be part of a reason */
    Z3_ast literal;
    struct reason reason;
};

struct wait_terms {
    uint32_t begin;
    Z3_ast left, when; /* it has left the queue of the condition variable; then */
};

struct terms {
    Z3_context z3;
    Z3_solver solver;
    const struct rules *rules;
    const struct question *question;
    const struct scope *scope;
    Z3_sort integer, boolean;
    Z3_ast yes, no;
    term_list position, done; /* by event; NULL: not made yet */
    term_list as_it_was; /* by event: an update after which its task does no more finds what it found; NULL: not made */
    VECTOR(struct tracked) tracked;
    uint32_t fresh;      /* number of the next variable that is no event's */
    event_list distinct; /* locations: no two writes to it are at one position */
    VECTOR(struct wait_terms) waits;
    event_list scratch;
};

/* ---- variables ---------------------------------------------------------------------------------------------------- */

Z3_ast term_done(struct terms *terms, uint32_t event);
Z3_ast term_position(struct terms *terms, uint32_t event);
/* a comes before b, if both are done; else b comes before a. */
Z3_ast term_before(struct terms *terms, uint32_t a, uint32_t b);
Z3_ast term_new_boolean(struct terms *terms);
Z3_ast term_new_integer(struct terms *terms);

/* ---- formulas ----------------------------------------------------------------------------------------------------- */

Z3_ast term_not(struct terms *terms, Z3_ast a);
Z3_ast term_and(struct terms *terms, Z3_ast a, Z3_ast b);
Z3_ast term_or(struct terms *terms, Z3_ast a, Z3_ast b);
Z3_ast term_any(struct terms *terms, const term_list *list); /* of none: no */
Z3_ast term_less(struct terms *terms, Z3_ast a, Z3_ast b);
Z3_ast term_equal(struct terms *terms, Z3_ast a, Z3_ast b);
/* How many of the list hold. */
Z3_ast term_count(struct terms *terms, const term_list *list);
/* At most one of the list. */
Z3_ast term_at_most_one(struct terms *terms, const term_list *list);

/* ---- what holds --------------------------------------------------------------------------------------------------- */

/* In any case. */
void term_assert(struct terms *terms, Z3_ast formula);
/* From now on until the next call: for that reason. */
Z3_ast term_begin(struct terms *terms, const struct reason *reason);
/* If `literal` (of term_begin) and `condition` hold. */
void term_assert_if(struct terms *terms, Z3_ast literal, Z3_ast condition, Z3_ast formula);

/* ---- z3_rules.c --------------------------------------------------------------------------------------------------- */

void z3_rules_write(struct terms *terms);
/* The read finds that value (where rules_location is known), or what it found.  Under a literal and a condition, as term_assert_if. */
void z3_rules_value(struct terms *terms, Z3_ast literal, Z3_ast condition, uint32_t event, bool known, uint64_t value);
/* The read finds what was there at the beginning. */
void z3_rules_beginning(struct terms *terms, Z3_ast literal, uint32_t event);
/* At the event the lock is held by another task, in a way that excludes a shared or other use. */
Z3_ast z3_rules_taken(struct terms *terms, uint32_t event, uint32_t lock, bool shared);
/* The same at the end of the order. */
Z3_ast z3_rules_left_taken(struct terms *terms, uint16_t task, uint32_t lock, bool shared);
/* What remains of the semaphore at the event (EVENT_NONE: at the end of the order). */
Z3_ast z3_rules_remaining(struct terms *terms, uint32_t semaphore, uint32_t event);
/* When the wait is over that the event ends, if it ends by itself this time; NULL: it does not. */
Z3_ast z3_rules_over(struct terms *terms, uint32_t end);
/* The wait that the event begins or ends has been left. */
Z3_ast z3_rules_left(struct terms *terms, uint32_t event);

/* ---- z3_question.c ------------------------------------------------------------------------------------------------ */

void z3_question_write(struct terms *terms);

#endif
