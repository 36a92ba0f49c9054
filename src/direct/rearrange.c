/* SPDX-License-Identifier: MIT
 *
 * rearrange.c - see rearrange.h.
 */
#include <stdlib.h>
#include <string.h>

#include "direct/cast.h"
#include "direct/rearrange_private.h"
#include "util/memory.h"

enum { ORDERS = 16 }; /* that are tried for a pattern */

/* ---- life ---------------------------------------------------------------------------------------------------------- */

struct rearranger *rearranger_new(void)
{
    return memory_allocate(1, sizeof(struct rearranger));
}

static void forget_run(struct rearranger *rearranger)
{
    vector_clear(&rearranger->actors);
    table_clear(&rearranger->pairs);
    free(rearranger->done);
    free(rearranger->wanted);
    free(rearranger->strange);
    free(rearranger->writers);
    free(rearranger->written);
}

void rearranger_learn(struct rearranger *rearranger, const struct rearranger_run *run)
{
    flow_observe(&rearranger->flow, run->events, run->sites, run->event_count);
}

void rearranger_read(struct rearranger *rearranger, const struct rearranger_run *run)
{
    size_t count = run->event_count;
    forget_run(rearranger);
    deeds_make(&rearranger->deeds, run->events, run->sites, count);
    rearranger->steps = run->steps;
    rearranger->step_count = run->step_count;
    rearranger->done = memory_allocate(count / 64 + 1, sizeof *rearranger->done);
    rearranger->wanted = memory_allocate(count / 64 + 1, sizeof *rearranger->wanted);
    rearranger->strange = memory_allocate(count / 64 + 1, sizeof *rearranger->strange);
    rearranger->writers = memory_allocate(rearranger->deeds.writes.count + 1, sizeof *rearranger->writers);
    rearranger->written = memory_allocate(rearranger->deeds.writes.count + 1, sizeof *rearranger->written);
    rearranger->orders = 0;
    rearranger->run_holds = rearranger->deeds.holds.count;
    while (rearranger->actors.count < rearranger->deeds.tasks.count)
        vector_push(&rearranger->actors, ((struct actor){0}));
}

void rearranger_free(struct rearranger *rearranger)
{
    if (rearranger == NULL)
        return;
    forget_run(rearranger);
    deeds_free(&rearranger->deeds);
    flow_free(&rearranger->flow);
    vector_free(&rearranger->actors);
    vector_free(&rearranger->demanded);
    vector_free(&rearranger->order);
    table_free(&rearranger->pairs);
    table_free(&rearranger->tried);
    table_free(&rearranger->won);
    free(rearranger);
}

uint64_t rearranger_work(const struct rearranger *rearranger)
{
    return rearranger->work;
}

/* ---- all orders ---------------------------------------------------------------------------------------------------- */

/* The steps as they are written. */
static void set_steps(const struct rearranger *rearranger, const struct pattern *pattern, const struct cast *cast,
                      struct sequence *sequence)
{
    sequence->count = pattern->count;
    for (unsigned i = 0; i < pattern->count; i++) {
        const struct pattern_step *step = &pattern->steps[i];
        sequence->deeds[i] = cast->deeds[i];
        sequence->access[i] = *deeds_access(&rearranger->deeds, cast->deeds[i], (enum access_kind)step->kind);
        sequence->before[i] = step->relation == RELATION_IMMEDIATE ? pattern_previous_on_variable(pattern, i) : -1;
    }
}

static uint64_t site_key(uint32_t a, uint32_t b)
{
    return (uint64_t)a << 32 | b;
}

double rearranger_odds(const struct rearranger *rearranger, const struct pattern *pattern)
{
    double odds = 1;
    for (unsigned i = 0; i < pattern->count; i++) {
        int before = pattern_previous_on_variable(pattern, i);
        if (before < 0 || pattern->steps[i].relation != RELATION_IMMEDIATE)
            continue;
        uint64_t key = site_key(pattern->steps[before].site, pattern->steps[i].site);
        const uint64_t *tried = table_get(&rearranger->tried, key), *won = table_get(&rearranger->won, key);
        odds *= ((won != NULL ? (double)*won : 0) + 1) / ((tried != NULL ? (double)*tried : 0) + 2);
    }
    return odds;
}

/* Two that are to follow each other at once can, if nothing else is wanted. */
static bool can_follow(struct rearranger *rearranger, const struct sequence *sequence, unsigned first, unsigned second)
{
    enum { PAIR_NO = 1, PAIR_YES = 2 };
    uint64_t key = (uint64_t)sequence->deeds[first] << 32 | sequence->deeds[second];
    uint64_t *known = table_put(&rearranger->pairs, key);
    if (*known == 0) {
        const struct sequence pair = {.count = 2,
                                      .deeds = {sequence->deeds[first], sequence->deeds[second]},
                                      .access = {sequence->access[first], sequence->access[second]},
                                      .before = {-1, 0}};
        *known = rearrange_try(rearranger, &pair) ? PAIR_YES : PAIR_NO;
        uint64_t sites =
            site_key(rearrange_deed(rearranger, pair.deeds[0])->site, rearrange_deed(rearranger, pair.deeds[1])->site);
        ++*table_put(&rearranger->tried, sites);
        *table_put(&rearranger->won, sites) += *known == PAIR_YES;
    }
    return *known == PAIR_YES;
}

static bool can_all_follow(struct rearranger *rearranger, const struct sequence *sequence)
{
    for (unsigned i = 0; i < sequence->count; i++)
        if (sequence->before[i] >= 0 && !can_follow(rearranger, sequence, (unsigned)sequence->before[i], i))
            return false;
    return true;
}

static void swap_steps(struct sequence *sequence, unsigned a, unsigned b)
{
    struct sequence old = *sequence;
    sequence->deeds[a] = old.deeds[b];
    sequence->deeds[b] = old.deeds[a];
    sequence->access[a] = old.access[b];
    sequence->access[b] = old.access[a];
    sequence->before[a] = old.before[b];
    sequence->before[b] = old.before[a];
    for (unsigned i = 0; i < sequence->count; i++) {
        if (sequence->before[i] == (int)a)
            sequence->before[i] = (int)b;
        else if (sequence->before[i] == (int)b)
            sequence->before[i] = (int)a;
    }
}

/* `turned`: a bit for each two steps that may come in any order.  False: there is no such order. */
static bool turn(const struct rearranger *rearranger, const struct pattern *pattern, unsigned turned,
                 struct sequence *sequence)
{
    unsigned pair = 0;
    for (unsigned i = 1; i < pattern->count; i++)
        if (pattern->steps[i].group == pattern->steps[i - 1].group && (turned >> pair++ & 1))
            swap_steps(sequence, i - 1, i);
    for (unsigned i = 0; i < sequence->count; i++)
        for (unsigned k = i + 1; k < sequence->count; k++) {
            const struct deed *a = rearrange_deed(rearranger, sequence->deeds[i]),
                              *b = rearrange_deed(rearranger, sequence->deeds[k]);
            if (a->task == b->task && a->place >= b->place)
                return false;
        }
    return turned >> pair == 0;
}

static void write_step(const struct deed *deed, goal_steps *steps)
{
    if (steps->count == 0 || steps->data[steps->count - 1].task != deed->task)
        vector_push(steps, ((struct wire_step){.type = STEP_RUN, .task = deed->task}));
    steps->data[steps->count - 1].until = deed->operation + 1;
}

static void write_steps(const struct rearranger *rearranger, goal_steps *steps)
{
    vector_clear(steps);
    for (uint32_t i = 0; i < rearranger->began; i++)
        write_step(rearrange_deed(rearranger, i), steps);
    for (size_t i = 0; i < rearranger->order.count; i++)
        write_step(rearrange_deed(rearranger, rearranger->order.data[i]), steps);
    for (size_t i = 0; i < rearranger->step_count; i++)
        if (rearranger->steps[i].type == STEP_CHOICE)
            vector_push(steps, rearranger->steps[i]);
}

bool rearrange(struct rearranger *rearranger, const struct pattern *pattern, uint32_t window, goal_steps *steps,
               uint32_t *doubts)
{
    enum { TURNS = 4 };
    bool found = false;
    struct cast casts[CASTS];
    unsigned count = cast_find(&rearranger->deeds, pattern, window, casts), tried = 0;
    for (unsigned i = 0; i < count; i++)
        for (unsigned turned = 0; turned < TURNS && tried < ORDERS; turned++) {
            struct sequence sequence;
            set_steps(rearranger, pattern, &casts[i], &sequence);
            if (!turn(rearranger, pattern, turned, &sequence) || !can_all_follow(rearranger, &sequence))
                continue;
            tried++;
            if (!rearrange_try(rearranger, &sequence) || (found && rearranger->doubts >= *doubts))
                continue;
            found = true;
            *doubts = rearranger->doubts;
            write_steps(rearranger, steps);
            if (*doubts == 0)
                return true;
        }
    return found;
}
