/* SPDX-License-Identifier: MIT
 *
 * portfolio.c - see portfolio.h.
 */
#include "technique/portfolio.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

enum {
    FEW_ROUNDS = 16,  /* turns of a technique that has only a few schedules, beside others */
    WARM_UP = 4,      /* rounds in which all take turns before any is preferred */
    PROFILE_FIRST = 8 /* the events of schedules 1, 8, 64, … are needed for a profile */
};
#define FORGETTING (1 - 0.95)
#define NO_GAIN    0.01 /* newly covered per schedule: so little is no reason to prefer a technique */

static const char *const strategy_names[WIRE_STRATEGY_COUNT] = {
#define X(name, text) [STRATEGY_##name] = text,
    WIRE_STRATEGIES(X)
#undef X
};

const char *portfolio_strategy_name(enum wire_strategy strategy)
{
    return (unsigned)strategy < WIRE_STRATEGY_COUNT ? strategy_names[strategy] : "?";
}

/* ---- the list ----------------------------------------------------------------------------------------------------------- */

static const struct technique *find_word(const struct technique *const *table, const char *text, size_t length)
{
    for (; *table != NULL; table++)
        if (!((*table)->flags & TECHNIQUE_HIDDEN) && strlen((*table)->name) == length &&
            strncmp((*table)->name, text, length) == 0)
            return *table;
    return NULL;
}

void portfolio_print_words(const struct technique *const *table, struct buffer *out)
{
    for (const char *between = ""; *table != NULL; table++)
        if (!((*table)->flags & TECHNIQUE_HIDDEN)) {
            buffer_printf(out, "%s%s", between, (*table)->name);
            between = ", ";
        }
}

static bool refuse_word(const struct technique *const *table, const char *word, size_t length, struct error *error)
{
    struct buffer words = {0};
    portfolio_print_words(table, &words);
    error_set(error, EXIT_USAGE, "there is no strategy '%.*s'; there are %s, and all", (int)length, word,
              buffer_text(&words));
    buffer_free(&words);
    return false;
}

static bool add(struct portfolio *portfolio, const struct technique *technique)
{
    if (portfolio->count == PORTFOLIO_MEMBERS)
        return false;
    portfolio->members[portfolio->count++] = (struct portfolio_member){.technique = technique};
    return true;
}

static bool search_is_alone(const struct portfolio *portfolio, struct error *error)
{
    for (uint32_t i = 0; i < portfolio->count && portfolio->count > 1; i++)
        if (portfolio->members[i].technique->flags & TECHNIQUE_SEARCH)
            return error_set(error, EXIT_USAGE,
                             "%s goes through all schedules by itself: give it without other strategies",
                             portfolio->members[i].technique->name);
    return true;
}

bool portfolio_parse(struct portfolio *portfolio, const struct technique *const *table, const char *text,
                     struct error *error)
{
    portfolio->table = table;
    portfolio->count = 0;
    portfolio->shares = strcmp(text, "all") == 0;
    for (size_t i = 0; portfolio->shares && table[i] != NULL; i++)
        if ((table[i]->flags & TECHNIQUE_IN_ALL) && !add(portfolio, table[i]))
            return error_set(error, EXIT_INTERNAL, "there are more strategies than a portfolio holds");
    for (const char *word = text; !portfolio->shares; word++) {
        size_t length = strcspn(word, ",");
        const struct technique *technique = find_word(table, word, length);
        if (technique == NULL)
            return refuse_word(table, word, length, error);
        if (!add(portfolio, technique))
            return error_set(error, EXIT_USAGE, "too many strategies in '%s'", text);
        word += length;
        if (*word == '\0')
            break;
    }
    return search_is_alone(portfolio, error);
}

void portfolio_set(struct portfolio *portfolio, const struct technique *const *table, const struct technique *technique)
{
    portfolio->table = table;
    portfolio->count = 0;
    portfolio->shares = false;
    add(portfolio, technique);
}

bool portfolio_drop_coverage(struct portfolio *portfolio, struct error *error)
{
    const char *dropped = NULL;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < portfolio->count; i++)
        if (portfolio->members[i].technique->flags & TECHNIQUE_COVERAGE)
            dropped = portfolio->members[i].technique->name;
        else
            portfolio->members[kept++] = portfolio->members[i];
    portfolio->count = kept;
    return kept > 0 || error_set(error, EXIT_USAGE, "--strategy %s needs something to cover: not --coverage none",
                                 dropped != NULL ? dropped : "?");
}

family_mask portfolio_families(const struct portfolio *portfolio)
{
    family_mask rows = 0;
    struct error ignored; /* techniques name families that there are */
    for (uint32_t i = 0; i < portfolio->count; i++)
        if (portfolio->members[i].technique->families != NULL)
            rows |= family_by_name(portfolio->members[i].technique->families, &ignored);
    return rows;
}

bool portfolio_has(const struct portfolio *portfolio, enum technique_flags flag)
{
    for (uint32_t i = 0; i < portfolio->count; i++)
        if (portfolio->members[i].technique->flags & flag)
            return true;
    return false;
}

/* ---- life --------------------------------------------------------------------------------------------------------------- */

/* The first member of the same technique: its state is used by all of them. */
static uint32_t first_of(const struct portfolio *portfolio, uint32_t member)
{
    uint32_t first = 0;
    while (portfolio->members[first].technique != portfolio->members[member].technique)
        first++;
    return first;
}

bool portfolio_open(struct portfolio *portfolio, const struct technique_setup *setup, struct error *error)
{
    struct technique_setup own = *setup;
    own.seed = portfolio->seed;
    own.alone = portfolio->count == 1;
    own.targets = &portfolio->targets;
    for (uint32_t i = 0; i < portfolio->count; i++) {
        struct portfolio_member *member = &portfolio->members[i];
        assert(setup->coverage != NULL || !(member->technique->flags & TECHNIQUE_COVERAGE));
        if (first_of(portfolio, i) < i)
            member->state = portfolio->members[first_of(portfolio, i)].state;
        else if (member->technique->open != NULL && (member->state = member->technique->open(&own, error)) == NULL)
            return false;
    }
    return true;
}

void portfolio_close(struct portfolio *portfolio)
{
    for (uint32_t i = portfolio->count; i-- > 0;) {
        struct portfolio_member *member = &portfolio->members[i];
        if (member->state != NULL && first_of(portfolio, i) == i && member->technique->close != NULL)
            member->technique->close(member->state);
        member->state = NULL;
    }
    targets_free(&portfolio->targets);
}

void technique_run_free(struct technique_run *run)
{
    vector_free(&run->steps);
    vector_free(&run->choices);
    free(run->own);
    run->own = NULL;
}

void technique_ahead_free(struct technique_ahead *ahead)
{
    for (size_t i = 0; i < ahead->count; i++)
        vector_free(&ahead->prefixes[i]);
    ahead->count = 0;
}

void technique_end_free(struct technique_end *end)
{
    for (size_t i = 0; i < end->left_out.count; i++)
        free(end->left_out.data[i]);
    for (size_t i = 0; i < end->lines.count; i++)
        free(end->lines.data[i]);
    vector_free(&end->left_out);
    vector_free(&end->unseen);
    vector_free(&end->lines);
}

/* ---- turns -------------------------------------------------------------------------------------------------------------- */

/* The first schedule is recorded in any case: its events tell what the threads have in common. */
static bool is_profiled(const struct portfolio *portfolio, uint64_t n)
{
    if (!portfolio_has(portfolio, TECHNIQUE_PROFILE))
        return n == 1;
    while (n % PROFILE_FIRST == 0)
        n /= PROFILE_FIRST;
    return n == 1;
}

static bool has_few(const struct portfolio *portfolio, uint32_t member)
{
    return portfolio->members[member].technique->flags & TECHNIQUE_FEW;
}

/* All members in turn; one that has few schedules leaves its turns to the others after FEW_ROUNDS. */
static uint32_t turn_of(const struct portfolio *portfolio, uint64_t n)
{
    uint64_t round = (n - 1) / portfolio->count;
    uint32_t member = (uint32_t)((n - 1) % portfolio->count);
    for (int i = 0; i < 2 && has_few(portfolio, member) && portfolio->count > 1; i++)
        if (round >= FEW_ROUNDS)
            member = i == 0 ? (uint32_t)(round % portfolio->count) : 0;
    return member;
}

static uint32_t best_member(const struct portfolio *portfolio)
{
    uint64_t allowed = 0;
    for (uint32_t i = 0; i < portfolio->count; i++)
        allowed |= has_few(portfolio, i) ? 0 : (uint64_t)1 << i;
    return allowed != 0 ? bandit_choose(portfolio->arms, portfolio->count, allowed, NO_GAIN) : 0;
}

/* Half of the schedules in turn, so that no technique is ever left out; the other half where most is gained. */
uint32_t portfolio_choose(const struct portfolio *portfolio, uint64_t n)
{
    assert(n > 0 && portfolio->count > 0);
    uint64_t warm = (uint64_t)WARM_UP * portfolio->count;
    if (!portfolio->shares || n <= warm)
        return turn_of(portfolio, n);
    uint64_t beyond = n - warm;
    return beyond % 2 == 1 ? best_member(portfolio) : turn_of(portfolio, warm + beyond / 2);
}

/* ---- one run ------------------------------------------------------------------------------------------------------------ */

static void clear_run(struct technique_run *run, const struct technique *technique)
{
    if (run->technique != technique) {
        free(run->own);
        run->own = technique->run_size > 0 ? memory_allocate(1, technique->run_size) : NULL;
        run->technique = technique;
    } else if (technique->run_size > 0) {
        memset(run->own, 0, technique->run_size);
    }
    vector_clear(&run->steps);
    vector_clear(&run->choices);
    run->observe = run->worth_observing = run->aimed = false;
}

void portfolio_plan(const struct portfolio *portfolio, uint32_t member, struct technique_run *run)
{
    assert(member < portfolio->count && run->number > 0);
    const struct technique *technique = portfolio->members[member].technique;
    struct wire_plan *plan = run->plan;
    clear_run(run, technique);
    run->random = (struct generator){hash_combine(portfolio->seed, run->number)};
    run->round = (run->number - 1) / portfolio->count;
    plan->strategy = technique->strategy;
    plan->seed = generator_next(&run->random);
    plan->depth = portfolio->depth;
    plan->expected_points = (uint64_t)(portfolio->mean_points + 0.5);
    run->profile = is_profiled(portfolio, run->number);
    if (run->profile)
        plan->flags |= PLAN_RECORD;
    if (run->number == 1 && portfolio_has(portfolio, TECHNIQUE_PROFILE)) {
        plan->strategy = STRATEGY_ROUNDROBIN;
        plan->seed = roundrobin_seed(plan->seed, 0);
    }
    if (technique->plan != NULL)
        technique->plan(portfolio->members[member].state, run);
    assert(plan->plan_step_count <= run->steps.count);
}

const char *portfolio_run_name(const struct technique_run *run)
{
    return run->aimed ? run->technique->name : portfolio_strategy_name((enum wire_strategy)run->plan->strategy);
}

size_t portfolio_part_count(const struct portfolio *portfolio)
{
    uint64_t width = portfolio->part_width;
    return width == 0 ? 0 : (size_t)((portfolio->ended + width - 1) / width);
}

/* Twice as many schedules in each, in half as many parts. */
static void halve_parts(struct portfolio *portfolio)
{
    portfolio->part_width *= 2;
    for (uint32_t i = 0; i < portfolio->count; i++) {
        uint32_t *parts = portfolio->members[i].parts;
        for (size_t k = 0; k < PORTFOLIO_PARTS; k++)
            parts[k] = 2 * k + 1 < PORTFOLIO_PARTS ? parts[2 * k] + parts[2 * k + 1] : 0;
    }
}

static void count_part(struct portfolio *portfolio, uint32_t member)
{
    if (portfolio->part_width == 0)
        portfolio->part_width = 1;
    if (portfolio_part_count(portfolio) > PORTFOLIO_PARTS)
        halve_parts(portfolio);
    portfolio->members[member].parts[portfolio_part_count(portfolio) - 1]++;
}

void portfolio_count(struct portfolio *portfolio, uint32_t member, uint64_t points)
{
    portfolio->members[member].runs++;
    portfolio->ended++;
    count_part(portfolio, member);
    portfolio->mean_points += ((double)points - portfolio->mean_points) / (double)portfolio->ended;
}

bool portfolio_observe(struct portfolio *portfolio, uint32_t member, const struct technique_run *run,
                       const struct technique_seen *seen)
{
    bool finished = false;
    if (seen->observed)
        portfolio->members[member].covered += seen->new_covered;
    if (seen->limited || seen->observed)
        bandit_reward(&portfolio->arms[member], technique_gain(seen), FORGETTING);
    for (uint32_t i = 0; i < portfolio->count; i++) {
        const struct technique *technique = portfolio->members[i].technique;
        bool own = first_of(portfolio, member) == i;
        if (technique->observe != NULL && first_of(portfolio, i) == i)
            finished |= technique->observe(portfolio->members[i].state, own ? run : NULL, seen);
    }
    return finished;
}

void portfolio_abandon(struct portfolio *portfolio, uint32_t member, const struct technique_run *run)
{
    const struct technique *technique = portfolio->members[member].technique;
    if (technique->abandon != NULL)
        technique->abandon(portfolio->members[member].state, run);
}

bool portfolio_checkpoint(const struct portfolio *portfolio, uint32_t member, struct technique_run *run,
                          struct checkpoints *checkpoints, struct server *server, int *from)
{
    const struct technique *technique = portfolio->members[member].technique;
    if (technique->checkpoint == NULL)
        return false;
    *from = technique->checkpoint(portfolio->members[member].state, run, checkpoints, server);
    return true;
}

bool portfolio_ahead(const struct portfolio *portfolio, uint32_t member, const struct technique_run *run,
                     struct technique_ahead *ahead)
{
    const struct technique *technique = portfolio->members[member].technique;
    if (technique->ahead == NULL)
        return false;
    technique->ahead(portfolio->members[member].state, run->modules, ahead);
    return true;
}

/* ---- the end ------------------------------------------------------------------------------------------------------------ */

void portfolio_end(struct portfolio *portfolio, struct technique_end *end)
{
    for (uint32_t i = 0; i < portfolio->count; i++) {
        const struct portfolio_member *own = &portfolio->members[i];
        bool is_open = own->technique->open == NULL || own->state != NULL;
        if (own->technique->end != NULL && is_open && first_of(portfolio, i) == i)
            own->technique->end(own->state, end);
    }
}

static const void *state_of(const struct portfolio *portfolio, const struct technique *technique)
{
    for (uint32_t i = 0; i < portfolio->count; i++)
        if (portfolio->members[i].technique == technique)
            return portfolio->members[i].state;
    return NULL;
}

void portfolio_counts(const struct portfolio *portfolio, portfolio_counts_sink *each, void *context)
{
    for (const struct technique *const *table = portfolio->table; *table != NULL; table++) {
        size_t count = 0;
        if ((*table)->counters == NULL)
            continue;
        while ((*table)->counters[count] != NULL)
            count++;
        uint64_t *values = memory_allocate(count, sizeof *values);
        (*table)->counts(state_of(portfolio, *table), values);
        each(context, (*table)->name, (*table)->counters, values, count);
        free(values);
    }
}

void portfolio_summary(const struct portfolio *portfolio, uint32_t member, struct buffer *out)
{
    const struct portfolio_member *own = &portfolio->members[member];
    if (own->technique->summary != NULL && own->state != NULL && first_of(portfolio, member) == member)
        own->technique->summary(own->state, out);
}
