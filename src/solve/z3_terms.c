/* SPDX-License-Identifier: MIT
 *
 * z3_terms.c - see z3_terms.h.
 */
#include "solve/z3_terms.h"

/* ---- variables ---------------------------------------------------------------------------------------------------- */

static Z3_ast variable(struct terms *terms, uint32_t number, Z3_sort sort)
{
    return Z3_mk_const(terms->z3, Z3_mk_int_symbol(terms->z3, (int)number), sort);
}

static Z3_ast *slot(struct terms *terms, term_list *list, uint32_t event)
{
    assert(event < list->count && scope_may(terms->scope, terms->rules, event));
    return &list->data[event];
}

Z3_ast term_done(struct terms *terms, uint32_t event)
{
    if (event == EVENT_NONE || !scope_may(terms->scope, terms->rules, event))
        return terms->no;
    if (scope_must(terms->scope, terms->rules, event))
        return terms->yes;
    Z3_ast *done = slot(terms, &terms->done, event);
    if (*done == NULL)
        *done = variable(terms, 2 * event, terms->boolean);
    return *done;
}

Z3_ast term_position(struct terms *terms, uint32_t event)
{
    Z3_ast *position = slot(terms, &terms->position, event);
    if (*position == NULL)
        *position = variable(terms, 2 * event + 1, terms->integer);
    return *position;
}

Z3_ast term_before(struct terms *terms, uint32_t a, uint32_t b)
{
    const struct execution *execution = terms->rules->execution;
    if (execution_event(execution, a)->task == execution_event(execution, b)->task)
        return a < b ? terms->yes : terms->no;
    if (!scope_may(terms->scope, terms->rules, a) || !scope_may(terms->scope, terms->rules, b))
        return terms->no; /* one of them is not done */
    if (a < b)            /* of two at one position the one with the smaller number comes first */
        return Z3_mk_le(terms->z3, term_position(terms, a), term_position(terms, b));
    return term_less(terms, term_position(terms, a), term_position(terms, b));
}

static uint32_t fresh_number(struct terms *terms)
{
    return 2 * execution_count(terms->rules->execution) + terms->fresh++;
}

Z3_ast term_new_boolean(struct terms *terms)
{
    return variable(terms, fresh_number(terms), terms->boolean);
}

Z3_ast term_new_integer(struct terms *terms)
{
    return variable(terms, fresh_number(terms), terms->integer);
}

/* ---- formulas ----------------------------------------------------------------------------------------------------- */

Z3_ast term_not(struct terms *terms, Z3_ast a)
{
    return a == terms->yes ? terms->no : a == terms->no ? terms->yes : Z3_mk_not(terms->z3, a);
}

Z3_ast term_and(struct terms *terms, Z3_ast a, Z3_ast b)
{
    if (a == terms->no || b == terms->no)
        return terms->no;
    if (a == terms->yes || b == terms->yes)
        return a == terms->yes ? b : a;
    return Z3_mk_and(terms->z3, 2, (Z3_ast[]){a, b});
}

Z3_ast term_or(struct terms *terms, Z3_ast a, Z3_ast b)
{
    if (a == terms->yes || b == terms->yes)
        return terms->yes;
    if (a == terms->no || b == terms->no)
        return a == terms->no ? b : a;
    return Z3_mk_or(terms->z3, 2, (Z3_ast[]){a, b});
}

Z3_ast term_any(struct terms *terms, const term_list *list)
{
    return list->count == 0 ? terms->no : Z3_mk_or(terms->z3, (unsigned)list->count, list->data);
}

Z3_ast term_less(struct terms *terms, Z3_ast a, Z3_ast b)
{
    return Z3_mk_lt(terms->z3, a, b);
}

Z3_ast term_equal(struct terms *terms, Z3_ast a, Z3_ast b)
{
    return Z3_mk_eq(terms->z3, a, b);
}

Z3_ast term_count(struct terms *terms, const term_list *list)
{
    Z3_ast sum = Z3_mk_int(terms->z3, 0, terms->integer), one = Z3_mk_int(terms->z3, 1, terms->integer), none = sum;
    for (size_t i = 0; i < list->count; i++)
        sum = Z3_mk_add(terms->z3, 2, (Z3_ast[]){sum, Z3_mk_ite(terms->z3, list->data[i], one, none)});
    return sum;
}

Z3_ast term_at_most_one(struct terms *terms, const term_list *list)
{
    return list->count < 2 ? terms->yes : Z3_mk_atmost(terms->z3, (unsigned)list->count, list->data, 1);
}

/* ---- what holds --------------------------------------------------------------------------------------------------- */

void term_assert(struct terms *terms, Z3_ast formula)
{
    if (formula != terms->yes)
        Z3_solver_assert(terms->z3, terms->solver, formula);
}

Z3_ast term_begin(struct terms *terms, const struct reason *reason)
{
    struct tracked tracked = {term_new_boolean(terms), *reason};
    vector_push(&terms->tracked, tracked);
    return tracked.literal;
}

void term_assert_if(struct terms *terms, Z3_ast literal, Z3_ast condition, Z3_ast formula)
{
    term_assert(terms, term_or(terms, term_not(terms, literal), term_or(terms, term_not(terms, condition), formula)));
}
