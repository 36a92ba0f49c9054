/* SPDX-License-Identifier: MIT
 *
 * match.c - see match.h.
 */
#include "pattern/match.h"

#include <assert.h>

#include "util/stop.h"
#include "util/table.h"
#include "util/vector.h"

enum { MOST_WORK = 20000000 }; /* accesses looked at */

/* Accesses are named by their index in the execution's list. */
struct match_candidates {
    VECTOR(uint32_t) list; /* rising */
};

struct matcher {
    const struct pattern *pattern;
    const struct execution *execution;
    VECTOR(uint32_t) events; /* by access: the event that it belongs to */
    struct match_candidates steps[PATTERN_STEPS];
    uint32_t chosen[PATTERN_STEPS]; /* access, for the steps that have one */
    uint64_t work;
};

static const struct access *access_at(const struct matcher *matcher, uint32_t index)
{
    assert(index < matcher->execution->accesses.count);
    return &matcher->execution->accesses.data[index];
}

static const struct event *event_at(const struct matcher *matcher, uint32_t index)
{
    return execution_event(matcher->execution, matcher->events.data[index]);
}

/* ---- what each step may be ---------------------------------------------------------------------------------------- */

static bool is_at_site(const struct sites *sites, uint32_t wanted, uint32_t site)
{
    return wanted == SITE_ANY || wanted == site || (site != SITE_ANY && sites_matches(sites, wanted, site));
}

/* The accesses of an event; a step may be any of them. */
static void add_event(struct matcher *matcher, uint32_t number, const uint32_t *times, const bool *at_site)
{
    unsigned count;
    const struct event *event = execution_event(matcher->execution, number);
    const struct access *accesses = execution_accesses(matcher->execution, number, &count);
    for (unsigned i = 0; i < count; i++) {
        uint32_t index = (uint32_t)matcher->events.count;
        vector_push(&matcher->events, number);
        for (unsigned k = 0; k < matcher->pattern->count; k++) {
            const struct pattern_step *step = &matcher->pattern->steps[k];
            if (at_site[k] && access_fits((enum access_kind)step->kind, (enum access_kind)accesses[i].kind) &&
                (step->occurrence == 0 || step->occurrence == times[k]) &&
                (step->context == 0 || (uint32_t)step->context == (uint32_t)event->context))
                vector_push(&matcher->steps[k].list, index);
        }
    }
}

static void find_candidates(struct matcher *matcher, const struct sites *sites)
{
    struct table visits = {0}; /* task and step → how many times the task was at the step's site */
    for (uint32_t i = 0; i < execution_count(matcher->execution); i++) {
        const struct event *event = execution_event(matcher->execution, i);
        uint32_t times[PATTERN_STEPS] = {0};
        bool at_site[PATTERN_STEPS] = {0};
        for (unsigned k = 0; k < matcher->pattern->count; k++) {
            at_site[k] = is_at_site(sites, matcher->pattern->steps[k].site, event->site);
            if (at_site[k])
                times[k] = (uint32_t)++ * table_put(&visits, ((uint64_t)event->task << 8 | k) + 1);
        }
        add_event(matcher, i, times, at_site);
    }
    assert(matcher->events.count == matcher->execution->accesses.count);
    table_free(&visits);
}

/* ---- trying ------------------------------------------------------------------------------------------------------- */

/* The bytes from lo on that the access has, one bit for each. */
static uint64_t bytes_of(const struct access *access, uint64_t lo)
{
    if (access->hi <= lo || access->lo >= lo + 64)
        return 0;
    uint64_t from = access->lo > lo ? access->lo - lo : 0, to = access->hi - lo < 64 ? access->hi - lo : 64;
    uint64_t below = to == 64 ? UINT64_MAX : (1ull << to) - 1;
    return below & ~((1ull << from) - 1);
}

/* There is a byte on which nothing lies between the two accesses that would hide the first from the second.  Of those that they
   have in common the first 64 are looked at. */
static bool is_immediate(struct matcher *matcher, uint32_t from, uint32_t to)
{
    const struct access *first = access_at(matcher, from), *second = access_at(matcher, to);
    const struct event *first_event = event_at(matcher, from);
    uint64_t lo = first->lo > second->lo ? first->lo : second->lo;
    uint64_t left = bytes_of(first, lo) & bytes_of(second, lo);
    for (uint32_t i = from + 1; i < to && left != 0 && !stop_requested(); i++) {
        const struct access *between = access_at(matcher, i);
        const struct event *event = event_at(matcher, i);
        matcher->work++;
        if (between->space != first->space)
            continue;
        bool again =
            event->task == first_event->task && event->site == first_event->site && between->kind == first->kind;
        if (again || access_blocks((enum access_kind)first->kind, (enum access_kind)between->kind,
                                   (enum access_kind)second->kind))
            left &= ~bytes_of(between, lo);
    }
    return left != 0;
}

/* The access can be this step, with what has been chosen for the steps before it. */
static bool is_possible(struct matcher *matcher, unsigned index, uint32_t candidate)
{
    const struct pattern *pattern = matcher->pattern;
    const struct pattern_step *step = &pattern->steps[index];
    const struct event *own = event_at(matcher, candidate);
    for (unsigned i = 0; i < index; i++) {
        const struct pattern_step *before = &pattern->steps[i];
        uint32_t chosen = matcher->chosen[i];
        if ((before->thread == step->thread) != (event_at(matcher, chosen)->task == own->task) || chosen == candidate ||
            (before->group != step->group && chosen > candidate) ||
            (before->variable == step->variable &&
             !access_overlap(access_at(matcher, chosen), access_at(matcher, candidate))))
            return false;
    }
    int mine = pattern_previous_of_thread(pattern, index);
    if (step->window != 0 && mine >= 0 &&
        own->operation > event_at(matcher, matcher->chosen[mine])->operation + step->window)
        return false;
    int previous = pattern_previous_on_variable(pattern, index);
    return step->relation != RELATION_IMMEDIATE || previous < 0 ||
           is_immediate(matcher, matcher->chosen[previous], candidate);
}

/* With two variables: no byte is common to all accesses. */
static bool are_variables_different(const struct matcher *matcher)
{
    uint64_t lo = 0, hi = UINT64_MAX;
    bool two = false;
    for (unsigned i = 0; i < matcher->pattern->count; i++) {
        const struct access *access = access_at(matcher, matcher->chosen[i]);
        two |= matcher->pattern->steps[i].variable != 0;
        if (access->space != access_at(matcher, matcher->chosen[0])->space)
            return true;
        lo = access->lo > lo ? access->lo : lo;
        hi = access->hi < hi ? access->hi : hi;
    }
    return !two || lo >= hi;
}

static bool try_from(struct matcher *matcher, unsigned index)
{
    if (index == matcher->pattern->count)
        return are_variables_different(matcher);
    const struct match_candidates *candidates = &matcher->steps[index];
    for (size_t i = 0; i < candidates->list.count && matcher->work < MOST_WORK && !stop_requested(); i++) {
        matcher->work++;
        if (!is_possible(matcher, index, candidates->list.data[i]))
            continue;
        matcher->chosen[index] = candidates->list.data[i];
        if (try_from(matcher, index + 1))
            return true;
    }
    return false;
}

enum match pattern_match(const struct pattern *pattern, const struct sites *sites, const struct execution *execution)
{
    assert(pattern->count >= 2 && pattern->count <= PATTERN_STEPS);
    struct matcher matcher = {.pattern = pattern, .execution = execution};
    find_candidates(&matcher, sites);
    bool found = try_from(&matcher, 0);
    enum match match = found ? MATCH_YES : matcher.work < MOST_WORK ? MATCH_NO : MATCH_UNKNOWN;
    if (stop_requested())
        match = MATCH_UNKNOWN;
    vector_free(&matcher.events);
    for (unsigned i = 0; i < PATTERN_STEPS; i++)
        vector_free(&matcher.steps[i].list);
    return match;
}
