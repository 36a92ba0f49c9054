/* SPDX-License-Identifier: MIT
 *
 * rearrange.c - see rearrange.h.
 */
#include "direct/rearrange.h"

#include <stdlib.h>
#include <string.h>

#include "direct/cast.h"
#include "direct/deeds.h"
#include "direct/flow.h"
#include "util/memory.h"

enum { ORDERS = 16 }; /* that are tried for a pattern */

struct actor { /* a task */
    uint32_t next;  /* place of what it does next */
    uint32_t limit; /* place that it may not come to yet */
    bool astray;    /* what it has read is not what it read */
    bool lost;      /* and nobody knows where it goes from here */
    bool doubtful;  /* where it goes from here may depend on it */
    uint32_t holds; /* locks, in the run's `holds` */
};

struct rearranger {
    struct deeds deeds;
    struct flow flow;
    const struct wire_step *steps; /* of the run */
    size_t step_count;
    uint64_t work;
    /* the order that is being made */
    uint64_t *done, *wanted; /* bits */
    uint32_t doubts;         /* places where somebody may go another way */
    uint64_t *strange;       /* bits: what the deed writes may be another value */
    uint32_t began;          /* the deeds below this number were done first, as they were */
    uint32_t *writers;       /* of each location, if somebody has written there since */
    uint32_t *written;       /* the order in which somebody has */
    uint32_t orders;         /* that have been made */
    size_t run_holds;        /* of the run's own */
    VECTOR(struct actor) actors;
    const struct sequence *sequence; /* that is being done */
    unsigned steps_done;
    bool blocked; /* something is wanted that may not come now */
    deed_list demanded, order;
    struct table pairs; /* two deeds → enum pair */
    struct table tried, won; /* two sites → how often they were tried, and could */
};

/* The deeds that are steps, in their order. */
struct sequence {
    unsigned count;
    uint32_t deeds[PATTERN_STEPS];
    struct access access[PATTERN_STEPS]; /* of each, that matters */
    int before[PATTERN_STEPS];           /* the one that it must follow at once; -1 none */
};

static bool has(const uint64_t *bits, uint32_t number)
{
    return bits[number / 64] >> (number % 64) & 1;
}

static void put(uint64_t *bits, uint32_t number)
{
    bits[number / 64] |= 1ull << (number % 64);
}

static const struct deed *deed_at(const struct rearranger *rearranger, uint32_t number)
{
    return &rearranger->deeds.all.data[number];
}

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

/* ---- what must be done --------------------------------------------------------------------------------------------- */

static bool overlap(const struct access *a, const struct access *b)
{
    return a->space == b->space && a->lo < b->hi && b->lo < a->hi;
}

/* An access of the deed hides one step from another that is to follow it at once. */
static bool hides(const struct rearranger *rearranger, const struct deed *deed, const struct access *from,
                  const struct access *to)
{
    for (uint32_t i = 0; i < deed->access_count; i++) {
        const struct access *access = &rearranger->deeds.accesses.data[deed->access + i];
        if (overlap(access, from) && overlap(access, to) &&
            access_blocks((enum access_kind)from->kind, (enum access_kind)access->kind, (enum access_kind)to->kind))
            return true;
    }
    return false;
}

/* It would come between two steps of which only the first has been done. */
static bool comes_between(const struct rearranger *rearranger, uint32_t number)
{
    const struct sequence *sequence = rearranger->sequence;
    for (unsigned i = rearranger->steps_done; i < sequence->count; i++) {
        int before = sequence->before[i];
        if (before >= 0 && (unsigned)before < rearranger->steps_done && sequence->deeds[i] != number &&
            hides(rearranger, deed_at(rearranger, number), &sequence->access[before], &sequence->access[i]))
            return true;
    }
    return false;
}

static bool is_allowed(const struct rearranger *rearranger, uint32_t number)
{
    const struct deed *deed = deed_at(rearranger, number);
    return deed->place < rearranger->actors.data[deed->task].limit && !comes_between(rearranger, number);
}

/* The deeds of its task up to this one. */
static void want_up_to(struct rearranger *rearranger, const struct deed *deed)
{
    const struct deeds *deeds = &rearranger->deeds;
    for (uint32_t place = deed->place + 1; place-- > rearranger->actors.data[deed->task].next;) {
        uint32_t number = deeds->tasks.data[deed->task].data[place];
        if (has(rearranger->wanted, number))
            return;
        put(rearranger->wanted, number);
        rearranger->blocked |= !is_allowed(rearranger, number);
        const struct deed *own = deed_at(rearranger, number);
        for (uint32_t i = 0; i < own->need_count; i++)
            if (!has(rearranger->done, deeds->needs.data[own->need + i].deed))
                vector_push(&rearranger->demanded, deeds->needs.data[own->need + i].deed);
    }
}

/* The deed shall be done, and what must come before it.  What is not allowed yet is left out. */
static void demand(struct rearranger *rearranger, uint32_t number)
{
    vector_push(&rearranger->demanded, number);
    while (rearranger->demanded.count > 0) {
        uint32_t next = rearranger->demanded.data[--rearranger->demanded.count];
        if (is_allowed(rearranger, next))
            want_up_to(rearranger, deed_at(rearranger, next));
    }
}

/* ---- doing it ------------------------------------------------------------------------------------------------------ */

/* The deed that took the lock which keeps this one from being done; DEED_NONE. */
static uint32_t find_holder(const struct rearranger *rearranger, const struct deed *deed)
{
    if (deed->lock_use != LOCK_TAKE && deed->lock_use != LOCK_SHARE)
        return DEED_NONE;
    const struct deed_hold *holds = rearranger->deeds.holds.data;
    for (size_t i = 0; i < rearranger->actors.count; i++)
        for (uint32_t k = i != deed->task ? rearranger->actors.data[i].holds : 0; k != 0; k = holds[k].others)
            if (holds[k].lock == deed->lock &&
                (deed->lock_use == LOCK_TAKE || deed_at(rearranger, holds[k].deed)->lock_use == LOCK_TAKE))
                return holds[k].deed;
    return DEED_NONE;
}

static bool has_what_it_needs(const struct rearranger *rearranger, const struct deed *deed)
{
    for (uint32_t i = 0; i < deed->need_count; i++) {
        struct deed_need need = rearranger->deeds.needs.data[deed->need + i];
        if (!has(rearranger->done, need.deed) && (need.must || is_allowed(rearranger, need.deed)))
            return false;
    }
    return true;
}

static void use_lock(struct rearranger *rearranger, const struct deed *deed, uint32_t number)
{
    struct deeds *deeds = &rearranger->deeds;
    struct actor *actor = &rearranger->actors.data[deed->task];
    if (deed->lock_use == LOCK_GIVE)
        actor->holds = deeds_let_go(deeds, actor->holds, deed->lock);
    if (deed->lock_use != LOCK_TAKE && deed->lock_use != LOCK_SHARE)
        return;
    vector_push(&deeds->holds, ((struct deed_hold){deed->lock, number, actor->holds}));
    actor->holds = (uint32_t)deeds->holds.count - 1;
}

/* Who has written what is there; DEED_NONE. */
static uint32_t writer_of(const struct rearranger *rearranger, uint32_t location)
{
    if (rearranger->written[location] == rearranger->orders)
        return rearranger->writers[location];
    const deed_list *writes = &rearranger->deeds.writes.data[location];
    uint32_t before = deeds_count_before(writes, rearranger->began);
    return before > 0 ? writes->data[before - 1] : DEED_NONE;
}

static void write_piece(struct rearranger *rearranger, uint32_t location, uint32_t number)
{
    rearranger->writers[location] = number;
    rearranger->written[location] = rearranger->orders;
}

/* What the deed reads of what `writer` wrote, or nobody; false: not known. */
static bool value_from(const struct rearranger *rearranger, const struct deed *deed, uint32_t writer, uint64_t *value)
{
    uint32_t from = writer != DEED_NONE ? writer : deeds_first_reader(&rearranger->deeds, deed);
    if (from == DEED_NONE || !deed->valued || !deed_at(rearranger, from)->valued)
        return false;
    const struct access *read = &rearranger->deeds.accesses.data[deed->access];
    const struct access *there = &rearranger->deeds.accesses.data[deed_at(rearranger, from)->access];
    *value = deed_at(rearranger, from)->value;
    return read->lo == there->lo && read->hi == there->hi;
}

/* The deed reads what `writer` wrote. */
static void read_piece(struct rearranger *rearranger, const struct deed *deed, const struct deed_piece *piece,
                       uint32_t writer)
{
    struct actor *actor = &rearranger->actors.data[deed->task];
    bool strange = writer != DEED_NONE && has(rearranger->strange, writer);
    if (writer == piece->writer && !strange)
        return;
    uint64_t value;
    bool known = !strange && value_from(rearranger, deed, writer, &value);
    if (known && value == deed->value)
        return;
    actor->astray = true;
    actor->lost |= known ? !flow_is_same(&rearranger->flow, deed->site, deed->value, value)
                         : !flow_is_straight(&rearranger->flow, deed->site);
}

/* False: nobody knows whether its task comes to it. */
static bool do_deed(struct rearranger *rearranger, uint32_t number)
{
    const struct deed *deed = deed_at(rearranger, number);
    struct actor *actor = &rearranger->actors.data[deed->task];
    if (actor->lost)
        return false;
    rearranger->doubts += actor->doubtful;
    put(rearranger->done, number);
    vector_push(&rearranger->order, number);
    rearranger->work++;
    actor->next++;
    for (uint32_t i = 0; i < deed->piece_count; i++) {
        const struct deed_piece *piece = &rearranger->deeds.pieces.data[deed->piece + i];
        if (deed->reads)
            read_piece(rearranger, deed, piece, writer_of(rearranger, piece->location));
        if (deed->writes)
            write_piece(rearranger, piece->location, number);
    }
    if (deed->writes && actor->astray && !flow_is_constant(&rearranger->flow, deed->site))
        put(rearranger->strange, number);
    actor->doubtful = actor->astray && !flow_is_certain(&rearranger->flow, deed->site, deed->valued, deed->value);
    use_lock(rearranger, deed, number);
    return true;
}

/* What one look through the run came to. */
struct progress {
    bool lost, any, left;
    uint32_t holder; /* of a lock that somebody needs; DEED_NONE */
};

/* Does what is wanted and can be done, in the order of the run. */
static struct progress look_through(struct rearranger *rearranger)
{
    struct progress progress = {.holder = DEED_NONE};
    for (uint32_t word = rearranger->began / 64; word <= rearranger->deeds.all.count / 64; word++) {
        uint64_t bits = rearranger->wanted[word] & ~rearranger->done[word];
        for (; bits != 0; bits &= bits - 1) {
            uint32_t number = word * 64 + (uint32_t)__builtin_ctzll(bits);
            const struct deed *deed = deed_at(rearranger, number);
            uint32_t holder = DEED_NONE;
            bool ready = deed->place == rearranger->actors.data[deed->task].next &&
                         has_what_it_needs(rearranger, deed) &&
                         (holder = find_holder(rearranger, deed)) == DEED_NONE;
            if (holder != DEED_NONE)
                progress.holder = holder;
            progress.left |= !ready;
            progress.any |= ready;
            if (ready && !do_deed(rearranger, number)) {
                progress.lost = true;
                return progress;
            }
        }
    }
    return progress;
}

/* All that is wanted.  False: it cannot be done. */
static bool do_wanted(struct rearranger *rearranger)
{
    for (;;) {
        if (rearranger->blocked)
            return false;
        struct progress progress = look_through(rearranger);
        if (progress.lost)
            return false;
        if (!progress.left)
            return true;
        if (progress.holder != DEED_NONE) {
            uint32_t end = deed_at(rearranger, progress.holder)->end;
            if (end == DEED_NONE || !is_allowed(rearranger, end))
                return false;
            progress.any |= !has(rearranger->wanted, end);
            demand(rearranger, end);
        }
        if (!progress.any)
            return false;
    }
}

/* ---- an order ------------------------------------------------------------------------------------------------------ */

/* The task may go as far as its next step, from the given one on. */
static void set_limit(struct rearranger *rearranger, const struct sequence *sequence, unsigned from, uint16_t task)
{
    struct actor *actor = &rearranger->actors.data[task];
    actor->limit = UINT32_MAX;
    for (unsigned i = sequence->count; i-- > from;) {
        const struct deed *deed = deed_at(rearranger, sequence->deeds[i]);
        if (deed->task == task)
            actor->limit = deed->place;
    }
}

/* The run up to where the first of the steps' tasks enters the critical section of its step is left as it was. */
static uint32_t beginning_of(const struct rearranger *rearranger, const struct sequence *sequence)
{
    uint32_t first = UINT32_MAX;
    for (unsigned i = 0; i < sequence->count; i++) {
        const struct deed *deed = deed_at(rearranger, sequence->deeds[i]);
        uint32_t door = rearranger->deeds.tasks.data[deed->task].data[deed->door];
        first = door < first ? door : first;
    }
    return first;
}

static void restart(struct rearranger *rearranger, const struct sequence *sequence)
{
    struct deeds *deeds = &rearranger->deeds;
    size_t words = deeds->all.count / 64 + 1;
    uint32_t began = beginning_of(rearranger, sequence);
    memset(rearranger->done, 0, words * sizeof *rearranger->done);
    memset(rearranger->wanted, 0, words * sizeof *rearranger->wanted);
    memset(rearranger->strange, 0, words * sizeof *rearranger->strange);
    memset(rearranger->done, 0xff, began / 64 * sizeof *rearranger->done);
    rearranger->done[began / 64] = (1ull << began % 64) - 1;
    vector_clear(&rearranger->order);
    rearranger->began = began;
    rearranger->doubts = 0;
    rearranger->sequence = sequence;
    rearranger->steps_done = 0;
    rearranger->blocked = false;
    rearranger->orders++;
    deeds->holds.count = rearranger->run_holds;
    for (size_t i = 0; i < rearranger->actors.count; i++) {
        struct actor *actor = &rearranger->actors.data[i];
        const deed_list *own = &deeds->tasks.data[i];
        actor->next = deeds_count_before(own, began);
        actor->astray = actor->lost = actor->doubtful = false;
        actor->holds = actor->next > 0 ? deed_at(rearranger, own->data[actor->next - 1])->holds : 0;
        set_limit(rearranger, sequence, 0, (uint16_t)i);
    }
}

/* Brings the task of a step to the step's door, and has others do what is needed behind it. */
static bool bring_to_door(struct rearranger *rearranger, uint32_t step)
{
    const struct deed *deed = deed_at(rearranger, step);
    const deed_list *own = &rearranger->deeds.tasks.data[deed->task];
    uint32_t next = rearranger->actors.data[deed->task].next;
    uint32_t door = deed->door > next ? deed->door : next;
    if (door > next)
        demand(rearranger, own->data[door - 1]);
    for (uint32_t place = door; place <= deed->place; place++) {
        const struct deed *inside = deed_at(rearranger, own->data[place]);
        for (uint32_t i = 0; i < inside->need_count; i++)
            if (!has(rearranger->done, rearranger->deeds.needs.data[inside->need + i].deed))
                demand(rearranger, rearranger->deeds.needs.data[inside->need + i].deed);
    }
    return do_wanted(rearranger);
}

/* The step of the other task that is to be near when step i is done; DEED_NONE: its own task has the next one. */
static uint32_t step_to_come(const struct rearranger *rearranger, const struct sequence *sequence, unsigned i)
{
    uint16_t task = deed_at(rearranger, sequence->deeds[i])->task;
    unsigned last = i == 0 ? sequence->count : i + 2;
    for (unsigned k = i + 1; k < last && k < sequence->count; k++)
        if (deed_at(rearranger, sequence->deeds[k])->task != task)
            return sequence->deeds[k];
    return DEED_NONE;
}

/* The deed done last follows another one at once: nothing that lies between hides one from the other, nor is it the same once more. */
static bool follows_at_once(const struct rearranger *rearranger, uint32_t first, const struct access *from,
                            const struct access *to)
{
    const struct deed *own = deed_at(rearranger, first);
    for (size_t at = rearranger->order.count - 1; at-- > 0 && rearranger->order.data[at] != first;) {
        const struct deed *deed = deed_at(rearranger, rearranger->order.data[at]);
        const struct access *again = deed->task == own->task && deed->site == own->site
                                         ? deeds_access(&rearranger->deeds, rearranger->order.data[at],
                                                        (enum access_kind)from->kind)
                                         : NULL;
        if (hides(rearranger, deed, from, to) || (again != NULL && overlap(again, from) && overlap(again, to)))
            return false;
    }
    return true;
}

/* early: the task of the next step is brought to its door before each. */
static bool make_order(struct rearranger *rearranger, const struct sequence *sequence, bool early)
{
    restart(rearranger, sequence);
    for (unsigned i = 0; i < sequence->count; i++) {
        const struct deed *deed = deed_at(rearranger, sequence->deeds[i]);
        uint32_t other = early ? step_to_come(rearranger, sequence, i) : DEED_NONE;
        if (other != DEED_NONE && !bring_to_door(rearranger, other))
            return false;
        rearranger->actors.data[deed->task].limit = deed->place + 1;
        demand(rearranger, sequence->deeds[i]);
        if (!do_wanted(rearranger))
            return false;
        rearranger->doubts += rearranger->actors.data[deed->task].astray && !flow_is_fixed(&rearranger->flow, deed->site);
        int before = sequence->before[i];
        if (before >= 0 && !follows_at_once(rearranger, sequence->deeds[before], &sequence->access[before],
                                            &sequence->access[i]))
            return false;
        rearranger->steps_done = i + 1;
        set_limit(rearranger, sequence, i + 1, deed->task);
    }
    return true;
}

static bool try_order(struct rearranger *rearranger, const struct sequence *sequence)
{
    return make_order(rearranger, sequence, false) || make_order(rearranger, sequence, true);
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
        sequence->before[i] =
            step->relation == RELATION_IMMEDIATE ? pattern_previous_on_variable(pattern, i) : -1;
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
        *known = try_order(rearranger, &pair) ? PAIR_YES : PAIR_NO;
        uint64_t sites = site_key(deed_at(rearranger, pair.deeds[0])->site, deed_at(rearranger, pair.deeds[1])->site);
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
            const struct deed *a = deed_at(rearranger, sequence->deeds[i]), *b = deed_at(rearranger, sequence->deeds[k]);
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
        write_step(deed_at(rearranger, i), steps);
    for (size_t i = 0; i < rearranger->order.count; i++)
        write_step(deed_at(rearranger, rearranger->order.data[i]), steps);
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
            if (!try_order(rearranger, &sequence) || (found && rearranger->doubts >= *doubts))
                continue;
            found = true;
            *doubts = rearranger->doubts;
            write_steps(rearranger, steps);
            if (*doubts == 0)
                return true;
        }
    return found;
}
