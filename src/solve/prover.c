/* SPDX-License-Identifier: MIT
 *
 * prover.c - see prover.h.
 */
#include "solve/prover.h"

void prover_open(struct prover *prover, const struct solver_limits *limits)
{
    *prover = (struct prover){.solver = solver_open(limits)};
}

void prover_close(struct prover *prover)
{
    solver_close(prover->solver);
    quick_free(&prover->quick);
    rules_free(&prover->rules);
    site_events_free(&prover->sites);
    tuples_free(&prover->tuples);
    question_free(&prover->question);
    *prover = (struct prover){0};
}

static void read_after(struct prover *prover, const struct execution *execution, uint32_t done)
{
    prover->execution = execution;
    rules_make_after(&prover->rules, execution, done);
    site_events_make(&prover->sites, execution);
    prover->tuples.done = done;
}

void prover_read(struct prover *prover, const struct execution *execution)
{
    read_after(prover, execution, 0);
}

void prover_read_window(struct prover *prover, const struct window *window)
{
    read_after(prover, &window->execution, window->carried);
}

static void count_answer(struct prover *prover, const struct answer *answer)
{
    struct prover_counts *counts = &prover->counts;
    counts->asked++;
    counts->unknown += answer->kind == ANSWER_UNKNOWN;
    counts->found += answer->kind == ANSWER_FOUND;
    counts->impossible += answer->kind == ANSWER_IMPOSSIBLE;
    counts->work += answer->work;
    if (answer->work > counts->most_work)
        counts->most_work = answer->work;
}

static void ask_solver(struct prover *prover, const struct question *question, struct answer *answer)
{
    uint64_t work = answer->work;
    solver_ask(prover->solver, &prover->rules, question, answer);
    answer->work += work;
}

void prover_ask(struct prover *prover, const struct question *question, struct answer *answer)
{
    size_t where;
    answer->change = question->changed != EVENT_NONE ? question->change : CHANGE_NOTHING;
    answer->changed = question->changed;
    bool quick = quick_ask(&prover->quick, &prover->rules, question, answer);
    prover->counts.by_cycle += quick && answer->kind == ANSWER_IMPOSSIBLE;
    prover->counts.by_reordering += quick && answer->kind == ANSWER_FOUND;
    if (!quick)
        ask_solver(prover, question, answer);
    if (answer->kind == ANSWER_FOUND && !order_is_possible(&prover->rules, &answer->order, question->changed, &where)) {
        answer->kind = ANSWER_UNKNOWN;
        prover->counts.wrong++;
    }
    count_answer(prover, answer);
}

/* Nothing in the reasons depends on values. */
static bool is_by_path(const struct answer *answer)
{
    bool by_path = answer->certain;
    for (size_t i = 0; i < answer->reasons.count; i++) {
        uint8_t kind = answer->reasons.data[i].kind;
        by_path &= kind == REASON_EDGE || kind == REASON_LOCK || kind == REASON_TARGET;
    }
    return by_path;
}

/* What is known after some of the tuples. */
struct pattern_state {
    uint64_t work;
    bool unknown, certain, by_path;
};

static void ask_tuple(struct prover *prover, const struct pattern *pattern, const struct tuple *tuple,
                      struct pattern_state *state, struct answer *answer)
{
    question_clear(&prover->question);
    answer->kind = ANSWER_IMPOSSIBLE;
    if (!tuple_question(prover->execution, pattern, tuple, &prover->question))
        return;
    if (prover->work_most != 0 && state->work >= prover->work_most) {
        answer->kind = ANSWER_UNKNOWN;
        state->unknown = true;
        return;
    }
    prover_ask(prover, &prover->question, answer);
    state->work += answer->work;
    state->unknown |= answer->kind == ANSWER_UNKNOWN;
    state->certain &= answer->certain;
    state->by_path &= is_by_path(answer);
}

enum answer_kind prover_pattern(struct prover *prover, const struct pattern *pattern, uint32_t window,
                                struct answer *answer, goal_steps *steps)
{
    tuples_find(prover->execution, &prover->sites, pattern, window, &prover->tuples);
    bool certain = !prover->tuples.cut && prover->rules.certain;
    struct pattern_state state = {.certain = certain, .by_path = certain};
    prover->by_path = false;
    vector_clear(&answer->reasons);
    for (size_t i = 0; i < prover->tuples.all.count; i++) {
        ask_tuple(prover, pattern, &prover->tuples.all.data[i], &state, answer);
        if (answer->kind == ANSWER_FOUND) {
            answer_write_steps(&prover->rules, answer, steps);
            return ANSWER_FOUND;
        }
    }
    answer->kind = state.unknown ? ANSWER_UNKNOWN : ANSWER_IMPOSSIBLE;
    answer->certain = state.certain && !state.unknown;
    prover->by_path = state.by_path && !state.unknown;
    return answer->kind;
}
