/* SPDX-License-Identifier: MIT
 *
 * team.c - teams of threads: fork, barrier, end, and the workers that are kept between regions.
 */
#include "runtime/model/object.h"
#include "runtime/model/thread.h"
#include "runtime/openmp/openmp.h"
#include "runtime/oracle/clock.h"
#include "runtime/sched/task.h"

/* ---- members -------------------------------------------------------------------------------------------------------- */

static void add_objects(struct team *team)
{
    team->changed = object_get((uintptr_t)team, OBJECT_CHANNEL);
    for (int i = 0; i < 2; i++)
        team->phase[i] = object_get((uintptr_t)team->phase_key[i], OBJECT_CHANNEL);
    team->waiting_end = &team->waiting;
}

static struct team *team_new(uint32_t size)
{
    struct team *team = rt_alloc(sizeof *team);
    team->size = size;
    team->members = rt_alloc(size * sizeof *team->members);
    team->implicit = rt_alloc(size * sizeof *team->implicit);
    add_objects(team);
    return team;
}

static void team_free(struct team *team)
{
    for (uint32_t i = 0; i < team->size; i++)
        work_forget(&team->implicit[i]);
    object_drop(team->changed); /* stays if an idle worker has it in its wait */
    object_drop(team->phase[0]);
    object_drop(team->phase[1]);
    rt_free(team->implicit, team->size * sizeof *team->implicit);
    rt_free(team->members, team->size * sizeof *team->members);
    rt_free(team, sizeof *team);
}

static struct member *member_new(void)
{
    struct member *member = rt_alloc(sizeof *member);
    member->channel = object_get((uintptr_t)member, OBJECT_CHANNEL);
    return member;
}

static void enter_team(struct member *member, struct team *team, uint32_t number)
{
    team->members[number] = member;
    team->implicit[number].team = team;
    member->place = (struct place){.team = team, .number = number, .work = &team->implicit[number]};
}

static void dismiss(struct task *self, struct crew *crew)
{
    for (uint32_t i = 0; i < crew->count && crew->workers[i] != NULL; i++) {
        crew->workers[i]->quit = true;
        hb_release(self, crew->workers[i]->channel);
        object_changed(crew->workers[i]->channel);
    }
}

/* The task ends, and so do the workers of its teams. */
static void end_workers(struct task *self)
{
    for (struct crew *crew = self->openmp->crew; crew != NULL; crew = crew->inner)
        dismiss(self, crew);
}

static void make_member(struct task *self, struct member *member)
{
    self->openmp = member;
    self->openmp_ended = end_workers;
}

/* A thread that uses OpenMP for the first time is alone in a team. */
struct member *member_of(struct task *self)
{
    if (self->openmp == NULL) {
        struct team *team = team_new(1);
        team->implicit[0].icv = icv_from_environment();
        make_member(self, member_new());
        enter_team(self->openmp, team, 0);
    }
    return self->openmp;
}

bool openmp_call(struct task *self, void (*function)(void *), void *data)
{
    rt_leave(self);
    function(data);
    return rt_enter() != NULL;
}

static bool call_region(struct task *self, const struct team *team)
{
    rt_leave(self);
    team->region.call(&team->region);
    return rt_enter() != NULL;
}

/* ---- barrier -------------------------------------------------------------------------------------------------------- */

static struct object *phase_of(const struct team *team, uint64_t generation)
{
    return team->phase[generation & 1];
}

bool team_open(struct task *self, struct team *team)
{
    if (team->arrived < team->size || team->unended > 0)
        return false;
    hb_acquire(self, phase_of(team, team->generation));
    team->arrived = 0;
    team->generation++;
    object_changed(team->changed);
    return true;
}

/* Returns the generation that it arrived in.  No member is still leaving the last barrier of this parity: all have arrived at the one
   in between. */
static uint64_t arrive(struct task *self, uintptr_t pc, struct team *team)
{
    struct op op = model_op(OP_BARRIER_ARRIVE, pc, (void *)team->region.body, team->changed);
    sched_point(self, &op);
    uint64_t generation = team->generation;
    if (team->arrived++ == 0)
        hb_release(self, phase_of(team, generation));
    else
        hb_release_merge(self, phase_of(team, generation));
    record_event(self, &op, team->arrived, EVENT_VALUE);
    return generation;
}

static bool barrier_is_open(const struct wait *wait)
{
    return wait->member->place.team->generation != wait->generation;
}

void team_barrier(struct task *self, uintptr_t pc)
{
    struct member *member = member_of(self);
    struct team *team = member->place.team;
    if (team->size == 1)
        return; /* all its tasks were executed where they were generated */
    struct wait wait = {.member = member, .over = barrier_is_open};
    wait.generation = arrive(self, pc, team);
    if (team_open(self, team))
        return;
    work_until(self, pc, OP_BARRIER_LEAVE, &wait);
    hb_acquire(self, phase_of(team, wait.generation));
}

/* ---- workers -------------------------------------------------------------------------------------------------------- */

static bool is_wanted(const struct wait *wait)
{
    return wait->member->assigned != NULL || wait->member->quit;
}

static enum ready idle_ready(struct task *task, const struct op *op)
{
    const struct wait *wait = (const struct wait *)op->argument;
    (void)task;
    return is_wanted(wait) || (wait->member->place.team != NULL && work_available(wait)) ? READY_YES : READY_NO;
}

/* At the end of its region a worker executes tasks that are left, and then waits for the next team. */
static void stay_idle(struct task *self, struct member *member)
{
    struct wait wait = {.member = member, .over = is_wanted};
    for (;;) {
        struct team *team = member->place.team;
        uintptr_t body = team != NULL ? team->region.body : 0;
        struct op op = model_op(OP_TEAM_START, 0, (void *)body, member->channel);
        op.object2 = team != NULL ? team->changed : NULL;
        op.ready = idle_ready;
        op.argument = (uint64_t)(uintptr_t)&wait;
        sched_point(self, &op);
        if (!is_wanted(&wait)) {
            work_take(self, member->place.team->pc, &wait);
            continue;
        }
        hb_acquire(self, member->channel);
        if (member->quit)
            return;
        op.address = member->assigned->region.body;
        op.pc = member->assigned->pc;
        record_event(self, &op, member->assigned_number, EVENT_VALUE);
        return;
    }
}

static void *worker_main(void *argument)
{
    struct member *member = argument;
    struct task *self = rt_enter();
    make_member(self, member);
    while (!member->quit) {
        struct team *team = member->assigned;
        member->assigned = NULL;
        enter_team(member, team, member->assigned_number);
        if (!call_region(self, team))
            return NULL;
        arrive(self, team->pc, team);
        team_open(self, team);
        stay_idle(self, member);
    }
    rt_leave(self);
    return NULL;
}

/* The workers of an outer team that it leads are busy. */
static struct crew *crew_of(struct member *leader)
{
    struct crew **link = &leader->crew;
    for (uint32_t depth = 0; depth < leader->leading; depth++)
        link = &(*link)->inner;
    if (*link == NULL)
        *link = rt_alloc(sizeof **link);
    return *link;
}

static struct member **worker_slot(struct crew *crew, uint32_t number)
{
    if (number > crew->count) {
        uint32_t count = number < 4 ? 4 : 2 * number;
        struct member **more = rt_alloc(count * sizeof *more);
        for (uint32_t i = 0; i < crew->count; i++)
            more[i] = crew->workers[i];
        rt_free(crew->workers, crew->count * sizeof *more);
        crew->workers = more;
        crew->count = count;
    }
    return &crew->workers[number - 1];
}

static void create_worker(struct task *self, struct team *team, struct member *worker)
{
    pthread_t handle;
    struct thread_request request = {
        .handle = &handle,
        .start = worker_main,
        .argument = worker,
        .start_pc = team->region.body,
        .pc = team->pc,
    };
    if (thread_create(self, &request) != 0)
        openmp_refuse("teams of more threads than can be created are");
    task_by_handle(handle)->detached = true; /* ends with the program, or with its leader */
}

/* Idle workers get the team in one step; missing workers are created. */
static void assign_workers(struct task *self, struct member *leader, struct team *team)
{
    struct crew *crew = crew_of(leader);
    if (team->size > 1 && crew->count > 0) {
        struct op op = model_op(OP_TEAM_FORK, team->pc, (void *)team->region.body, leader->channel);
        sched_point(self, &op);
        record_event(self, &op, team->size, EVENT_VALUE);
    }
    leader->leading++;
    for (uint32_t number = 1; number < team->size; number++) {
        struct member **slot = worker_slot(crew, number);
        bool there = *slot != NULL;
        if (!there)
            *slot = member_new();
        (*slot)->assigned = team;
        (*slot)->assigned_number = number;
        if (there) {
            hb_release(self, (*slot)->channel);
            object_changed((*slot)->channel);
        } else {
            create_worker(self, team, *slot);
        }
    }
}

/* ---- regions -------------------------------------------------------------------------------------------------------- */

static uint32_t decide_size(struct member *member, uint32_t threads)
{
    const struct team *outer = member->place.team;
    if (threads == 0)
        threads = member->wanted != 0 ? member->wanted : member->place.work->icv.threads;
    member->wanted = 0;
    return outer->active_level >= openmp_levels ? 1 : threads;
}

void team_begin(struct task *self, uintptr_t pc, const struct region *region, uint32_t threads)
{
    struct member *leader = member_of(self);
    struct team *team = team_new(decide_size(leader, threads));
    const struct work *work = leader->place.work;
    team->region = *region;
    team->pc = pc;
    team->outer = leader->place;
    team->level = leader->place.team->level + 1;
    team->active_level = leader->place.team->active_level + (team->size > 1);
    for (uint32_t i = 0; i < team->size; i++) {
        team->implicit[i].icv = work->icv;
        team->implicit[i].body = region->body;
        team->implicit[i].final = work->final;
    }
    enter_team(leader, team, 0);
    assign_workers(self, leader, team);
}

void team_end(struct task *self)
{
    struct member *leader = member_of(self);
    struct team *team = leader->place.team;
    team_barrier(self, team->pc);
    leader->place = team->outer;
    leader->leading--;
    for (uint32_t i = 1; i < team->size; i++)
        if (team->members[i] != NULL && team->members[i]->place.team == team)
            team->members[i]->place.team = NULL;
    team_free(team);
}

void team_run(struct task *self, uintptr_t pc, const struct region *region, uint32_t threads)
{
    team_begin(self, pc, region, threads);
    if (call_region(self, team_of(self)))
        team_end(self);
}
