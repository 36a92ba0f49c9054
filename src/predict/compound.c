/* SPDX-License-Identifier: MIT
 *
 * compound.c - instances of two dependencies, from predicted dependencies and pairs of accesses (Maple 3.6.2).
 */
#include <stdlib.h>

#include "predict/predict_private.h"
#include "util/hash.h"
#include "util/stop.h"

enum { ORDER_WORK = 8 }; /* what it costs to look for an order, in combinations */

/* The predictions from, or to, each entry: list[start[e]] … list[start[e + 1] - 1]. */
struct incidence {
    uint32_t *start, *list;
};

static uint32_t end_of(const struct prediction *prediction, bool outgoing)
{
    return outgoing ? prediction->from : prediction->to;
}

static struct incidence make_incidence(const struct prediction_state *state, bool outgoing)
{
    size_t entries = state->history.entries.count;
    size_t count = state->predictions.count;
    struct incidence incidence = {memory_allocate(entries + 2, sizeof(uint32_t)),
                                  memory_allocate(count + 1, sizeof(uint32_t))};
    for (size_t i = 0; i < count; i++)
        incidence.start[end_of(&state->predictions.data[i], outgoing) + 2]++;
    for (size_t i = 2; i < entries + 2; i++)
        incidence.start[i] += incidence.start[i - 1];
    for (size_t i = 0; i < count; i++)
        incidence.list[incidence.start[end_of(&state->predictions.data[i], outgoing) + 1]++] = (uint32_t)i;
    return incidence;
}

static void free_incidence(struct incidence *incidence)
{
    free(incidence->start);
    free(incidence->list);
}

/* A combination that is being looked at. */
struct compound {
    struct prediction_state *state;
    const struct prediction *e1, *e2; /* A→B, C→D */
    struct order_question question;
};

static const struct access_entry *entry_at(const struct compound *join, enum shape_end end)
{
    return history_entry(&join->state->history, join->question.entries[end]);
}

static void common_range(const struct compound *join, enum shape_end from, uint64_t *lo, uint64_t *hi)
{
    const struct access_entry *a = entry_at(join, from);
    const struct access_entry *b = entry_at(join, from ^ 1);
    *lo = a->lo > b->lo ? a->lo : b->lo;
    *hi = a->hi < b->hi ? a->hi : b->hi;
}

/* A byte is common to all four accesses. */
static bool on_one_variable(const struct compound *join)
{
    uint64_t lo, hi, other_lo, other_hi;
    common_range(join, END_A, &lo, &hi);
    common_range(join, END_C, &other_lo, &other_hi);
    return entry_at(join, END_A)->space == entry_at(join, END_C)->space && lo < other_hi && other_lo < hi;
}

static bool units_fit(const struct compound *join, unsigned flags)
{
    for (unsigned i = 0; i < 2; i++) {
        const struct access_pair *pair = join->question.tasks[i].pair;
        if (pair != NULL && !(pair->bits & PAIR_UNIT))
            return false;
    }
    for (enum shape_end end = END_A; (flags & FAMILY_SET) && end < END_COUNT; end++) {
        const struct access_entry *entry = entry_at(join, end);
        if (entry->unit == 0 || entry->set == 0 || entry->set != entry_at(join, END_A)->set)
            return false;
    }
    return true;
}

/* What can be said without the graph. */
static bool fits(const struct compound *join, const struct shape_choice *choice)
{
    const struct pattern *shape = family_shape(choice->row);
    unsigned flags = families[choice->row].flags;
    if (!(join->e1->relations & 1 << choice->first) || !(join->e2->relations & 1 << choice->second))
        return false;
    for (unsigned i = 0; i < shape->count; i++)
        if (!access_fits(shape->steps[i].kind, entry_at(join, choice->end[i])->kind))
            return false;
    if ((flags & FAMILY_UNINTERRUPTED) && !(join->question.tasks[0].pair->bits & PAIR_NEXT))
        return false;
    return !(flags & FAMILY_UNIT) || units_fit(join, flags);
}

static void try_choices(struct compound *join, enum predict_case predict_case)
{
    const shape_choices *choices = &join->state->choices[predict_case];
    for (size_t i = 0; i < choices->count; i++) {
        const struct shape_choice *choice = &choices->data[i];
        if (!fits(join, choice))
            continue;
        uint32_t steps[PATTERN_STEPS] = {0};
        for (unsigned k = 0; k < family_shape(choice->row)->count; k++)
            steps[k] = join->question.entries[choice->end[k]];
        join->question.choice = choice;
        if (predict_knows(join->state, choice->row, steps))
            continue;
        join->state->work += ORDER_WORK;
        if (order_exists(&join->state->history, &join->question))
            predict_report(join->state, choice->row, steps);
    }
}

/* The second task's two accesses: all pairs of the two entries in this order. */
static void try_second_task(struct compound *join, enum predict_case predict_case, enum shape_end first,
                            enum shape_end second)
{
    if (join->state->choices[predict_case].count == 0)
        return;
    const struct prediction_state *state = join->state;
    const struct access_pair *pair = pairs_find(state, join->question.entries[first], join->question.entries[second]);
    while (pair != NULL) {
        join->question.tasks[1] = (struct order_task){pair->first, pair->second, (uint8_t)first, (uint8_t)second, pair};
        try_choices(join, predict_case);
        pair = pair->next != 0 ? &state->pairs.data[pair->next - 1] : NULL;
    }
}

static void set_ends(struct compound *join, const struct prediction *e1, const struct prediction *e2)
{
    join->e1 = e1;
    join->e2 = e2;
    join->question.entries[END_A] = e1->from;
    join->question.entries[END_B] = e1->to;
    join->question.entries[END_C] = e2->from;
    join->question.entries[END_D] = e2->to;
}

/* A→B and C→D with the pair (A, D). */
static void join_opposite(struct compound *join, const struct prediction *e1, const struct prediction *e2)
{
    join->state->work++;
    set_ends(join, e1, e2);
    if (entry_at(join, END_B)->task != entry_at(join, END_C)->task)
        return;
    if (!on_one_variable(join)) {
        try_second_task(join, CASE_BACK, END_B, END_C);
        try_second_task(join, CASE_CROSS, END_C, END_B);
        return;
    }
    try_second_task(join, CASE_BACK_ONE, END_B, END_C);
    if (e1->to == e2->from) {
        join->question.tasks[1] = (struct order_task){e1->to, e1->to, END_B, END_B, NULL};
        try_choices(join, CASE_TRIPLE);
    }
}

/* A→B and C→D with the pair (A, C). */
static void join_along(struct compound *join, const struct prediction *e1, const struct prediction *e2)
{
    join->state->work++;
    set_ends(join, e1, e2);
    if (entry_at(join, END_B)->task == entry_at(join, END_D)->task && !on_one_variable(join))
        try_second_task(join, CASE_ALONG, END_B, END_D);
}

static void join_pair(struct prediction_state *state, const struct access_pair *pair, const struct incidence *out,
                      const struct incidence *in)
{
    struct compound join = {.state = state};
    const struct prediction *predictions = state->predictions.data;
    state->work += 1 + out->start[pair->first + 1] - out->start[pair->first];
    for (uint32_t i = out->start[pair->first]; i < out->start[pair->first + 1] && !stop_requested(); i++) {
        const struct prediction *e1 = &predictions[out->list[i]];
        join.question.tasks[0] = (struct order_task){pair->first, pair->second, END_A, END_D, pair};
        for (uint32_t k = in->start[pair->second]; k < in->start[pair->second + 1]; k++)
            join_opposite(&join, e1, &predictions[in->list[k]]);
        join.question.tasks[0].second_end = END_C;
        for (uint32_t k = out->start[pair->second]; k < out->start[pair->second + 1]; k++)
            join_along(&join, e1, &predictions[out->list[k]]);
    }
}

/* How many combinations there are. */
static uint64_t all_work(const struct prediction_state *state, const struct incidence *out, const struct incidence *in)
{
    uint64_t work = 0;
    for (size_t i = 0; i < state->pairs.count; i++) {
        const struct access_pair *pair = &state->pairs.data[i];
        uint64_t seconds = (in->start[pair->second + 1] - in->start[pair->second]) +
                           (out->start[pair->second + 1] - out->start[pair->second]);
        work += (out->start[pair->first + 1] - out->start[pair->first]) * seconds;
    }
    return work;
}

/* If there is time for a part only, it is one from all over the run. */
static void join_some(struct prediction_state *state, const struct incidence *out, const struct incidence *in)
{
    const uint64_t stride = 2654435761; /* a prime: every pair has its turn */
    uint64_t index = hash_mix(state->options.turn);
    for (size_t i = 0; i < state->pairs.count; i++) {
        if (state->work > state->options.work_most || stop_requested()) {
            state->history.cut = true;
            return;
        }
        index = (index + stride) % state->pairs.count;
        join_pair(state, &state->pairs.data[index], out, in);
    }
}

void compound_join(struct prediction_state *state)
{
    struct incidence out = make_incidence(state, true);
    struct incidence in = make_incidence(state, false);
    if (state->options.work_most != 0 && all_work(state, &out, &in) > state->options.work_most)
        join_some(state, &out, &in);
    else
        for (size_t i = 0; i < state->pairs.count && !stop_requested(); i++)
            join_pair(state, &state->pairs.data[i], &out, &in);
    free_incidence(&out);
    free_incidence(&in);
}
