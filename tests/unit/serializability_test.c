/* SPDX-License-Identifier: MIT
 *
 * serializability_test.c - the monitor against the definition: an execution of random units of work is reported if and only if, for some
 * atomic set, no serial order of the units has the same conflicts.
 *
 * The definition is written apart in two ways: a cycle in the graph of all conflicts, and, where units are few, every serial order
 * tried.  What is reported is checked against the list of patterns as the paper writes them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "pattern/serializability.h"
#include "util/hash.h"
#include "util/memory.h"
#include "util/vector.h"

enum { UNITS = 150, ACCESSES = 1200, ORDERED = 6 /* units of which all orders are tried */ };

struct style {
    unsigned threads, units, accesses; /* at most: units of a thread, accesses of a unit */
    unsigned sets, locations;
    bool numbered_in_set; /* locations have numbers in their set, not in the execution */
    unsigned long_unit;   /* accesses of the only unit of thread 0; 0: it is as the others */
};

struct run {
    struct unit_access accesses[ACCESSES];
    size_t count;
    unsigned units;
    unsigned sets;
};

/* ---- random executions -------------------------------------------------------------------------------------------- */

struct maker {
    struct unit_access accesses[ACCESSES];
    size_t first[8], end[8]; /* by thread: its part of them */
};

static uint32_t location_of(const struct style *style, uint32_t set, uint64_t random)
{
    uint32_t location = (uint32_t)(random % style->locations);
    return style->numbered_in_set ? location : set * 100 + location;
}

/* What the threads do, each for itself. */
static unsigned make_threads(struct maker *maker, const struct style *style, struct generator *random)
{
    size_t count = 0;
    unsigned units = 0;
    for (unsigned thread = 0; thread < style->threads; thread++) {
        maker->first[thread] = count;
        bool is_long = thread == 0 && style->long_unit > 0;
        for (uint64_t unit = is_long ? 1 : generator_below(random, style->units) + 1; unit > 0; unit--) {
            units++;
            for (uint64_t i = is_long ? style->long_unit : generator_below(random, style->accesses) + 1; i > 0; i--) {
                uint32_t set = (uint32_t)generator_below(random, style->sets) + 1;
                assert_true(count < ACCESSES && units < UNITS);
                maker->accesses[count++] = (struct unit_access){
                    .unit = units,
                    .set = set,
                    .location = location_of(style, set, generator_next(random)),
                    .thread = (uint16_t)thread,
                    .write = generator_below(random, 2) == 0,
                };
            }
        }
        maker->end[thread] = count;
    }
    return units;
}

/* One interleaving of them.  Now and then two accesses of a thread have one event, as the halves of an update have. */
static void interleave(const struct maker *maker, const struct style *style, struct generator *random, struct run *run)
{
    size_t next[8];
    uint32_t event = 0;
    memcpy(next, maker->first, sizeof next);
    run->count = 0;
    run->sets = style->sets;
    for (;;) {
        unsigned live[8], lives = 0;
        for (unsigned thread = 0; thread < style->threads; thread++)
            if (next[thread] < maker->end[thread])
                live[lives++] = thread;
        if (lives == 0)
            return;
        unsigned thread = live[generator_below(random, lives)];
        const struct unit_access *access = &maker->accesses[next[thread]++];
        const struct unit_access *before = run->count > 0 ? &run->accesses[run->count - 1] : NULL;
        bool same = before != NULL && before->unit == access->unit && before->location == access->location &&
                    before->set == access->set && !before->write && access->write;
        run->accesses[run->count] = *access;
        run->accesses[run->count++].event = same ? event : ++event;
    }
}

/* ---- the definition ------------------------------------------------------------------------------------------------ */

static bool conflict(const struct unit_access *a, const struct unit_access *b)
{
    return a->unit != b->unit && a->set == b->set && a->location == b->location && (a->write || b->write);
}

/* before[i][j]: an access of i conflicts with a later one of j. */
static void find_conflicts(const struct run *run, uint32_t set, bool before[UNITS][UNITS])
{
    memset(before, 0, UNITS * sizeof *before);
    for (size_t i = 0; i < run->count; i++)
        for (size_t k = i + 1; k < run->count; k++)
            if (run->accesses[i].set == set && conflict(&run->accesses[i], &run->accesses[k]))
                before[run->accesses[i].unit][run->accesses[k].unit] = true;
}

static bool has_cycle(bool before[UNITS][UNITS], unsigned units)
{
    bool reach[UNITS][UNITS];
    memcpy(reach, before, sizeof reach);
    for (unsigned k = 1; k <= units; k++)
        for (unsigned i = 1; i <= units; i++)
            for (unsigned j = 1; j <= units; j++)
                reach[i][j] |= reach[i][k] && reach[k][j];
    for (unsigned i = 1; i <= units; i++)
        if (reach[i][i])
            return true;
    return false;
}

/* Some order of the units has each of them after all that have to come before it. */
static bool has_order(bool before[UNITS][UNITS], unsigned units, unsigned done)
{
    if (done == (1u << units) - 1)
        return true;
    for (unsigned next = 0; next < units; next++) {
        bool possible = !(done >> next & 1);
        for (unsigned other = 0; other < units && possible; other++)
            possible = (done >> other & 1) || other == next || !before[other + 1][next + 1];
        if (possible && has_order(before, units, done | 1u << next))
            return true;
    }
    return false;
}

static bool is_serializable(const struct run *run)
{
    bool before[UNITS][UNITS], serializable = true;
    for (uint32_t set = 1; set <= run->sets; set++) {
        find_conflicts(run, set, before);
        bool cycle = has_cycle(before, run->units);
        if (run->units <= ORDERED)
            assert_int_equal(cycle, !has_order(before, run->units, 0));
        serializable &= !cycle;
    }
    return serializable;
}

/* ---- the patterns --------------------------------------------------------------------------------------------------- */

/* As the paper writes them: access, unit (u, or v for u'), location. */
static const struct {
    unsigned number;
    const char *steps;
} patterns[] = {
    {1, "Rux Wvx Wux"},      {2, "Rux Wvx Rux"},      {3, "Wux Rvx Wux"},     {4, "Wux Wvx Rux"},
    {5, "Wux Wvx Wux"},      {6, "Wux Wvx Wvy Wuy"},  {6, "Wux Wvy Wvx Wuy"}, {7, "Wux Wvy Wuy Wvx"},
    {8, "Wux Rvx Rvy Wuy"},  {8, "Wux Rvy Rvx Wuy"},  {9, "Rux Wvx Wvy Ruy"}, {9, "Rux Wvy Wvx Ruy"},
    {10, "Rux Wvy Ruy Wvx"}, {11, "Wux Rvy Wuy Rvx"},
};

static bool fits(const char *steps, const struct run *run, const uint32_t *accesses, unsigned count, uint32_t u,
                 uint32_t v)
{
    const struct unit_access *at[4];
    const struct unit_access *x = NULL, *y = NULL;
    if ((strlen(steps) + 1) / 4 != count)
        return false;
    for (unsigned i = 0; i < count; i++) {
        const char *step = steps + (size_t)4 * i;
        at[i] = &run->accesses[accesses[i]];
        const struct unit_access **variable = step[2] == 'x' ? &x : &y;
        if (*variable == NULL)
            *variable = at[i];
        if (at[i]->write != (step[0] == 'W') || at[i]->unit != (step[1] == 'u' ? u : v) ||
            at[i]->set != (*variable)->set || at[i]->location != (*variable)->location)
            return false;
    }
    return y == NULL || (x->set == y->set && x->location != y->location);
}

static bool is_pattern(const struct run *run, const struct violation *violation)
{
    for (unsigned i = 1; i < violation->count; i++)
        if (violation->accesses[i - 1] >= violation->accesses[i])
            return false;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        if (patterns[i].number == violation->pattern &&
            fits(patterns[i].steps, run, violation->accesses, violation->count, violation->unit, violation->other))
            return true;
    return false;
}

/* Conflicts, each of which goes on where the one before ended. */
static bool is_cycle(const struct run *run, const struct violation *violation)
{
    const struct unit_access *first = NULL, *last = NULL;
    if (violation->count < 4 || violation->count % 2 != 0 || violation->units < 2)
        return false;
    for (unsigned i = 0; i < violation->count; i += 2) {
        const struct unit_access *from = &run->accesses[violation->accesses[i]];
        const struct unit_access *to = &run->accesses[violation->accesses[i + 1]];
        if (violation->accesses[i] >= violation->accesses[i + 1] || !conflict(from, to) ||
            from->set != violation->set || (last != NULL && last->unit != from->unit))
            return false;
        if (first == NULL)
            first = from;
        last = to;
    }
    bool whole = violation->units * 2 == violation->count;
    return (!whole || first->unit == last->unit) && violation->count <= SERIALIZABILITY_EVENTS;
}

struct found {
    const struct run *run;
    size_t count;
    uint32_t last_set, last_access;
    uint16_t pairs[UNITS][UNITS]; /* of u and u': bits, the patterns that were found */
    size_t by_pattern[SERIALIZABILITY_PATTERNS + 1];
};

static void check_violation(void *context, const struct violation *violation)
{
    struct found *found = context;
    found->count++;
    found->by_pattern[violation->pattern]++;
    assert_true(violation->count >= 3);
    if (violation->pattern != 0) {
        assert_true(is_pattern(found->run, violation));
        assert_int_equal(violation->units, 2);
        found->pairs[violation->unit][violation->other] |= (uint16_t)(1u << violation->pattern);
    } else {
        assert_true(is_cycle(found->run, violation));
    }
    uint32_t last = 0;
    for (unsigned i = 0; i < violation->count; i++) {
        assert_int_equal(found->run->accesses[violation->accesses[i]].set, violation->set);
        last = violation->accesses[i] > last ? violation->accesses[i] : last;
    }
    if (found->last_set == violation->set)
        assert_true(found->last_access <= last);
    found->last_set = violation->set;
    found->last_access = last;
}

/* ---- tests ------------------------------------------------------------------------------------------------------------ */

/* It is the first or the last access of its kind of its unit to its location, of those before `end`. */
static bool is_at_an_end(const struct run *run, uint32_t access, uint32_t end)
{
    const struct unit_access *of = &run->accesses[access];
    bool before = false, after = false;
    for (uint32_t i = 0; i < end; i++) {
        const struct unit_access *other = &run->accesses[i];
        bool alike = other->unit == of->unit && other->set == of->set && other->location == of->location &&
                     other->write == of->write;
        before |= alike && i < access;
        after |= alike && i > access;
    }
    return !before || !after;
}

static bool are_at_ends(const struct run *run, const uint32_t *accesses, unsigned count)
{
    for (unsigned i = 0; i + 1 < count; i++)
        if (!is_at_an_end(run, accesses[i], accesses[count - 1]))
            return false;
    return true;
}

/* Patterns of u and v which some accesses match, as bits; `ends`: only those that first and last accesses match. */
static uint16_t patterns_of(const struct run *run, uint32_t u, uint32_t v, bool ends)
{
    uint32_t at[4];
    size_t n = run->count;
    uint16_t bits = 0;
    for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++) {
        unsigned count = (unsigned)(strlen(patterns[p].steps) + 1) / 4;
        for (at[0] = 0; at[0] < n; at[0]++)
            for (at[1] = at[0] + 1; run->accesses[at[0]].unit == u && at[1] < n; at[1]++)
                for (at[2] = at[1] + 1; run->accesses[at[1]].unit == v && at[2] < n; at[2]++)
                    for (at[3] = at[2] + 1; at[3] < n + (count == 3); at[3] = count == 3 ? (uint32_t)n + 1 : at[3] + 1)
                        if (fits(patterns[p].steps, run, at, count, u, v) && (!ends || are_at_ends(run, at, count)))
                            bits |= (uint16_t)(1u << patterns[p].number);
    }
    return bits;
}

/* What is found is there, and nothing is missed that the header promises. */
static void check_pairs(const struct run *run, const struct found *found)
{
    for (uint32_t u = 1; u <= run->units; u++)
        for (uint32_t v = 1; v <= run->units; v++) {
            if (u == v)
                continue;
            assert_int_equal(found->pairs[u][v] & ~patterns_of(run, u, v, false), 0);
            assert_int_equal(patterns_of(run, u, v, true) & ~found->pairs[u][v], 0);
            assert_int_equal(found->pairs[u][v] != 0 || found->pairs[v][u] != 0,
                             patterns_of(run, u, v, false) != 0 || patterns_of(run, v, u, false) != 0);
        }
}

struct tally {
    size_t serializable, others;
    size_t by_pattern[SERIALIZABILITY_PATTERNS + 1];
};

static void check_run(const struct run *run, bool pairs, struct tally *tally)
{
    struct found found = {.run = run};
    bool serializable = is_serializable(run);
    size_t count = serializability_check(run->accesses, run->count, check_violation, &found, NULL);
    assert_int_equal(count, found.count);
    assert_int_equal(count == 0, serializable);
    if (pairs)
        check_pairs(run, &found);
    *(serializable ? &tally->serializable : &tally->others) += 1;
    for (unsigned i = 0; i <= SERIALIZABILITY_PATTERNS; i++)
        tally->by_pattern[i] += found.by_pattern[i];
}

static void check_style(const struct style *style, uint64_t seed, unsigned programs, unsigned interleavings, bool pairs,
                        struct tally *tally)
{
    struct generator random = {seed};
    struct maker *maker = memory_allocate(1, sizeof *maker);
    struct run *run = memory_allocate(1, sizeof *run);
    for (unsigned i = 0; i < programs; i++) {
        run->units = make_threads(maker, style, &random);
        for (unsigned k = 0; k < interleavings; k++) {
            interleave(maker, style, &random, run);
            check_run(run, pairs, tally);
        }
    }
    free(maker);
    free(run);
}

static void agrees_on_tiny_programs(void **state)
{
    (void)state;
    static const struct style styles[] = {
        {2, 1, 4, 1, 2, false, 0}, {2, 2, 3, 1, 2, false, 0}, {2, 2, 3, 2, 2, true, 0},
        {3, 1, 4, 1, 3, false, 0}, {3, 2, 2, 2, 2, false, 0}, {4, 1, 2, 1, 2, true, 0},
    };
    struct tally tally = {0};
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++)
        check_style(&styles[i], 100 + i, 200, 8, true, &tally);
    assert_true(tally.serializable > 1000 && tally.others > 1000);
    for (unsigned i = 0; i <= SERIALIZABILITY_PATTERNS; i++)
        assert_true(tally.by_pattern[i] > 10);
}

static void agrees_on_larger_programs(void **state)
{
    (void)state;
    static const struct style styles[] = {
        {5, 6, 4, 2, 8, false, 0},
        {6, 5, 3, 3, 12, true, 0},
        {3, 10, 2, 1, 30, false, 0},
        {8, 4, 2, 1, 40, false, 0},
    };
    struct tally tally = {0};
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++)
        check_style(&styles[i], 200 + i, 150, 2, false, &tally);
    assert_true(tally.serializable > 50 && tally.others > 50);
}

/* What short units have done is forgotten when no unit that goes on can come back to it, and only then. */
static void agrees_where_units_are_forgotten(void **state)
{
    (void)state;
    static const struct style styles[] = {
        {3, 40, 3, 1, 200, false, 60},
        {4, 30, 2, 1, 120, false, 40},
        {3, 60, 2, 1, 400, false, 90},
    };
    struct tally tally = {0};
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++)
        check_style(&styles[i], 300 + i, 60, 2, false, &tally);
    assert_true(tally.serializable > 30 && tally.others > 30);
    assert_true(tally.by_pattern[0] > 10);
}

/* What is run one unit after the other is serializable. */
static void serial_is_serializable(void **state)
{
    (void)state;
    const struct style style = {4, 4, 5, 2, 3, false, 0};
    struct generator random = {7};
    struct maker *maker = memory_allocate(1, sizeof *maker);
    for (int i = 0; i < 200; i++) {
        make_threads(maker, &style, &random);
        for (uint32_t k = 0; k < maker->end[3]; k++)
            maker->accesses[k].event = k + 1;
        struct found found = {0};
        assert_int_equal(serializability_check(maker->accesses, maker->end[3], check_violation, &found, NULL), 0);
    }
    free(maker);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_on_tiny_programs),
        cmocka_unit_test(agrees_on_larger_programs),
        cmocka_unit_test(agrees_where_units_are_forgotten),
        cmocka_unit_test(serial_is_serializable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
