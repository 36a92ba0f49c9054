/* SPDX-License-Identifier: MIT
 *
 * candidates.c - see candidates.h.
 */
#include "generate/candidates.h"

#include <limits.h>
#include <string.h>

#include "generate/conflict.h"

enum {
    STATES_PER_PAIR = 3,
    VALUES_PER_STATE = 2,
    EXTENSIONS_PER_TRACE = 2,
    OBSERVERS = 6,
    OBSERVERS_EACH = 2,
    MOST_CANDIDATES = 4000,
    MORE_CALLS = 3
};

void candidates_free(struct candidates *candidates)
{
    for (size_t i = 0; i < candidates->all.count; i++)
        test_free(&candidates->all.data[i].test);
    vector_free(&candidates->all);
    vector_free(&candidates->seen);
    table_free(&candidates->pairs);
    table_free(&candidates->predicted);
}

/* ---- observers -------------------------------------------------------------------------------------------------------- */

static bool has_call(const struct test *test, unsigned from, const struct gen_call *call)
{
    for (unsigned i = from; i < test_call_count(test) + test->observers; i++)
        if (memcmp(&test->calls[i], call, sizeof *call) == 0)
            return true;
    return false;
}

/* Calls that only look, with arguments of this iteration. */
static void add_observers(struct test *test, const struct search *search)
{
    unsigned calls = test_call_count(test);
    for (uint32_t f = 0; f < search->functions.count; f++) {
        unsigned own = 0;
        for (size_t i = 0; i < search->edges.count && own < OBSERVERS_EACH && search_is_observer(search, f); i++) {
            const struct gen_call *call = &search->edges.data[i];
            if (call->function != f || test->observers >= OBSERVERS || has_call(test, calls, call))
                continue;
            test->calls[calls + test->observers++] = *call;
            own++;
        }
    }
}

/* ---- pairs ------------------------------------------------------------------------------------------------------------ */

/* How many of the chosen have the same trace; SIZE_MAX if one leaves the same state too. */
static size_t count_alike(const struct search *search, const struct gen_answer *answer, const size_t *chosen,
                          size_t count, size_t extension)
{
    const struct gen_report *report = &answer->reports[extension];
    size_t alike = 0;
    for (size_t i = 0; i < count; i++) {
        const struct gen_report *other = &answer->reports[chosen[i]];
        bool same = other->trace == report->trace && other->status == report->status &&
                    search->edges.data[chosen[i]].function == search->edges.data[extension].function;
        if (same && other->state == report->state)
            return SIZE_MAX;
        alike += same;
    }
    return alike;
}

/* A few extensions for each trace, with different effects. */
static size_t choose_extensions(const struct search *search, const struct gen_answer *answer, size_t *chosen)
{
    size_t count = 0;
    for (size_t i = 0; i < search->edges.count; i++) {
        uint32_t status = answer->reports[i].status;
        if ((status == GEN_DONE || status == GEN_BLOCKED) && search_may_call(search, search->edges.data[i].function) &&
            count_alike(search, answer, chosen, count, i) < EXTENSIONS_PER_TRACE)
            chosen[count++] = i;
    }
    return count;
}

static bool allowed_together(const struct search *search, const struct gen_call *a, const struct gen_call *b)
{
    const struct api_function *first = &search->library->api->functions.data[a->function];
    const struct api_function *second = &search->library->api->functions.data[b->function];
    return !(first->once && first == second) && !(first->one_thread && second->one_thread);
}

static void count_conflicts(struct candidates *candidates, struct candidate *candidate, const struct gen_answer *answer,
                            size_t a, size_t b)
{
    conflict_list found = {0};
    conflict_predict(answer->events[a], answer->reports[a].events, answer->events[b], answer->reports[b].events,
                     &found);
    for (size_t i = 0; i < found.count; i++) {
        uint64_t *seen = table_put(&candidates->predicted, found.data[i].hash);
        candidate->score += found.data[i].weight;
        candidate->fresh += (*seen)++ == 0 ? found.data[i].weight : 0;
    }
    vector_free(&found);
}

/* The pair of traces was not tried in enough states, or with enough values in this one. */
static bool wants_pair(struct candidates *candidates, uint64_t a, uint64_t b, uint64_t state)
{
    uint64_t *at = table_put(&candidates->pairs, hash_combine(a < b ? a : b, a < b ? b : a));
    if (*at == 0) {
        vector_push(&candidates->seen, (struct candidate_pair){0, 0, 0});
        *at = candidates->seen.count;
    }
    struct candidate_pair *pair = &candidates->seen.data[*at - 1];
    if (pair->states == 0 || pair->state != state) {
        pair->state = state;
        pair->states++;
        pair->values = 0;
    }
    return pair->states <= STATES_PER_PAIR && pair->values++ < VALUES_PER_STATE;
}

static void add_pair(struct candidates *candidates, const struct search *search, const struct sequence *sequence,
                     unsigned length, const struct gen_answer *answer, size_t a, size_t b)
{
    const struct gen_call *first = &search->edges.data[a], *second = &search->edges.data[b];
    bool blocked = answer->reports[a].status == GEN_BLOCKED && answer->reports[b].status == GEN_BLOCKED;
    if (blocked || candidates->all.count >= MOST_CANDIDATES || !allowed_together(search, first, second) ||
        !wants_pair(candidates, answer->reports[a].trace, answer->reports[b].trace, answer->start.state))
        return;
    struct candidate candidate = {
        .test = {.construct = sequence->construct, .prefix_count = length, .threads = 2, .count = {1, 1}}};
    memcpy(candidate.test.prefix, sequence->calls, length * sizeof sequence->calls[0]);
    candidate.test.calls[0] = *first;
    candidate.test.calls[1] = *second;
    add_observers(&candidate.test, search);
    count_conflicts(candidates, &candidate, answer, a, b);
    vector_push(&candidates->all, candidate);
}

static const struct gen_answer *ask_state(struct search *search, const struct sequence *sequence, unsigned length,
                                          struct error *error)
{
    struct gen_request *request = library_request(search->library, 0, error);
    if (request == NULL)
        return NULL;
    request->question = GEN_EXPAND;
    request->construct = sequence->construct;
    request->prefix_count = length;
    memcpy(request->prefix, sequence->calls, length * sizeof sequence->calls[0]);
    request->count[0] = (uint32_t)search->edges.count;
    memcpy(request->calls, search->edges.data, search->edges.count * sizeof search->edges.data[0]);
    return library_ask(search->library, 0);
}

bool candidates_add(struct candidates *candidates, struct search *search, const struct sequence *sequence,
                    struct error *error)
{
    for (unsigned length = 0; length <= sequence->count; length++) {
        size_t chosen[GEN_EXTENSIONS];
        const struct gen_answer *answer = ask_state(search, sequence, length, error);
        if (answer == NULL)
            return false;
        if (answer->status != GEN_DONE)
            break;
        size_t count = choose_extensions(search, answer, chosen);
        for (size_t a = 0; a < count; a++)
            for (size_t b = a; b < count; b++)
                add_pair(candidates, search, sequence, length, answer, chosen[a], chosen[b]);
    }
    return true;
}

/* ---- longer tests ----------------------------------------------------------------------------------------------------- */

/* A call of this iteration, at random; NULL: none may be made any more. */
static const struct gen_call *pick_edge(struct search *search)
{
    size_t first = search->edges.count > 0 ? generator_below(&search->generator, search->edges.count) : 0;
    for (size_t i = 0; i < search->edges.count; i++) {
        const struct gen_call *call = &search->edges.data[(first + i) % search->edges.count];
        if (search_may_call(search, call->function))
            return call;
    }
    return NULL;
}

static bool add_thread(struct test *test, struct search *search, unsigned thread, unsigned calls)
{
    unsigned total = 0;
    for (unsigned t = 0; t < thread; t++)
        total += test->count[t];
    test->count[thread] = calls;
    for (unsigned i = 0; i < calls; i++) {
        const struct gen_call *call = pick_edge(search);
        for (unsigned k = 0; k < total && call != NULL; k++)
            if (!allowed_together(search, &test->calls[k], call))
                return false;
        if (call == NULL)
            return false;
        test->calls[total++] = *call;
    }
    return true;
}

struct candidate *candidates_add_long(struct candidates *candidates, struct search *search, unsigned threads)
{
    struct generator *generator = &search->generator;
    if (search->sequences.count == 0 || pick_edge(search) == NULL || candidates->all.count >= MOST_CANDIDATES)
        return NULL;
    const struct sequence *from = &search->sequences.data[generator_below(generator, search->sequences.count)];
    struct candidate candidate = {.test = {.construct = from->construct, .threads = threads}};
    struct test *test = &candidate.test;
    test->prefix_count = (unsigned)generator_below(generator, from->count + 1);
    memcpy(test->prefix, from->calls, test->prefix_count * sizeof from->calls[0]);
    for (uint64_t more = generator_below(generator, MORE_CALLS + 1); more > 0; more--)
        test->prefix[test->prefix_count++] = *pick_edge(search);
    for (unsigned t = 0; t < threads; t++)
        if (!add_thread(test, search, t, 1 + (unsigned)generator_below(generator, 2)))
            return NULL;
    add_observers(test, search);
    vector_push(&candidates->all, candidate);
    return &candidates->all.data[candidates->all.count - 1];
}

/* ---- choosing ----------------------------------------------------------------------------------------------------------- */

static bool is_better(const struct candidate *a, const struct candidate *b)
{
    if (a->rounds != b->rounds)
        return a->rounds < b->rounds;
    if (a->fresh != b->fresh)
        return a->fresh > b->fresh;
    return a->score > b->score;
}

struct candidate *candidates_best(struct candidates *candidates, unsigned rounds)
{
    struct candidate *best = NULL;
    for (size_t i = 0; i < candidates->all.count; i++) {
        struct candidate *candidate = &candidates->all.data[i];
        if (candidate->rounds < rounds && (best == NULL || is_better(candidate, best)))
            best = candidate;
    }
    return best;
}
