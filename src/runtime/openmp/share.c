/* SPDX-License-Identifier: MIT
 *
 * share.c - worksharing constructs: loops, sections and single, and the ordered parts of loops.
 *
 * DESIGN
 *   The members of a team come to the same constructs in the same order, but not at the same time: each counts them, and the number finds
 *   what the team knows about the construct.  It is freed when the last member has finished it.
 *
 *   Iterations are numbered from 0; the interfaces turn numbers into values of the loop variable.  Sections are a loop
 *   over their numbers.
 *
 *   Taking iterations is a scheduling point and no synchronisation: what two members do with theirs is not ordered.  The ordered parts are
 *   done chunk by chunk: a member has the turn from when the chunks before its own are done until it asks for the next.
 */
#include "runtime/model/object.h"
#include "runtime/openmp/openmp.h"
#include "runtime/oracle/clock.h"

struct share *share_enter(struct task *self)
{
    struct place *place = &member_of(self)->place;
    uint64_t number = ++place->shares;
    struct share **link = &place->team->shares;
    while (*link != NULL && (*link)->number != number)
        link = &(*link)->next;
    if (*link == NULL) {
        *link = rt_alloc(sizeof **link);
        (*link)->number = number;
    }
    place->share = *link;
    place->trip = 0;
    place->first = place->after = 0;
    return *link;
}

void share_leave(struct task *self)
{
    struct place *place = &member_of(self)->place;
    struct share *share = place->share;
    place->share = NULL;
    if (share == NULL || ++share->left < place->team->size)
        return;
    struct share **link = &place->team->shares;
    while (*link != share)
        link = &(*link)->next;
    *link = share->next;
    if (share->ordered != NULL)
        object_drop(share->ordered);
    if (share->memory != NULL)
        openmp_free(self, place->team->pc, share->memory);
    rt_free(share, sizeof *share);
}

/* Where the op of a worksharing construct is: the construct itself, under the name of its region. */
static struct op share_op(struct task *self, enum wire_op kind, uintptr_t pc, struct object *object)
{
    return model_op(kind, pc, (void *)team_of(self)->region.body, object);
}

static struct object *share_object(struct share *share)
{
    return object_get((uintptr_t)share, OBJECT_ATOMIC);
}

/* ---- single --------------------------------------------------------------------------------------------------------- */

bool single_begin(struct task *self, uintptr_t pc)
{
    struct share *share = share_enter(self);
    if (team_of(self)->size > 1) {
        struct op op = share_op(self, OP_WORK_TAKE, pc, share_object(share));
        sched_point(self, &op);
        record_event(self, &op, !share->begun, EVENT_VALUE);
    }
    bool first = !share->begun;
    share->begun = true;
    share_leave(self);
    return first;
}

/* ---- loops ---------------------------------------------------------------------------------------------------------- */

void loop_begin(struct task *self, const struct loop *loop)
{
    struct share *share = share_enter(self);
    if (share->begun)
        return;
    const struct icv *icv = &member_of(self)->place.work->icv;
    share->begun = true;
    share->start = loop->start;
    share->step = loop->step;
    share->count = loop->count;
    share->chunk = loop->schedule == SCHEDULE_RUNTIME ? icv->chunk : loop->chunk;
    share->schedule = loop->schedule == SCHEDULE_RUNTIME ? icv->schedule : loop->schedule;
    if (share->schedule == SCHEDULE_AUTO)
        share->schedule = SCHEDULE_STATIC;
    if (share->schedule != SCHEDULE_STATIC && share->chunk == 0)
        share->chunk = 1;
}

/* By the member's number alone: no point. */
static bool next_static(struct place *place, struct share *share, uint64_t *first, uint64_t *after)
{
    uint64_t threads = place->team->size, number = place->number;
    if (share->chunk == 0) {
        uint64_t each = share->count / threads, more = share->count % threads;
        *first = number * each + (number < more ? number : more);
        *after = *first + each + (number < more);
        return place->trip++ == 0 && *first < *after;
    }
    uint64_t chunks = share->count / share->chunk + (share->count % share->chunk != 0);
    uint64_t chunk = place->trip++ * threads + number;
    if (chunk >= chunks)
        return false;
    *first = chunk * share->chunk;
    *after = share->count - *first > share->chunk ? *first + share->chunk : share->count;
    return true;
}

static bool next_taken(struct task *self, uintptr_t pc, struct share *share, uint64_t *first, uint64_t *after)
{
    uint32_t threads = team_of(self)->size;
    struct op op = share_op(self, OP_WORK_TAKE, pc, share_object(share));
    if (threads > 1)
        sched_point(self, &op);
    uint64_t left = share->count - share->taken;
    uint64_t wanted = share->chunk;
    if (share->schedule == SCHEDULE_GUIDED && (left + threads - 1) / threads > wanted)
        wanted = (left + threads - 1) / threads;
    *first = share->taken;
    *after = share->taken += wanted < left ? wanted : left;
    if (threads > 1)
        record_event(self, &op, *first, left > 0 ? EVENT_VALUE : 0);
    return left > 0;
}

bool loop_next(struct task *self, uintptr_t pc, uint64_t *first, uint64_t *after)
{
    struct place *place = &member_of(self)->place;
    struct share *share = place->share;
    bool more = share->schedule == SCHEDULE_STATIC ? next_static(place, share, first, after)
                                                   : next_taken(self, pc, share, first, after);
    place->first = more ? *first : 0;
    place->after = more ? *after : 0;
    return more;
}

/* ---- ordered -------------------------------------------------------------------------------------------------------- */

static struct object *ordered_object(struct share *share)
{
    if (share->ordered == NULL)
        share->ordered = object_get((uintptr_t)&share->ordered, OBJECT_CHANNEL);
    return share->ordered;
}

static enum ready turn_ready(struct task *task, const struct op *op)
{
    const struct place *place = (const struct place *)op->argument;
    (void)task;
    return place->share->turn == place->first ? READY_YES : READY_NO;
}

static struct op await_turn(struct task *self, uintptr_t pc, struct place *place)
{
    struct op op = share_op(self, OP_ORDERED_BEGIN, pc, ordered_object(place->share));
    op.ready = turn_ready;
    op.argument = (uint64_t)(uintptr_t)place;
    sched_point(self, &op);
    return op;
}

void ordered_begin(struct task *self, uintptr_t pc)
{
    struct place *place = &member_of(self)->place;
    if (place->share == NULL || place->team->size == 1)
        return;
    struct op op = await_turn(self, pc, place);
    hb_acquire(self, op.object);
    record_event(self, &op, place->first, EVENT_VALUE);
}

void ordered_end(struct task *self, uintptr_t pc)
{
    struct place *place = &member_of(self)->place;
    if (place->share == NULL || place->team->size == 1)
        return;
    struct op op = share_op(self, OP_ORDERED_END, pc, ordered_object(place->share));
    sched_point(self, &op);
    hb_release_merge(self, op.object);
    record_event(self, &op, place->first, EVENT_VALUE);
}

bool loop_next_ordered(struct task *self, uintptr_t pc, uint64_t *first, uint64_t *after)
{
    struct place *place = &member_of(self)->place;
    if (place->first < place->after && place->team->size > 1) {
        if (place->share->turn != place->first)
            await_turn(self, pc, place);
        place->share->turn = place->after;
        object_changed(ordered_object(place->share));
    }
    return loop_next(self, pc, first, after);
}
