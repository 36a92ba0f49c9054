/* SPDX-License-Identifier: MIT
 *
 * maptest.c - the baseline of MAP-coverage: patterns from the static estimate, and switch points at their sites.
 *
 * Z. Wang, Y. Zhao, S. Liu, J. Sun, X. Chen, H. Lin, "MAP-Coverage: A Novel Coverage Criterion for Testing Thread-Safe Classes", ASE 2019
 * (MAPTest).
 *
 * Each run is for one of the 17 patterns over sites that read and write its variables (coverage/variables.h), whether or not it can
 * happen.  Of some that are drawn, the one is taken that was covered least often, and tried least often.
 *
 * Where it differs: variables and their sites are those of observed runs, not of the source; the test is given and not generated.
 * The switches are the director's, without anything that is known from a run: the paper's heuristic holds threads at the sites.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "coverage/variables.h"
#include "technique/techniques.h"
#include "util/memory.h"
#include "util/text.h"

enum { DRAWN = 32 }; /* patterns, of which one is taken */

struct maptest {
    struct technique_setup setup;
    variable_uses uses;
    struct table attempts; /* hash of the instance → how many */
    uint64_t runs, targets, exposed;
};

struct maptest_run {
    struct instance target;
    uint64_t seen; /* runs that had shown it before */
    bool has_target;
};

/* ---- targets ------------------------------------------------------------------------------------------------------ */

static uint64_t key_of(const struct instance *instance)
{
    return hash_bytes(instance, sizeof *instance, 0);
}

static uint64_t seen_of(const struct maptest *maptest, const struct instance *instance)
{
    size_t number = coverage_find(maptest->setup.coverage, instance);
    return number != SIZE_MAX ? coverage_seen(maptest->setup.coverage, number) : 0;
}

static uint64_t tried_of(const struct maptest *maptest, const struct instance *instance)
{
    const uint64_t *tried = table_get(&maptest->attempts, key_of(instance));
    return tried != NULL ? *tried : 0;
}

/* A site of the variable that does the step; SITE_ANY: the ones that were drawn do not. */
static uint32_t draw_site(const struct maptest *maptest, struct generator *random, uint32_t variable, uint8_t kind)
{
    uint8_t wanted = kind == ACCESS_READ ? VARIABLE_READ : VARIABLE_WRITE;
    size_t count = maptest->uses.count, first = generator_below(random, count);
    for (size_t i = 0; i < count; i++) {
        const struct variable_use *use = &maptest->uses.data[(first + i) % count];
        if (use->variable == variable && (use->use & wanted))
            return use->site;
    }
    return SITE_ANY;
}

/* Variables are drawn by their sites: one with many has many patterns. */
static bool draw_target(const struct maptest *maptest, struct generator *random, struct instance *target)
{
    unsigned row = (unsigned)generator_below(random, family_count);
    while (!(families[row].flags & FAMILY_ESTIMATED))
        row = (row + 1) % family_count;
    const struct pattern *shape = family_shape(row);
    uint32_t variables[2];
    for (unsigned i = 0; i < 2; i++)
        variables[i] = maptest->uses.data[generator_below(random, maptest->uses.count)].variable;
    *target = (struct instance){.row = (uint8_t)row};
    for (unsigned i = 0; i < shape->count; i++) {
        const struct pattern_step *step = &shape->steps[i];
        if (step->variable == 1 && variables[0] == variables[1])
            return false;
        target->kind[i] = step->kind;
        target->site[i] = draw_site(maptest, random, variables[step->variable], step->kind);
        if (target->site[i] == SITE_ANY)
            return false;
    }
    uint8_t order[PATTERN_STEPS];
    instance_canonical(target, order);
    return true;
}

/* The least covered, then the least tried. */
static bool choose_target(struct maptest *maptest, struct technique_run *run, struct maptest_run *own)
{
    uint64_t best_tried = 0;
    variables_uses(coverage_variables(maptest->setup.coverage), &maptest->uses);
    for (int i = 0; i < DRAWN && maptest->uses.count > 0; i++) {
        struct instance target;
        if (!draw_target(maptest, &run->random, &target))
            continue;
        uint64_t seen = seen_of(maptest, &target), tried = tried_of(maptest, &target);
        if (own->has_target && (seen > own->seen || (seen == own->seen && tried >= best_tried)))
            continue;
        *own = (struct maptest_run){.target = target, .seen = seen, .has_target = true};
        best_tried = tried;
    }
    return own->has_target;
}

/* ---- runs --------------------------------------------------------------------------------------------------------- */

static void plan_run(void *state, struct technique_run *run)
{
    struct maptest *maptest = state;
    struct maptest_run *own = run->own;
    const struct director_source nothing = {0};
    struct technique_process context = {maptest->setup.coverage, run->modules};
    unsigned missing;
    technique_plan_profile(run);
    run->observe = true;
    if (run->number == 1 || !choose_target(maptest, run, own))
        return;
    uint64_t *tried = table_put(&maptest->attempts, key_of(&own->target));
    struct pattern pattern = instance_pattern(&own->target);
    own->has_target = director_plan(run->plan, &run->steps, &pattern, coverage_window(maptest->setup.coverage),
                                    &nothing, (uint32_t)*tried, technique_pcs, &context, &missing);
    maptest->targets += *tried == 0;
    ++*tried;
    if (!own->has_target)
        return;
    maptest->runs++;
    run->plan->goal.flags |= GOAL_RANDOM_AFTER;
    run->aimed = true;
}

static bool observe_run(void *state, const struct technique_run *run, const struct technique_seen *seen)
{
    struct maptest *maptest = state;
    const struct maptest_run *own = run != NULL ? run->own : NULL;
    if (seen->observed && own != NULL && own->has_target)
        maptest->exposed += seen_of(maptest, &own->target) > own->seen;
    return false;
}

/* ---- the technique ------------------------------------------------------------------------------------------------ */

static void *open_maptest(const struct technique_setup *setup, struct error *error)
{
    (void)error;
    struct maptest *maptest = memory_allocate(1, sizeof *maptest);
    maptest->setup = *setup;
    return maptest;
}

static void close_maptest(void *state)
{
    struct maptest *maptest = state;
    vector_free(&maptest->uses);
    table_free(&maptest->attempts);
    free(maptest);
}

static const char *const counters[] = {"attempts", "targets", "exposed", NULL};

static void count(const void *state, uint64_t *values)
{
    const struct maptest *maptest = state;
    const uint64_t all[] = {maptest != NULL ? maptest->runs : 0, maptest != NULL ? maptest->targets : 0,
                            maptest != NULL ? maptest->exposed : 0};
    memcpy(values, all, sizeof all);
}

static void summarise(const void *state, struct buffer *out)
{
    const struct maptest *maptest = state;
    if (maptest->runs > 0)
        buffer_printf(out, "%" PRIu64 " attempt%s at %" PRIu64 " pattern%s of the estimate: %" PRIu64 " showed theirs",
                      maptest->runs, text_plural(maptest->runs), maptest->targets, text_plural(maptest->targets),
                      maptest->exposed);
}

const struct technique technique_maptest = {
    .name = "maptest",
    .help = "switches threads at the sites of the least covered maps; a baseline",
    .flags = TECHNIQUE_COVERAGE | TECHNIQUE_AIMS,
    .families = "map",
    .strategy = STRATEGY_PCTLARGE,
    .run_size = sizeof(struct maptest_run),
    .counters = counters,
    .open = open_maptest,
    .plan = plan_run,
    .observe = observe_run,
    .counts = count,
    .summary = summarise,
    .close = close_maptest,
};
