/* SPDX-License-Identifier: MIT
 *
 * search.c - depth-first search.
 */
#include "explore/search.h"

#include <string.h>

enum {
    ABOVE =
        6, /* a checkpoint lies so many choices above the one that changes: it serves about two to the power of that */
    ENOUGH = 8, /* whole runs before their mean is believed: the first ones are slow */
};
static const double worth_holding = 0.001; /* seconds of a whole run: less than that is done sooner than a fork */

static void step_back(struct search *search)
{
    while (search->path.count > 0) {
        struct wire_choice *last = &search->path.data[search->path.count - 1];
        if (last->chosen + 1 < last->count) {
            last->chosen++;
            return;
        }
        search->path.count--;
    }
    search->finished = true;
}

/* ---- checkpoints -------------------------------------------------------------------------------------------------------- */

/* The choice that differs from the last schedule's; a holder that stands beyond it is of no use any more. */
static uint32_t changed_choice(const struct search *search)
{
    return search->path.count > 0 ? (uint32_t)search->path.count - 1 : 0;
}

/* Whether it pays to continue from a checkpoint instead of running the whole again, as far as is known. */
static bool is_worth_holding(const struct search *search)
{
    return search->wholes >= ENOUGH && search->seconds >= worth_holding && search->continued_seconds <= search->seconds;
}

static int deepest_holder(struct search *search, struct server *server)
{
    int best = -1;
    for (uint32_t slot = 0; slot < WIRE_CHECKPOINTS; slot++) {
        if (server->holders[slot] == 0)
            continue;
        if (search->path.count == 0 || search->depth[slot] > changed_choice(search) || !is_worth_holding(search))
            server_drop_holder(server, slot);
        else if (best < 0 || search->depth[slot] > search->depth[best])
            best = (int)slot;
    }
    return best;
}

/* A free slot; if there is none, that of the holder that stands highest but for the very first. */
static uint32_t make_room(struct search *search, struct server *server)
{
    uint32_t victim = 0;
    for (uint32_t slot = 0; slot < WIRE_CHECKPOINTS; slot++) {
        if (server->holders[slot] == 0)
            return slot;
        bool first = search->depth[slot] == 0;
        if (!first && (search->depth[victim] == 0 || search->depth[slot] < search->depth[victim]))
            victim = slot;
    }
    server_drop_holder(server, victim);
    return victim;
}

static void plan_checkpoint(struct search *search, struct server *server, int from, struct wire_plan *plan)
{
    if (!is_worth_holding(search))
        return;
    uint32_t changed = changed_choice(search), wanted = changed > ABOVE ? changed - ABOVE : 0;
    if (from >= 0 && wanted < search->depth[from] + ABOVE)
        return;
    uint32_t slot = make_room(search, server);
    plan->checkpoint = wanted;
    plan->checkpoint_slot = slot;
    search->depth[slot] = wanted;
}

/* ---- interface ----------------------------------------------------------------------------------------------------------- */

int search_plan(struct search *search, struct server *server, struct wire_plan *plan)
{
    plan->plan_choice_count = (uint32_t)search->path.count;
    if (search->path.count > 0)
        memcpy(server->wire->plan_choices, search->path.data, search->path.count * sizeof search->path.data[0]);
    int from = deepest_holder(search, server);
    plan_checkpoint(search, server, from, plan);
    search->whole = from < 0;
    search->continued += from >= 0;
    return from;
}

void search_observe(struct search *search, const struct wire_copy *copy, double seconds)
{
    double *mean = search->whole ? &search->seconds : &search->continued_seconds;
    *mean += (seconds - *mean) / 4;
    search->wholes += search->whole;
    vector_clear(&search->path);
    if (copy->result.shared_sites != search->sites) {
        search->sites = copy->result.shared_sites;
        search->schedules = 0;
        return;
    }
    search->schedules++;
    vector_reserve(&search->path, copy->choices.count + 1);
    if (copy->choices.count > 0)
        memcpy(search->path.data, copy->choices.data, copy->choices.count * sizeof search->path.data[0]);
    search->path.count = copy->choices.count;
    step_back(search);
}

void search_free(struct search *search)
{
    vector_free(&search->path);
}
