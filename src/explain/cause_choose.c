/* SPDX-License-Identifier: MIT
 *
 * cause_choose.c - see cause_choose.h.
 */
#include "explain/cause_choose.h"

#include <string.h>

#include "util/vector.h"

enum {
    MOST_PAIRED = 400, /* candidates, the best ones, that are tried in pairs */
    LEAST_FAILING = 3, /* runs: in fewer, some two candidates are together by chance */
};

typedef VECTOR(size_t) candidate_list;

/* ---- sets --------------------------------------------------------------------------------------------------------- */

unsigned cause_set_count(const struct cause_set *set)
{
    return cause_set_common(set, set);
}

unsigned cause_set_common(const struct cause_set *a, const struct cause_set *b)
{
    unsigned count = 0;
    for (unsigned i = 0; i < CAUSE_WORDS; i++)
        count += (unsigned)__builtin_popcountll(a->words[i] & b->words[i]);
    return count;
}

/* `set` is in the union of a and b; the same one twice: in it. */
static bool is_covered(const struct cause_set *set, const struct cause_set *a, const struct cause_set *b)
{
    for (unsigned i = 0; i < CAUSE_WORDS; i++)
        if (set->words[i] & ~(a->words[i] | b->words[i]))
            return false;
    return true;
}

static bool are_apart(const struct cause_set *a, const struct cause_set *b)
{
    return cause_set_common(a, b) == 0;
}

/* ---- one ---------------------------------------------------------------------------------------------------------- */

int cause_compare(const struct cause_candidate *a, const struct cause_candidate *b)
{
    if (a->foreign != b->foreign)
        return a->foreign < b->foreign ? -1 : 1;
    if (a->tier != b->tier)
        return a->tier < b->tier ? -1 : 1;
    if (a->pending != b->pending)
        return a->pending < b->pending ? -1 : 1;
    if (a->aside != b->aside)
        return a->aside < b->aside ? -1 : 1;
    if (a->last != b->last)
        return a->last > b->last ? -1 : 1;
    if (a->instance.row != b->instance.row)
        return a->instance.row < b->instance.row ? -1 : 1;
    int difference = memcmp(a->instance.site, b->instance.site, sizeof a->instance.site);
    return difference != 0 ? difference : memcmp(a->instance.kind, b->instance.kind, sizeof a->instance.kind);
}

bool cause_fits(const struct cause_candidate *candidate, const struct cause_verdicts *verdicts)
{
    return is_covered(&verdicts->failing, &candidate->seen, &candidate->seen) &&
           are_apart(&candidate->seen, &verdicts->passing);
}

static int compare_numbers(const void *left, const void *right, void *context)
{
    const struct cause_candidate *candidates = context;
    return cause_compare(&candidates[*(const size_t *)left], &candidates[*(const size_t *)right]);
}

/* ---- two ---------------------------------------------------------------------------------------------------------- */

struct chooser {
    const struct cause_candidate *candidates;
    const struct cause_verdicts *verdicts;
    cause_accept *accept;
    void *context;
    candidate_list pure;   /* in no passing run, the best first */
    candidate_list steady; /* in all failing runs */
};

static bool is_accepted(const struct chooser *chooser, const struct cause_choice *choice)
{
    return chooser->accept == NULL || chooser->accept(chooser->context, choice);
}

static bool is_two_steps(const struct cause_candidate *candidate, uint8_t first, uint8_t second)
{
    const struct instance *instance = &candidate->instance;
    return instance->kind[0] == first && instance->kind[1] == second && instance->site[2] == 0;
}

/* The same read, and the same writer: it had written the variable, and was still to write it again. */
static bool is_too_early(const struct cause_candidate *done, const struct cause_candidate *coming)
{
    return is_two_steps(done, ACCESS_WRITE, ACCESS_READ) && is_two_steps(coming, ACCESS_READ, ACCESS_WRITE) &&
           done->pending == 0 && coming->pending == 1 && coming->in_base &&
           done->witnesses[0].task == coming->witnesses[1].task &&
           done->witnesses[1].task == coming->witnesses[0].task &&
           done->witnesses[1].operation == coming->witnesses[0].operation &&
           done->witnesses[1].address == coming->witnesses[0].address;
}

/* What was read had been written, but not for the last time: that the rest was still to come says more. */
static struct cause_choice prefer_coming(const struct chooser *chooser, struct cause_choice choice)
{
    const struct cause_candidate *done = &chooser->candidates[choice.first];
    for (size_t i = 0; i < chooser->pure.count; i++) {
        size_t number = chooser->pure.data[i];
        struct cause_choice other = {CAUSE_ONE, number, number};
        if (is_too_early(done, &chooser->candidates[number]) &&
            cause_fits(&chooser->candidates[number], chooser->verdicts) && is_accepted(chooser, &other))
            return other;
    }
    return choice;
}

static struct cause_choice choose_one(const struct chooser *chooser, unsigned from, unsigned to)
{
    for (size_t i = 0; i < chooser->pure.count; i++) {
        size_t number = chooser->pure.data[i];
        const struct cause_candidate *candidate = &chooser->candidates[number];
        struct cause_choice choice = {CAUSE_ONE, number, number};
        if (candidate->in_base && candidate->tier >= from && candidate->tier <= to &&
            cause_fits(candidate, chooser->verdicts) && is_accepted(chooser, &choice))
            return prefer_coming(chooser, choice);
    }
    return (struct cause_choice){CAUSE_NONE, 0, 0};
}

static size_t at_most(size_t count)
{
    return count < MOST_PAIRED ? count : MOST_PAIRED;
}

/* About one variable; of blocks that were freed too early any two will do. */
static bool are_related(const struct cause_candidate *a, const struct cause_candidate *b)
{
    return a->tier == b->tier && (a->witnesses[0].address == b->witnesses[0].address ||
                                  (a->instance.kind[0] == ACCESS_FREE && b->instance.kind[0] == ACCESS_FREE));
}

/* Both of one kind: the two ways round of one thing. */
static struct cause_choice choose_either(const struct chooser *chooser, unsigned from, unsigned to)
{
    for (size_t i = 0; i < at_most(chooser->pure.count); i++) {
        const struct cause_candidate *first = &chooser->candidates[chooser->pure.data[i]];
        if (!first->in_base || first->tier < from || first->tier > to)
            continue;
        for (size_t k = 0; k < at_most(chooser->pure.count); k++) {
            const struct cause_candidate *second = &chooser->candidates[chooser->pure.data[k]];
            struct cause_choice choice = {CAUSE_EITHER, chooser->pure.data[i], chooser->pure.data[k]};
            if (k != i && are_related(first, second) &&
                is_covered(&chooser->verdicts->failing, &first->seen, &second->seen) && is_accepted(chooser, &choice))
                return choice;
        }
    }
    return (struct cause_choice){CAUSE_NONE, 0, 0};
}

static bool has_both_in(const struct cause_set *runs, const struct cause_set *a, const struct cause_set *b)
{
    for (unsigned i = 0; i < CAUSE_WORDS; i++)
        if (runs->words[i] & a->words[i] & b->words[i])
            return true;
    return false;
}

static struct cause_choice choose_both(const struct chooser *chooser)
{
    size_t count = at_most(chooser->steady.count);
    if (cause_set_count(&chooser->verdicts->failing) < LEAST_FAILING)
        count = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1; k < count; k++) {
            struct cause_choice choice = {CAUSE_BOTH, chooser->steady.data[i], chooser->steady.data[k]};
            const struct cause_candidate *first = &chooser->candidates[choice.first];
            const struct cause_candidate *second = &chooser->candidates[choice.second];
            if (!has_both_in(&chooser->verdicts->passing, &first->seen, &second->seen) && is_accepted(chooser, &choice))
                return choice;
        }
    return (struct cause_choice){CAUSE_NONE, 0, 0};
}

/* ---- all ---------------------------------------------------------------------------------------------------------- */

static void sort_candidates(struct chooser *chooser, size_t count)
{
    const struct cause_verdicts *verdicts = chooser->verdicts;
    for (size_t i = 0; i < count; i++) {
        const struct cause_candidate *candidate = &chooser->candidates[i];
        if (candidate->refused || are_apart(&candidate->seen, &verdicts->failing))
            continue;
        if (are_apart(&candidate->seen, &verdicts->passing))
            vector_push(&chooser->pure, i);
        if (candidate->in_base && candidate->tier <= TIER_PAIR &&
            is_covered(&verdicts->failing, &candidate->seen, &candidate->seen))
            vector_push(&chooser->steady, i);
    }
    void *context = (void *)chooser->candidates;
    if (chooser->pure.count > 0)
        qsort_r(chooser->pure.data, chooser->pure.count, sizeof(size_t), compare_numbers, context);
    if (chooser->steady.count > 0)
        qsort_r(chooser->steady.data, chooser->steady.count, sizeof(size_t), compare_numbers, context);
}

struct cause_choice cause_choose(const struct cause_candidate *candidates, size_t count,
                                 const struct cause_verdicts *verdicts, cause_accept *accept, void *context)
{
    struct chooser chooser = {.candidates = candidates, .verdicts = verdicts, .accept = accept, .context = context};
    sort_candidates(&chooser, count);
    struct cause_choice choice = choose_one(&chooser, TIER_WAIT, TIER_ECHO);
    if (choice.how == CAUSE_NONE)
        choice = choose_either(&chooser, TIER_WAIT, TIER_TRIPLE);
    if (choice.how == CAUSE_NONE)
        choice = choose_one(&chooser, TIER_QUAD, TIER_OTHER);
    if (choice.how == CAUSE_NONE)
        choice = choose_either(&chooser, TIER_PAIR, TIER_OTHER);
    if (choice.how == CAUSE_NONE)
        choice = choose_both(&chooser);
    vector_free(&chooser.pure);
    vector_free(&chooser.steady);
    return choice;
}
