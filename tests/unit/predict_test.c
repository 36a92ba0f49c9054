/* SPDX-License-Identifier: MIT
 *
 * predict_test.c - the predictor against brute force: on random programs, what it predicts from one execution must hold all
 * that any execution shows; how much it predicts that none shows is measured.
 *
 *   predict_test --bench     prints cost per event for 10^4 to 10^6 events
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture/instances.h"
#include "fixture/tiny_programs.h"
#include "pattern/observe.h"
#include "predict/predict.h"

/* ---- brute force ------------------------------------------------------------------------------------------------- */

struct survey {
    family_mask wanted;
    struct instances *feasible;
    unsigned long interleavings;
};

static void observe_one(const struct event *events, unsigned count, void *context)
{
    struct survey *survey = context;
    struct observer_options options = {.wanted = survey->wanted, .window = 1000};
    struct observer *observer = observer_new(&options, survey->feasible);
    for (unsigned i = 0; i < count; i++)
        observer_feed(observer, &events[i]);
    observer_free(observer);
    survey->interleavings++;
}

static void predict_one(const struct event *events, unsigned count, family_mask wanted, struct instances *predicted)
{
    struct predictor_options options = {.wanted = wanted, .window = 1000};
    struct predictor *predictor = predictor_new(&options, predicted);
    for (unsigned i = 0; i < count; i++)
        predictor_feed(predictor, &events[i]);
    predictor_end(predictor);
    assert_false(predictor_is_cut(predictor));
    predictor_free(predictor);
}

static void show(const struct event *events, unsigned count, const struct instance *instance)
{
    struct sites *sites = sites_new();
    for (uint32_t i = 1; i < 40; i++)
        sites_add(sites, &(struct site_key){.file = "p.c", .line = i});
    for (unsigned i = 0; events != NULL && i < count; i++)
        print_error("%2u T%u op %u %#lx +%u  site %u value %lu\n", i, events[i].task, events[i].op,
                    (unsigned long)events[i].address, events[i].size, events[i].site, (unsigned long)events[i].value);
    struct buffer text = {0};
    instance_print(instance, sites, SITE_SHORT, &text);
    print_error("%s\n", buffer_text(&text));
    buffer_free(&text);
    sites_free(sites);
}

struct score {
    unsigned long feasible[64], predicted[64], infeasible[64], missed[64];
    unsigned long interleavings;
};

/* From `runs` random executions of the program that end well.  False: there are none. */
static bool score_program(const struct tiny_program *program, uint64_t seed, unsigned runs, family_mask wanted,
                          struct score *score)
{
    struct instances feasible = {0};
    struct instances predicted = {0};
    struct survey survey = {wanted, &feasible, 0};
    struct generator random = {seed};
    struct tiny_state run;
    unsigned done = 0;
    for (unsigned i = 0; i < 50 && done < runs; i++) {
        if (!tiny_random_run(program, &random, &run))
            continue;
        predict_one(run.events, run.event_count, wanted, &predicted);
        done++;
    }
    if (done > 0) {
        struct tiny_state state = tiny_begin(program);
        tiny_enumerate(&state, 0, observe_one, &survey);
    }
    score->interleavings += survey.interleavings;
    for (size_t i = 0; i < feasible.all.count; i++) {
        const struct instance *instance = &feasible.all.data[i];
        score->feasible[instance->row]++;
        if (!instances_has(&predicted, instance)) {
            if (score->missed[instance->row]++ == 0)
                show(run.events, run.event_count, instance);
        }
    }
    for (size_t i = 0; i < predicted.all.count; i++) {
        score->predicted[predicted.all.data[i].row]++;
        score->infeasible[predicted.all.data[i].row] += !instances_has(&feasible, &predicted.all.data[i]);
    }
    if (getenv("RADDLE_TEST_SHOW") != NULL)
        for (size_t i = 0; i < predicted.all.count; i++)
            if (!instances_has(&feasible, &predicted.all.data[i]))
                show(run.events, run.event_count, &predicted.all.data[i]);
    instances_free(&feasible);
    instances_free(&predicted);
    return done > 0;
}

static void print_score(const struct score *score, const char *what)
{
    unsigned long predicted = 0;
    unsigned long infeasible = 0;
    for (unsigned row = 0; row < family_count; row++) {
        if (score->predicted[row] == 0)
            continue;
        predicted += score->predicted[row];
        infeasible += score->infeasible[row];
        print_message("#   %-8s %6lu feasible, %6lu predicted, %5.1f %% of them infeasible\n", families[row].name,
                      score->feasible[row], score->predicted[row],
                      100.0 * (double)score->infeasible[row] / (double)score->predicted[row]);
    }
    print_message("# %s: %.1f %% of %lu predictions are infeasible (%lu interleavings tried)\n", what,
                  predicted > 0 ? 100.0 * (double)infeasible / (double)predicted : 0.0, predicted,
                  score->interleavings);
}

static struct score score_all(const struct tiny_style *style, uint64_t seed, unsigned programs, unsigned runs,
                              const char *names, const char *what)
{
    struct score score = {0};
    unsigned done = 0;
    for (uint64_t i = 0; done < programs; i++) {
        struct tiny_program program;
        tiny_make(seed + i, style, &program);
        done += score_program(&program, seed + i, runs, rows(names), &score);
    }
    print_score(&score, what);
    for (unsigned row = 0; row < family_count; row++)
        assert_int_equal(score.missed[row], 0);
    return score;
}

static void predicts_all_idioms(void **state)
{
    (void)state;
    struct tiny_style style = {.body = 6, .least_ways = 200, .most_ways = 6000};
    struct score score = score_all(&style, 100000, 220, 1, "idiom", "idioms from one execution");
    unsigned long predicted = 0;
    unsigned long infeasible = 0;
    for (unsigned row = 0; row < 6; row++) {
        assert_true(score.predicted[row] > 0);
        predicted += score.predicted[row];
        infeasible += score.infeasible[row];
    }
    assert_true(infeasible * 25 < predicted); /* 3 % when this was written */
}

static void predicts_all_from_three_executions(void **state)
{
    (void)state;
    struct tiny_style style = {.body = 5, .least_ways = 100, .most_ways = 4000};
    score_all(&style, 200000, 60, 3, "idiom", "idioms from three executions");
}

static void predicts_all_maps_and_races(void **state)
{
    (void)state;
    struct tiny_style style = {.body = 6, .atomics = true, .least_ways = 200, .most_ways = 8000};
    score_all(&style, 300000, 80, 1, "map,race,atom", "map, race and atom");
}

static void predicts_all_on_bytes(void **state)
{
    (void)state;
    struct tiny_style style = {.body = 5, .wide = true, .least_ways = 100, .most_ways = 3000};
    score_all(&style, 400000, 60, 1, "idiom,map,race", "accesses of several sizes");
}

static void predicts_all_assets(void **state)
{
    (void)state;
    struct tiny_style style = {.body = 6, .units = true, .least_ways = 200, .most_ways = 6000};
    score_all(&style, 500000, 60, 1, "asset", "asset");
}

/* ---- single cases ------------------------------------------------------------------------------------------------ */

struct script {
    uint16_t task;
    enum wire_op op;
    uint64_t address, value;
    uint32_t site;
    uint8_t flags;
};

static void predict_script(const struct script *script, unsigned count, const char *names, struct instances *predicted)
{
    struct event events[64];
    assert_in_range(count, 1, 64);
    for (unsigned i = 0; i < count; i++)
        events[i] = (struct event){.task = script[i].task,
                                   .op = (uint8_t)script[i].op,
                                   .address = script[i].address,
                                   .value = script[i].value,
                                   .size = 4,
                                   .site = script[i].site,
                                   .flags = script[i].flags,
                                   .operation = i};
    predict_one(events, count, rows(names), predicted);
}

#define PREDICT(names, predicted, ...)                                                                                 \
    do {                                                                                                               \
        static const struct script script[] = {__VA_ARGS__};                                                           \
        predict_script(script, sizeof script / sizeof *script, (names), (predicted));                                  \
    } while (0)

/* Of a write of T1 at site 1 and one of T2 at site 2, only the first order is predicted, and no race. */
static void check_ordered(struct instances *predicted)
{
    assert_true(has_pair(predicted, "idiom.1", 1, 2));
    assert_false(has_pair(predicted, "idiom.1", 2, 1));
    assert_false(has_pair(predicted, "race", 1, 2));
    instances_free(predicted);
    *predicted = (struct instances){0};
}

static void check_free(struct instances *predicted, bool race)
{
    assert_true(has_pair(predicted, "idiom.1", 1, 2));
    assert_true(has_pair(predicted, "idiom.1", 2, 1));
    assert_int_equal(has_pair(predicted, "race", 1, 2), race);
    assert_int_equal(has_pair(predicted, "race", 2, 1), race);
    instances_free(predicted);
    *predicted = (struct instances){0};
}

#define X    0x100, 0
#define BOTH "idiom.1,race"

static void synchronisation_orders(void **state)
{
    (void)state;
    struct instances predicted = {0};
    /* creation and join */
    PREDICT(BOTH, &predicted, {1, OP_WRITE, X, 1, 0}, {1, OP_CREATE, 0, 2, 9, EVENT_VALUE}, {2, OP_WRITE, X, 2, 0});
    check_ordered(&predicted);
    PREDICT(BOTH, &predicted, {2, OP_CREATE, 0, 1, 9, EVENT_VALUE}, {1, OP_WRITE, X, 1, 0}, {1, OP_END, 0, 0, 0, 0},
            {2, OP_JOIN, 0, 1, 9, EVENT_VALUE}, {2, OP_WRITE, X, 2, 0});
    check_ordered(&predicted);
    /* a signal, a broadcast */
    PREDICT(BOTH, &predicted, {2, OP_COND_WAIT, 0x200, 0, 9, 0}, {1, OP_WRITE, X, 1, 0},
            {1, OP_COND_SIGNAL, 0x200, 2, 9, EVENT_VALUE}, {2, OP_COND_WAKE, 0x200, 0, 9, 0}, {2, OP_WRITE, X, 2, 0});
    check_ordered(&predicted);
    PREDICT(BOTH, &predicted, {2, OP_COND_WAIT, 0x200, 0, 9, 0}, {1, OP_WRITE, X, 1, 0},
            {1, OP_COND_BROADCAST, 0x200, 1, 9, EVENT_VALUE}, {2, OP_COND_WAKE, 0x200, 0, 9, 0},
            {2, OP_WRITE, X, 2, 0});
    check_ordered(&predicted);
    /* a semaphore */
    PREDICT(BOTH, &predicted, {1, OP_WRITE, X, 1, 0}, {1, OP_SEM_POST, 0x200, 0, 9, 0},
            {2, OP_SEM_WAIT, 0x200, 0, 9, 0}, {2, OP_WRITE, X, 2, 0});
    check_ordered(&predicted);
    /* opened a second time by name, which changes nothing */
    PREDICT(BOTH, &predicted, {1, OP_SEM_INIT, 0x200, 0, 8, EVENT_VALUE}, {1, OP_WRITE, X, 1, 0},
            {1, OP_SEM_POST, 0x200, 0, 9, 0}, {2, OP_SEM_INIT, 0x200, 0, 8, 0}, {2, OP_SEM_WAIT, 0x200, 0, 9, 0},
            {2, OP_WRITE, X, 2, 0});
    check_ordered(&predicted);
    /* one-time initialisation */
    PREDICT(BOTH, &predicted, {1, OP_ONCE_BEGIN, 0x200, 1, 9, EVENT_VALUE}, {1, OP_WRITE, X, 1, 0},
            {1, OP_ONCE_END, 0x200, 1, 9, EVENT_VALUE}, {2, OP_ONCE_BEGIN, 0x200, 0, 9, EVENT_VALUE},
            {2, OP_WRITE, X, 2, 0});
    check_ordered(&predicted);
    /* a barrier: the last to arrive has no event of its own, and neither round may be taken for the other */
    PREDICT(BOTH, &predicted, {1, OP_WRITE, X, 1, 0}, {1, OP_BARRIER_ARRIVE, 0x200, 1, 9, EVENT_VALUE},
            {2, OP_BARRIER_ARRIVE, 0x200, 2, 9, EVENT_VALUE}, {2, OP_WRITE, X, 2, 0});
    check_ordered(&predicted);
    PREDICT(BOTH, &predicted, {2, OP_BARRIER_ARRIVE, 0x200, 1, 9, EVENT_VALUE}, {1, OP_WRITE, X, 1, 0},
            {1, OP_BARRIER_ARRIVE, 0x200, 2, 9, EVENT_VALUE}, {1, OP_READ, 0x300, 0, 3, 0},
            {2, OP_BARRIER_LEAVE, 0x200, 0, 9, 0}, {2, OP_WRITE, X, 2, 0});
    check_ordered(&predicted);
    PREDICT(BOTH, &predicted, {1, OP_BARRIER_ARRIVE, 0x200, 1, 9, EVENT_VALUE},
            {2, OP_BARRIER_ARRIVE, 0x200, 2, 9, EVENT_VALUE}, {1, OP_BARRIER_LEAVE, 0x200, 0, 9, 0},
            {1, OP_WRITE, X, 1, 0}, {2, OP_WRITE, X, 2, 0});
    check_free(&predicted, true);
    /* a futex, a signal, cancellation */
    PREDICT(BOTH, &predicted, {2, OP_FUTEX_WAIT, 0x200, 0, 9, EVENT_VALUE | EVENT_UNCHANGED}, {1, OP_WRITE, X, 1, 0},
            {1, OP_FUTEX_WAKE, 0x200, 1, 9, EVENT_VALUE}, {2, OP_FUTEX_WAIT, 0x200, 0, 9, EVENT_VALUE},
            {2, OP_WRITE, X, 2, 0});
    check_ordered(&predicted);
    PREDICT(BOTH, &predicted, {1, OP_WRITE, X, 1, 0}, {1, OP_KILL, 0, 2, 9, EVENT_VALUE}, {2, OP_HANDLER, 0, 10, 9, 0},
            {2, OP_WRITE, X, 2, 0});
    check_ordered(&predicted);
    PREDICT(BOTH, &predicted, {1, OP_WRITE, X, 1, 0}, {1, OP_CANCEL, 0, 2, 9, EVENT_VALUE},
            {2, OP_CANCELLED, 0, 2, 9, EVENT_VALUE}, {2, OP_WRITE, X, 2, 0});
    check_ordered(&predicted);
}

static void locks_do_not_order(void **state)
{
    (void)state;
    struct instances predicted = {0};
    PREDICT(BOTH, &predicted, {1, OP_WRITE, X, 1, 0}, {2, OP_WRITE, X, 2, 0});
    check_free(&predicted, true);
    PREDICT(BOTH, &predicted, {1, OP_MUTEX_LOCK, 0x200, 0, 7, 0}, {1, OP_WRITE, X, 1, 0},
            {1, OP_MUTEX_UNLOCK, 0x200, 0, 8, 0}, {2, OP_MUTEX_LOCK, 0x200, 0, 7, 0}, {2, OP_WRITE, X, 2, 0},
            {2, OP_MUTEX_UNLOCK, 0x200, 0, 8, 0});
    check_free(&predicted, false);
    /* read locks do not exclude each other */
    PREDICT(BOTH, &predicted, {1, OP_RWLOCK_RDLOCK, 0x200, 0, 7, EVENT_READING}, {1, OP_WRITE, X, 1, 0},
            {1, OP_RWLOCK_UNLOCK, 0x200, 0, 8, EVENT_READING}, {2, OP_RWLOCK_RDLOCK, 0x200, 0, 7, EVENT_READING},
            {2, OP_WRITE, X, 2, 0}, {2, OP_RWLOCK_UNLOCK, 0x200, 0, 8, EVENT_READING});
    check_free(&predicted, true);
    /* a semaphore that was 1 at the beginning is a lock */
    PREDICT(BOTH, &predicted, {1, OP_SEM_WAIT, 0x200, 0, 7, 0}, {1, OP_WRITE, X, 1, 0},
            {1, OP_SEM_POST, 0x200, 0, 8, 0}, {2, OP_SEM_WAIT, 0x200, 0, 7, 0}, {2, OP_WRITE, X, 2, 0},
            {2, OP_SEM_POST, 0x200, 0, 8, 0});
    check_free(&predicted, false);
    /* one that two have at once is none, and was none */
    PREDICT(BOTH, &predicted, {1, OP_SEM_WAIT, 0x200, 0, 7, 0}, {1, OP_WRITE, X, 1, 0},
            {2, OP_SEM_WAIT, 0x200, 0, 7, 0}, {2, OP_WRITE, X, 2, 0}, {1, OP_SEM_POST, 0x200, 0, 8, 0},
            {2, OP_SEM_POST, 0x200, 0, 8, 0});
    check_free(&predicted, true);
    /* one that begins with 1 is a lock, and with 2 it is not, though only one has it here at any time */
    PREDICT(BOTH, &predicted, {3, OP_SEM_INIT, 0x200, 1, 6, EVENT_VALUE}, {1, OP_SEM_WAIT, 0x200, 0, 7, 0},
            {1, OP_WRITE, X, 1, 0}, {1, OP_SEM_POST, 0x200, 0, 8, 0}, {2, OP_SEM_WAIT, 0x200, 0, 7, 0},
            {2, OP_WRITE, X, 2, 0}, {2, OP_SEM_POST, 0x200, 0, 8, 0});
    check_free(&predicted, false);
    PREDICT(BOTH, &predicted, {3, OP_SEM_INIT, 0x200, 2, 6, EVENT_VALUE}, {1, OP_SEM_WAIT, 0x200, 0, 7, 0},
            {1, OP_WRITE, X, 1, 0}, {1, OP_SEM_POST, 0x200, 0, 8, 0}, {2, OP_SEM_WAIT, 0x200, 0, 7, 0},
            {2, OP_WRITE, X, 2, 0}, {2, OP_SEM_POST, 0x200, 0, 8, 0});
    check_free(&predicted, true);
    /* one that is posted while nobody has it is none from then on */
    PREDICT(BOTH, &predicted, {1, OP_SEM_WAIT, 0x200, 0, 7, 0}, {1, OP_SEM_POST, 0x200, 0, 8, 0},
            {3, OP_SEM_POST, 0x200, 0, 9, 0}, {1, OP_SEM_WAIT, 0x200, 0, 7, 0}, {1, OP_WRITE, X, 1, 0},
            {1, OP_SEM_POST, 0x200, 0, 8, 0}, {2, OP_SEM_WAIT, 0x200, 0, 7, 0}, {2, OP_WRITE, X, 2, 0},
            {2, OP_SEM_POST, 0x200, 0, 8, 0});
    check_free(&predicted, true);
    /* a condition wait gives the mutex back */
    PREDICT(BOTH, &predicted, {1, OP_MUTEX_LOCK, 0x200, 0, 7, 0}, {1, OP_COND_WAIT, 0x300, 0, 8, 0},
            {2, OP_MUTEX_LOCK, 0x200, 0, 9, 0}, {2, OP_WRITE, X, 2, 0}, {1, OP_WRITE, X, 1, 0},
            {2, OP_MUTEX_UNLOCK, 0x200, 0, 10, 0}, {1, OP_COND_WAKE, 0x300, 0, 11, EVENT_TIMEOUT | EVENT_FAILED},
            {1, OP_MUTEX_UNLOCK, 0x200, 0, 12, 0});
    check_free(&predicted, true);
    /* the one that the event tells, not the one locked last */
    PREDICT(BOTH, &predicted, {1, OP_MUTEX_LOCK, 0x200, 0, 7, 0}, {1, OP_MUTEX_LOCK, 0x280, 0, 7, 0},
            {1, OP_COND_WAIT, 0x300, 0x200, 8, EVENT_VALUE}, {2, OP_MUTEX_LOCK, 0x200, 0, 9, 0}, {2, OP_WRITE, X, 2, 0},
            {1, OP_WRITE, X, 1, 0}, {2, OP_MUTEX_UNLOCK, 0x200, 0, 10, 0},
            {1, OP_COND_WAKE, 0x300, 0, 11, EVENT_TIMEOUT | EVENT_FAILED}, {1, OP_MUTEX_UNLOCK, 0x200, 0, 12, 0});
    check_free(&predicted, true);
    /* a trylock that failed has locked nothing */
    PREDICT(BOTH, &predicted, {1, OP_MUTEX_TRYLOCK, 0x200, 0, 7, EVENT_FAILED}, {1, OP_WRITE, X, 1, 0},
            {2, OP_MUTEX_LOCK, 0x200, 0, 7, 0}, {2, OP_WRITE, X, 2, 0}, {2, OP_MUTEX_UNLOCK, 0x200, 0, 8, 0});
    check_free(&predicted, true);
    /* two atomic accesses are no race */
    PREDICT(BOTH, &predicted, {1, OP_ATOMIC_STORE, X, 1, 0}, {2, OP_ATOMIC_STORE, X, 2, 0});
    check_free(&predicted, false);
}

/* Figure 5 (b) of the paper. */
static void mutual_exclusion_forbids(void **state)
{
    (void)state;
    struct instances predicted = {0};
    PREDICT("idiom.1", &predicted, {1, OP_MUTEX_LOCK, 0x200, 0, 7, 0}, {1, OP_WRITE, X, 1, 0}, {1, OP_WRITE, X, 2, 0},
            {1, OP_MUTEX_UNLOCK, 0x200, 0, 8, 0}, {2, OP_MUTEX_LOCK, 0x200, 0, 9, 0}, {2, OP_WRITE, X, 3, 0},
            {2, OP_MUTEX_UNLOCK, 0x200, 0, 10, 0});
    assert_false(has_pair(&predicted, "idiom.1", 1, 3));
    assert_true(has_pair(&predicted, "idiom.1", 2, 3));
    assert_true(has_pair(&predicted, "idiom.1", 3, 1));
    assert_false(has_pair(&predicted, "idiom.1", 3, 2));
    assert_true(has_pair(&predicted, "idiom.1", 10, 7)); /* the locks themselves, the other way round */
    assert_true(has_pair(&predicted, "idiom.1", 8, 9));
    assert_false(has_pair(&predicted, "idiom.1", 7, 10));
    instances_free(&predicted);
}

/* Memory that is freed within a critical section: what came last there is known. */
static void a_free_decides(void **state)
{
    (void)state;
    struct instances predicted = {0};
    PREDICT("idiom.1", &predicted, {2, OP_MUTEX_LOCK, 0x200, 0, 7, 0}, {2, OP_READ, X, 1, 0},
            {2, OP_MUTEX_UNLOCK, 0x200, 0, 8, 0}, {1, OP_MUTEX_LOCK, 0x200, 0, 7, 0}, {1, OP_FREE, X, 2, 0},
            {1, OP_ALLOC, X, 3, 0}, {1, OP_WRITE, X, 4, 0});
    assert_true(has_pair(&predicted, "idiom.1", 1, 2));
    assert_true(has_pair(&predicted, "idiom.1", 2, 1));  /* use after free */
    assert_false(has_pair(&predicted, "idiom.1", 4, 1)); /* other memory */
    instances_free(&predicted);
}

/* The two-section log miss of the paper's figure 4: idiom 4 over the locks. */
static void two_sections_can_be_split(void **state)
{
    (void)state;
    struct instances predicted = {0};
    PREDICT(
        "idiom.3,idiom.4,atom", &predicted, {1, OP_MUTEX_LOCK, 0x200, 0, 1, 0}, {1, OP_MUTEX_UNLOCK, 0x200, 0, 2, 0},
        {1, OP_MUTEX_LOCK, 0x300, 0, 3, 0}, {1, OP_MUTEX_UNLOCK, 0x300, 0, 4, 0}, {2, OP_MUTEX_LOCK, 0x200, 0, 5, 0},
        {2, OP_MUTEX_UNLOCK, 0x200, 0, 6, 0}, {2, OP_MUTEX_LOCK, 0x300, 0, 7, 0}, {2, OP_MUTEX_UNLOCK, 0x300, 0, 8, 0});
    bool split = false;
    for (size_t i = 0; i < predicted.all.count; i++) {
        const uint32_t *site = predicted.all.data[i].site;
        split |= site[0] == 2 && site[1] == 5 && site[2] == 8 && site[3] == 3;
    }
    assert_true(split);
    instances_free(&predicted);
}

static void witnesses_tell_where(void **state)
{
    (void)state;
    struct instances predicted = {0};
    PREDICT("map.1", &predicted, {1, OP_READ, 0x500, 0, 1, 0}, {1, OP_READ, X, 1, 0}, {2, OP_WRITE, X, 2, 0});
    assert_int_equal(predicted.all.count, 1);
    const struct witness *witness = instances_witnesses(&predicted, 0);
    assert_int_equal(witness[0].task, 1);
    assert_int_equal(witness[0].operation, 1);
    assert_int_equal(witness[0].occurrence, 2);
    assert_int_equal(witness[0].address, 0x100);
    assert_int_equal(witness[1].task, 2);
    instances_free(&predicted);
}

/* ---- cost -------------------------------------------------------------------------------------------------------- */

struct workload {
    struct generator random;
    uint64_t operations[4];
    uint16_t task;
    unsigned slice;
};

/* Four tasks, each in a loop over 24 instructions in three critical sections, with a barrier now and then. */
static struct event next_event(struct workload *workload)
{
    static const uint8_t ops[] = {OP_READ, OP_READ, OP_WRITE, OP_READ, OP_WRITE, OP_ATOMIC_RMW};
    bool may_switch = workload->operations[workload->task] % 8 == 7;
    if (may_switch && workload->slice-- == 0) {
        workload->task = (uint16_t)generator_below(&workload->random, 4);
        workload->slice = (unsigned)generator_below(&workload->random, 3);
    }
    uint64_t operation = ++workload->operations[workload->task];
    uint32_t site = (uint32_t)(operation % 24);
    struct event event = {.task = workload->task,
                          .operation = operation,
                          .op = ops[site % 6],
                          .address = 0x10000 + 8 * (site % 10),
                          .size = 8,
                          .site = site + 1};
    if (site % 8 == 0 || site % 8 == 7) {
        event.op = site % 8 == 0 ? OP_MUTEX_LOCK : OP_MUTEX_UNLOCK;
        event.address = 0x40000 + 64 * (site / 8);
    } else if (site % 8 == 3) {
        event.address = 0x30000 + 8 * generator_below(&workload->random, 100);
    } else if (site == 20) { /* non-mutex happens-before changes all the time */
        event.op = generator_below(&workload->random, 2) ? OP_SEM_POST : OP_SEM_TRYWAIT;
        event.flags = event.op == OP_SEM_TRYWAIT && generator_below(&workload->random, 2) ? EVENT_FAILED : 0;
        event.address = 0x50000;
    }
    return event;
}

struct cost {
    double feed, end; /* nanoseconds per event */
    size_t memory, instances;
};

static struct cost measure(size_t events, uint32_t window)
{
    struct instances predicted = {0};
    struct predictor_options options = {.wanted = rows("idiom,map,race,atom"), .window = window};
    struct predictor *predictor = predictor_new(&options, &predicted);
    struct workload workload = {.random = {7}};
    double start = cpu_seconds();
    predictor_feed(predictor, &(struct event){.op = OP_SEM_POST, .address = 0x50000});
    for (size_t i = 0; i < events; i++) {
        struct event event = next_event(&workload);
        predictor_feed(predictor, &event);
    }
    double fed = cpu_seconds();
    predictor_end(predictor);
    struct cost cost = {(fed - start) * 1e9 / (double)events, (cpu_seconds() - fed) * 1e9 / (double)events,
                        predictor_memory(predictor), predicted.all.count};
    predictor_free(predictor);
    instances_free(&predicted);
    return cost;
}

static void cost_is_linear_and_memory_bounded(void **state)
{
    (void)state;
    measure(1000, 16); /* warm */
    struct cost small = measure(40000, 16);
    struct cost large = measure(400000, 16);
    print_message("# %.0f ns per event of 4*10^4, %.0f ns of 4*10^5; %zu kB, %zu kB\n", small.feed, large.feed,
                  small.memory / 1024, large.memory / 1024);
    assert_true(large.feed < 3 * small.feed);
    assert_true(large.memory < 2 * small.memory);
}

static void bounds_are_kept(void **state)
{
    (void)state;
    struct instances predicted = {0};
    struct predictor_options options = {.wanted = rows("idiom"), .entry_most = 10, .pair_most = 5};
    struct predictor *predictor = predictor_new(&options, &predicted);
    struct workload workload = {.random = {7}};
    for (size_t i = 0; i < 1000; i++) {
        struct event event = next_event(&workload);
        predictor_feed(predictor, &event);
    }
    predictor_end(predictor);
    assert_true(predictor_is_cut(predictor));
    predictor_free(predictor);
    instances_free(&predicted);
}

static struct instances predict_within(uint64_t work, uint64_t turn, bool *cut, uint64_t *done)
{
    struct instances predicted = {0};
    struct predictor_options options = {.wanted = rows("idiom"), .window = 64, .work_most = work, .turn = turn};
    struct predictor *predictor = predictor_new(&options, &predicted);
    struct workload workload = {.random = {7}};
    for (size_t i = 0; i < 3000; i++) {
        struct event event = next_event(&workload);
        predictor_feed(predictor, &event);
    }
    predictor_end(predictor);
    *cut = predictor_is_cut(predictor);
    *done = predictor_work(predictor);
    predictor_free(predictor);
    return predicted;
}

static size_t common(const struct instances *a, const struct instances *b)
{
    size_t count = 0;
    for (size_t i = 0; i < a->all.count; i++)
        count += instances_has(b, &a->all.data[i]);
    return count;
}

/* With less work than there is to do, what is predicted is a part of the whole; in another turn another part. */
static void work_is_bounded(void **state)
{
    (void)state;
    bool cut;
    uint64_t all_work, work;
    struct instances all = predict_within(0, 0, &cut, &all_work);
    assert_false(cut);
    struct instances enough = predict_within(3 * all_work, 0, &cut, &work);
    assert_false(cut);
    assert_int_equal(work, all_work);
    assert_int_equal(common(&all, &enough), all.all.count);
    struct instances part = predict_within(all_work / 10, 0, &cut, &work);
    assert_true(cut);
    assert_true(work < all_work / 5);
    struct instances same = predict_within(all_work / 10, 0, &cut, &work);
    struct instances other = predict_within(all_work / 10, 1, &cut, &work);
    print_message("# %zu of %zu instances with a tenth of the work\n", part.all.count, all.all.count);
    assert_in_range(part.all.count, 1, all.all.count - 1);
    assert_int_equal(common(&part, &all), part.all.count);
    assert_int_equal(common(&part, &same), part.all.count);
    assert_int_equal(same.all.count, part.all.count);
    assert_true(common(&other, &part) < other.all.count);
    struct instances *sets[] = {&all, &enough, &part, &same, &other};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        instances_free(sets[i]);
}

static int bench(void)
{
    printf("%10s %8s %14s %14s %12s %12s\n", "events", "window", "ns per event", "ns at the end", "memory kB",
           "instances");
    for (uint32_t window = 16; window <= 256; window *= 4)
        for (size_t events = 10000; events <= 1000000; events *= 10) {
            struct cost cost = measure(events, window);
            printf("%10zu %8u %14.0f %14.0f %12zu %12zu\n", events, window, cost.feed, cost.end, cost.memory / 1024,
                   cost.instances);
        }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--bench") == 0)
        return bench();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predicts_all_idioms),
        cmocka_unit_test(predicts_all_from_three_executions),
        cmocka_unit_test(predicts_all_maps_and_races),
        cmocka_unit_test(predicts_all_on_bytes),
        cmocka_unit_test(predicts_all_assets),
        cmocka_unit_test(synchronisation_orders),
        cmocka_unit_test(locks_do_not_order),
        cmocka_unit_test(mutual_exclusion_forbids),
        cmocka_unit_test(a_free_decides),
        cmocka_unit_test(two_sections_can_be_split),
        cmocka_unit_test(witnesses_tell_where),
        cmocka_unit_test(cost_is_linear_and_memory_bounded),
        cmocka_unit_test(bounds_are_kept),
        cmocka_unit_test(work_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
