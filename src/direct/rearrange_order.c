/* SPDX-License-Identifier: MIT
 *
 * rearrange_order.c - one order of the events of a run; see rearrange.h.
 */
#include <string.h>

#include "direct/rearrange_private.h"
#include "util/stop.h"

/* ---- what must be done --------------------------------------------------------------------------------------------- */

/* An access of the deed hides one step from another that is to follow it at once. */
static bool hides(const struct rearranger *rearranger, const struct deed *deed, const struct access *from,
                  const struct access *to)
{
    for (uint32_t i = 0; i < deed->access_count; i++) {
        const struct access *access = &rearranger->deeds.accesses.data[deed->access + i];
        if (access_overlap(access, from) && access_overlap(access, to) &&
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
            hides(rearranger, rearrange_deed(rearranger, number), &sequence->access[before], &sequence->access[i]))
            return true;
    }
    return false;
}

static bool is_allowed(const struct rearranger *rearranger, uint32_t number)
{
    const struct deed *deed = rearrange_deed(rearranger, number);
    return deed->place < rearranger->actors.data[deed->task].limit && !comes_between(rearranger, number);
}

/* The deeds of its task up to this one. */
static void want_up_to(struct rearranger *rearranger, const struct deed *deed)
{
    const struct deeds *deeds = &rearranger->deeds;
    for (uint32_t place = deed->place + 1; place-- > rearranger->actors.data[deed->task].next;) {
        uint32_t number = deeds->tasks.data[deed->task].data[place];
        if (rearrange_has(rearranger->wanted, number))
            return;
        rearrange_put(rearranger->wanted, number);
        rearranger->blocked |= !is_allowed(rearranger, number);
        const struct deed *own = rearrange_deed(rearranger, number);
        for (uint32_t i = 0; i < own->need_count; i++)
            if (!rearrange_has(rearranger->done, deeds->needs.data[own->need + i].deed))
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
            want_up_to(rearranger, rearrange_deed(rearranger, next));
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
                (deed->lock_use == LOCK_TAKE || rearrange_deed(rearranger, holds[k].deed)->lock_use == LOCK_TAKE))
                return holds[k].deed;
    return DEED_NONE;
}

static bool has_what_it_needs(const struct rearranger *rearranger, const struct deed *deed)
{
    for (uint32_t i = 0; i < deed->need_count; i++) {
        struct deed_need need = rearranger->deeds.needs.data[deed->need + i];
        if (!rearrange_has(rearranger->done, need.deed) && (need.must || is_allowed(rearranger, need.deed)))
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
    if (from == DEED_NONE || !deed->valued || !rearrange_deed(rearranger, from)->valued)
        return false;
    const struct access *read = &rearranger->deeds.accesses.data[deed->access];
    const struct access *there = &rearranger->deeds.accesses.data[rearrange_deed(rearranger, from)->access];
    *value = rearrange_deed(rearranger, from)->value;
    return read->lo == there->lo && read->hi == there->hi;
}

/* The deed reads what `writer` wrote. */
static void read_piece(struct rearranger *rearranger, const struct deed *deed, const struct deed_piece *piece,
                       uint32_t writer)
{
    struct actor *actor = &rearranger->actors.data[deed->task];
    bool strange = writer != DEED_NONE && rearrange_has(rearranger->strange, writer);
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
    const struct deed *deed = rearrange_deed(rearranger, number);
    struct actor *actor = &rearranger->actors.data[deed->task];
    if (actor->lost)
        return false;
    rearranger->doubts += actor->doubtful;
    rearrange_put(rearranger->done, number);
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
        rearrange_put(rearranger->strange, number);
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
            const struct deed *deed = rearrange_deed(rearranger, number);
            uint32_t holder = DEED_NONE;
            bool ready = deed->place == rearranger->actors.data[deed->task].next &&
                         has_what_it_needs(rearranger, deed) && (holder = find_holder(rearranger, deed)) == DEED_NONE;
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
        if (rearranger->blocked || stop_requested())
            return false;
        struct progress progress = look_through(rearranger);
        if (progress.lost)
            return false;
        if (!progress.left)
            return true;
        if (progress.holder != DEED_NONE) {
            uint32_t end = rearrange_deed(rearranger, progress.holder)->end;
            if (end == DEED_NONE || !is_allowed(rearranger, end))
                return false;
            progress.any |= !rearrange_has(rearranger->wanted, end);
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
        const struct deed *deed = rearrange_deed(rearranger, sequence->deeds[i]);
        if (deed->task == task)
            actor->limit = deed->place;
    }
}

/* The run up to where the first of the steps' tasks enters the critical section of its step is left as it was. */
static uint32_t beginning_of(const struct rearranger *rearranger, const struct sequence *sequence)
{
    uint32_t first = UINT32_MAX;
    for (unsigned i = 0; i < sequence->count; i++) {
        const struct deed *deed = rearrange_deed(rearranger, sequence->deeds[i]);
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
        actor->holds = actor->next > 0 ? rearrange_deed(rearranger, own->data[actor->next - 1])->holds : 0;
        set_limit(rearranger, sequence, 0, (uint16_t)i);
    }
}

/* Brings the task of a step to the step's door, and has others do what is needed behind it. */
static bool bring_to_door(struct rearranger *rearranger, uint32_t step)
{
    const struct deed *deed = rearrange_deed(rearranger, step);
    const deed_list *own = &rearranger->deeds.tasks.data[deed->task];
    uint32_t next = rearranger->actors.data[deed->task].next;
    uint32_t door = deed->door > next ? deed->door : next;
    if (door > next)
        demand(rearranger, own->data[door - 1]);
    for (uint32_t place = door; place <= deed->place; place++) {
        const struct deed *inside = rearrange_deed(rearranger, own->data[place]);
        for (uint32_t i = 0; i < inside->need_count; i++)
            if (!rearrange_has(rearranger->done, rearranger->deeds.needs.data[inside->need + i].deed))
                demand(rearranger, rearranger->deeds.needs.data[inside->need + i].deed);
    }
    return do_wanted(rearranger);
}

/* The step of the other task that is to be near when step i is done; DEED_NONE: its own task has the next one. */
static uint32_t step_to_come(const struct rearranger *rearranger, const struct sequence *sequence, unsigned i)
{
    uint16_t task = rearrange_deed(rearranger, sequence->deeds[i])->task;
    unsigned last = i == 0 ? sequence->count : i + 2;
    for (unsigned k = i + 1; k < last && k < sequence->count; k++)
        if (rearrange_deed(rearranger, sequence->deeds[k])->task != task)
            return sequence->deeds[k];
    return DEED_NONE;
}

/* The deed done last follows another one at once: nothing that lies between hides one from the other, nor is it the same once more. */
static bool follows_at_once(const struct rearranger *rearranger, uint32_t first, const struct access *from,
                            const struct access *to)
{
    const struct deed *own = rearrange_deed(rearranger, first);
    for (size_t at = rearranger->order.count - 1; at-- > 0 && rearranger->order.data[at] != first;) {
        const struct deed *deed = rearrange_deed(rearranger, rearranger->order.data[at]);
        const struct access *again =
            deed->task == own->task && deed->site == own->site
                ? deeds_access(&rearranger->deeds, rearranger->order.data[at], (enum access_kind)from->kind)
                : NULL;
        if (hides(rearranger, deed, from, to) ||
            (again != NULL && access_overlap(again, from) && access_overlap(again, to)))
            return false;
    }
    return true;
}

/* early: the task of the next step is brought to its door before each. */
static bool make_order(struct rearranger *rearranger, const struct sequence *sequence, bool early)
{
    restart(rearranger, sequence);
    for (unsigned i = 0; i < sequence->count; i++) {
        const struct deed *deed = rearrange_deed(rearranger, sequence->deeds[i]);
        uint32_t other = early ? step_to_come(rearranger, sequence, i) : DEED_NONE;
        if (other != DEED_NONE && !bring_to_door(rearranger, other))
            return false;
        rearranger->actors.data[deed->task].limit = deed->place + 1;
        demand(rearranger, sequence->deeds[i]);
        if (!do_wanted(rearranger))
            return false;
        rearranger->doubts +=
            rearranger->actors.data[deed->task].astray && !flow_is_fixed(&rearranger->flow, deed->site);
        int before = sequence->before[i];
        if (before >= 0 &&
            !follows_at_once(rearranger, sequence->deeds[before], &sequence->access[before], &sequence->access[i]))
            return false;
        rearranger->steps_done = i + 1;
        set_limit(rearranger, sequence, i + 1, deed->task);
    }
    return true;
}

bool rearrange_try(struct rearranger *rearranger, const struct sequence *sequence)
{
    return make_order(rearranger, sequence, false) || make_order(rearranger, sequence, true);
}
