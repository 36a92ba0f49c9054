/* SPDX-License-Identifier: MIT
 *
 * strategies.c - which strategy for schedule n.
 */
#include "explore/strategies.h"

#include <string.h>

#include "util/hash.h"

enum {
    ROUNDROBIN_SCHEDULES = 8, /* different ones that there are, by seed modulo this */
    ROUNDROBIN_ROUNDS = 16,   /* turns it gets beside others */
    ALL_OF_IT = 8,            /* surw: one schedule in so many takes all locations */
};

static const char *const names[WIRE_STRATEGY_COUNT] = {
#define X(name, text) [STRATEGY_##name] = text,
    WIRE_STRATEGIES(X)
#undef X
};

const char *strategies_name(enum wire_strategy strategy)
{
    return (unsigned)strategy < WIRE_STRATEGY_COUNT ? names[strategy] : "?";
}

static int find_name(const char *text, size_t length)
{
    for (int i = STRATEGY_REPLAY + 1; i < WIRE_STRATEGY_COUNT; i++)
        if (strlen(names[i]) == length && strncmp(names[i], text, length) == 0)
            return i;
    return -1;
}

static bool dfs_is_alone(const struct strategies *strategies, struct error *error)
{
    for (uint32_t i = 0; i < strategies->count; i++)
        if (strategies->list[i] == STRATEGY_DFS && strategies->count > 1)
            return error_set(error, EXIT_USAGE,
                             "dfs goes through all schedules by itself: give it without other strategies");
    return true;
}

bool strategies_parse(struct strategies *strategies, const char *text, struct error *error)
{
    /* In the order in which they tend to find things. */
    static const enum wire_strategy all[] = {STRATEGY_POS,  STRATEGY_RANDOM,   STRATEGY_PCT,
                                             STRATEGY_SURW, STRATEGY_PCTLARGE, STRATEGY_ROUNDROBIN};
    strategies->count = 0;
    if (strcmp(text, "all") == 0) {
        memcpy(strategies->list, all, sizeof all);
        strategies->count = sizeof all / sizeof all[0];
        return true;
    }
    for (const char *word = text;; word++) {
        size_t length = strcspn(word, ",");
        int strategy = find_name(word, length);
        if (strategy < 0)
            return error_set(
                error, EXIT_USAGE,
                "there is no strategy '%.*s'; there are random, pct, pctlarge, pos, surw, roundrobin, dfs, and all",
                (int)length, word);
        if (strategies->count == sizeof strategies->list / sizeof strategies->list[0])
            return error_set(error, EXIT_USAGE, "too many strategies in '%s'", text);
        strategies->list[strategies->count++] = (enum wire_strategy)strategy;
        word += length;
        if (*word == '\0')
            return dfs_is_alone(strategies, error);
    }
}

static bool uses_surw(const struct strategies *strategies)
{
    for (uint32_t i = 0; i < strategies->count; i++)
        if (strategies->list[i] == STRATEGY_SURW)
            return true;
    return false;
}

/* The profile is made anew at the 1st, 8th, 64th, … schedule.  The first one is recorded in any case: its events tell what the
   threads have in common. */
static bool is_profiled(const struct strategies *strategies, uint64_t n)
{
    if (!uses_surw(strategies))
        return n == 1;
    for (uint64_t at = 1; at <= n; at *= 8) {
        if (at == n)
            return true;
        if (at > UINT64_MAX / 8)
            break;
    }
    return false;
}

static enum wire_strategy turn_of(const struct strategies *strategies, uint64_t n)
{
    uint64_t round = (n - 1) / strategies->count;
    enum wire_strategy strategy = strategies->list[(n - 1) % strategies->count];
    if (strategy == STRATEGY_ROUNDROBIN && strategies->count > 1 && round >= ROUNDROBIN_ROUNDS)
        strategy = strategies->list[round % strategies->count];
    if (strategy == STRATEGY_ROUNDROBIN && strategies->count > 1 && round >= ROUNDROBIN_ROUNDS)
        strategy = strategies->list[0];
    return strategy;
}

static void plan_surw(const struct strategies *strategies, struct generator *generator, struct wire_plan *plan)
{
    size_t locations = strategies->profile.locations.count, index = SIZE_MAX;
    bool everything = generator_below(generator, ALL_OF_IT) == 0;
    if (locations > 0 && !everything && !strategies->addresses_vary)
        index = generator_below(generator, locations);
    profile_apply(&strategies->profile, index, plan);
}

void strategies_plan(const struct strategies *strategies, uint64_t n, struct wire_plan *plan)
{
    struct generator generator = {hash_combine(strategies->seed, n)};
    plan->strategy = turn_of(strategies, n);
    plan->seed = generator_next(&generator);
    plan->depth = strategies->depth;
    plan->expected_points = (uint64_t)(strategies->mean_points + 0.5);
    plan->interest_lo = plan->interest_hi = 0;
    plan->task_count = 0;
    if (is_profiled(strategies, n))
        plan->flags |= PLAN_RECORD;
    if (n == 1 && uses_surw(strategies)) {
        plan->strategy = STRATEGY_ROUNDROBIN;
        plan->seed &= ~(uint64_t)(ROUNDROBIN_SCHEDULES - 1);
    } else if (plan->strategy == STRATEGY_ROUNDROBIN) {
        plan->seed &= ~(uint64_t)(ROUNDROBIN_SCHEDULES - 1);
        plan->seed |= (n - 1) / strategies->count % ROUNDROBIN_SCHEDULES;
    } else if (plan->strategy == STRATEGY_SURW) {
        plan_surw(strategies, &generator, plan);
    }
}

void strategies_observe(struct strategies *strategies, uint64_t points, const struct wire_event *events, size_t count)
{
    strategies->observed++;
    strategies->mean_points += ((double)points - strategies->mean_points) / (double)strategies->observed;
    if (events != NULL && count > 0)
        profile_make(&strategies->profile, events, count);
}

void strategies_free(struct strategies *strategies)
{
    profile_free(&strategies->profile);
}
