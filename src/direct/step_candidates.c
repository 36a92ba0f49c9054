/* SPDX-License-Identifier: MIT
 *
 * step_candidates.c - see step_candidates.h.
 */
#include "direct/step_candidates.h"

#include <assert.h>

#include "pattern/family.h"

enum { THREAD_MOST = 64 }; /* ways in which a thread's steps can be done that are looked at */

/* Events of one task that could be the one or two steps of a thread. */
struct thread_events {
    uint32_t nodes[2];
    uint16_t task;
};

struct thread_candidates { /* for a thread of the pattern */
    unsigned steps[PATTERN_STEPS], step_count;
    struct thread_events all[THREAD_MOST];
    unsigned count;
};

static bool can_be(const struct event_graph *graph, uint32_t node, const struct pattern_step *step)
{
    return execution_event(graph->execution, node)->site == step->site &&
           execution_find_access(graph->execution, node, (enum access_kind)step->kind) != NULL;
}

/* The task's next event after this one that can be the step; NODE_NONE. */
static uint32_t find_next(const struct event_graph *graph, uint32_t first, const struct pattern_step *step,
                          uint32_t window)
{
    const struct event *event = execution_event(graph->execution, first);
    struct event_range own = execution_task(graph->execution, event->task);
    for (uint32_t i = graph->execution->place.data[first] + 1; i < own.count; i++) {
        if (execution_event(graph->execution, own.data[i])->operation > event->operation + window)
            break;
        if (can_be(graph, own.data[i], step))
            return own.data[i];
    }
    return NODE_NONE;
}

static void find_for_thread(const struct event_graph *graph, const struct pattern *pattern, uint32_t window,
                            struct thread_candidates *thread)
{
    if (thread->step_count == 0)
        return;
    assert(thread->step_count <= 2);
    const struct pattern_step *first = &pattern->steps[thread->steps[0]];
    const uint64_t *last = table_get(&graph->sites, first->site);
    uint32_t node = last != NULL ? (uint32_t)(*last - 1) : NODE_NONE;
    for (; node != NODE_NONE && thread->count < THREAD_MOST; node = graph->all.data[node].alike) {
        struct thread_events events = {{node, NODE_NONE}, execution_event(graph->execution, node)->task};
        if (!can_be(graph, node, first))
            continue;
        if (thread->step_count > 1)
            events.nodes[1] = find_next(graph, node, &pattern->steps[thread->steps[1]], window);
        if (thread->step_count == 1 || events.nodes[1] != NODE_NONE)
            thread->all[thread->count++] = events;
    }
}

static uint64_t difference(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

/* Between two steps of a task on one variable it does not access the variable. */
static bool is_uninterrupted(const struct event_graph *graph, const struct pattern *pattern,
                             const struct step_candidates *candidate, unsigned second)
{
    int first = pattern_previous_of_thread(pattern, second);
    if (first < 0 || pattern->steps[first].variable != pattern->steps[second].variable ||
        pattern->steps[second].thread != 0)
        return true;
    const struct execution *execution = graph->execution;
    const struct access *access =
        execution_find_access(execution, candidate->nodes[second], (enum access_kind)pattern->steps[second].kind);
    uint16_t task = execution_event(execution, candidate->nodes[second])->task;
    uint32_t last = execution->place.data[candidate->nodes[second]];
    for (uint32_t place = execution->place.data[candidate->nodes[first]] + 1; place < last; place++) {
        unsigned count;
        const struct access *between =
            execution_accesses(execution, execution_event_at(execution, task, place), &count);
        for (unsigned i = 0; i < count; i++)
            if (access_overlap(&between[i], access))
                return false;
    }
    return true;
}

/* Accesses of steps on one variable overlap, and those of steps on two variables do not. */
static bool fits(const struct event_graph *graph, const struct pattern *pattern, struct step_candidates *candidate)
{
    candidate->distance = 0;
    for (unsigned i = 0; i < pattern->count; i++) {
        const struct access *access =
            execution_find_access(graph->execution, candidate->nodes[i], (enum access_kind)pattern->steps[i].kind);
        for (unsigned k = 0; k < i; k++) {
            const struct access *other =
                execution_find_access(graph->execution, candidate->nodes[k], (enum access_kind)pattern->steps[k].kind);
            if (access_overlap(access, other) != (pattern->steps[i].variable == pattern->steps[k].variable))
                return false;
        }
        bool together = pattern->family != NULL && (pattern->family->flags & FAMILY_UNINTERRUPTED);
        if (together && !is_uninterrupted(graph, pattern, candidate, i))
            return false;
        int before = pattern_previous_on_variable(pattern, i);
        if (before >= 0)
            candidate->distance += difference(candidate->nodes[before], candidate->nodes[i]);
    }
    return true;
}

static unsigned add_candidate(struct step_candidates candidates[STEP_CANDIDATES], unsigned count,
                              const struct step_candidates *candidate)
{
    unsigned at = count;
    if (count == STEP_CANDIDATES && candidates[--at].distance <= candidate->distance)
        return count;
    for (; at > 0 && candidates[at - 1].distance > candidate->distance; at--)
        candidates[at] = candidates[at - 1];
    candidates[at] = *candidate;
    return count < STEP_CANDIDATES ? count + 1 : count;
}

unsigned step_candidates_find(const struct event_graph *graph, const struct pattern *pattern, uint32_t window,
                              struct step_candidates candidates[STEP_CANDIDATES])
{
    struct thread_candidates threads[2];
    unsigned count = 0;
    for (unsigned k = 0; k < 2; k++) {
        struct thread_candidates *thread = &threads[k];
        thread->step_count = thread->count = 0;
        for (unsigned i = 0; i < pattern->count; i++)
            if (pattern->steps[i].thread == k)
                thread->steps[thread->step_count++] = i;
        find_for_thread(graph, pattern, window, thread);
    }
    for (unsigned i = 0; i < threads[0].count; i++)
        for (unsigned k = 0; k < threads[1].count; k++) {
            const struct thread_events *pair[2] = {&threads[0].all[i], &threads[1].all[k]};
            struct step_candidates candidate = {0};
            for (unsigned thread = 0; thread < 2; thread++)
                for (unsigned s = 0; s < threads[thread].step_count; s++)
                    candidate.nodes[threads[thread].steps[s]] = pair[thread]->nodes[s];
            if (pair[0]->task != pair[1]->task && fits(graph, pattern, &candidate))
                count = add_candidate(candidates, count, &candidate);
        }
    for (unsigned i = 1; i < count; i++)
        assert(candidates[i - 1].distance <= candidates[i].distance);
    return count;
}
