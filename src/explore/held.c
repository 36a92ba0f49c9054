/* SPDX-License-Identifier: MIT
 *
 * held.c - see held.h.
 */
#include "explore/held.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

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

static bool is_same_step(const struct wire_step *a, const struct wire_step *b)
{
    return a->type == b->type && a->task == b->task && a->until == b->until &&
           (a->type == STEP_RUN || a->value == b->value);
}

static size_t last_run(const struct wire_step *steps, size_t count)
{
    while (count > 0 && steps[count - 1].type != STEP_RUN)
        count--;
    return count - 1; /* SIZE_MAX: none */
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
    size_t under_way = last_run(place->steps.data, place->steps.count);
    for (size_t i = 0; i < place->steps.count; i++) {
        const struct wire_step *step = &place->steps.data[i], *wanted = &wish->steps[i];
        if (i == under_way ? wanted->type != STEP_RUN || wanted->task != step->task || wanted->until < step->until
                           : !is_same_step(step, wanted))
            return false;
    }
    return true;
}

/* The deepest, whether it pays or not. */
static int deepest(const struct held *held, const struct server *server, const struct held_wish *wish)
{
    int best = -1;
    for (int slot = 0; slot < WIRE_CHECKPOINTS; slot++)
        if (server->holders[slot] != 0 && leads(wish, &held->places[slot]) &&
            (best < 0 || held->places[slot].operations > held->places[best].operations))
            best = slot;
    return best;
}

static bool pays(const struct held *held, uint64_t operations)
{
    double overhead = held->overhead > 0 ? held->overhead : first_guess;
    if (held->policy != HELD_IF_IT_PAYS)
        return held->policy == HELD_ALWAYS && operations > 0;
    return held->wholes >= ENOUGH && (double)operations * held->rate > overhead;
}

int held_find(struct held *held, struct server *server, const struct held_wish *wish)
{
    int slot = deepest(held, server, wish);
    if (slot < 0 || !pays(held, held->places[slot].operations))
        return -1;
    held->places[slot].used = held->runs;
    return slot;
}

void held_keep(struct held *held, struct server *server, const struct held_wish *wish)
{
    for (uint32_t slot = 0; slot < WIRE_CHECKPOINTS; slot++)
        if (server->holders[slot] != 0 &&
            (!leads(wish, &held->places[slot]) || !pays(held, held->places[slot].operations)))
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
    return held->first_operations == 0 || pays(held, held->first_operations);
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

/* How far two runs go the same way: in this step, up to this operation of its task. */
struct common {
    size_t step; /* SIZE_MAX: not at all */
    uint64_t until;
    uint64_t operations; /* of all tasks; those of tasks that have ended are not counted */
    uint64_t had;        /* the same, where the other one can be continued from as it is */
};

/* The operation at which a choice is made, if entry i of the wish is one; UINT64_MAX: it is not. */
static uint64_t choice_at(const struct held_wish *wish, size_t i)
{
    return i < wish->count && wish->steps[i].type == STEP_CHOICE ? wish->steps[i].until : UINT64_MAX;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Up to the first operation in which one switches or chooses otherwise than the other. */
static struct common common_way(const struct held_wish *wish, const struct held_wish *other)
{
    const struct wire_step *a = wish->steps, *b = other->steps;
    size_t i = 0, count = wish->count < other->count ? wish->count : other->count;
    while (i < count && is_same_step(&a[i], &b[i]))
        i++;
    struct common way = {.step = last_run(a, i)};
    way.until = way.step != SIZE_MAX ? a[way.step].until : 0;
    if (i < count && a[i].type == STEP_RUN && b[i].type == STEP_RUN && a[i].task == b[i].task) {
        way = (struct common){.step = i, .until = least(a[i].until, b[i].until)};
        for (i++; i < count && a[i].type == STEP_CHOICE && is_same_step(&a[i], &b[i]);)
            i++;
    }
    way.until = least(way.until, least(choice_at(wish, i), choice_at(other, i)));
    return way;
}

/* The way ends in this step, before which its task has done `done` operations and all of them `all`.  If it ends where the step begins,
   that is where the one before (SIZE_MAX: none) ends. */
static void end_way(const struct held_wish *wish, struct common *way, uint64_t done, uint64_t all, size_t before)
{
    way->operations = all;
    if (way->until > done) {
        way->operations += way->until != UINT64_MAX ? way->until - done : 0;
        return;
    }
    way->step = before;
    way->until = before != SIZE_MAX ? wish->steps[before].until : 0;
}

static void count_operations(const struct held_wish *wish, struct common *ways, size_t count)
{
    uint64_t *done = memory_allocate(WIRE_TASKS, sizeof *done), all = 0;
    size_t before = SIZE_MAX;
    for (size_t i = 0; i < wish->count; i++) {
        const struct wire_step *step = &wish->steps[i];
        if (step->type != STEP_RUN || step->task >= WIRE_TASKS)
            continue;
        for (size_t k = 0; k < count; k++)
            if (ways[k].step == i)
                end_way(wish, &ways[k], done[step->task], all, before);
        before = i;
        if (step->until == UINT64_MAX || step->until < done[step->task])
            continue;
        all += step->until - done[step->task];
        done[step->task] = step->until;
    }
    free(done);
}

static bool is_before(const struct common *a, const struct common *b)
{
    return a->step != b->step ? a->step < b->step : a->until <= b->until;
}

/* Operations that the others need not do if there is a place at `way`. */
static uint64_t saved_at(const struct common *way, const struct common *ways, size_t count)
{
    uint64_t saved = 0;
    for (size_t k = 0; k < count; k++)
        if (ways[k].step != SIZE_MAX && is_before(way, &ways[k]) && way->operations > ways[k].had)
            saved += way->operations - ways[k].had;
    return saved;
}

bool held_is_far(const struct held *held, const struct held_wish *wish, int from)
{
    struct common end = {.step = last_run(wish->steps, wish->count)};
    if (end.step == SIZE_MAX)
        return false;
    end.until = wish->steps[end.step].until;
    count_operations(wish, &end, 1);
    uint64_t before = from >= 0 ? held->places[from].operations : 0;
    return end.operations > before && pays(held, end.operations - before);
}

bool held_choose(const struct held *held, const struct server *server, const struct held_wish *wish,
                 const struct held_wish *others, size_t count, uint32_t *step, uint64_t *until)
{
    if (count == 0 || wish->count == 0)
        return false;
    struct common *ways = memory_allocate(count, sizeof *ways);
    for (size_t k = 0; k < count; k++) {
        int slot = deepest(held, server, &others[k]);
        ways[k] = common_way(wish, &others[k]);
        ways[k].had = slot >= 0 ? held->places[slot].operations : 0;
    }
    count_operations(wish, ways, count);
    uint64_t most = 0;
    for (size_t k = 0; k < count; k++) {
        uint64_t saved = ways[k].step != SIZE_MAX ? saved_at(&ways[k], ways, count) : 0;
        if (saved > most) {
            most = saved;
            *step = (uint32_t)ways[k].step;
            *until = ways[k].until == wish->steps[*step].until ? 0 : ways[k].until;
        }
    }
    free(ways);
    return most > 1 && pays(held, most / 2); /* what it takes to make it is what it takes to use it */
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
    size_t under_way = last_run(steps->data, steps->count);
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
    } else if (!place->first && !pays(held, told.operations)) {
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
