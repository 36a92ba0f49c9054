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
    rules_free(&prover->rules);
    site_events_free(&prover->sites);
    tuples_free(&prover->tuples);
    question_free(&prover->question);
    *prover = (struct prover){0};
}

void prover_read(struct prover *prover, const struct execution *execution)
{
    prover->execution = execution;
    rules_make(&prover->rules, execution);
    site_events_make(&prover->sites, execution);
}

static void count_answer(struct prover *prover, const struct answer *answer, enum prover_way way)
{
    struct prover_counts *counts = &prover->counts;
    counts->asked++;
    counts->answered[answer->kind == ANSWER_UNKNOWN ? PROVER_NOTHING : way]++;
    counts->found += answer->kind == ANSWER_FOUND;
    counts->impossible += answer->kind == ANSWER_IMPOSSIBLE;
    counts->work += answer->work;
    if (answer->work > counts->most_work)
        counts->most_work = answer->work;
}

void prover_ask(struct prover *prover, const struct question *question, struct answer *answer)
{
    size_t where;
    solver_ask(prover->solver, &prover->rules, question, answer);
    if (answer->kind == ANSWER_FOUND && !order_is_possible(&prover->rules, &answer->order, question->changed, &where)) {
        answer->kind = ANSWER_UNKNOWN;
        prover->counts.wrong++;
    }
    count_answer(prover, answer, PROVER_SOLVER);
}

enum answer_kind prover_pattern(struct prover *prover, const struct pattern *pattern, uint32_t window,
                                struct answer *answer, goal_steps *steps)
{
    enum answer_kind kind = ANSWER_IMPOSSIBLE;
    tuples_find(prover->execution, &prover->sites, pattern, window, &prover->tuples);
    bool certain = !prover->tuples.cut && prover->rules.certain;
    vector_clear(&answer->reasons);
    for (size_t i = 0; i < prover->tuples.all.count; i++) {
        question_clear(&prover->question);
        if (!tuple_question(prover->execution, pattern, &prover->tuples.all.data[i], &prover->question))
            continue;
        prover_ask(prover, &prover->question, answer);
        if (answer->kind == ANSWER_FOUND) {
            order_write_steps(&prover->rules, &answer->order, steps);
            return ANSWER_FOUND;
        }
        if (answer->kind == ANSWER_UNKNOWN)
            kind = ANSWER_UNKNOWN;
        certain &= answer->certain;
    }
    answer->kind = kind;
    answer->certain = certain && kind == ANSWER_IMPOSSIBLE;
    return kind;
}
