/* SPDX-License-Identifier: MIT
 *
 * checkpoints.c - see checkpoints.h.
 */
#include "control/checkpoints.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "control/checkpoints_private.h"

enum {
    ENOUGH = 8,       /* whole runs before their mean is used: the first ones are slow */
    OLD = 16,         /* runs without use after which the value of a place is halved */
    MOST_PATIENT = 12 /* a refusal is remembered for at most 2^12 runs */
};
static const double worth_holding = 0.001; /* seconds of a whole run: a shorter run takes less time than a fork */
static const double long_run = 0.02;       /* seconds: one such run is known well enough */
static const double first_guess = 0.0005, least_overhead = 0.00005; /* seconds */

void checkpoints_free(struct checkpoints *checkpoints)
{
    for (uint32_t slot = 0; slot < WIRE_CHECKPOINTS; slot++)
        vector_free(&checkpoints->places[slot].steps);
}

/* ---- which plans reach which checkpoints ------------------------------------------------------------------------------ */

bool checkpoints_same_step(const struct wire_step *a, const struct wire_step *b)
{
    return a->type == b->type && a->task == b->task && a->until == b->until &&
           (a->type == STEP_RUN || a->value == b->value);
}

size_t checkpoints_last_run(const struct wire_step *steps, size_t count)
{
    assert(steps != NULL || count == 0);
    while (count > 0 && steps[count - 1].type != STEP_RUN)
        count--;
    return count - 1;
}

/* Whether a plan has a prefix of steps does not matter here. */
static bool is_same_kind(uint32_t flags, uint32_t others)
{
    return ((flags ^ others) & ~(uint32_t)(PLAN_PREFIX | PLAN_THEN_RANDOM)) == 0;
}

/* Whether every run that begins with the steps of `wish` passes the checkpoint. */
static bool leads(const struct checkpoints_wish *wish, const struct checkpoint *place)
{
    if (!is_same_kind(wish->flags, place->flags))
        return false;
    if (wish->count < place->steps.count)
        return wish->count == 0 && place->first;
    size_t under_way = checkpoints_last_run(place->steps.data, place->steps.count);
    for (size_t i = 0; i < place->steps.count; i++) {
        const struct wire_step *step = &place->steps.data[i], *wanted = &wish->steps[i];
        if (i == under_way ? wanted->type != STEP_RUN || wanted->task != step->task || wanted->until < step->until
                           : !checkpoints_same_step(step, wanted))
            return false;
    }
    return true;
}

int checkpoints_deepest(const struct checkpoints *checkpoints, const struct server *server,
                        const struct checkpoints_wish *wish)
{
    int best = -1;
    for (int slot = 0; slot < WIRE_CHECKPOINTS; slot++)
        if (server->holders[slot] != 0 && leads(wish, &checkpoints->places[slot]) &&
            (best < 0 || checkpoints->places[slot].operations > checkpoints->places[best].operations))
            best = slot;
    return best;
}

/* Whether the duration of whole runs is known. */
static bool is_measured(const struct checkpoints *checkpoints)
{
    return checkpoints->wholes >= ENOUGH || (checkpoints->wholes > 0 && checkpoints->seconds >= long_run);
}

/* The same for work of which the duration is known, if it is not 0. */
static bool pays_in_time(const struct checkpoints *checkpoints, uint64_t operations, double seconds)
{
    double overhead = checkpoints->overhead > 0 ? checkpoints->overhead : first_guess;
    double reckoned = (double)operations * checkpoints->rate;
    if (checkpoints->policy != CHECKPOINTS_IF_IT_PAYS)
        return checkpoints->policy == CHECKPOINTS_ALWAYS && operations > 0;
    return is_measured(checkpoints) && (seconds > reckoned ? seconds : reckoned) > overhead;
}

bool checkpoints_pays(const struct checkpoints *checkpoints, uint64_t operations)
{
    return pays_in_time(checkpoints, operations, 0);
}

static bool is_place_good(const struct checkpoints *checkpoints, const struct checkpoint *place)
{
    return pays_in_time(checkpoints, place->operations, place->seconds);
}

int checkpoints_find(struct checkpoints *checkpoints, struct server *server, const struct checkpoints_wish *wish)
{
    int slot = checkpoints_deepest(checkpoints, server, wish);
    if (slot < 0 || !is_place_good(checkpoints, &checkpoints->places[slot]))
        return -1;
    checkpoints->places[slot].used = checkpoints->runs;
    return slot;
}

void checkpoints_keep(struct checkpoints *checkpoints, struct server *server, const struct checkpoints_wish *wish)
{
    for (uint32_t slot = 0; slot < WIRE_CHECKPOINTS; slot++)
        if (server->holders[slot] != 0 &&
            (!leads(wish, &checkpoints->places[slot]) || !is_place_good(checkpoints, &checkpoints->places[slot])))
            server_drop_holder(server, slot);
}

/* ---- making room ------------------------------------------------------------------------------------------------------ */

/* The operations that the checkpoint saves, reduced with the time since its last use. */
static uint64_t value_of(const struct checkpoints *checkpoints, const struct server *server, uint32_t slot)
{
    assert(slot < WIRE_CHECKPOINTS);
    assert(checkpoints->places[slot].used <= checkpoints->runs);
    const struct checkpoint *place = &checkpoints->places[slot];
    uint64_t before = 0, age = (checkpoints->runs - place->used) / OLD;
    const struct checkpoints_wish wish = {place->steps.data, place->steps.count, place->flags};
    for (uint32_t other = 0; other < WIRE_CHECKPOINTS; other++) {
        const struct checkpoint *shallow = &checkpoints->places[other];
        if (other != slot && server->holders[other] != 0 && shallow->operations > before &&
            shallow->operations <= place->operations && leads(&wish, shallow))
            before = shallow->operations;
    }
    assert(before <= place->operations);
    return (place->operations - before) >> (age < 63 ? age : 63);
}

/* Bytes of memory of the process, counting pages that it shares with its parent; 0 if the process has ended. */
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

uint64_t checkpoints_memory(void)
{
    return (uint64_t)sysconf(_SC_PHYS_PAGES) / 4 * (uint64_t)sysconf(_SC_PAGESIZE);
}

static bool is_too_much(const struct checkpoints *checkpoints, const struct server *server)
{
    uint64_t limit = checkpoints->memory, all = 0;
    if (limit == 0)
        limit = checkpoints_memory();
    for (uint32_t slot = 0; slot < WIRE_CHECKPOINTS; slot++)
        all += server->holders[slot] != 0 ? memory_of(server->holders[slot]) : 0;
    return all > limit;
}

/* A slot without a holder; WIRE_CHECKPOINTS: none can be freed.  The checkpoint that this run is continued from stays. */
static uint32_t make_room(const struct checkpoints *checkpoints, struct server *server)
{
    uint32_t victim = WIRE_CHECKPOINTS, empty = WIRE_CHECKPOINTS;
    for (uint32_t slot = 0; slot < WIRE_CHECKPOINTS; slot++) {
        if (server->holders[slot] == 0)
            empty = slot;
        else if (checkpoints->places[slot].used < checkpoints->runs &&
                 (victim == WIRE_CHECKPOINTS ||
                  value_of(checkpoints, server, slot) < value_of(checkpoints, server, victim)))
            victim = slot;
    }
    if (empty != WIRE_CHECKPOINTS && !is_too_much(checkpoints, server))
        return empty;
    if (victim != WIRE_CHECKPOINTS)
        server_drop_holder(server, victim);
    return victim;
}

/* ---- where to hold ------------------------------------------------------------------------------------------------------ */

bool checkpoints_may_ask(const struct checkpoints *checkpoints)
{
    if (checkpoints->policy != CHECKPOINTS_IF_IT_PAYS)
        return checkpoints->policy == CHECKPOINTS_ALWAYS;
    return is_measured(checkpoints) && checkpoints->seconds >= worth_holding && checkpoints->runs >= checkpoints->next;
}

bool checkpoints_wants_first(const struct checkpoints *checkpoints, const struct server *server, uint32_t flags)
{
    if (!checkpoints_may_ask(checkpoints))
        return false;
    for (uint32_t slot = 0; slot < WIRE_CHECKPOINTS; slot++)
        if (server->holders[slot] != 0 && checkpoints->places[slot].first &&
            is_same_kind(checkpoints->places[slot].flags, flags))
            return false;
    return checkpoints->first_operations == 0 ||
           pays_in_time(checkpoints, checkpoints->first_operations, checkpoints->first_seconds);
}

void checkpoints_ask(struct checkpoints *checkpoints, struct server *server, struct wire_plan *plan, uint32_t where,
                     uint64_t until)
{
    assert(where != CHECKPOINT_NOWHERE);
    uint32_t slot = make_room(checkpoints, server);
    if (slot == WIRE_CHECKPOINTS)
        return;
    assert(slot < WIRE_CHECKPOINTS && server->holders[slot] == 0);
    plan->checkpoint = where;
    plan->checkpoint_until = until;
    plan->checkpoint_slot = slot;
    checkpoints->asked.slot = slot;
    checkpoints->asked.where = where;
    checkpoints->asked.flags = plan->flags;
    checkpoints->asked.strategy = plan->strategy;
}

/* ---- results ---------------------------------------------------------------------------------------------- */

static void refuse(struct checkpoints *checkpoints, uint32_t most)
{
    assert(most <= MOST_PATIENT);
    checkpoints->refused = checkpoints->refused < most ? checkpoints->refused + 1 : most;
    checkpoints->next = checkpoints->runs + (1u << checkpoints->refused);
}

/* Copies the steps that lead to the new checkpoint of the current run.  They come from the program and can be wrong;
   then the checkpoint declines all plans. */
static bool place_steps(const struct checkpoints *checkpoints, const struct wire_checkpoint *told,
                        const struct wire_copy *copy, checkpoints_steps *steps)
{
    vector_clear(steps);
    if (checkpoints->asked.strategy == STRATEGY_DFS) {
        for (uint32_t i = 0; CHECKPOINT_AT(i) < checkpoints->asked.where && i < copy->choices.count; i++)
            vector_push(steps, checkpoints_choice(copy->choices.data[i]));
        return true;
    }
    if (told->steps > copy->steps.count)
        return false;
    vector_append(steps, copy->steps.data, told->steps);
    size_t under_way = checkpoints_last_run(steps->data, steps->count);
    if (under_way != SIZE_MAX)
        steps->data[under_way].until = told->until;
    return under_way != SIZE_MAX;
}

static void note_asked(struct checkpoints *checkpoints, struct server *server, const struct wire_copy *copy)
{
    assert(checkpoints->asked.where != CHECKPOINT_NOWHERE);
    assert(checkpoints->asked.slot < WIRE_CHECKPOINTS);
    uint32_t slot = checkpoints->asked.slot;
    struct checkpoint *place = &checkpoints->places[slot];
    struct wire_checkpoint told = server->wire->checkpoints[slot];
    bool first = checkpoints->asked.where == CHECKPOINT_FIRST;
    if (server->holders[slot] == 0) {
        /* Without a reason it was this run, which has found new sites for example. */
        refuse(checkpoints, first && copy->result.not_held[0] == '\0' ? 1 : MOST_PATIENT);
        return;
    }
    place->flags = checkpoints->asked.flags;
    place->first = first;
    place->operations = told.operations;
    place->seconds = first ? (double)told.nanoseconds / 1e9 : 0;
    place->used = checkpoints->runs;
    if (first) {
        checkpoints->first_operations = told.operations;
        checkpoints->first_seconds = place->seconds;
    }
    if (!place_steps(checkpoints, &told, copy, &place->steps)) {
        server_drop_holder(server, slot);
        refuse(checkpoints, MOST_PATIENT);
    } else if (!place->first && !checkpoints_pays(checkpoints, told.operations)) {
        refuse(checkpoints, MOST_PATIENT);
    } else {
        checkpoints->refused = 0;
    }
}

/* Estimates an undisturbed duration: it goes down at once and up slowly, so that a sample that had to wait for a
   processor has little weight. */
static void estimate(double *value, double sample)
{
    double most = *value * 2, near = sample < most ? sample : most;
    *value = *value == 0 || sample < *value ? sample : *value + (near - *value) / 8;
}

static void measure(struct checkpoints *checkpoints, const struct server *server, uint64_t operations, double seconds)
{
    if (!server->continued) {
        checkpoints->wholes++;
        estimate(&checkpoints->seconds, seconds);
        if (operations > 0)
            estimate(&checkpoints->rate, seconds / (double)operations);
        if (checkpoints->overhead > first_guess) /* a single bad sample is possible */
            checkpoints->overhead -= (checkpoints->overhead - first_guess) / 64;
        return;
    }
    uint64_t before = checkpoints->places[server->continued_from].operations;
    double beside = seconds - (double)(operations > before ? operations - before : 0) * checkpoints->rate;
    checkpoints->continued++;
    estimate(&checkpoints->overhead, beside > least_overhead ? beside : least_overhead);
}

static void drop_all(struct server *server)
{
    for (uint32_t slot = 0; slot < WIRE_CHECKPOINTS; slot++)
        server_drop_holder(server, slot);
}

void checkpoints_observe(struct checkpoints *checkpoints, struct server *server, const struct wire_copy *copy,
                         double seconds)
{
    checkpoints->runs++;
    measure(checkpoints, server, copy->result.operations, seconds);
    if (checkpoints->asked.where != CHECKPOINT_NOWHERE)
        note_asked(checkpoints, server, copy);
    checkpoints->asked.where = CHECKPOINT_NOWHERE;
    if (copy->result.shared_sites == checkpoints->sites)
        return;
    checkpoints->sites = copy->result.shared_sites;
    checkpoints->first_operations = 0;
    drop_all(server);
}

void checkpoints_bound(struct checkpoints *checkpoints, struct server *server, const struct wire_plan *plan)
{
    uint32_t bound = plan->strategy == STRATEGY_DFS ? plan->bound : checkpoints->bound;
    if (plan->max_steps == checkpoints->max_steps && bound == checkpoints->bound)
        return;
    checkpoints->max_steps = plan->max_steps;
    checkpoints->bound = bound;
    drop_all(server);
}
