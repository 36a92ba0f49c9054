/* SPDX-License-Identifier: MIT
 *
 * portfolio_test.c - which technique plans schedule n, how a portfolio is shared, the bandit, and the profile that surw uses.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "technique/portfolio.h"
#include "technique/profile.h"
#include "technique/techniques.h"

static struct wire_plan plan;
static struct technique_run run = {.plan = &plan};

/* Techniques that need coverage are not opened: they have their turns, and no plan of their own. */
static void parse(struct portfolio *portfolio, const char *text)
{
    struct error error;
    technique_run_free(&run);
    run = (struct technique_run){.plan = &plan};
    *portfolio = (struct portfolio){.seed = 42, .depth = 3};
    assert_true(portfolio_parse(portfolio, techniques, text, &error));
    if (!portfolio_has(portfolio, TECHNIQUE_COVERAGE))
        assert_true(portfolio_open(portfolio, &(struct technique_setup){0}, &error));
}

static uint32_t make_plan(const struct portfolio *portfolio, uint64_t n)
{
    memset(&plan, 0, offsetof(struct wire_plan, task_points));
    uint32_t member = portfolio_choose(portfolio, n);
    assert_true(member < portfolio->count);
    run.number = n;
    if (!(portfolio->members[member].technique->flags & TECHNIQUE_COVERAGE) &&
        (portfolio->members[member].state != NULL || portfolio->members[member].technique->open == NULL))
        portfolio_plan(portfolio, member, &run);
    return member;
}

static const struct technique *technique_at(const struct portfolio *portfolio, uint32_t member)
{
    return portfolio->members[member].technique;
}

/* A schedule of a member has ended, and this was seen of it.  Techniques are not told. */
static void see(struct portfolio *portfolio, uint32_t member, const struct technique_seen *seen)
{
    struct portfolio silent = *portfolio;
    static const struct technique without_observe = {.name = "none"};
    for (uint32_t i = 0; i < silent.count; i++)
        silent.members[i].technique = &without_observe;
    portfolio_observe(&silent, member, &run, seen);
    portfolio->arms[member] = silent.arms[member];
    portfolio->members[member].covered = silent.members[member].covered;
}

/* It was observed, and has newly covered so much. */
static void gain(struct portfolio *portfolio, uint32_t member, uint32_t covered)
{
    see(portfolio, member, &(struct technique_seen){.observed = true, .new_covered = covered});
}

/* It was not observed, because coverage cannot look at all: it had so many pairs that no earlier one had. */
static void show_pairs(struct portfolio *portfolio, uint32_t member, uint32_t pairs)
{
    see(portfolio, member, &(struct technique_seen){.limited = true, .new_pairs = pairs});
}

static void names(void **state)
{
    (void)state;
    struct portfolio portfolio = {0};
    struct error error;
    parse(&portfolio, "pos,pct,pos");
    assert_int_equal(portfolio.count, 3);
    assert_ptr_equal(technique_at(&portfolio, 1), &technique_pct);
    parse(&portfolio, "all");
    assert_int_equal(portfolio.count, 7); /* all that sample; dfs goes through everything and stands alone */
    static const char *const wrong[] = {
        "",        "Pct",     "pct,",
        ",pct",    "replay",  "direct",
        "force", /* has a command of its own */
        "pct pos", "dfs,pct", "pct,pct,pct,pct,pct,pct,pct,pct,pct,pct,pct,pct,pct,pct,pct,pct,pct"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_false(portfolio_parse(&portfolio, techniques, wrong[i], &error));
        assert_int_equal(error.code, EXIT_USAGE);
    }
    assert_false(portfolio_parse(&portfolio, techniques, "foo", &error));
    for (const struct technique *const *technique = techniques; *technique != NULL; technique++)
        assert_int_equal(strstr(error.text, (*technique)->name) != NULL, !((*technique)->flags & TECHNIQUE_HIDDEN));
}

static void they_take_turns(void **state)
{
    (void)state;
    struct portfolio portfolio;
    parse(&portfolio, "pct,random");
    for (uint64_t n = 1; n < 20; n++) {
        make_plan(&portfolio, n);
        assert_int_equal(plan.strategy, n % 2 ? STRATEGY_PCT : STRATEGY_RANDOM);
        assert_int_equal(plan.depth, 3);
        assert_int_equal((plan.flags & PLAN_RECORD) != 0, n == 1);
        assert_string_equal(portfolio_run_name(&run), n % 2 ? "pct" : "random");
    }
    uint64_t seen[2];
    for (int i = 0; i < 2; i++) {
        make_plan(&portfolio, 7);
        seen[i] = plan.seed;
    }
    assert_true(seen[0] == seen[1]);
    portfolio.seed = 43;
    make_plan(&portfolio, 7);
    assert_true(plan.seed != seen[0]);
}

/* Round-robin has eight schedules: alone it shows each in turn, beside others it stops after a while. */
static void round_robin(void **state)
{
    (void)state;
    struct portfolio portfolio;
    unsigned kinds = 0, later = 0;
    parse(&portfolio, "roundrobin");
    for (uint64_t n = 1; n <= 8; n++) {
        make_plan(&portfolio, n);
        kinds |= 1u << (plan.seed % 8);
    }
    assert_int_equal(kinds, 0xff);
    parse(&portfolio, "pos,random,surw,roundrobin");
    make_plan(&portfolio, 1);
    assert_int_equal(plan.strategy, STRATEGY_ROUNDROBIN);
    assert_int_equal(plan.seed % 8, 0);
    portfolio_close(&portfolio);
    parse(&portfolio, "all");
    for (uint64_t n = 1000; n < 2000; n++)
        later += technique_at(&portfolio, make_plan(&portfolio, n)) == &technique_roundrobin;
    assert_int_equal(later, 0);
}

static void the_mean_length_is_learned(void **state)
{
    (void)state;
    struct portfolio portfolio;
    parse(&portfolio, "pct");
    make_plan(&portfolio, 1);
    assert_int_equal(plan.expected_points, 0);
    portfolio_count(&portfolio, 0, 100);
    portfolio_count(&portfolio, 0, 200);
    assert_int_equal(portfolio.members[0].runs, 2);
    make_plan(&portfolio, 3);
    assert_int_equal(plan.expected_points, 150);
}

#define EVENT(t, o, a, s)                                                                                              \
    {                                                                                                                  \
        .task = (t), .op = (o), .address = (a), .size = (s)                                                            \
    }

static void fill(struct execution *execution, const struct wire_event *events, size_t count)
{
    execution_clear(execution);
    for (size_t i = 0; i < count; i++) {
        struct event event = event_from_wire(&events[i]);
        execution_add(execution, &event);
    }
    execution_end(execution);
}

static void a_profile_knows_what_is_shared(void **state)
{
    (void)state;
    static const struct wire_event events[] = {
        EVENT(0, OP_WRITE, 0x1000, 4),      EVENT(0, OP_CREATE, 1, 0), /* what one thread does alone does not count */
        EVENT(0, OP_WRITE, 0x1000, 4),      EVENT(1, OP_READ, 0x1000, 4),
        EVENT(1, OP_WRITE, 0x1000, 4),                                    /* shared */
        EVENT(1, OP_READ, 0x2000, 4),       EVENT(2, OP_READ, 0x2000, 4), /* only read */
        EVENT(2, OP_WRITE, 0x3000, 8),      EVENT(2, OP_READ, 0x3000, 8), /* one thread's */
        EVENT(1, OP_MUTEX_LOCK, 0x4000, 0), EVENT(2, OP_MUTEX_LOCK, 0x4000, 0),
        EVENT(2, OP_MUTEX_LOCK, 0x4000, 0), EVENT(2, OP_YIELD, 0, 0),
        EVENT(0, OP_ALLOC, 0x5000, 16),     EVENT(1, OP_FREE, 0x5000, 16),
    };
    struct profile profile = {0};
    struct execution execution = {0};
    fill(&execution, events, sizeof events / sizeof events[0]);
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
    fill(&execution, NULL, 0);
    profile_make(&profile, &execution);
    assert_int_equal(profile.locations.count, 0);
    profile_apply(&profile, 0, &plan);
    assert_int_equal(plan.task_count, 0);
    profile_free(&profile);
    execution_free(&execution);
}

static void surw_takes_every_location(void **state)
{
    (void)state;
    struct portfolio portfolio;
    struct wire_event events[20];
    unsigned all = 0, each[10] = {0};
    memset(events, 0, sizeof events);
    for (int i = 0; i < 20; i++)
        events[i] = (struct wire_event)EVENT((uint16_t)(i % 2), OP_WRITE, 0x1000 + 8 * (uint64_t)(i / 2), 8);
    parse(&portfolio, "surw");
    struct execution execution = {0};
    fill(&execution, events, 20);
    portfolio_observe(&portfolio, 0, &run, &(struct technique_seen){.execution = &execution, .profile = true});
    execution_free(&execution);
    for (uint64_t n = 2; n < 2002; n++) {
        make_plan(&portfolio, n);
        assert_int_equal(plan.strategy, STRATEGY_SURW);
        if (plan.interest_hi == 0)
            all++;
        else
            each[(plan.interest_lo - 0x1000) / 8]++;
    }
    assert_in_range(all, 150, 350);
    for (int i = 0; i < 10; i++)
        assert_in_range(each[i], 100, 250);
    run.addresses_vary = true;
    make_plan(&portfolio, 5);
    assert_true(plan.interest_hi == 0);
    portfolio_close(&portfolio);
}

/* ---- the portfolio -------------------------------------------------------------------------------------------------- */

enum { WARM = 100, LONG = 1000 };

/* Schedules 1 … LONG of the portfolio; the technique `gains` covers something with each schedule until `dry`.  Counts from
   WARM on. */
static void share_out(struct portfolio *portfolio, const struct technique *gains, uint64_t dry,
                      unsigned counts[PORTFOLIO_MEMBERS], unsigned *in_turn)
{
    memset(counts, 0, PORTFOLIO_MEMBERS * sizeof *counts);
    *in_turn = 0;
    for (uint64_t n = 1; n <= LONG; n++) {
        uint32_t member = make_plan(portfolio, n);
        const struct technique *technique = technique_at(portfolio, member);
        counts[member] += n > WARM;
        *in_turn += n > WARM && technique != gains;
        gain(portfolio, member, technique == gains && n < dry ? 10 : 0);
    }
}

static void the_one_that_covers_gets_more(void **state)
{
    (void)state;
    static const struct technique *const winners[] = {&technique_maple, &technique_surw, &technique_pos};
    for (unsigned i = 0; i < 3; i++) {
        struct portfolio portfolio;
        unsigned counts[PORTFOLIO_MEMBERS], others, least = LONG, won = 0;
        parse(&portfolio, "all");
        assert_true(portfolio.shares);
        share_out(&portfolio, winners[i], UINT64_MAX, counts, &others);
        for (uint32_t k = 0; k < portfolio.count; k++)
            if (technique_at(&portfolio, k) != &technique_roundrobin && counts[k] < least)
                least = counts[k];
        for (uint32_t k = 0; k < portfolio.count; k++)
            won += technique_at(&portfolio, k) == winners[i] ? counts[k] : 0;
        assert_in_range(won, (LONG - WARM) * 2 / 5, (LONG - WARM) * 2 / 3); /* its turns, and most of the other half */
        assert_in_range(others, (LONG - WARM) / 3, (LONG - WARM) * 3 / 5);
        assert_true(least >= (LONG - WARM) / 2 / 7 - 1); /* none is left out */
        assert_true(won > 3 * least);
        portfolio_close(&portfolio);
    }
}

/* Where coverage cannot look at every run, the pairs of accesses that the program counts in each are what is gained. */
static void pairs_count_where_coverage_is_limited(void **state)
{
    (void)state;
    struct portfolio portfolio;
    unsigned counts[PORTFOLIO_MEMBERS] = {0}, others = 0;
    uint32_t winner = 0;
    parse(&portfolio, "all");
    for (uint64_t n = 1; n <= LONG; n++) {
        uint32_t member = portfolio_choose(&portfolio, n);
        if (technique_at(&portfolio, member) == &technique_pos)
            winner = member;
        show_pairs(&portfolio, member, technique_at(&portfolio, member) == &technique_pos ? 3 : 0);
        counts[member] += n > WARM;
    }
    for (uint32_t k = 0; k < portfolio.count; k++)
        others += k != winner && counts[k] > others ? counts[k] - others : 0;
    assert_true(counts[winner] > 2 * others);
    portfolio_close(&portfolio);
}

/* None gains: then none is preferred by much. */
static void without_gain_all_are_alike(void **state)
{
    (void)state;
    struct portfolio portfolio;
    unsigned counts[PORTFOLIO_MEMBERS], others;
    parse(&portfolio, "all");
    share_out(&portfolio, &technique_pos, 0, counts, &others);
    for (uint32_t k = 0; k < portfolio.count; k++)
        if (technique_at(&portfolio, k) != &technique_roundrobin)
            assert_in_range(counts[k], (LONG - WARM) / 10, (LONG - WARM) / 4);
    portfolio_close(&portfolio);
}

/* What a strategy gained long ago does not carry it for ever. */
static void gains_are_forgotten(void **state)
{
    (void)state;
    struct portfolio portfolio;
    unsigned counts[PORTFOLIO_MEMBERS], others;
    parse(&portfolio, "all");
    share_out(&portfolio, &technique_random, 200, counts, &others);
    assert_ptr_equal(technique_at(&portfolio, 2), &technique_random);
    unsigned early = counts[2];
    portfolio_close(&portfolio);
    assert_true(early < (LONG - WARM) * 2 / 5); /* not half of the schedules while none gains */
    /* Another one gains later: it is preferred then. */
    unsigned before = 0, later = 0;
    parse(&portfolio, "all");
    for (uint64_t n = 1; n <= 3 * LONG; n++) {
        uint32_t member = make_plan(&portfolio, n);
        const struct technique *technique = technique_at(&portfolio, member);
        before += technique == &technique_random && n > WARM && n <= LONG;
        later += technique == &technique_surw && n > 2 * LONG;
        gain(&portfolio, member, technique == (n <= LONG ? &technique_random : &technique_surw) ? 10 : 0);
    }
    assert_true(before > (LONG - WARM) / 3);
    assert_true(later > LONG / 3);
    portfolio_close(&portfolio);
}

/* The same gains give the same choices; a list that the user gave is gone through in turn, whichever gains. */
static void choices_depend_on_nothing_else(void **state)
{
    (void)state;
    struct portfolio one, two;
    parse(&one, "all");
    parse(&two, "all");
    two.seed = one.seed + 1;
    for (uint64_t n = 1; n <= LONG; n++) {
        uint32_t member = portfolio_choose(&one, n), covered = (uint32_t)(n * 7919 % 13);
        assert_int_equal(portfolio_choose(&two, n), member);
        gain(&one, member, covered);
        gain(&two, member, covered);
    }
    portfolio_close(&one);
    portfolio_close(&two);
    parse(&one, "pct,maple,random");
    assert_false(one.shares);
    for (uint64_t n = 1; n <= 300; n++) {
        static const struct technique *const turns[] = {&technique_pct, &technique_maple, &technique_random};
        assert_ptr_equal(technique_at(&one, portfolio_choose(&one, n)), turns[(n - 1) % 3]);
        gain(&one, 1, 100);
    }
    assert_int_equal(one.arms[1].tried, 300);
    assert_int_equal(one.members[1].covered, 30000);
    portfolio_close(&one);
}

static void without_coverage(void **state)
{
    (void)state;
    struct portfolio portfolio;
    struct error error;
    parse(&portfolio, "maple,pct,maple,pos");
    assert_true(portfolio_drop_coverage(&portfolio, &error));
    assert_int_equal(portfolio.count, 2);
    assert_ptr_equal(technique_at(&portfolio, 0), &technique_pct);
    assert_ptr_equal(technique_at(&portfolio, 1), &technique_pos);
    assert_true(portfolio_drop_coverage(&portfolio, &error));
    assert_int_equal(portfolio.count, 2);
    parse(&portfolio, "maple");
    assert_false(portfolio_drop_coverage(&portfolio, &error));
    assert_non_null(strstr(error.text, "--strategy maple needs something to cover"));
}

/* ---- the bandit ------------------------------------------------------------------------------------------------------- */

static void a_mean_with_a_prior(void **state)
{
    (void)state;
    struct bandit_arm arm = {0};
    assert_true(bandit_mean(&arm, 1, 4) == 0.25);
    for (int i = 0; i < 4; i++)
        bandit_reward(&arm, i % 2, 0.5);
    assert_int_equal(arm.tried, 4);
    assert_true(bandit_mean(&arm, 1, 4) == 3.0 / 8);
    assert_true(arm.gain == 0.5 + 0.125); /* the last reward counts half, the one before a quarter, … */
}

/* The arm with the highest score by the formula of UCB1, computed again in the plainest way. */
static void it_chooses_by_ucb1(void **state)
{
    (void)state;
    struct generator generator = {7};
    for (int round = 0; round < 1000; round++) {
        struct bandit_arm arms[5] = {0};
        double total = 0, most = 0.01;
        for (int i = 0; i < 5; i++) {
            arms[i].tried = generator_below(&generator, 50);
            arms[i].gain = (double)generator_below(&generator, 1000) / 100;
            total += (double)arms[i].tried;
            most = fmax(most, arms[i].gain);
        }
        uint64_t allowed = 1 + generator_below(&generator, 31);
        unsigned chosen = bandit_choose(arms, 5, allowed, 0.01);
        assert_true(allowed >> chosen & 1);
        for (unsigned i = 0; i < 5; i++) {
            double mine = arms[chosen].gain / most + sqrt(2 * log(total + 1) / (double)(arms[chosen].tried + 1));
            double other = arms[i].gain / most + sqrt(2 * log(total + 1) / (double)(arms[i].tried + 1));
            assert_true(!(allowed >> i & 1) || mine >= other);
        }
    }
}

static uint64_t sum_of_parts(const struct portfolio *portfolio, uint32_t member)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < portfolio_part_count(portfolio); i++)
        sum += portfolio->members[member].parts[i];
    return sum;
}

static void shares_are_kept_over_time(void **state)
{
    (void)state;
    struct portfolio portfolio = {.count = 2};
    assert_int_equal(portfolio_part_count(&portfolio), 0);
    for (uint64_t ended = 1; ended <= 1000; ended++) {
        portfolio_count(&portfolio, ended > 500, 100);
        assert_in_range(portfolio_part_count(&portfolio), 1, PORTFOLIO_PARTS);
        assert_int_equal(sum_of_parts(&portfolio, 0), portfolio.members[0].runs);
        assert_int_equal(sum_of_parts(&portfolio, 1), portfolio.members[1].runs);
    }
    size_t last = portfolio_part_count(&portfolio) - 1;
    assert_int_equal(portfolio.part_width, 32);
    assert_int_equal(portfolio.members[0].parts[0], 32);
    assert_int_equal(portfolio.members[1].parts[0], 0);
    assert_int_equal(portfolio.members[0].parts[last], 0);
    assert_int_equal(portfolio.members[1].parts[last], 1000 % 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_kept_over_time),
        cmocka_unit_test(names),
        cmocka_unit_test(they_take_turns),
        cmocka_unit_test(round_robin),
        cmocka_unit_test(the_mean_length_is_learned),
        cmocka_unit_test(a_profile_knows_what_is_shared),
        cmocka_unit_test(surw_takes_every_location),
        cmocka_unit_test(the_one_that_covers_gets_more),
        cmocka_unit_test(pairs_count_where_coverage_is_limited),
        cmocka_unit_test(without_gain_all_are_alike),
        cmocka_unit_test(gains_are_forgotten),
        cmocka_unit_test(choices_depend_on_nothing_else),
        cmocka_unit_test(without_coverage),
        cmocka_unit_test(a_mean_with_a_prior),
        cmocka_unit_test(it_chooses_by_ucb1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
