/* SPDX-License-Identifier: MIT
 *
 * conflict.c - see conflict.h.
 *
 * DESIGN
 *   An acquisition of a lock is one number; an access has the set of those that are held at it.  Two accesses of a call cannot be separated by an
 *   access of the other one if there is an acquisition that is held at both, of a lock that the other one holds too, not both for reading.
 */
#include "generate/conflict.h"

#include "util/hash.h"

enum { ACCESSES = 96, ACQUISITIONS = 64 };

struct point {
    struct gen_event event;
    uint64_t held; /* acquisitions */
};

struct call {
    struct point accesses[ACCESSES];
    size_t count;
    struct gen_event acquired[ACQUISITIONS];
    uint64_t held_at[ACQUISITIONS]; /* when it was acquired */
    size_t acquisitions;
};

static void acquire(struct call *call, const struct gen_event *event, uint64_t *held)
{
    if (call->acquisitions == ACQUISITIONS)
        return;
    call->held_at[call->acquisitions] = *held;
    call->acquired[call->acquisitions] = *event;
    *held |= (uint64_t)1 << call->acquisitions++;
}

static void release(const struct call *call, const struct gen_event *event, uint64_t *held)
{
    for (size_t i = call->acquisitions; i-- > 0;) {
        if ((*held >> i & 1) != 0 && call->acquired[i].location == event->location) {
            *held &= ~((uint64_t)1 << i);
            return;
        }
    }
}

static bool is_known(const struct call *call, const struct gen_event *event, uint64_t held)
{
    for (size_t i = 0; i < call->count; i++) {
        const struct point *point = &call->accesses[i];
        if (point->held == held && point->event.site == event->site && point->event.location == event->location)
            return true;
    }
    return false;
}

static void read_call(struct call *call, const struct gen_event *events, size_t count)
{
    uint64_t held = 0;
    *call = (struct call){0};
    for (size_t i = 0; i < count; i++) {
        if (events[i].kind == GEN_LOCK)
            acquire(call, &events[i], &held);
        else if (events[i].kind == GEN_UNLOCK)
            release(call, &events[i], &held);
        else if (call->count < ACCESSES && !is_known(call, &events[i], held))
            call->accesses[call->count++] = (struct point){events[i], held};
    }
}

static bool overlap(const struct gen_event *a, const struct gen_event *b)
{
    return a->location < b->location + b->size && b->location < a->location + a->size;
}

static bool conflicts(const struct gen_event *a, const struct gen_event *b)
{
    return (a->kind == GEN_WRITE || b->kind == GEN_WRITE) && overlap(a, b);
}

/* The acquisitions of `call` that exclude those that `other` has at the point. */
static uint64_t excluding(const struct call *call, const struct call *other, const struct point *point)
{
    uint64_t mask = 0;
    for (size_t i = 0; i < call->acquisitions; i++)
        for (size_t k = 0; k < other->acquisitions; k++)
            if ((point->held >> k & 1) != 0 && call->acquired[i].location == other->acquired[k].location &&
                !(call->acquired[i].shared && other->acquired[k].shared))
                mask |= (uint64_t)1 << i;
    return mask;
}

static bool in_one_block(uint64_t a, uint64_t b)
{
    if (((a ^ b) & GEN_HEAP_BIT) != 0)
        return false;
    return (a & GEN_HEAP_BIT) != 0 ? a >> 32 == b >> 32 : (a ^ b) < 4096;
}

enum { BETWEEN, RACE, ORDER };
enum { WEIGHT_BLOCK = 1, WEIGHT_RACE = 2, WEIGHT_LOCATION = 8, WEIGHT_ORDER = 8 };

static void add(conflict_list *found, unsigned weight, uint64_t kind, uint64_t a, uint64_t b, uint64_t c)
{
    struct conflict conflict = {hash_combine(hash_combine(hash_combine(kind, a), b), c), weight};
    for (size_t i = 0; i < found->count; i++)
        if (found->data[i].hash == conflict.hash)
            return;
    vector_push(found, conflict);
}

/* Three accesses to one location, the second one by the other call: no order of the calls has the same. */
static bool is_unserializable(const struct gen_event *first, const struct gen_event *between,
                              const struct gen_event *last)
{
    bool same = overlap(first, between) && overlap(between, last);
    bool reads_between = between->kind == GEN_READ && first->kind == GEN_WRITE && last->kind == GEN_WRITE;
    bool writes_between = between->kind == GEN_WRITE && !(first->kind == GEN_WRITE && last->kind == GEN_WRITE);
    return same && (reads_between || writes_between);
}

/* The other call has a conflicting access to what the point accesses. */
static bool is_contended(const struct call *other, const struct point *point)
{
    for (size_t i = 0; i < other->count; i++)
        if (conflicts(&point->event, &other->accesses[i].event))
            return true;
    return false;
}

/* `e`, of the other call, between the access i of the call and another one. */
static void find_between(const struct call *call, size_t i, const struct call *others, const struct point *e,
                         uint64_t mask, conflict_list *found)
{
    const struct point *first = &call->accesses[i];
    for (size_t k = 0; k < call->count; k++) {
        const struct point *other = &call->accesses[k];
        if (k != i && in_one_block(first->event.location, other->event.location) &&
            (first->held & other->held & mask) == 0 && is_contended(others, other)) {
            bool strong = k > i && is_unserializable(&first->event, &e->event, &other->event);
            add(found, strong ? WEIGHT_LOCATION : WEIGHT_BLOCK, BETWEEN, first->event.site, other->event.site,
                e->event.site);
        }
    }
}

static void find_one_way(const struct call *call, const struct call *other, conflict_list *found)
{
    for (size_t e = 0; e < other->count; e++) {
        const struct point *point = &other->accesses[e];
        uint64_t mask = excluding(call, other, point);
        for (size_t i = 0; i < call->count; i++) {
            const struct point *own = &call->accesses[i];
            if (!conflicts(&own->event, &point->event))
                continue;
            find_between(call, i, other, point, mask, found);
            if ((own->held & mask) == 0 && !(own->event.atomic && point->event.atomic))
                add(found, WEIGHT_RACE, RACE, own->event.site, point->event.site, 0);
        }
    }
}

/* The call takes `second` while it holds `first`. */
static bool takes_inside(const struct call *call, uint64_t first, uint64_t second)
{
    for (size_t i = 0; i < call->acquisitions; i++)
        for (size_t k = 0; k < call->acquisitions && call->acquired[i].location == second; k++)
            if ((call->held_at[i] >> k & 1) != 0 && call->acquired[k].location == first)
                return true;
    return false;
}

static void find_lock_orders(const struct call *a, const struct call *b, conflict_list *found)
{
    for (size_t i = 0; i < a->acquisitions; i++)
        for (size_t k = 0; k < a->acquisitions; k++)
            if ((a->held_at[i] >> k & 1) != 0 && a->acquired[i].location != a->acquired[k].location &&
                takes_inside(b, a->acquired[i].location, a->acquired[k].location))
                add(found, WEIGHT_ORDER, ORDER, a->acquired[k].site, a->acquired[i].site, 0);
}

void conflict_predict(const struct gen_event *a, size_t a_count, const struct gen_event *b, size_t b_count,
                      conflict_list *found)
{
    static struct call first, second;
    read_call(&first, a, a_count);
    read_call(&second, b, b_count);
    find_one_way(&first, &second, found);
    find_one_way(&second, &first, found);
    find_lock_orders(&first, &second, found);
}
