/* SPDX-License-Identifier: MIT
 *
 * pcr_test.c - the candidates of pcr in small executions: which there are, what each of the six rules leaves out and only that rule, and
 * which reads would find something new.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "fixture/events.h"
#include "fixture/executions.h"
#include "technique/pcr_candidates.h"
#include "util/hash.h"

enum { X = 0x1000, Y = 0x2000, M = 0x3000, ALL_RULES = (1 << PCR_RULE_COUNT) - 1 };

/* ---- what a test looks at ---------------------------------------------------------------------------------------------- */

struct made {
    struct execution execution;
    struct rules rules;
    struct pcr_values values;
    pcr_turns turns;
    struct table tried;
    struct pcr_source source;
    pcr_candidates candidates;
    struct pcr_drops drops;
};

/* The execution, of which nothing is known yet. */
static struct made *read_run(const struct event *events, size_t count)
{
    static struct made made;
    made = (struct made){.execution = make_execution(events, count)};
    rules_make(&made.rules, &made.execution);
    pcr_turns_make(&made.turns, &made.execution);
    made.source = (struct pcr_source){&made.rules, &made.values, &made.turns, &made.tried, NULL, ALL_RULES};
    return &made;
}
#define READ_RUN(...)                                                                                                  \
    read_run((const struct event[]){__VA_ARGS__}, sizeof((const struct event[]){__VA_ARGS__}) / sizeof(struct event))

static void make(struct made *made, unsigned filter)
{
    vector_clear(&made->candidates);
    made->drops = (struct pcr_drops){0};
    made->source.filter = filter;
    pcr_candidates_make(&made->source, &made->candidates, &made->drops);
}

static void close_made(struct made *made)
{
    rules_free(&made->rules);
    pcr_values_free(&made->values);
    vector_free(&made->turns);
    table_free(&made->tried);
    vector_free(&made->candidates);
    execution_free(&made->execution);
}

/* The candidate whose steps are at these sites; NULL: there is none.  A site of 0 ends them. */
static const struct pcr_candidate *find(const struct made *made, const uint32_t sites[PATTERN_STEPS])
{
    for (size_t i = 0; i < made->candidates.count; i++) {
        const struct pcr_candidate *candidate = &made->candidates.data[i];
        bool same = true;
        for (unsigned k = 0; k < PATTERN_STEPS; k++)
            same &=
                sites[k] == (k < candidate->count ? execution_event(&made->execution, candidate->events[k])->site : 0);
        if (same)
            return candidate;
    }
    return NULL;
}
#define FIND(made, ...) find(made, (const uint32_t[PATTERN_STEPS]){__VA_ARGS__})

static const char *name_of(const struct pcr_candidate *candidate)
{
    return families[candidate->row].name;
}

/* One rule leaves out the candidate at the sites, and it is there without that rule. */
static void assert_left_out(struct made *made, enum pcr_rule rule, const uint32_t sites[PATTERN_STEPS])
{
    make(made, ALL_RULES);
    assert_null(find(made, sites));
    assert_true(made->drops.dropped[rule] > 0);
    make(made, ALL_RULES & ~(1u << rule));
    assert_non_null(find(made, sites));
    assert_int_equal(made->drops.dropped[rule], 0);
}
#define ASSERT_LEFT_OUT(made, rule, ...) assert_left_out(made, rule, (const uint32_t[PATTERN_STEPS]){__VA_ARGS__})

/* ---- candidates -------------------------------------------------------------------------------------------------------- */

static void check_then_act(void **state)
{
    (void)state;
    struct made *made = READ_RUN(valued(reads(1, X, 1), 7), valued(reads(1, X, 2), 7), valued(writes(2, X, 3), 0));
    make(made, ALL_RULES);
    const struct pcr_candidate *between = FIND(made, 1, 3, 2);
    assert_non_null(between);
    assert_string_equal(name_of(between), "map.4");
    assert_int_equal(between->finds[2], 0);
    assert_false(between->far);
    assert_non_null(FIND(made, 3, 1));
    assert_non_null(FIND(made, 3, 2));
    assert_int_equal(made->candidates.count,
                     3); /* the read comes before the write in the run: it would find what it found */
    close_made(made);
}

/* x and y are changed one after the other, and read one after the other. */
static void half_made_change(void **state)
{
    (void)state;
    struct made *made = READ_RUN(valued(reads(1, X, 1), 0), valued(reads(1, Y, 2), 0), valued(writes(2, X, 3), 5),
                                 valued(writes(2, Y, 4), 6));
    make(made, ALL_RULES);
    const struct pcr_candidate *half = FIND(made, 1, 3, 4, 2);
    assert_non_null(half);
    assert_string_equal(name_of(half), "map.14");
    assert_int_equal(half->finds[0], 0);
    assert_int_equal(half->finds[3], 6);
    struct pattern pattern;
    pcr_candidate_pattern(&made->source, half, &pattern);
    assert_ptr_equal(pattern.family, &families[half->row]);
    assert_int_equal(pattern.steps[1].site, 3);
    close_made(made);
}

/* What comes between two accesses in any case hides one from the other. */
static void locks_and_values_count(void **state)
{
    (void)state;
    struct made *made = READ_RUN(locks(1, M), valued(reads(1, X, 1), 7), valued(reads(1, X, 2), 7), unlocks(1, M),
                                 locks(2, M), valued(writes(2, X, 3), 8), valued(writes(2, X, 4), 9), unlocks(2, M));
    make(made, ALL_RULES);
    assert_null(FIND(made, 1, 3, 2));
    assert_null(FIND(made, 1, 4, 2));
    assert_null(FIND(made, 3, 1)); /* 4 is between */
    assert_non_null(FIND(made, 4, 1));
    assert_true(made->drops.impossible >= 3);
    close_made(made);
}

/* What the second task did depends on what it read from the first one. */
static void dependent_steps_are_late(void **state)
{
    (void)state;
    struct made *made = READ_RUN(valued(reads(1, X, 1), 0), valued(writes(1, Y, 2), 1), valued(reads(2, Y, 3), 1),
                                 valued(writes(2, X, 4), 9));
    made->rules.locations.data[execution_pieces(&made->execution, 1, &(uint32_t){0})->location].initial_known = true;
    make(made, ALL_RULES);
    assert_null(FIND(made, 4, 1));
    close_made(made);
}

/* ---- rules ------------------------------------------------------------------------------------------------------------- */

static void only_what_is_defined(void **state)
{
    (void)state;
    struct made *made = READ_RUN(valued(reads(1, X, 1), 0), valued(writes(1, Y, 2), 1), valued(writes(2, X, 3), 2),
                                 valued(reads(2, Y, 4), 1));
    ASSERT_LEFT_OUT(made, PCR_DEFINED, 1, 3, 4, 2);
    const struct pcr_candidate *other = FIND(made, 1, 3, 4, 2);
    assert_int_equal(other->row, NOT_DEFINED);
    struct pattern pattern;
    pcr_candidate_pattern(&made->source, other, &pattern);
    assert_null(pattern.family);
    assert_int_equal(pattern.steps[3].relation, RELATION_IMMEDIATE);
    close_made(made);
}

static void not_what_was_tried(void **state)
{
    (void)state;
    struct made *made = READ_RUN(valued(reads(1, X, 1), 7), valued(reads(1, X, 2), 7), valued(writes(2, X, 3), 0));
    make(made, ALL_RULES);
    uint64_t key = pcr_candidate_key(&made->source, FIND(made, 1, 3, 2));
    *table_put(&made->tried, key) = PCR_TRIED_CUT;
    make(made, ALL_RULES);
    assert_non_null(FIND(made, 1, 3, 2));
    *table_put(&made->tried, key) = PCR_TRIED;
    ASSERT_LEFT_OUT(made, PCR_COVERED, 1, 3, 2);
    close_made(made);
}

/* It was covered, but what its read found then was not what it would find now. */
static void not_what_is_covered(void **state)
{
    (void)state;
    struct error error;
    struct made *made = READ_RUN(valued(writes(2, X, 3), 5), valued(reads(1, X, 1), 5), valued(writes(2, X, 3), 6));
    struct coverage *coverage =
        coverage_new(&(struct coverage_options){.families = family_by_name("map", &error), .window = 100});
    coverage_observe(coverage, &made->execution, 1, PREDICT_NEVER, 0);
    made->source.coverage = coverage;
    make(made, ALL_RULES);
    assert_non_null(FIND(made, 3, 1));
    pcr_values_observe(&made->values, &made->rules, &made->turns);
    const struct pcr_candidate again = *FIND(made, 3, 1);
    assert_false(pcr_candidate_is_covered(&made->source, &again)); /* 6 was not found */
    struct pcr_candidate same = again;
    same.finds[1] = 5;
    assert_true(pcr_candidate_is_covered(&made->source, &same));
    coverage_free(coverage);
    close_made(made);
}

static void not_against_the_order(void **state)
{
    (void)state;
    struct made *made =
        READ_RUN(valued(writes(0, X, 1), 5), creates(0, 1), does(1, OP_START, 0, 0), valued(reads(1, X, 2), 5));
    ASSERT_LEFT_OUT(made, PCR_ORDER, 2, 1);
    close_made(made);
}

static void only_new_states(void **state)
{
    (void)state;
    struct made *made = READ_RUN(valued(reads(1, X, 1), 5), valued(writes(1, X, 2), 5), valued(reads(2, X, 3), 5));
    ASSERT_LEFT_OUT(made, PCR_STATE, 3, 2);
    close_made(made);
}

static void only_neighbours(void **state)
{
    (void)state;
    struct made *made = READ_RUN(valued(reads(1, X, 1), 7), valued(reads(1, X, 2), 7), valued(reads(1, X, 3), 7),
                                 valued(writes(2, X, 4), 0));
    ASSERT_LEFT_OUT(made, PCR_INTERRUPTED, 1, 4, 3);
    make(made, ALL_RULES);
    assert_non_null(FIND(made, 1, 4, 2));
    assert_non_null(FIND(made, 2, 4, 3));
    close_made(made);
}

static void no_exchange_of_the_same(void **state)
{
    (void)state;
    struct made *made = READ_RUN(valued(writes(1, X, 1), 1), valued(writes(1, Y, 2), 1), valued(writes(2, X, 3), 1),
                                 valued(writes(2, Y, 4), 1));
    ASSERT_LEFT_OUT(made, PCR_EXCHANGE, 1, 3, 4, 2);
    close_made(made);
}

static void rules_are_left_out_by_name(void **state)
{
    (void)state;
    struct error error;
    unsigned rules;
    assert_true(pcr_rules_without(NULL, &rules, &error));
    assert_int_equal(rules, ALL_RULES);
    assert_true(pcr_rules_without("state,defined", &rules, &error));
    assert_int_equal(rules, ALL_RULES & ~(1u << PCR_STATE) & ~(1u << PCR_DEFINED));
    assert_false(pcr_rules_without("state,", &rules, &error));
    assert_false(pcr_rules_without("orders", &rules, &error));
    assert_non_null(strstr(error.text, "'orders' is none of defined, covered, order"));
}

/* ---- values ------------------------------------------------------------------------------------------------------------- */

static enum pcr_news news(struct made *made, uint32_t event, uint64_t value)
{
    return pcr_values_news(&made->values, &made->execution, event, made->turns.data[event], value);
}

static void values_are_news_once(void **state)
{
    (void)state;
    struct made *made = READ_RUN(valued(reads(1, X, 1), 7), valued(reads(1, X, 1), 8), valued(writes(2, X, 3), 9));
    assert_int_equal(pcr_values_observe(&made->values, &made->rules, &made->turns), 2);
    assert_int_equal(pcr_values_observe(&made->values, &made->rules, &made->turns), 0);
    assert_int_equal(news(made, 0, 7), NEWS_NONE);
    assert_int_equal(news(made, 0, 8), NEWS_TURN); /* found there, but not the first time */
    assert_int_equal(news(made, 0, 9), NEWS_STEERS);
    close_made(made);
}

/* Many values, and the task does the same after each. */
static void data_are_told_from_ways(void **state)
{
    (void)state;
    struct made *made = READ_RUN(valued(reads(1, X, 1), 1), valued(reads(1, Y, 2), 1), valued(reads(1, X, 1), 2),
                                 valued(reads(1, Y, 2), 1), valued(reads(1, X, 1), 3), valued(reads(1, Y, 2), 1));
    pcr_values_observe(&made->values, &made->rules, &made->turns);
    assert_int_equal(news(made, 0, 4), NEWS_DATA);
    assert_int_equal(news(made, 1, 4), NEWS_FRESH);
    close_made(made);
}

static void freed_memory_is_news(void **state)
{
    (void)state;
    struct made *made = READ_RUN(valued(reads(1, X, 1), 7), frees(2, X, 2));
    make(made, ALL_RULES);
    pcr_values_observe(&made->values, &made->rules, &made->turns);
    const struct pcr_candidate *late = FIND(made, 2, 1);
    assert_non_null(late);
    assert_int_equal(pcr_candidate_news(&made->source, late), NEWS_FREED);
    close_made(made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_then_act),          cmocka_unit_test(half_made_change),
        cmocka_unit_test(locks_and_values_count),  cmocka_unit_test(dependent_steps_are_late),
        cmocka_unit_test(only_what_is_defined),    cmocka_unit_test(not_what_was_tried),
        cmocka_unit_test(not_what_is_covered),     cmocka_unit_test(not_against_the_order),
        cmocka_unit_test(only_new_states),         cmocka_unit_test(only_neighbours),
        cmocka_unit_test(no_exchange_of_the_same), cmocka_unit_test(rules_are_left_out_by_name),
        cmocka_unit_test(values_are_news_once),    cmocka_unit_test(data_are_told_from_ways),
        cmocka_unit_test(freed_memory_is_news),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
