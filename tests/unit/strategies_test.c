/* SPDX-License-Identifier: MIT
 *
 * strategies_test.c - which schedule comes n-th, how a portfolio is shared, and the profile that surw uses.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "fixture/executions.h"
#include "technique/strategies.h"

static struct wire_plan plan;

static void parse(struct strategies *strategies, const char *text)
{
    struct error error;
    *strategies = (struct strategies){.seed = 42, .depth = 3};
    assert_true(strategies_parse(strategies, text, &error));
}

static void make_plan(const struct strategies *strategies, uint64_t n)
{
    plan.flags = 0;
    strategies_plan(strategies, n, &plan);
}

static void names(void **state)
{
    (void)state;
    struct strategies strategies;
    struct error error;
    parse(&strategies, "pos,pct,pos");
    assert_int_equal(strategies.count, 3);
    assert_int_equal(strategies.list[1], STRATEGY_PCT);
    parse(&strategies, "all");
    assert_int_equal(strategies.count, 7); /* all that sample; dfs goes through everything and stands alone */
    static const char *const wrong[] = {"",
                                        "Pct",
                                        "pct,",
                                        ",pct",
                                        "replay",
                                        "pct pos",
                                        "pct,pct,pct,pct,pct,pct,pct,pct,pct,pct,pct,pct,pct,pct,pct,pct,pct"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_false(strategies_parse(&strategies, wrong[i], &error));
        assert_int_equal(error.code, EXIT_USAGE);
    }
}

static void they_take_turns(void **state)
{
    (void)state;
    struct strategies strategies;
    parse(&strategies, "pct,random");
    for (uint64_t n = 1; n < 20; n++) {
        make_plan(&strategies, n);
        assert_int_equal(plan.strategy, n % 2 ? STRATEGY_PCT : STRATEGY_RANDOM);
        assert_int_equal(plan.depth, 3);
        assert_int_equal((plan.flags & PLAN_RECORD) != 0, n == 1);
    }
    uint64_t seen[2];
    for (int i = 0; i < 2; i++) {
        make_plan(&strategies, 7);
        seen[i] = plan.seed;
    }
    assert_true(seen[0] == seen[1]);
    strategies.seed = 43;
    make_plan(&strategies, 7);
    assert_true(plan.seed != seen[0]);
}

/* Round-robin has eight schedules: alone it shows each in turn, beside others it stops after a while. */
static void round_robin(void **state)
{
    (void)state;
    struct strategies strategies;
    unsigned kinds = 0, later = 0;
    parse(&strategies, "roundrobin");
    for (uint64_t n = 1; n <= 8; n++) {
        make_plan(&strategies, n);
        kinds |= 1u << (plan.seed % 8);
    }
    assert_int_equal(kinds, 0xff);
    parse(&strategies, "all");
    make_plan(&strategies, 1);
    assert_int_equal(plan.strategy, STRATEGY_ROUNDROBIN);
    assert_int_equal(plan.seed % 8, 0);
    for (uint64_t n = 1000; n < 2000; n++) {
        make_plan(&strategies, n);
        later += plan.strategy == STRATEGY_ROUNDROBIN;
    }
    assert_int_equal(later, 0);
}

static void the_mean_length_is_learned(void **state)
{
    (void)state;
    struct strategies strategies;
    parse(&strategies, "pct");
    make_plan(&strategies, 1);
    assert_int_equal(plan.expected_points, 0);
    strategies_observe(&strategies, 100, NULL);
    strategies_observe(&strategies, 200, NULL);
    make_plan(&strategies, 3);
    assert_int_equal(plan.expected_points, 150);
}

#define EVENT(t, o, a, s)                                                                                              \
    {                                                                                                                  \
        .task = (t), .op = (o), .address = (a), .size = (s)                                                            \
    }

static void a_profile_knows_what_is_shared(void **state)
{
    (void)state;
    static const struct event events[] = {
        EVENT(0, OP_WRITE, 0x1000, 4),      EVENT(1, OP_READ, 0x1000, 4),
        EVENT(1, OP_WRITE, 0x1000, 4),                                    /* shared */
        EVENT(1, OP_READ, 0x2000, 4),       EVENT(2, OP_READ, 0x2000, 4), /* only read */
        EVENT(2, OP_WRITE, 0x3000, 8),      EVENT(2, OP_READ, 0x3000, 8), /* one thread's */
        EVENT(1, OP_MUTEX_LOCK, 0x4000, 0), EVENT(2, OP_MUTEX_LOCK, 0x4000, 0),
        EVENT(2, OP_MUTEX_LOCK, 0x4000, 0), EVENT(2, OP_YIELD, 0, 0),
        EVENT(0, OP_ALLOC, 0x5000, 16),     EVENT(1, OP_FREE, 0x5000, 16),
    };
    struct profile profile = {0};
    struct execution execution = make_execution(events, sizeof events / sizeof events[0]);
    profile_make(&profile, &execution);
    assert_int_equal(profile.locations.count, 2);
    profile_apply(&profile, 0, &plan);
    assert_true(plan.interest_lo == 0x1000 && plan.interest_hi == 0x1004 && plan.task_count == 3);
    assert_int_equal(plan.task_points[0], 1);
    assert_int_equal(plan.task_points[1], 2);
    assert_int_equal(plan.task_points[2], 0);
    profile_apply(&profile, 1, &plan);
    assert_true(plan.interest_lo == 0x4000 && plan.interest_hi == 0x4001);
    assert_int_equal(plan.task_points[2], 2);
    profile_apply(&profile, 99, &plan);
    assert_true(plan.interest_lo == 0 && plan.interest_hi == 0);
    assert_int_equal(plan.task_points[0] + plan.task_points[1] + plan.task_points[2], 13);
    execution_clear(&execution);
    execution_end(&execution);
    profile_make(&profile, &execution);
    execution_free(&execution);
    assert_int_equal(profile.locations.count, 0);
    profile_apply(&profile, 0, &plan);
    assert_int_equal(plan.task_count, 0);
    profile_free(&profile);
}

static void surw_takes_every_location(void **state)
{
    (void)state;
    struct strategies strategies;
    struct event events[20];
    unsigned all = 0, each[10] = {0};
    memset(events, 0, sizeof events);
    for (int i = 0; i < 20; i++)
        events[i] = (struct event)EVENT((uint16_t)(i % 2), OP_WRITE, 0x1000 + 8 * (uint64_t)(i / 2), 8);
    parse(&strategies, "surw");
    struct execution execution = make_execution(events, 20);
    strategies_observe(&strategies, 100, &execution);
    execution_free(&execution);
    for (uint64_t n = 2; n < 2002; n++) {
        make_plan(&strategies, n);
        assert_int_equal(plan.strategy, STRATEGY_SURW);
        if (plan.interest_hi == 0)
            all++;
        else
            each[(plan.interest_lo - 0x1000) / 8]++;
    }
    assert_in_range(all, 150, 350);
    for (int i = 0; i < 10; i++)
        assert_in_range(each[i], 100, 250);
    strategies.addresses_vary = true;
    make_plan(&strategies, 5);
    assert_true(plan.interest_hi == 0);
    strategies_free(&strategies);
}

/* ---- the portfolio -------------------------------------------------------------------------------------------------- */

enum { WARM = 100, LONG = 1000 };

/* Schedules 1 … LONG of the portfolio; the strategy `gains` covers something with each schedule until `dry`.  Counts from
   WARM on. */
static void share_out(struct strategies *strategies, enum wire_strategy gains, uint64_t dry,
                      unsigned counts[WIRE_STRATEGY_COUNT], unsigned *in_turn)
{
    memset(counts, 0, WIRE_STRATEGY_COUNT * sizeof *counts);
    *in_turn = 0;
    for (uint64_t n = 1; n <= LONG; n++) {
        plan.flags = 0;
        uint32_t arm = strategies_plan(strategies, n, &plan);
        assert_true(arm < strategies->count);
        enum wire_strategy strategy = strategies->list[arm];
        counts[strategy] += n > WARM;
        *in_turn += n > WARM && strategy != gains;
        strategies_gain(strategies, arm, strategy == gains && n < dry ? 10 : 0);
    }
}

static void the_one_that_covers_gets_more(void **state)
{
    (void)state;
    static const enum wire_strategy winners[] = {STRATEGY_DIRECT, STRATEGY_SURW, STRATEGY_POS};
    for (unsigned i = 0; i < 3; i++) {
        struct strategies strategies;
        unsigned counts[WIRE_STRATEGY_COUNT], others, least = LONG;
        parse(&strategies, "all");
        assert_true(strategies.shares);
        share_out(&strategies, winners[i], UINT64_MAX, counts, &others);
        for (uint32_t k = 0; k < strategies.count; k++)
            if (strategies.list[k] != STRATEGY_ROUNDROBIN && counts[strategies.list[k]] < least)
                least = counts[strategies.list[k]];
        unsigned won = counts[winners[i]];
        assert_in_range(won, (LONG - WARM) * 2 / 5, (LONG - WARM) * 2 / 3); /* its turns, and most of the other half */
        assert_in_range(others, (LONG - WARM) / 3, (LONG - WARM) * 3 / 5);
        assert_true(least >= (LONG - WARM) / 2 / 7 - 1); /* none is left out */
        assert_true(won > 3 * least);
        strategies_free(&strategies);
    }
}

/* None gains: then none is preferred by much. */
static void without_gain_all_are_alike(void **state)
{
    (void)state;
    struct strategies strategies;
    unsigned counts[WIRE_STRATEGY_COUNT], others;
    parse(&strategies, "all");
    share_out(&strategies, STRATEGY_POS, 0, counts, &others);
    for (uint32_t k = 0; k < strategies.count; k++)
        if (strategies.list[k] != STRATEGY_ROUNDROBIN)
            assert_in_range(counts[strategies.list[k]], (LONG - WARM) / 10, (LONG - WARM) / 4);
    strategies_free(&strategies);
}

/* What a strategy gained long ago does not carry it for ever. */
static void gains_are_forgotten(void **state)
{
    (void)state;
    struct strategies strategies;
    unsigned counts[WIRE_STRATEGY_COUNT], others;
    parse(&strategies, "all");
    share_out(&strategies, STRATEGY_RANDOM, 200, counts, &others);
    unsigned early = counts[STRATEGY_RANDOM];
    strategies_free(&strategies);
    assert_true(early < (LONG - WARM) * 2 / 5); /* not half of the schedules while none gains */
    /* Another one gains later: it is preferred then. */
    unsigned before = 0, later = 0;
    parse(&strategies, "all");
    for (uint64_t n = 1; n <= 3 * LONG; n++) {
        plan.flags = 0;
        uint32_t arm = strategies_plan(&strategies, n, &plan);
        enum wire_strategy strategy = strategies.list[arm];
        before += strategy == STRATEGY_RANDOM && n > WARM && n <= LONG;
        later += strategy == STRATEGY_SURW && n > 2 * LONG;
        strategies_gain(&strategies, arm, strategy == (n <= LONG ? STRATEGY_RANDOM : STRATEGY_SURW) ? 10 : 0);
    }
    assert_true(before > (LONG - WARM) / 3);
    assert_true(later > LONG / 3);
    strategies_free(&strategies);
}

/* The same gains give the same choices; a list that the user gave is gone through in turn, whichever gains. */
static void choices_depend_on_nothing_else(void **state)
{
    (void)state;
    struct strategies one, two;
    parse(&one, "all");
    parse(&two, "all");
    two.seed = one.seed + 1;
    for (uint64_t n = 1; n <= LONG; n++) {
        plan.flags = 0;
        uint32_t arm = strategies_plan(&one, n, &plan);
        assert_int_equal(strategies_plan(&two, n, &plan), arm);
        uint32_t gain = (uint32_t)(n * 7919 % 13);
        strategies_gain(&one, arm, gain);
        strategies_gain(&two, arm, gain);
    }
    strategies_free(&one);
    strategies_free(&two);
    parse(&one, "pct,maple,random");
    assert_false(one.shares);
    for (uint64_t n = 1; n <= 300; n++) {
        make_plan(&one, n);
        static const enum wire_strategy turns[] = {STRATEGY_PCT, STRATEGY_DIRECT, STRATEGY_RANDOM};
        assert_int_equal(plan.strategy, turns[(n - 1) % 3]);
        strategies_gain(&one, 1, 100);
    }
    assert_int_equal(one.arms[1].observed, 300);
    assert_int_equal(one.arms[1].covered, 30000);
    strategies_free(&one);
}

static void one_is_dropped(void **state)
{
    (void)state;
    struct strategies strategies;
    parse(&strategies, "maple,pct,maple,pos");
    assert_true(strategies_drop(&strategies, STRATEGY_DIRECT));
    assert_int_equal(strategies.count, 2);
    assert_int_equal(strategies.list[0], STRATEGY_PCT);
    assert_int_equal(strategies.list[1], STRATEGY_POS);
    assert_false(strategies_drop(&strategies, STRATEGY_DIRECT));
    assert_int_equal(strategies.count, 2);
    parse(&strategies, "maple");
    assert_true(strategies_drop(&strategies, STRATEGY_DIRECT));
    assert_int_equal(strategies.count, 0);
    assert_string_equal(strategies_name(STRATEGY_DIRECT), "maple");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test(they_take_turns),
        cmocka_unit_test(round_robin),
        cmocka_unit_test(the_mean_length_is_learned),
        cmocka_unit_test(a_profile_knows_what_is_shared),
        cmocka_unit_test(surw_takes_every_location),
        cmocka_unit_test(the_one_that_covers_gets_more),
        cmocka_unit_test(without_gain_all_are_alike),
        cmocka_unit_test(gains_are_forgotten),
        cmocka_unit_test(choices_depend_on_nothing_else),
        cmocka_unit_test(one_is_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
