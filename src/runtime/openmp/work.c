/* SPDX-License-Identifier: MIT
 *
 * work.c - explicit tasks: generated, executed where a member of the team waits, waited for.
 */
#include "runtime/model/object.h"
#include "runtime/openmp/openmp.h"
#include "runtime/oracle/clock.h"

/* ---- life ----------------------------------------------------------------------------------------------------------- */

/* Made when it is needed first: most tasks have no children. */
static struct object *ended_of(struct work *work)
{
    if (work->ended == NULL)
        work->ended = object_get((uintptr_t)&work->ended, OBJECT_CHANNEL);
    return work->ended;
}

static struct work *work_new(struct work *parent, const struct work_request *request)
{
    struct work *work = rt_alloc(sizeof *work);
    work->parent = parent;
    work->team = parent->team;
    work->group = parent->group;
    work->icv = parent->icv;
    work->body = request->body;
    work->function = request->function;
    work->data = request->data;
    work->memory = request->memory;
    work->final = request->final || parent->final;
    work->is_explicit = true;
    work->references = 1;
    work->ready = object_get((uintptr_t)&work->ready, OBJECT_CHANNEL);
    parent->children++;
    parent->references++;
    work->team->unended++;
    if (work->group != NULL)
        work->group->unended++;
    depend_enter(work, request->dependences, request->dependence_count);
    return work;
}

void work_forget(struct work *work)
{
    if (work->ended != NULL)
        object_drop(work->ended);
    depend_forget(work);
}

/* A parent may end before its children: it is kept, because descent is checked through it. */
static void work_drop(struct work *work)
{
    while (--work->references == 0 && work->is_explicit) {
        struct work *parent = work->parent;
        object_drop(work->ready);
        work_forget(work);
        rt_free(work, sizeof *work);
        work = parent;
    }
}

/* Tasks that wait for its end acquire its clock. */
static void work_end(struct task *self, struct work *work)
{
    struct team *team = work->team;
    depend_ended(self, work); /* first: it takes the clock before the others advance it */
    work->parent->children--;
    hb_release_merge(self, ended_of(work->parent));
    if (work->group != NULL) {
        work->group->unended--;
        hb_release_merge(self, work->group->ended);
    }
    if (team->arrived > 0)
        hb_release_merge(self, team->phase[team->generation & 1]);
    team->unended--;
    openmp_free(self, work->body, work->memory);
    work_drop(work);
    object_changed(team->changed);
    team_open(self, team);
}

/* ---- execution ------------------------------------------------------------------------------------------------------ */

static void work_start(struct task *self, uintptr_t pc, struct work *work)
{
    struct op op = model_op(OP_TASK_START, pc, (void *)work->body, NULL);
    member_of(self)->place.work = work;
    hb_acquire(self, work->ready);
    record_event(self, &op, 0, 0);
}

static void work_execute(struct task *self, uintptr_t pc, struct work *work)
{
    struct work *before = member_of(self)->place.work;
    work_start(self, pc, work);
    if (!openmp_call(self, work->function, work->data))
        return;
    member_of(self)->place.work = before;
    work_end(self, work);
}

static bool may_take(const struct work *work, const struct wait *wait)
{
    if (work->waits > 0)
        return false;
    if (wait->ancestor == NULL)
        return true;
    for (const struct work *up = work->parent; up != NULL; up = up->parent)
        if (up == wait->ancestor)
            return true;
    return false;
}

static uint32_t count_available(const struct wait *wait)
{
    uint32_t count = 0;
    for (const struct work *work = wait->member->place.team->waiting; work != NULL; work = work->next)
        count += may_take(work, wait);
    return count;
}

bool work_available(const struct wait *wait)
{
    for (const struct work *work = wait->member->place.team->waiting; work != NULL; work = work->next)
        if (may_take(work, wait))
            return true;
    return false;
}

static struct work *unlink_nth(struct team *team, const struct wait *wait, uint32_t index)
{
    struct work **link = &team->waiting;
    while (*link != NULL && (!may_take(*link, wait) || index-- > 0))
        link = &(*link)->next;
    struct work *work = *link;
    if (work == NULL)
        rt_die("an OpenMP task was taken that is not there");
    *link = work->next;
    if (work->next == NULL)
        team->waiting_end = link;
    work->next = NULL;
    return work;
}

void work_take(struct task *self, uintptr_t pc, const struct wait *wait)
{
    struct team *team = wait->member->place.team;
    uint32_t chosen = sched_choose(self, count_available(wait));
    struct work *work = unlink_nth(team, wait, chosen);
    object_changed(team->changed); /* one task less for the other members */
    work_execute(self, pc, work);
}

static enum ready wait_ready(struct task *task, const struct op *op)
{
    const struct wait *wait = (const struct wait *)op->argument;
    (void)task;
    return wait->over(wait) || work_available(wait) ? READY_YES : READY_NO;
}

void work_until(struct task *self, uintptr_t pc, enum wire_op kind, struct wait *wait)
{
    for (;;) {
        struct team *team = wait->member->place.team;
        struct op op = model_op(kind, pc, (void *)team->region.body, team->changed);
        op.ready = wait_ready;
        op.argument = (uint64_t)(uintptr_t)wait;
        sched_point(self, &op);
        if (wait->over(wait)) {
            record_event(self, &op, 0, 0);
            return;
        }
        work_take(self, pc, wait);
    }
}

/* ---- generation ----------------------------------------------------------------------------------------------------- */

static bool is_free_to_begin(const struct wait *wait)
{
    return wait->work->waits == 0;
}

static void await_siblings(struct task *self, uintptr_t pc, struct work *work)
{
    struct member *member = member_of(self);
    struct wait wait = {.member = member, .over = is_free_to_begin, .ancestor = member->place.work, .work = work};
    if (work->waits > 0)
        work_until(self, pc, OP_TASK_WAIT, &wait);
}

static bool is_undeferred(const struct work *parent, const struct work_request *request)
{
    return request->undeferred || parent->final || parent->team->size == 1;
}

void work_generate(struct task *self, uintptr_t pc, const struct work_request *request)
{
    struct work *parent = member_of(self)->place.work;
    if (is_undeferred(parent, request)) {
        struct work *work = work_new(parent, request);
        await_siblings(self, pc, work);
        work_execute(self, pc, work);
        return;
    }
    struct team *team = parent->team;
    struct op op = model_op(OP_TASK_CREATE, pc, (void *)request->body, team->changed);
    sched_point(self, &op);
    struct work *work = work_new(parent, request);
    hb_release_merge(self, work->ready);
    *team->waiting_end = work;
    team->waiting_end = &work->next;
    record_event(self, &op, 0, 0);
    object_changed(team->changed);
}

struct work *work_begin_here(struct task *self, uintptr_t pc, const struct work_request *request)
{
    struct work *work = work_new(member_of(self)->place.work, request);
    await_siblings(self, pc, work);
    work_start(self, pc, work);
    return work;
}

void work_end_here(struct task *self)
{
    struct member *member = member_of(self);
    struct work *work = member->place.work;
    member->place.work = work->parent;
    work_end(self, work);
}

/* ---- waiting -------------------------------------------------------------------------------------------------------- */

static bool are_children_ended(const struct wait *wait)
{
    return wait->work->children == 0;
}

void work_wait(struct task *self, uintptr_t pc)
{
    struct member *member = member_of(self);
    struct work *work = member->place.work;
    if (work->children == 0 && work->ended == NULL)
        return; /* it never had any */
    struct wait wait = {.member = member, .over = are_children_ended, .ancestor = work, .work = work};
    work_until(self, pc, OP_TASK_WAIT, &wait);
    hb_acquire(self, ended_of(work));
}

void work_wait_depend(struct task *self, uintptr_t pc, const struct dependence *dependences, uint32_t count)
{
    struct member *member = member_of(self);
    struct work_request request = {
        .body = member->place.work->body, .dependences = dependences, .dependence_count = count};
    struct work *work = work_new(member->place.work, &request);
    await_siblings(self, pc, work);
    hb_acquire(self, work->ready);
    work_end(self, work);
}

void work_yield(struct task *self, uintptr_t pc)
{
    struct op op = model_op(OP_YIELD, pc, NULL, NULL);
    op.flags = OP_YIELDS;
    sched_point(self, &op);
    record_event(self, &op, 0, 0);
}

void group_begin(struct task *self)
{
    struct work *work = member_of(self)->place.work;
    struct group *group = rt_alloc(sizeof *group);
    group->outer = work->group;
    group->ended = object_get((uintptr_t)group, OBJECT_CHANNEL);
    work->group = group;
}

static bool is_group_ended(const struct wait *wait)
{
    return wait->group->unended == 0;
}

void group_end(struct task *self, uintptr_t pc)
{
    struct member *member = member_of(self);
    struct work *work = member->place.work;
    struct group *group = work->group;
    if (group == NULL)
        return;
    struct wait wait = {.member = member, .over = is_group_ended, .ancestor = work, .group = group};
    if (member->place.team->size > 1)
        work_until(self, pc, OP_TASK_WAIT, &wait);
    hb_acquire(self, group->ended);
    work->group = group->outer;
    object_drop(group->ended);
    rt_free(group, sizeof *group);
}
