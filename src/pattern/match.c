/* SPDX-License-Identifier: MIT
 *
 * match.c - see match.h.
 */
#include "pattern/match.h"

#include "trace/waits.h"
#include "util/stop.h"
#include "util/table.h"
#include "util/vector.h"

enum { MOST_WORK = 20000000 }; /* accesses looked at */

struct found_access {
    struct access access;
    uint64_t operation, context;
    uint32_t site;
    uint16_t task;
};

struct candidates {
    VECTOR(uint32_t) list; /* indices into `accesses`, rising */
};

struct matcher {
    const struct pattern *pattern;
    VECTOR(struct found_access) accesses;
    struct candidates steps[PATTERN_STEPS];
    uint32_t chosen[PATTERN_STEPS]; /* index, for the steps that have one */
    uint64_t work;
};

static const struct found_access *chosen(const struct matcher *matcher, unsigned step)
{
    return &matcher->accesses.data[matcher->chosen[step]];
}

/* ---- what each step may be ---------------------------------------------------------------------------------------- */

static bool is_at_site(const struct sites *sites, uint32_t wanted, uint32_t site)
{
    return wanted == SITE_ANY || wanted == site || (site != SITE_ANY && sites_matches(sites, wanted, site));
}

/* The accesses of an event; a step may be any of them. */
static void add_event(struct matcher *matcher, const struct event *event, uint64_t mutex, const uint32_t *times,
                      const bool *at_site)
{
    struct access accesses[EVENT_ACCESSES];
    unsigned count = event_accesses(event, mutex, accesses);
    for (unsigned i = 0; i < count; i++) {
        uint32_t index = (uint32_t)matcher->accesses.count;
        vector_push(&matcher->accesses, (struct found_access){.access = accesses[i],
                                                              .operation = event->operation,
                                                              .context = event->context,
                                                              .site = event->site,
                                                              .task = event->task});
        for (unsigned k = 0; k < matcher->pattern->count; k++) {
            const struct pattern_step *step = &matcher->pattern->steps[k];
            if (at_site[k] && access_fits((enum access_kind)step->kind, (enum access_kind)accesses[i].kind) &&
                (step->occurrence == 0 || step->occurrence == times[k]) &&
                (step->context == 0 || (uint32_t)step->context == (uint32_t)event->context))
                vector_push(&matcher->steps[k].list, index);
        }
    }
}

static void read_events(struct matcher *matcher, const struct sites *sites, const struct wire_event *events,
                        const uint32_t *event_sites, size_t count)
{
    struct waits waits = {0};
    struct table visits = {0}; /* task and step → how many times it was at the step's place */
    for (size_t i = 0; i < count; i++) {
        struct event event = event_from_wire(&events[i], event_sites[i]);
        uint64_t mutex = waits_event(&waits, &event);
        uint32_t times[PATTERN_STEPS] = {0};
        bool at_site[PATTERN_STEPS] = {0};
        for (unsigned k = 0; k < matcher->pattern->count; k++) {
            at_site[k] = is_at_site(sites, matcher->pattern->steps[k].site, event.site);
            if (at_site[k])
                times[k] = (uint32_t)++ * table_put(&visits, ((uint64_t)event.task << 8 | k) + 1);
        }
        add_event(matcher, &event, mutex, times, at_site);
    }
    table_free(&visits);
    waits_free(&waits);
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
    const struct found_access *first = &matcher->accesses.data[from], *second = &matcher->accesses.data[to];
    uint64_t lo = first->access.lo > second->access.lo ? first->access.lo : second->access.lo;
    uint64_t left = bytes_of(&first->access, lo) & bytes_of(&second->access, lo);
    for (uint32_t i = from + 1; i < to && left != 0 && !stop_requested(); i++) {
        const struct found_access *between = &matcher->accesses.data[i];
        matcher->work++;
        if (between->access.space != first->access.space)
            continue;
        bool again =
            between->task == first->task && between->site == first->site && between->access.kind == first->access.kind;
        if (again || access_blocks((enum access_kind)first->access.kind, (enum access_kind)between->access.kind,
                                   (enum access_kind)second->access.kind))
            left &= ~bytes_of(&between->access, lo);
    }
    return left != 0;
}

/* The access as this step, beside those that have been chosen for the steps before it. */
static bool is_possible(struct matcher *matcher, unsigned index, uint32_t candidate)
{
    const struct pattern *pattern = matcher->pattern;
    const struct pattern_step *step = &pattern->steps[index];
    const struct found_access *own = &matcher->accesses.data[candidate];
    for (unsigned i = 0; i < index; i++) {
        const struct found_access *other = chosen(matcher, i);
        const struct pattern_step *before = &pattern->steps[i];
        if ((before->thread == step->thread) != (other->task == own->task) || matcher->chosen[i] == candidate ||
            (before->group != step->group && matcher->chosen[i] > candidate) ||
            (before->variable == step->variable && !access_overlap(&other->access, &own->access)))
            return false;
    }
    int mine = pattern_previous_of_thread(pattern, index);
    if (step->window != 0 && mine >= 0 && own->operation > chosen(matcher, (unsigned)mine)->operation + step->window)
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
        const struct access *access = &chosen(matcher, i)->access;
        two |= matcher->pattern->steps[i].variable != 0;
        if (access->space != chosen(matcher, 0)->access.space)
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
    const struct candidates *candidates = &matcher->steps[index];
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

enum match pattern_match(const struct pattern *pattern, const struct sites *sites, const struct wire_event *events,
                         const uint32_t *event_sites, size_t count)
{
    struct matcher matcher = {.pattern = pattern};
    read_events(&matcher, sites, events, event_sites, count);
    bool found = try_from(&matcher, 0);
    enum match match = found ? MATCH_YES : matcher.work < MOST_WORK ? MATCH_NO : MATCH_UNKNOWN;
    if (stop_requested())
        match = MATCH_UNKNOWN;
    vector_free(&matcher.accesses);
    for (unsigned i = 0; i < PATTERN_STEPS; i++)
        vector_free(&matcher.steps[i].list);
    return match;
}
