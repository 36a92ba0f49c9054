/* SPDX-License-Identifier: MIT
 *
 * checkpoints_choose.c - where to hold a run, so that most work is saved for runs with the same prefix; see
 * checkpoints.h.
 */
#include "control/checkpoints.h"

#include "control/checkpoints_private.h"

/* The common prefix of two runs: it ends in this step, at this operation of its task. */
struct common {
    size_t step; /* SIZE_MAX: the prefix is empty */
    uint64_t until;
    uint64_t operations; /* of all tasks in the prefix; tasks that have ended are not counted */
    uint64_t had;        /* the same, up to the checkpoint from which the other run can already be continued */
};

/* The operation of the choice at entry i of the wish; UINT64_MAX: it is not a choice. */
static uint64_t choice_at(const struct checkpoints_wish *wish, size_t i)
{
    return i < wish->count && wish->steps[i].type == STEP_CHOICE ? wish->steps[i].until : UINT64_MAX;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The common prefix: up to the first operation at which the two switch or choose differently. */
static struct common common_way(const struct checkpoints_wish *wish, const struct checkpoints_wish *other)
{
    const struct wire_step *a = wish->steps, *b = other->steps;
    size_t i = 0, count = wish->count < other->count ? wish->count : other->count;
    while (i < count && checkpoints_same_step(&a[i], &b[i]))
        i++;
    struct common way = {.step = checkpoints_last_run(a, i)};
    way.until = way.step != SIZE_MAX ? a[way.step].until : 0;
    if (i < count && a[i].type == STEP_RUN && b[i].type == STEP_RUN && a[i].task == b[i].task) {
        way = (struct common){.step = i, .until = least(a[i].until, b[i].until)};
        for (i++; i < count && a[i].type == STEP_CHOICE && checkpoints_same_step(&a[i], &b[i]);)
            i++;
    }
    way.until = least(way.until, least(choice_at(wish, i), choice_at(other, i)));
    return way;
}

/* The prefix ends in this step.  Before the step its task has done `done` operations, all tasks together `all`.  If the
   prefix ends where the step begins, it ends with the step before (SIZE_MAX: none). */
static void end_way(const struct checkpoints_wish *wish, struct common *way, uint64_t done, uint64_t all, size_t before)
{
    way->operations = all;
    if (way->until > done) {
        way->operations += way->until != UINT64_MAX ? way->until - done : 0;
        return;
    }
    way->step = before;
    way->until = before != SIZE_MAX ? wish->steps[before].until : 0;
}

static void count_operations(const struct checkpoints_wish *wish, struct common *ways, size_t count)
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

/* The operations that the other runs save with a checkpoint at the end of `way`. */
static uint64_t saved_at(const struct common *way, const struct common *ways, size_t count)
{
    uint64_t saved = 0;
    for (size_t k = 0; k < count; k++)
        if (ways[k].step != SIZE_MAX && is_before(way, &ways[k]) && way->operations > ways[k].had)
            saved += way->operations - ways[k].had;
    return saved;
}

bool checkpoints_is_far(const struct checkpoints *checkpoints, const struct checkpoints_wish *wish, int from)
{
    struct common end = {.step = checkpoints_last_run(wish->steps, wish->count)};
    if (end.step == SIZE_MAX)
        return false;
    end.until = wish->steps[end.step].until;
    count_operations(wish, &end, 1);
    uint64_t before = from >= 0 ? checkpoints->places[from].operations : 0;
    return end.operations > before && checkpoints_pays(checkpoints, end.operations - before);
}

bool checkpoints_choose(const struct checkpoints *checkpoints, const struct server *server,
                        const struct checkpoints_wish *wish, const struct checkpoints_wish *others, size_t count,
                        uint32_t *step, uint64_t *until)
{
    if (count == 0 || wish->count == 0)
        return false;
    struct common *ways = memory_allocate(count, sizeof *ways);
    for (size_t k = 0; k < count; k++) {
        int slot = checkpoints_deepest(checkpoints, server, &others[k]);
        ways[k] = common_way(wish, &others[k]);
        ways[k].had = slot >= 0 ? checkpoints->places[slot].operations : 0;
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
    return most > 1 && checkpoints_pays(checkpoints, most / 2); /* making a checkpoint costs as much as using it */
}
