/* SPDX-License-Identifier: MIT
 *
 * held.c - see held.h.
 */
#include "explore/held.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "explore/held_private.h"

enum {
    ENOUGH = 8,       /* whole runs before their mean is believed: the first ones are slow */
    OLD = 16,         /* runs in which a place was not used: it is worth half then */
    MOST_PATIENT = 12 /* a refusal is remembered for at most two to the power of so many runs */
};
static const double worth_holding = 0.001; /* seconds of a whole run: less than that is done sooner than a fork */
static const double first_guess = 0.0005, least_overhead = 0.00005; /* seconds */

void held_free(struct held *held)
{
    for (uint32_t slot = 0; slot < WIRE_CHECKPOINTS; slot++)
        vector_free(&held->places[slot].steps);
}

/* ---- who leads where ------------------------------------------------------------------------------------------------ */

bool held_same_step(const struct wire_step *a, const struct wire_step *b)
{
    return a->type == b->type && a->task == b->task && a->until == b->until &&
           (a->type == STEP_RUN || a->value == b->value);
}

size_t held_last_run(const struct wire_step *steps, size_t count)
{
    while (count > 0 && steps[count - 1].type != STEP_RUN)
        count--;
    return count - 1;
}

/* That a plan has steps to begin with makes no difference to what it leads by. */
static bool is_same_kind(uint32_t flags, uint32_t others)
{
    return ((flags ^ others) & ~(uint32_t)(PLAN_PREFIX | PLAN_THEN_RANDOM)) == 0;
}

/* Every run that begins as the wish says comes by the place. */
static bool leads(const struct held_wish *wish, const struct held_place *place)
{
    if (!is_same_kind(wish->flags, place->flags))
        return false;
    if (wish->count < place->steps.count)
        return wish->count == 0 && place->first;
    size_t under_way = held_last_run(place->steps.data, place->steps.count);
    for (size_t i = 0; i < place->steps.count; i++) {
        const struct wire_step *step = &place->steps.data[i], *wanted = &wish->steps[i];
        if (i == under_way ? wanted->type != STEP_RUN || wanted->task != step->task || wanted->until < step->until
                           : !held_same_step(step, wanted))
            return false;
    }
    return true;
}

int held_deepest(const struct held *held, const struct server *server, const struct held_wish *wish)
{
    int best = -1;
    for (int slot = 0; slot < WIRE_CHECKPOINTS; slot++)
        if (server->holders[slot] != 0 && leads(wish, &held->places[slot]) &&
            (best < 0 || held->places[slot].operations > held->places[best].operations))
            best = slot;
    return best;
}

bool held_pays(const struct held *held, uint64_t operations)
{
    double overhead = held->overhead > 0 ? held->overhead : first_guess;
    if (held->policy != HELD_IF_IT_PAYS)
        return held->policy == HELD_ALWAYS && operations > 0;
    return held->wholes >= ENOUGH && (double)operations * held->rate > overhead;
}

int held_find(struct held *held, struct server *server, const struct held_wish *wish)
{
    int slot = held_deepest(held, server, wish);
    if (slot < 0 || !held_pays(held, held->places[slot].operations))
        return -1;
    held->places[slot].used = held->runs;
    return slot;
}

void held_keep(struct held *held, struct server *server, const struct held_wish *wish)
{
    for (uint32_t slot = 0; slot < WIRE_CHECKPOINTS; slot++)
        if (server->holders[slot] != 0 &&
            (!leads(wish, &held->places[slot]) || !held_pays(held, held->places[slot].operations)))
            server_drop_holder(server, slot);
}

/* ---- making room ------------------------------------------------------------------------------------------------------ */

/* What would have to be done again without the place, the less the longer it has not been used. */
static uint64_t value_of(const struct held *held, const struct server *server, uint32_t slot)
{
    const struct held_place *place = &held->places[slot];
    uint64_t before = 0, age = (held->runs - place->used) / OLD;
    const struct held_wish wish = {place->steps.data, place->steps.count, place->flags};
    for (uint32_t other = 0; other < WIRE_CHECKPOINTS; other++) {
        const struct held_place *shallow = &held->places[other];
        if (other != slot && server->holders[other] != 0 && shallow->operations > before &&
            shallow->operations <= place->operations && leads(&wish, shallow))
            before = shallow->operations;
    }
    return (place->operations - before) >> (age < 63 ? age : 63);
}

/* Bytes of the process's own, shared with those that it was forked from or not; 0 if it is gone. */
static uint64_t memory_of(pid_t pid)
{
    char path[64];
    uint64_t size, resident = 0, shared = 0;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return 0;
    if (fscanf(file, "%" SCNu64 " %" SCNu64 " %" SCNu64, &size, &resident, &shared) != 3 || resident < shared)
        resident = shared = 0;
    fclose(file);
    return (resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE);
}

static bool is_too_much(const struct held *held, const struct server *server)
{
    uint64_t limit = held->memory, all = 0;
    if (limit == 0)
        limit = (uint64_t)sysconf(_SC_PHYS_PAGES) / 4 * (uint64_t)sysconf(_SC_PAGESIZE);
    for (uint32_t slot = 0; slot < WIRE_CHECKPOINTS; slot++)
        all += server->holders[slot] != 0 ? memory_of(server->holders[slot]) : 0;
    return all > limit;
}

/* A slot without a holder; WIRE_CHECKPOINTS: there is none to be had.  The one that this run is continued from stays. */
static uint32_t make_room(const struct held *held, struct server *server)
{
    uint32_t victim = WIRE_CHECKPOINTS, empty = WIRE_CHECKPOINTS;
    for (uint32_t slot = 0; slot < WIRE_CHECKPOINTS; slot++) {
        if (server->holders[slot] == 0)
            empty = slot;
        else if (held->places[slot].used < held->runs &&
                 (victim == WIRE_CHECKPOINTS || value_of(held, server, slot) < value_of(held, server, victim)))
            victim = slot;
    }
    if (empty != WIRE_CHECKPOINTS && !is_too_much(held, server))
        return empty;
    if (victim != WIRE_CHECKPOINTS)
        server_drop_holder(server, victim);
    return victim;
}

/* ---- where to hold ------------------------------------------------------------------------------------------------------ */

bool held_may_ask(const struct held *held)
{
    if (held->policy != HELD_IF_IT_PAYS)
        return held->policy == HELD_ALWAYS;
    return held->wholes >= ENOUGH && held->seconds >= worth_holding && held->runs >= held->next;
}

bool held_wants_first(const struct held *held, const struct server *server, uint32_t flags)
{
    for (uint32_t slot = 0; slot < WIRE_CHECKPOINTS; slot++)
        if (server->holders[slot] != 0 && held->places[slot].first && is_same_kind(held->places[slot].flags, flags))
            return false;
    return held->first_operations == 0 || held_pays(held, held->first_operations);
}

void held_ask(struct held *held, struct server *server, struct wire_plan *plan, uint32_t where, uint64_t until)
{
    uint32_t slot = make_room(held, server);
    if (slot == WIRE_CHECKPOINTS)
        return;
    plan->checkpoint = where;
    plan->checkpoint_until = until;
    plan->checkpoint_slot = slot;
    held->asked.slot = slot;
    held->asked.where = where;
    held->asked.flags = plan->flags;
    held->asked.strategy = plan->strategy;
}

/* ---- what became of it ---------------------------------------------------------------------------------------------- */

static void refuse(struct held *held)
{
    held->refused += held->refused < MOST_PATIENT;
    held->next = held->runs + (1u << held->refused);
}

/* Steps that lead to where the current run was held.  What the program says about it can be wrong, and then it declines all plans. */
static bool place_steps(const struct held *held, const struct wire_checkpoint *told, const struct wire_copy *copy,
                        held_steps *steps)
{
    vector_clear(steps);
    if (held->asked.strategy == STRATEGY_DFS) {
        for (uint32_t i = 0; CHECKPOINT_AT(i) < held->asked.where && i < copy->choices.count; i++)
            vector_push(steps, held_choice(copy->choices.data[i]));
        return true;
    }
    if (told->steps > copy->steps.count)
        return false;
    vector_append(steps, copy->steps.data, told->steps);
    size_t under_way = held_last_run(steps->data, steps->count);
    if (under_way != SIZE_MAX)
        steps->data[under_way].until = told->until;
    return under_way != SIZE_MAX;
}

static void note_asked(struct held *held, struct server *server, const struct wire_copy *copy)
{
    uint32_t slot = held->asked.slot;
    struct held_place *place = &held->places[slot];
    struct wire_checkpoint told = server->wire->checkpoints[slot];
    if (server->holders[slot] == 0) {
        refuse(held);
        return;
    }
    place->flags = held->asked.flags;
    place->first = held->asked.where == CHECKPOINT_FIRST;
    place->operations = told.operations;
    place->used = held->runs;
    if (place->first)
        held->first_operations = told.operations;
    if (!place_steps(held, &told, copy, &place->steps)) {
        server_drop_holder(server, slot);
        refuse(held);
    } else if (!place->first && !held_pays(held, told.operations)) {
        refuse(held);
    } else {
        held->refused = 0;
    }
}

/* What something takes when nothing else gets in the way: down at once, up a little at a time, so that one that had to wait for a processor
   does not count for much. */
static void estimate(double *value, double sample)
{
    double most = *value * 2, near = sample < most ? sample : most;
    *value = *value == 0 || sample < *value ? sample : *value + (near - *value) / 8;
}

static void measure(struct held *held, const struct server *server, uint64_t operations, double seconds)
{
    if (!server->continued) {
        held->wholes++;
        estimate(&held->seconds, seconds);
        if (operations > 0)
            estimate(&held->rate, seconds / (double)operations);
        if (held->overhead > first_guess) /* it may have been bad luck */
            held->overhead -= (held->overhead - first_guess) / 64;
        return;
    }
    uint64_t before = held->places[server->continued_from].operations;
    double beside = seconds - (double)(operations > before ? operations - before : 0) * held->rate;
    held->continued++;
    estimate(&held->overhead, beside > least_overhead ? beside : least_overhead);
}

void held_observe(struct held *held, struct server *server, const struct wire_copy *copy, double seconds)
{
    held->runs++;
    measure(held, server, copy->result.operations, seconds);
    if (held->asked.where != CHECKPOINT_NOWHERE)
        note_asked(held, server, copy);
    held->asked.where = CHECKPOINT_NOWHERE;
    if (copy->result.shared_sites == held->sites)
        return;
    held->sites = copy->result.shared_sites;
    held->first_operations = 0;
    for (uint32_t slot = 0; slot < WIRE_CHECKPOINTS; slot++)
        server_drop_holder(server, slot);
}
