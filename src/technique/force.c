/* SPDX-License-Identifier: MIT
 *
 * force.c - see force.h.
 */
#include "technique/force.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "pattern/match.h"
#include "technique/techniques.h"
#include "technique/why_not.h"
#include "util/hash.h"
#include "util/memory.h"

/* What a run is for. */
struct force_run {
    bool directed; /* false: a profile run */
};

enum { PROFILES = 4 }; /* runs before the first attempt, and one more now and then */

struct force {
    struct traces traces; /* of the runs */
    char *text;
    struct sites *own_sites; /* until the coverage's are there */
    struct pattern pattern;
    family_mask rows;
    struct coverage *coverage;
    uint64_t seed, runs, attempts;
    size_t looked_at;       /* instances below this number */
    VECTOR(size_t) fitting; /* instances */
    uint64_t seen;          /* count_seen after the last run */
    bool succeeded;
    bool by_profile;   /* … without being forced */
    uint64_t schedule; /* in which it happened */
    uint32_t reached;  /* steps that a thread came to, in any attempt */
    unsigned missing;  /* step whose site is nowhere; PATTERN_STEPS none */
    uint32_t most;     /* steps of the best attempt */
    uint32_t hindrance, task;
    char *where; /* of the hindrance */
};

/* What the pattern calls immediate is so in the shape: then an instance of the shape is what was written. */
static bool is_implied(const struct pattern *pattern, const struct pattern *shape)
{
    for (unsigned i = 0; i < pattern->count; i++)
        if (pattern->steps[i].relation == RELATION_IMMEDIATE && shape->steps[i].relation != RELATION_IMMEDIATE)
            return false;
    return true;
}

/* The rows that have the pattern's shape, or that of its family.  Those that ask for more than an order of accesses have to be named. */
static family_mask rows_of(const struct pattern *pattern)
{
    family_mask rows = 0;
    for (unsigned row = 0; row < family_count; row++) {
        const struct pattern *shape = family_shape(row);
        bool is_order = !(families[row].flags & (FAMILY_UNIT | FAMILY_SET));
        bool fits = pattern->family != NULL
                        ? pattern->family == &families[row]
                        : is_order && pattern_has_shape(pattern, shape) && is_implied(pattern, shape);
        if (fits)
            rows |= (family_mask)1 << row;
    }
    return rows;
}

static void force_free(struct force *force)
{
    if (force->own_sites != NULL)
        sites_free(force->own_sites);
    vector_free(&force->fitting);
    traces_free(&force->traces);
    free(force->where);
    free(force->text);
    free(force);
}

/* NULL: error. */
static struct force *force_new(const char *text, struct error *error)
{
    struct force *force = memory_allocate(1, sizeof *force);
    force->text = memory_copy_string(text);
    force->own_sites = sites_new();
    force->missing = PATTERN_STEPS;
    if (!pattern_parse(text, force->own_sites, &force->pattern, error)) {
        force_free(force);
        return NULL;
    }
    force->rows = rows_of(&force->pattern);
    return force;
}

family_mask force_families(const char *text, struct error *error)
{
    struct force *force = force_new(text, error);
    if (force == NULL)
        return 0;
    family_mask rows = force->rows;
    force_free(force);
    return rows != 0 ? rows : family_by_name("idiom.1", error);
}

static void *open_force(const struct technique_setup *setup, struct error *error)
{
    assert(setup->pattern != NULL && setup->coverage != NULL);
    struct force *force = force_new(setup->pattern, error);
    if (force == NULL)
        return NULL;
    force->coverage = setup->coverage;
    force->seed = setup->seed;
    if (!pattern_parse(force->text, coverage_sites(setup->coverage), &force->pattern, error)) {
        force_free(force);
        return NULL;
    }
    return force;
}

static void close_force(void *state)
{
    force_free(state);
}

/* ---- fitting ------------------------------------------------------------------------------------------------------ */

static bool steps_fit(const struct force *force, const struct pattern *found)
{
    const struct sites *sites = coverage_sites(force->coverage);
    for (unsigned i = 0; i < found->count; i++) {
        const struct pattern_step *wanted = &force->pattern.steps[i];
        if (!access_fits((enum access_kind)wanted->kind, (enum access_kind)found->steps[i].kind) ||
            (wanted->site != SITE_ANY && !sites_matches(sites, wanted->site, found->steps[i].site)))
            return false;
    }
    return true;
}

/* The instance in the order in which the pattern was written; order[i] is its step that is step i there. */
static bool fits(const struct force *force, const struct instance *instance, struct pattern *found,
                 uint8_t order[PATTERN_STEPS])
{
    if (!(force->rows >> instance->row & 1))
        return false;
    for (unsigned i = 0; i < PATTERN_STEPS; i++)
        order[i] = (uint8_t)i;
    *found = instance_pattern(instance);
    if (steps_fit(force, found))
        return true;
    struct instance other;
    if (!instance_other_name(instance, &other, order))
        return false;
    *found = instance_pattern(&other);
    return steps_fit(force, found);
}

static void look_for_fitting(struct force *force)
{
    struct pattern found;
    uint8_t order[PATTERN_STEPS];
    for (; force->looked_at < coverage_instance_count(force->coverage); force->looked_at++)
        if (fits(force, coverage_instance(force->coverage, force->looked_at), &found, order))
            vector_push(&force->fitting, force->looked_at);
}

/* Runs that showed a fitting instance, counted once for each. */
static uint64_t count_seen(const struct force *force)
{
    uint64_t seen = 0;
    for (size_t i = 0; i < force->fitting.count; i++)
        seen += coverage_seen(force->coverage, force->fitting.data[i]);
    return seen;
}

/* Says more than an instance can: which execution of a place, or how close. */
static bool is_particular(const struct pattern *pattern)
{
    for (unsigned i = 0; i < pattern->count; i++)
        if (pattern->steps[i].occurrence != 0 || pattern->steps[i].context != 0 || pattern->steps[i].window != 0)
            return true;
    return false;
}

/* ---- plans -------------------------------------------------------------------------------------------------------- */

/* All sites that what was written may mean. */
static size_t pcs_of(void *context, uint32_t wanted, uint64_t *pcs, size_t most)
{
    const struct technique_process *own = context;
    const struct sites *sites = coverage_sites(own->coverage);
    size_t count = 0;
    for (uint32_t site = 1; site <= sites_count(sites) && count < most; site++)
        if (site == wanted || sites_matches(sites, wanted, site))
            count += coverage_pcs(own->coverage, site, own->modules, pcs + count, most - count);
    return count;
}

/* What is tried next: the pattern as it was written, at the places of a fitting instance if one is open. */
static uint32_t choose_source(struct force *force, struct pattern *pattern, struct director_source *source,
                              struct witness witnesses[PATTERN_STEPS])
{
    struct coverage_open open;
    struct pattern found;
    uint8_t order[PATTERN_STEPS];
    uint32_t attempt = (uint32_t)force->attempts;
    size_t count = force->fitting.count;
    if (count == 0 || !coverage_open_at(force->coverage, force->fitting.data[attempt % count], &open))
        return attempt;
    fits(force, open.instance, &found, order);
    for (unsigned i = 0; i < pattern->count; i++) {
        pattern->steps[i].site = found.steps[i].site;
        pattern->steps[i].kind = found.steps[i].kind;
        if (pattern->family != NULL)
            pattern->steps[i].relation = found.steps[i].relation;
    }
    attempt = (uint32_t)(attempt / count);
    *source = coverage_source_of(&open, attempt / 2);
    if (source->witnesses != NULL) {
        for (unsigned i = 0; i < PATTERN_STEPS; i++)
            witnesses[i] = source->witnesses[order[i]];
        source->witnesses = witnesses;
    }
    return attempt;
}

static void plan_attempt(void *state, struct technique_run *run)
{
    struct force *force = state;
    struct force_run *own = run->own;
    run->observe = true;
    technique_plan_profile(run);
    uint64_t number = ++force->runs;
    if (number <= PROFILES || number % 16 == 0)
        return;
    struct director_source source = {0};
    struct witness witnesses[PATTERN_STEPS];
    struct pattern pattern = force->pattern;
    uint32_t attempt = choose_source(force, &pattern, &source, witnesses);
    struct technique_process context = {force->coverage, run->modules};
    run->plan->seed = hash_combine(force->seed, number);
    force->attempts++;
    force->missing = PATTERN_STEPS;
    own->directed = director_plan(run->plan, &run->steps, &pattern, coverage_window(force->coverage), &source, attempt,
                                  pcs_of, &context, &force->missing);
    run->aimed = own->directed;
}

/* The events of the run show the pattern as it was written. */
static bool is_in_events(const struct force *force, const struct execution *execution, bool done)
{
    enum match match = pattern_match(&force->pattern, coverage_sites(force->coverage), execution);
    return match == MATCH_YES || (match == MATCH_UNKNOWN && done);
}

/* The run has just been observed by the coverage. */
static bool has_happened(struct force *force, const struct technique_seen *seen, bool done)
{
    look_for_fitting(force);
    uint64_t runs = count_seen(force);
    bool happened = runs > force->seen;
    force->seen = runs;
    if (force->pattern.family == NULL) /* asks for no more than an instance, or for less */
        return (happened && !is_particular(&force->pattern)) || is_in_events(force, seen->execution, done);
    return happened && (!is_particular(&force->pattern) || is_in_events(force, seen->execution, done));
}

/* What stood in the way of the best attempt. */
static void note_hindrance(struct force *force, const struct wire_directed *directed, struct symbols *symbols)
{
    force->reached |= directed->reached;
    if (force->where != NULL && __builtin_popcount(directed->most) <= __builtin_popcount(force->most))
        return;
    force->most = directed->most;
    force->hindrance = directed->hindrance;
    force->task = directed->task;
    free(force->where);
    force->where = memory_copy_string(directed->pc != 0 ? symbols_site(symbols, directed->pc)->where : "");
}

static bool observe_run(void *state, const struct technique_run *run, const struct technique_seen *seen)
{
    struct force *force = state;
    const struct wire_directed *directed = &seen->copy->result.directed;
    if (!seen->observed || run == NULL)
        return false;
    force->traces.window = coverage_window(force->coverage);
    traces_add(&force->traces, seen->execution);
    bool directed_run = ((const struct force_run *)run->own)->directed;
    bool happened = has_happened(force, seen, directed_run && directed->done);
    if (happened && !force->succeeded) {
        force->succeeded = true;
        force->by_profile = !directed_run;
        force->schedule = seen->schedule;
    }
    if (directed_run && !happened)
        note_hindrance(force, directed, seen->symbols);
    return force->succeeded;
}

/* ---- the end -------------------------------------------------------------------------------------------------------- */

static void print_step(const struct force *force, unsigned index, struct buffer *out)
{
    const struct pattern_step *step = &force->pattern.steps[index];
    buffer_printf(out, "%c:%s(%s)", 'a' + step->thread, access_kind_name((enum access_kind)step->kind),
                  force->pattern.variables[step->variable]);
    if (step->site != SITE_ANY) {
        buffer_add_char(out, '@');
        sites_print(coverage_sites(force->coverage), step->site, SITE_SHORT, out);
    }
}

static void print_hindrance(const struct force *force, struct buffer *out)
{
    const char *place = force->where != NULL && force->where[0] != '\0' ? force->where : "an unknown place";
    switch (force->hindrance) {
    case HINDRANCE_BROKEN:
        buffer_printf(out, "T%u had to access the variable in between, at %s, before any other thread could go on\n",
                      force->task, place);
        break;
    case HINDRANCE_ALONE:
        buffer_printf(
            out,
            "T%u waited at %s until no other thread could run: the other thread cannot get to its step while it "
            "waits there\n",
            force->task, place);
        break;
    case HINDRANCE_WINDOW:
        buffer_printf(out, "T%u did too much between its two steps (--window), last seen at %s\n", force->task, place);
        break;
    case HINDRANCE_ENDED:
        buffer_printf(out, "T%u ended before it came to its next step\n", force->task);
        break;
    case HINDRANCE_UNIT:
        buffer_printf(out, "T%u was at %s, out of the unit of work of its last step, before its next one\n",
                      force->task, place);
        break;
    case HINDRANCE_OUTCOME:
        buffer_printf(out, "what T%u did at %s turned out as another kind of access\n", force->task, place);
        break;
    default:
        buffer_add_string(out, "the steps were reached, but never in this order\n");
    }
}

/* What the predictor leaves out says something only about patterns that ask for no less than a family does. */
static bool is_known_to_predictor(const struct force *force)
{
    for (unsigned row = 0; row < family_count; row++) {
        if (!(force->rows >> row & 1))
            continue;
        if (force->pattern.family != NULL || is_implied(family_shape(row), &force->pattern))
            return true;
    }
    return false;
}

/* What the runs say about it: no order of any of them shows it, or not. */
static void print_reason(struct force *force, struct symbols *symbols, struct buffer *out)
{
    struct core core;
    const struct sites *sites = coverage_sites(force->coverage);
    size_t count = force->traces.all.count;
    if (count == 0 || !solver_available())
        return;
    if (why_not(&force->traces, &force->pattern, sites, coverage_window(force->coverage), &core)) {
        if (count == 1)
            buffer_add_string(out, "impossible in any order of the run that was seen: ");
        else
            buffer_printf(out, "impossible in any order of all %zu different runs that were seen: ", count);
        core_words(&core, sites, symbols, out);
        buffer_add_char(out, '\n');
    } else {
        buffer_add_string(out, "whether it is impossible in any order of these runs is not known\n");
    }
}

static void print_outcome(struct force *force, struct symbols *symbols, struct buffer *out)
{
    if (force->succeeded) {
        buffer_printf(out, "exposed in schedule %" PRIu64 "%s: %s\n", force->schedule,
                      force->by_profile ? ", which was not even forced" : "", force->text);
        return;
    }
    buffer_printf(out, "not exposed in %" PRIu64 " attempt%s: %s\n", force->attempts, force->attempts == 1 ? "" : "s",
                  force->text);
    bool all = true;
    for (unsigned i = 0; i < force->pattern.count; i++) {
        if (force->missing != PATTERN_STEPS ? force->missing != i : force->reached >> i & 1)
            continue;
        all = false;
        buffer_add_string(out, force->missing == i ? "no access to shared memory was seen at step "
                                                   : "no thread came to step ");
        print_step(force, i, out);
        buffer_add_string(out, force->missing == i ? " in any run: is the place right, and does this input get there?\n"
                                                   : " when it was its turn\n");
    }
    if (all || (force->missing == PATTERN_STEPS && force->hindrance != HINDRANCE_NONE))
        print_hindrance(force, out);
    if (all && is_known_to_predictor(force) && force->fitting.count == 0)
        buffer_add_string(out, "the predictor does not expect it either: locks, joins or waits seem to forbid it\n");
    if (force->missing == PATTERN_STEPS)
        print_reason(force, symbols, out);
}

/* One or more lines: it happened, or why it did not. */
static void end_force(void *state, struct technique_end *end)
{
    struct force *force = state;
    struct buffer text = {0};
    print_outcome(force, end->symbols, &text);
    for (const char *line = buffer_text(&text); *line != '\0';) {
        size_t length = strcspn(line, "\n");
        vector_push(&end->lines, memory_format("%.*s", (int)length, line));
        line += length + (line[length] == '\n');
    }
    buffer_free(&text);
    end->failed = !force->succeeded;
}

const struct technique technique_force = {
    .name = "force",
    .help = "makes one given pattern happen",
    .flags = TECHNIQUE_HIDDEN | TECHNIQUE_COVERAGE | TECHNIQUE_AIMS,
    .strategy = STRATEGY_PCTLARGE,
    .run_size = sizeof(struct force_run),
    .open = open_force,
    .plan = plan_attempt,
    .observe = observe_run,
    .end = end_force,
    .close = close_force,
};
