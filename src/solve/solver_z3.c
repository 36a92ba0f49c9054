/* SPDX-License-Identifier: MIT
 *
 * solver_z3.c - solver.h with Z3.
 *
 * DESIGN
 *   A question becomes formulas over its scope (scope.h): an integer for the position of each event, a truth value for whether it is done.
 *   Each part that may be a reason is under a literal of its own; the literals are Z3's assumptions, so what it says of a contradiction is
 *   which of them took part.
 *
 *   Work is bounded by Z3's resource units, which are the same on each machine, and not by time: answers do not depend on the machine's speed.
 */
#include <stdlib.h>

#include "solve/solver.h"
#include "solve/z3_terms.h"

const char solver_missing[] = "this raddle was built without Z3 (Debian package libz3-dev)";

struct solver {
    struct solver_limits limits;
    struct terms terms;
    struct scope scope;
    uint64_t units; /* of Z3, so far */
    uint32_t asked; /* since the context was made */
};

bool solver_available(void)
{
    return true;
}

/* ---- life --------------------------------------------------------------------------------------------------------------- */

static void ignore_error(Z3_context context, Z3_error_code code)
{
    (void)context, (void)code; /* the answer is then Z3_L_UNDEF */
}

static void open_context(struct solver *solver)
{
    struct terms *terms = &solver->terms;
    Z3_config config = Z3_mk_config();
    Z3_set_param_value(config, "model", "true");
    terms->z3 = Z3_mk_context(config);
    Z3_del_config(config);
    Z3_set_error_handler(terms->z3, ignore_error);
    terms->integer = Z3_mk_int_sort(terms->z3);
    terms->boolean = Z3_mk_bool_sort(terms->z3);
    terms->yes = Z3_mk_true(terms->z3);
    terms->no = Z3_mk_false(terms->z3);
    solver->asked = 0;
    solver->units = 0;
}

struct solver *solver_open(const struct solver_limits *limits)
{
    struct solver *solver = memory_allocate(1, sizeof *solver);
    solver->limits = *limits;
    if (solver->limits.events == 0)
        solver->limits.events = SOLVER_EVENTS;
    if (solver->limits.work == 0)
        solver->limits.work = SOLVER_WORK;
    char memory[16];
    snprintf(memory, sizeof memory, "%d", SOLVER_MEMORY);
    Z3_global_param_set("memory_max_size", memory);
    open_context(solver);
    return solver;
}

void solver_close(struct solver *solver)
{
    if (solver == NULL)
        return;
    Z3_del_context(solver->terms.z3);
    vector_free(&solver->terms.position);
    vector_free(&solver->terms.done);
    vector_free(&solver->terms.as_it_was);
    vector_free(&solver->terms.tracked);
    vector_free(&solver->terms.waits);
    vector_free(&solver->terms.distinct);
    vector_free(&solver->terms.scratch);
    scope_free(&solver->scope);
    free(solver);
}

/* Terms last as long as their context. */
static void renew_context(struct solver *solver)
{
    enum { QUESTIONS = 64 };
    if (solver->asked++ < QUESTIONS)
        return;
    Z3_del_context(solver->terms.z3);
    open_context(solver);
    solver->asked = 1;
}

/* ---- a question --------------------------------------------------------------------------------------------------------- */

static void set_limits(struct solver *solver)
{
    Z3_context z3 = solver->terms.z3;
    Z3_params params = Z3_mk_params(z3);
    Z3_params_inc_ref(z3, params);
    Z3_params_set_uint(z3, params, Z3_mk_string_symbol(z3, "rlimit"), solver->limits.work);
    Z3_params_set_uint(z3, params, Z3_mk_string_symbol(z3, "random_seed"), 1);
    Z3_params_set_bool(z3, params, Z3_mk_string_symbol(z3, "core.minimize"), true);
    Z3_solver_set_params(z3, solver->terms.solver, params);
    Z3_params_dec_ref(z3, params);
}

static void clear_list(term_list *list, size_t count)
{
    vector_clear(list);
    vector_reserve(list, count);
    if (count > 0)
        memset(list->data, 0, count * sizeof *list->data);
    list->count = count;
}

static void begin_question(struct solver *solver, const struct rules *rules, const struct question *question)
{
    struct terms *terms = &solver->terms;
    renew_context(solver);
    terms->rules = rules;
    terms->question = question;
    terms->scope = &solver->scope;
    terms->fresh = 0;
    clear_list(&terms->position, execution_count(rules->execution));
    clear_list(&terms->done, execution_count(rules->execution));
    clear_list(&terms->as_it_was, execution_count(rules->execution));
    vector_clear(&terms->tracked);
    vector_clear(&terms->waits);
    vector_clear(&terms->distinct);
    terms->solver = Z3_mk_simple_solver(terms->z3);
    Z3_solver_inc_ref(terms->z3, terms->solver);
    set_limits(solver);
}

static Z3_lbool check(struct terms *terms)
{
    term_list literals = {0};
    for (size_t i = 0; i < terms->tracked.count; i++)
        vector_push(&literals, terms->tracked.data[i].literal);
    Z3_lbool result = Z3_solver_check_assumptions(terms->z3, terms->solver, (unsigned)literals.count, literals.data);
    vector_free(&literals);
    return result;
}

static uint64_t units_of(struct terms *terms)
{
    Z3_stats statistics = Z3_solver_get_statistics(terms->z3, terms->solver);
    Z3_stats_inc_ref(terms->z3, statistics);
    uint64_t units = 0;
    for (unsigned i = 0; i < Z3_stats_size(terms->z3, statistics); i++)
        if (strcmp(Z3_stats_get_key(terms->z3, statistics, i), "rlimit count") == 0)
            units = Z3_stats_get_uint_value(terms->z3, statistics, i);
    Z3_stats_dec_ref(terms->z3, statistics);
    return units;
}

/* ---- answers ------------------------------------------------------------------------------------------------------------ */

struct placed {
    int64_t position;
    uint32_t event;
};

typedef VECTOR(struct placed) placed_list;

static int compare_placed(const void *a, const void *b)
{
    const struct placed *left = a, *right = b;
    if (left->position != right->position)
        return left->position < right->position ? -1 : 1;
    return left->event < right->event ? -1 : left->event > right->event;
}

static bool is_done(struct terms *terms, Z3_model model, uint32_t event)
{
    Z3_ast done = term_done(terms, event), value;
    return done == terms->yes ||
           (Z3_model_eval(terms->z3, model, done, true, &value) && Z3_get_bool_value(terms->z3, value) == Z3_L_TRUE);
}

static int64_t position_in(struct terms *terms, Z3_model model, uint32_t event)
{
    Z3_ast value;
    int64_t position = 0;
    if (Z3_model_eval(terms->z3, model, term_position(terms, event), true, &value))
        Z3_get_numeral_int64(terms->z3, value, &position);
    return position;
}

static int compare_leaves(const void *a, const void *b)
{
    const struct answer_leave *left = a, *right = b;
    return left->before < right->before ? -1 : left->before > right->before;
}

/* If the event ends a wait that was over before. */
static void read_leave(struct terms *terms, Z3_model model, const placed_list *placed, size_t index,
                       struct answer *answer)
{
    Z3_ast when = z3_rules_over(terms, placed->data[index].event), value;
    int64_t position = 0;
    if (when == NULL || !Z3_model_eval(terms->z3, model, when, true, &value) ||
        !Z3_get_numeral_int64(terms->z3, value, &position) || position == placed->data[index].position)
        return;
    size_t before = 0;
    while (before < placed->count && placed->data[before].position < position)
        before++;
    vector_push(&answer->leaves, ((struct answer_leave){placed->data[index].event, before}));
}

static void read_order(struct terms *terms, struct answer *answer)
{
    const struct execution *execution = terms->rules->execution;
    placed_list placed = {0};
    Z3_model model = Z3_solver_get_model(terms->z3, terms->solver);
    Z3_model_inc_ref(terms->z3, model);
    for (uint32_t task = 0; task < execution_task_count(execution); task++)
        for (uint32_t i = 0; i < terms->scope->may.data[task]; i++) {
            uint32_t event = execution_event_at(execution, (uint16_t)task, i);
            if (is_done(terms, model, event))
                vector_push(&placed, ((struct placed){position_in(terms, model, event), event}));
        }
    if (placed.count > 0)
        qsort(placed.data, placed.count, sizeof *placed.data, compare_placed);
    for (size_t i = 0; i < placed.count; i++)
        vector_push(&answer->order, placed.data[i].event);
    for (size_t i = 0; i < placed.count; i++)
        read_leave(terms, model, &placed, i, answer);
    Z3_model_dec_ref(terms->z3, model);
    if (answer->leaves.count > 0)
        qsort(answer->leaves.data, answer->leaves.count, sizeof *answer->leaves.data, compare_leaves);
    vector_free(&placed);
}

/* Tracked literals are numbered in the order in which they were made. */
static const struct tracked *find_tracked(const struct terms *terms, Z3_ast literal)
{
    for (size_t i = 0; i < terms->tracked.count; i++)
        if (terms->tracked.data[i].literal == literal)
            return &terms->tracked.data[i];
    return NULL;
}

static void read_reasons(struct terms *terms, struct answer *answer)
{
    Z3_ast_vector core = Z3_solver_get_unsat_core(terms->z3, terms->solver);
    Z3_ast_vector_inc_ref(terms->z3, core);
    answer->certain = terms->rules->certain;
    for (unsigned i = 0; i < Z3_ast_vector_size(terms->z3, core); i++) {
        const struct tracked *tracked = find_tracked(terms, Z3_ast_vector_get(terms->z3, core, i));
        if (tracked == NULL)
            continue;
        answer->certain &= tracked->reason.certain;
        vector_push(&answer->reasons, tracked->reason);
    }
    Z3_ast_vector_dec_ref(terms->z3, core);
}

void solver_ask(struct solver *solver, const struct rules *rules, const struct question *question,
                struct answer *answer)
{
    struct terms *terms = &solver->terms;
    vector_clear(&answer->order);
    vector_clear(&answer->leaves);
    vector_clear(&answer->reasons);
    answer->kind = ANSWER_UNKNOWN;
    answer->certain = false;
    scope_make(&solver->scope, rules, question);
    answer->work = solver->scope.count;
    if (solver->scope.count > solver->limits.events || scope_pairs(&solver->scope, rules) > SOLVER_PAIRS)
        return;
    begin_question(solver, rules, question);
    z3_rules_write(terms);
    z3_question_write(terms);
    Z3_lbool result = check(terms);
    if (result == Z3_L_TRUE)
        read_order(terms, answer);
    else if (result == Z3_L_FALSE)
        read_reasons(terms, answer);
    answer->kind = result == Z3_L_TRUE ? ANSWER_FOUND : result == Z3_L_FALSE ? ANSWER_IMPOSSIBLE : ANSWER_UNKNOWN;
    uint64_t units = units_of(terms);
    answer->work += units > solver->units ? units - solver->units : 0;
    solver->units = units;
    Z3_solver_dec_ref(terms->z3, terms->solver);
}
