/* SPDX-License-Identifier: MIT
 *
 * strategies.c - which strategy for schedule n.
 */
#include "technique/strategies.h"

#include <math.h>
#include <string.h>

#include "util/hash.h"

enum {
    ROUNDROBIN_SCHEDULES = 8, /* different ones that there are, by seed modulo this */
    ROUNDROBIN_ROUNDS = 16,   /* turns it gets beside others */
    ALL_OF_IT = 8,            /* surw: one schedule in so many takes all locations */
    WARM_UP = 4,              /* rounds in which all take turns before any is preferred */
};
#define FORGETTING 0.95 /* how much of what a strategy gained before counts when it has gained again */
#define NOTHING    0.01 /* gained per schedule: so little is no reason to prefer anybody */

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
    static const enum wire_strategy all[] = {STRATEGY_POS,  STRATEGY_DIRECT,   STRATEGY_RANDOM,    STRATEGY_PCT,
                                             STRATEGY_SURW, STRATEGY_PCTLARGE, STRATEGY_ROUNDROBIN};
    strategies->count = 0;
    strategies->shares = strcmp(text, "all") == 0;
    if (strategies->shares) {
        memcpy(strategies->list, all, sizeof all);
        strategies->count = sizeof all / sizeof all[0];
        return true;
    }
    for (const char *word = text;; word++) {
        size_t length = strcspn(word, ",");
        int strategy = find_name(word, length);
        if (strategy < 0)
            return error_set(error, EXIT_USAGE,
                             "there is no strategy '%.*s'; there are maple, random, pct, pctlarge, pos, surw, "
                             "roundrobin, dfs, and all",
                             (int)length, word);
        if (strategies->count == sizeof strategies->list / sizeof strategies->list[0])
            return error_set(error, EXIT_USAGE, "too many strategies in '%s'", text);
        strategies->list[strategies->count++] = (enum wire_strategy)strategy;
        word += length;
        if (*word == '\0')
            return dfs_is_alone(strategies, error);
    }
}

bool strategies_drop(struct strategies *strategies, enum wire_strategy strategy)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < strategies->count; i++)
        if (strategies->list[i] != strategy)
            strategies->list[kept++] = strategies->list[i];
    bool dropped = kept < strategies->count;
    strategies->count = kept;
    return dropped;
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

/* All of them in turn; round-robin has few schedules, so in a list with others it leaves its place to them after a while. */
static uint32_t turn_of(const struct strategies *strategies, uint64_t n)
{
    uint64_t round = (n - 1) / strategies->count;
    uint32_t arm = (uint32_t)((n - 1) % strategies->count);
    for (int i = 0; i < 2 && strategies->list[arm] == STRATEGY_ROUNDROBIN && strategies->count > 1; i++)
        if (round >= ROUNDROBIN_ROUNDS)
            arm = i == 0 ? (uint32_t)(round % strategies->count) : 0;
    return arm;
}

/* UCB1 (P. Auer, N. Cesa-Bianchi, P. Fischer, "Finite-time Analysis of the Multiarmed Bandit Problem", Machine Learning 2002) over
   what a schedule newly covers, with forgetting, since every strategy runs dry at its own time. */
static uint32_t best_arm(const struct strategies *strategies)
{
    double most = NOTHING, total = 0, best = -1;
    uint32_t chosen = 0;
    for (uint32_t i = 0; i < strategies->count; i++) {
        total += (double)strategies->arms[i].observed;
        if (strategies->arms[i].gain > most)
            most = strategies->arms[i].gain;
    }
    for (uint32_t i = 0; i < strategies->count; i++) {
        const struct strategy_arm *arm = &strategies->arms[i];
        if (strategies->list[i] == STRATEGY_ROUNDROBIN)
            continue;
        double score = arm->gain / most + sqrt(2 * log(total + 1) / (double)(arm->observed + 1));
        if (score > best) {
            best = score;
            chosen = i;
        }
    }
    return chosen;
}

/* Half of the schedules in turn, so that no strategy is ever left out; the other half where most is gained. */
static uint32_t choose_arm(const struct strategies *strategies, uint64_t n)
{
    uint64_t warm = (uint64_t)WARM_UP * strategies->count;
    if (!strategies->shares || n <= warm)
        return turn_of(strategies, n);
    uint64_t beyond = n - warm;
    return beyond % 2 == 1 ? best_arm(strategies) : turn_of(strategies, warm + beyond / 2);
}

static void plan_surw(const struct strategies *strategies, struct generator *generator, struct wire_plan *plan)
{
    size_t locations = strategies->profile.locations.count, index = SIZE_MAX;
    bool everything = generator_below(generator, ALL_OF_IT) == 0;
    if (locations > 0 && !everything && !strategies->addresses_vary)
        index = generator_below(generator, locations);
    profile_apply(&strategies->profile, index, plan);
}

uint32_t strategies_plan(const struct strategies *strategies, uint64_t n, struct wire_plan *plan)
{
    struct generator generator = {hash_combine(strategies->seed, n)};
    uint32_t arm = choose_arm(strategies, n);
    plan->strategy = strategies->list[arm];
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
    return arm;
}

void strategies_gain(struct strategies *strategies, uint32_t arm, uint32_t newly_covered)
{
    struct strategy_arm *own = &strategies->arms[arm];
    own->observed++;
    own->covered += newly_covered;
    own->gain = own->gain * FORGETTING + newly_covered * (1 - FORGETTING);
}

void strategies_observe(struct strategies *strategies, uint64_t points, const struct execution *execution)
{
    strategies->observed++;
    strategies->mean_points += ((double)points - strategies->mean_points) / (double)strategies->observed;
    if (execution != NULL && execution_count(execution) > 0)
        profile_make(&strategies->profile, execution);
}

void strategies_free(struct strategies *strategies)
{
    profile_free(&strategies->profile);
}
