/* SPDX-License-Identifier: MIT
 *
 * coverage.c - which instances of patterns the runs of a campaign have shown; see coverage.h.
 */
#include "coverage/coverage.h"

#include <assert.h>
#include <string.h>

#include "coverage/coverage_private.h"
#include "util/clock.h"
#include "util/memory.h"
#include "util/stop.h"

enum {
    PROFILES_IN_ANY_CASE = 3,
    COUNT_WORK = 50,              /* what an instance of a run costs, in units of observer_work() */
    READ_WORK = 32,               /* what an event costs to record and to read, in the same units */
    PREDICT_ALLOWANCE = 10000000, /* work that predictions may take beyond that of observations */
};

#define COUNT_GRACE (CLOCK_SECOND / 5) /* what was observed is counted after the end of the time, too */

/* ---- life --------------------------------------------------------------------------------------------------------- */

/* "idiom.4" belongs to "idiom". */
static void make_groups(struct coverage *coverage)
{
    for (unsigned row = 0; row < family_count; row++) {
        if (!(coverage->options.families >> row & 1))
            continue;
        const char *name = families[row].name;
        size_t length = strcspn(name, "."), group = 0;
        while (group < coverage->group_count && (strncmp(coverage->groups[group].name, name, length) != 0 ||
                                                 coverage->groups[group].name[length] != '\0'))
            group++;
        struct coverage_group *entry = &coverage->groups[group];
        if (group == coverage->group_count) {
            if (group == GROUPS || length >= sizeof entry->name)
                continue; /* the table of families has become larger than expected */
            coverage->group_count++;
            memcpy(entry->name, name, length);
        }
        entry->rows |= (family_mask)1 << row;
        coverage->group_of_row[row] = (uint8_t)group;
    }
}

struct coverage *coverage_new(const struct coverage_options *options)
{
    struct coverage *coverage = memory_allocate(1, sizeof *coverage);
    coverage->options = *options;
    coverage->found.bare = coverage->all.bare = true;
    coverage->sites = sites_new();
    coverage->cores.sites = coverage->sites;
    coverage->site_map = site_map_new(coverage->sites);
    struct observer_options observer = {.wanted = options->families, .window = options->window, .clears_found = true};
    coverage->observer = observer_new(&observer, &coverage->found);
    coverage->predictor = &predictor_locksets;
    make_groups(coverage);
    return coverage;
}

void coverage_free(struct coverage *coverage)
{
    if (coverage == NULL)
        return;
    coverage_open_free(coverage);
    variables_free(&coverage->variables);
    observer_free(coverage->observer);
    site_map_free(coverage->site_map);
    cores_free(&coverage->cores);
    sites_free(coverage->sites);
    instances_free(&coverage->found);
    instances_free(&coverage->all);
    vector_free(&coverage->known);
    for (unsigned i = 0; i <= GROUPS; i++)
        unseen_free(&coverage->unseen[i]);
    vector_free(&coverage->curve);
    free(coverage);
}

/* ---- runs --------------------------------------------------------------------------------------------------------- */

size_t coverage_number(struct coverage *coverage, const struct instance *instance)
{
    if (!instances_add(&coverage->all, instance, NULL))
        return instances_find(&coverage->all, instance);
    vector_push(&coverage->known, (struct known_instance){0});
    assert(coverage->known.count == coverage->all.all.count);
    return coverage->known.count - 1;
}

/* Rows for which there is an estimate, of those that are wanted. */
static family_mask estimated_rows(const struct coverage *coverage)
{
    family_mask rows = 0;
    for (unsigned row = 0; row < family_count; row++)
        if (families[row].flags & FAMILY_ESTIMATED)
            rows |= (family_mask)1 << row;
    return rows & coverage->options.families;
}

/* An instance occurred in this run.  True: for the first time. */
static bool count_instance(struct coverage *coverage, const struct instance *instance)
{
    struct unseen *group = &coverage->unseen[coverage->group_of_row[instance->row]];
    struct unseen *all = &coverage->unseen[GROUPS];
    if (coverage->known.count >= COVERAGE_MOST && coverage_find(coverage, instance) == SIZE_MAX) {
        coverage->cut = true; /* it counts as new each time */
        unseen_first(group);
        unseen_first(all);
        return false;
    }
    size_t number = coverage_number(coverage, instance);
    struct known_instance *known = &coverage->known.data[number];
    known->runs++;
    if (known->runs == 1) {
        known->first_run = all->runs;
        unseen_first(group);
        unseen_first(all);
        coverage->rows[instance->row].covered++;
        coverage_close_instance(coverage, number);
    } else if (known->runs == 2) {
        unseen_again(group, known->first_run);
        unseen_again(all, known->first_run);
    }
    return known->runs == 1;
}

/* When there are too many points, every other one goes. */
static void draw_curve(struct coverage *coverage, uint64_t schedule)
{
    uint64_t covered = coverage_count(coverage, coverage->options.families).covered;
    size_t count = coverage->curve.count;
    struct coverage_point *points = coverage->curve.data;
    if (count > 0 && points[count - 1].schedule >= schedule) { /* with several jobs, schedules end in any order */
        points[count - 1].covered = covered;
        return;
    }
    if (count == COVERAGE_CURVE) {
        for (size_t i = 1; 2 * i < count; i++)
            points[i] = points[2 * i];
        coverage->curve.count = count / 2;
    }
    vector_push(&coverage->curve, (struct coverage_point){schedule, covered});
}

static uint64_t observe_work(const struct coverage *coverage)
{
    return observer_work(coverage->observer) + coverage->count_work;
}

/* Where runs are long and cover something new each time, predictions get as much work as observations, and no more. */
static bool is_predicted_from(const struct coverage *coverage, const struct coverage_run *run,
                              enum coverage_predict predict)
{
    if (predict != PREDICT_NEW)
        return predict == PREDICT_ALWAYS;
    bool wanted = run->new_covered > 0 || coverage_observed(coverage) <= COVERAGE_PROFILES;
    uint64_t allowed = observe_work(coverage) + PREDICT_ALLOWANCE;
    return wanted && (coverage->profiled < PROFILES_IN_ANY_CASE || coverage->predict_work <= allowed);
}

void coverage_read(struct coverage *coverage, const struct wire_copy *copy, const struct server_symbols *loaded,
                   struct execution *execution)
{
    execution_read(execution, copy);
    site_map_find(coverage->site_map, &loaded->modules, loaded->symbols, execution->events.data,
                  execution->events.count);
}

/* At least a quarter is left for predictions: where nothing is open, nothing can be aimed at. */
static uint64_t left_of(const struct coverage *coverage, uint64_t before, uint64_t work_most)
{
    uint64_t used = coverage_work(coverage) - before, least = work_most / 4;
    return used + least < work_most ? work_most - used : least;
}

struct coverage_run coverage_observe(struct coverage *coverage, const struct execution *execution, uint64_t schedule,
                                     enum coverage_predict predict, uint64_t work_most)
{
    struct coverage_run run = {0};
    uint64_t before = coverage_work(coverage);
    coverage->events += execution_count(execution);
    coverage->left_out += execution->left_out;
    coverage->read_work += execution_count(execution) * (uint64_t)READ_WORK;
    instances_clear(&coverage->found);
    observer_observe(coverage->observer, execution, work_most / 2);
    if (estimated_rows(coverage) != 0)
        variables_observe(&coverage->variables, execution);
    for (unsigned i = 0; i <= GROUPS; i++)
        unseen_run(&coverage->unseen[i]);
    run.cut = stop_requested();
    int64_t end = stop_finish(COUNT_GRACE);
    for (size_t i = 0; i < coverage->found.all.count && !stop_requested(); i++)
        run.new_covered += count_instance(coverage, &coverage->found.all.data[i]);
    stop_at(end);
    run.covered = (uint32_t)coverage->found.all.count;
    coverage->count_work += run.covered * (uint64_t)COUNT_WORK;
    coverage->lost_events |= execution->lost_events;
    if (run.new_covered > 0)
        draw_curve(coverage, schedule);
    if (!stop_requested() && is_predicted_from(coverage, &run, predict))
        run.new_predicted = coverage_predict_run(coverage, execution, schedule, left_of(coverage, before, work_most));
    return run;
}

void coverage_not_passed(struct coverage *coverage)
{
    for (size_t i = 0; i < coverage->found.all.count; i++) {
        size_t number = coverage_find(coverage, &coverage->found.all.data[i]);
        if (number != SIZE_MAX)
            coverage->known.data[number].bad++;
    }
}

/* ---- numbers ------------------------------------------------------------------------------------------------------ */

family_mask coverage_families(const struct coverage *coverage)
{
    return coverage->options.families;
}

uint32_t coverage_window(const struct coverage *coverage)
{
    return coverage->options.window != 0 ? coverage->options.window : OBSERVE_WINDOW;
}

bool coverage_needs_units(const struct coverage *coverage)
{
    return family_needs_units(coverage->options.families);
}

struct cores *coverage_cores(struct coverage *coverage)
{
    return &coverage->cores;
}

struct sites *coverage_sites(const struct coverage *coverage)
{
    return coverage->sites;
}

struct coverage_count coverage_count(const struct coverage *coverage, family_mask rows)
{
    struct coverage_count sum = {0};
    for (unsigned row = 0; row < family_count; row++)
        if (rows >> row & 1) {
            sum.covered += coverage->rows[row].covered;
            sum.predicted += coverage->rows[row].predicted;
            sum.open += coverage->rows[row].open;
            sum.impossible += coverage->rows[row].impossible;
            sum.corrected += coverage->rows[row].corrected;
        }
    return sum;
}

/* Two variables of the pattern are one for the estimate: it does not count the instance. */
static bool is_in_estimate(const struct coverage *coverage, const struct instance *instance)
{
    const struct pattern *shape = family_shape(instance->row);
    for (unsigned i = 1; i < shape->count; i++)
        if (!variables_are_one(&coverage->variables, instance->site[0], instance->site[i]))
            return true;
    return shape->steps[0].variable == shape->steps[shape->count - 1].variable &&
           shape->steps[1].variable == shape->steps[0].variable;
}

bool coverage_estimate(const struct coverage *coverage, family_mask rows, struct coverage_estimate *estimate)
{
    variable_list variables = {0};
    *estimate = (struct coverage_estimate){0};
    rows &= estimated_rows(coverage);
    if (rows == 0)
        return false;
    variables_list(&coverage->variables, &variables);
    estimate->variables = variables.count;
    for (unsigned row = 0; row < family_count; row++)
        if (rows >> row & 1)
            estimate->total += variables_estimate(&variables, family_shape(row));
    for (size_t i = 0; i < coverage->known.count; i++)
        if (coverage->known.data[i].runs > 0 && (rows >> coverage->all.all.data[i].row & 1))
            estimate->covered += is_in_estimate(coverage, &coverage->all.all.data[i]);
    vector_free(&variables);
    return true;
}

const struct variables *coverage_variables(const struct coverage *coverage)
{
    return &coverage->variables;
}

size_t coverage_group_count(const struct coverage *coverage)
{
    return coverage->group_count;
}

const struct coverage_group *coverage_group(const struct coverage *coverage, size_t group)
{
    assert(group < coverage->group_count);
    return &coverage->groups[group];
}

uint64_t coverage_observed(const struct coverage *coverage)
{
    return coverage->unseen[GROUPS].runs;
}

uint64_t coverage_profiled(const struct coverage *coverage)
{
    return coverage->profiled;
}

uint64_t coverage_work(const struct coverage *coverage)
{
    return observe_work(coverage) + coverage->predict_work + coverage->read_work;
}

struct coverage_looked coverage_looked(const struct coverage *coverage)
{
    return (struct coverage_looked){.events = coverage->events,
                                    .left_out = coverage->left_out,
                                    .dependencies = observer_dependencies(coverage->observer),
                                    .passed_over = observer_passed_over(coverage->observer)};
}

bool coverage_has_lost_events(const struct coverage *coverage)
{
    return coverage->lost_events;
}

bool coverage_is_cut(const struct coverage *coverage)
{
    return coverage->cut;
}

double coverage_chance_of_new(const struct coverage *coverage, int group)
{
    return unseen_chance(&coverage->unseen[group == COVERAGE_ALL ? GROUPS : group]);
}

bool coverage_is_saturated(const struct coverage *coverage, double bound)
{
    return unseen_is_below(&coverage->unseen[GROUPS], bound);
}

const struct coverage_point *coverage_curve(const struct coverage *coverage, size_t *count)
{
    *count = coverage->curve.count;
    return coverage->curve.data;
}

/* ---- instances ---------------------------------------------------------------------------------------------------- */

size_t coverage_instance_count(const struct coverage *coverage)
{
    return coverage->known.count;
}

const struct instance *coverage_instance(const struct coverage *coverage, size_t number)
{
    assert(number < coverage->known.count);
    return &coverage->all.all.data[number];
}

uint64_t coverage_seen(const struct coverage *coverage, size_t number)
{
    assert(number < coverage->known.count);
    return coverage->known.data[number].runs;
}

uint64_t coverage_passed(const struct coverage *coverage, size_t number)
{
    assert(number < coverage->known.count);
    const struct known_instance *known = &coverage->known.data[number];
    return known->runs - known->bad;
}

bool coverage_is_predicted(const struct coverage *coverage, size_t number)
{
    assert(number < coverage->known.count);
    return coverage->known.data[number].predicted;
}

bool coverage_is_impossible(const struct coverage *coverage, size_t number)
{
    assert(number < coverage->known.count);
    return coverage->known.data[number].impossible;
}

size_t coverage_find(const struct coverage *coverage, const struct instance *instance)
{
    return instances_find(&coverage->all, instance);
}

uint32_t coverage_site_at(struct coverage *coverage, const struct server_symbols *loaded, uint64_t pc)
{
    struct event event = {.op = OP_READ, .pc = pc, .size = 1};
    site_map_find(coverage->site_map, &loaded->modules, loaded->symbols, &event, 1);
    return event.site;
}

size_t coverage_pcs(const struct coverage *coverage, uint32_t site, const struct wire_modules *modules, uint64_t *pcs,
                    size_t most)
{
    return site_map_pcs(coverage->site_map, site, modules, pcs, most);
}
