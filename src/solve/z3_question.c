/* SPDX-License-Identifier: MIT
 *
 * z3_question.c - what is asked (question.h) as formulas.
 */
#include "solve/z3_terms.h"

/* ---- orders ----------------------------------------------------------------------------------------------------------- */

static void write_order(struct terms *terms, const struct question_order *order)
{
    const struct rules *rules = terms->rules;
    struct reason reason = {REASON_TARGET, true, order->first, order->second};
    Z3_ast literal = term_begin(terms, &reason);
    term_assert_if(terms, literal, terms->yes, term_before(terms, order->first, order->second));
    if (!order->immediate)
        return;
    for (uint32_t task = 0; task < execution_task_count(rules->execution); task++)
        for (uint32_t i = 0; i < terms->scope->may.data[task]; i++) {
            uint32_t event = execution_event_at(rules->execution, (uint16_t)task, i);
            if (!question_order_is_hidden(rules, order, event))
                continue;
            Z3_ast away =
                term_or(terms, term_before(terms, event, order->first), term_before(terms, order->second, event));
            term_assert_if(terms, literal, term_done(terms, event), away);
        }
}

/* ---- an event that comes out otherwise ---------------------------------------------------------------------------------- */

static bool is_shared_use(const struct terms *terms, uint32_t event)
{
    return op_effect(execution_event(terms->rules->execution, event)->op) == EFFECT_RDLOCK;
}

/* It gets the lock, and keeps it. */
static void write_gets_lock(struct terms *terms, Z3_ast literal, uint32_t event)
{
    const struct rule_event *own = rules_event(terms->rules, event);
    const struct rule_lock *lock = &terms->rules->locks.data[own->object];
    bool shared = is_shared_use(terms, event);
    for (size_t i = 0; i < lock->sections.count; i++) {
        const struct rule_section *section = &lock->sections.data[i];
        bool may = scope_may(terms->scope, terms->rules, section->first);
        if (!may || (shared && section->shared) ||
            section->task == execution_event(terms->rules->execution, event)->task)
            continue;
        Z3_ast ended = section->last != EVENT_NONE && scope_may(terms->scope, terms->rules, section->last)
                           ? term_and(terms, term_done(terms, section->last), term_before(terms, section->last, event))
                           : terms->no;
        term_assert_if(terms, literal, term_done(terms, section->first), ended);
    }
}

static void write_change(struct terms *terms)
{
    const struct question *question = terms->question;
    uint32_t event = question->changed;
    const struct rule_event *own = rules_event(terms->rules, event);
    bool is_lock = own->role == ROLE_TAKES || own->role == ROLE_FAILS;
    struct reason reason = {REASON_CHANGE, true, event, EVENT_NONE};
    Z3_ast literal = term_begin(terms, &reason);
    if (question->change == CHANGE_VALUE && own->role != ROLE_LOOKS)
        z3_rules_value(terms, literal, terms->yes, event, true, question->value);
    else if (question->change == CHANGE_BEGINNING)
        z3_rules_beginning(terms, literal, event);
    else if (terms->rules->condition_of.data[event] != 0)
        term_assert_if(terms, literal, terms->yes, z3_rules_left(terms, event)); /* z3_rules.c says how */
    else if (is_lock && question->change == CHANGE_FINDS_NONE)
        term_assert_if(terms, literal, terms->yes,
                       z3_rules_taken(terms, event, own->object, is_shared_use(terms, event)));
    else if (is_lock)
        write_gets_lock(terms, literal, event);
    /* semaphores: z3_rules.c */
}

/* ---- where no task can go on ---------------------------------------------------------------------------------------------- */

static Z3_ast waits_for_edge(struct terms *terms, uint32_t event)
{
    uint32_t count;
    const struct rule_edge *edges = rules_edges(terms->rules, event, &count);
    Z3_ast waits = terms->no;
    for (uint32_t i = 0; i < count; i++)
        if (edges[i].certain)
            waits = term_or(terms, waits, term_not(terms, term_done(terms, edges[i].before)));
    return waits;
}

/* At the end of the order the event cannot be done. */
static Z3_ast is_blocked(struct terms *terms, uint32_t event)
{
    const struct rules *rules = terms->rules;
    const struct rule_event *own = rules_event(rules, event);
    const struct event *facts = execution_event(rules->execution, event);
    Z3_ast blocked = waits_for_edge(terms, event);
    if (rules_may_fail(rules, event) && facts->op != OP_COND_WAKE)
        return blocked;
    if (own->role == ROLE_TAKES)
        blocked =
            term_or(terms, blocked, z3_rules_left_taken(terms, facts->task, own->object, is_shared_use(terms, event)));
    if (own->role == ROLE_WAITS)
        blocked = term_or(terms, blocked,
                          term_equal(terms, z3_rules_remaining(terms, own->object, EVENT_NONE),
                                     Z3_mk_int(terms->z3, 0, terms->integer)));
    if (facts->op == OP_COND_WAKE && !rules_may_fail(rules, event) && rules->condition_of.data[event] != 0)
        blocked = term_or(terms, blocked, term_not(terms, z3_rules_left(terms, event)));
    return blocked;
}

static void write_stuck(struct terms *terms)
{
    const struct execution *execution = terms->rules->execution;
    struct reason reason = {REASON_STUCK, true, EVENT_NONE, EVENT_NONE};
    Z3_ast literal = term_begin(terms, &reason), left = terms->no;
    for (uint32_t task = 0; task < execution_task_count(execution); task++) {
        struct event_range own = execution_task(execution, (uint16_t)task);
        for (uint32_t i = 0; i < own.count; i++) {
            Z3_ast before = i > 0 ? term_done(terms, own.data[i - 1]) : terms->yes;
            Z3_ast stops = term_and(terms, before, term_not(terms, term_done(terms, own.data[i])));
            term_assert_if(terms, literal, stops, is_blocked(terms, own.data[i]));
        }
        if (own.count == 0)
            continue;
        Z3_ast done = term_done(terms, own.data[own.count - 1]);
        left = term_or(terms, left, term_not(terms, done));
        if (execution_event(execution, own.data[own.count - 1])->op != OP_END &&
            terms->rules->exit != own.data[own.count - 1])
            term_assert_if(terms, literal, done, terms->no); /* what it does next is not known */
    }
    term_assert_if(terms, literal, terms->yes, left);
}

/* ---- all -------------------------------------------------------------------------------------------------------------- */

static void write_others(struct terms *terms)
{
    const event_list *others = &terms->question->others;
    struct reason reason = {REASON_OTHER, true, EVENT_NONE, EVENT_NONE};
    Z3_ast any = terms->no;
    for (size_t i = 0; i < others->count; i++) {
        if (others->data[i] != EVENT_NONE) {
            any = term_or(terms, any, term_done(terms, others->data[i]));
            continue;
        }
        term_assert_if(terms, term_begin(terms, &reason), terms->yes, any);
        any = terms->no;
    }
}

void z3_question_write(struct terms *terms)
{
    for (size_t i = 0; i < terms->question->orders.count; i++)
        write_order(terms, &terms->question->orders.data[i]);
    if (terms->question->changed != EVENT_NONE)
        write_change(terms);
    if (terms->question->stuck)
        write_stuck(terms);
    write_others(terms);
}
