/* SPDX-License-Identifier: MIT
 *
 * cast.c - see step_candidates.h.
 */
#include "direct/step_candidates.h"

#include "pattern/family.h"

enum { PARTS = 64 }; /* of a thread that are looked at */

/* Executions of the one or two steps of a thread, by one task. */
struct part {
    uint32_t graph[2];
    uint16_t task;
};

struct role { /* of a thread of the pattern */
    unsigned steps[PATTERN_STEPS], step_count;
    struct part parts[PARTS];
    unsigned part_count;
};

static bool can_be(const struct event_graph *graph, uint32_t node, const struct pattern_step *step)
{
    return graph->all.data[node].site == step->site &&
           event_graph_access(graph, node, (enum access_kind)step->kind) != NULL;
}

/* The task's next execution of the step behind the event; NODE_NONE. */
static uint32_t find_next(const struct event_graph *graph, uint32_t first, const struct pattern_step *step,
                          uint32_t window)
{
    const struct event_node *node = &graph->all.data[first];
    const node_list *own = &graph->tasks.data[node->task];
    for (size_t i = node->place + 1; i < own->count; i++) {
        if (graph->all.data[own->data[i]].operation > node->operation + window)
            break;
        if (can_be(graph, own->data[i], step))
            return own->data[i];
    }
    return NODE_NONE;
}

static void find_parts(const struct event_graph *graph, const struct pattern *pattern, uint32_t window,
                       struct role *role)
{
    if (role->step_count == 0)
        return;
    const struct pattern_step *first = &pattern->steps[role->steps[0]];
    const uint64_t *last = table_get(&graph->sites, first->site);
    uint32_t node = last != NULL ? (uint32_t)(*last - 1) : NODE_NONE;
    for (; node != NODE_NONE && role->part_count < PARTS; node = graph->all.data[node].alike) {
        struct part part = {{node, NODE_NONE}, graph->all.data[node].task};
        if (!can_be(graph, node, first))
            continue;
        if (role->step_count > 1)
            part.graph[1] = find_next(graph, node, &pattern->steps[role->steps[1]], window);
        if (role->step_count == 1 || part.graph[1] != NODE_NONE)
            role->parts[role->part_count++] = part;
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
    const struct access *access =
        event_graph_access(graph, candidate->nodes[second], (enum access_kind)pattern->steps[second].kind);
    const node_list *own = &graph->tasks.data[graph->all.data[candidate->nodes[second]].task];
    uint32_t last = graph->all.data[candidate->nodes[second]].place;
    for (uint32_t place = graph->all.data[candidate->nodes[first]].place + 1; place < last; place++) {
        const struct event_node *node = &graph->all.data[own->data[place]];
        for (uint32_t i = 0; i < node->access_count; i++)
            if (access_overlap(&graph->accesses.data[node->access + i], access))
                return false;
    }
    return true;
}

/* Steps on one variable are, in fact, and those on two are on two. */
static bool fits(const struct event_graph *graph, const struct pattern *pattern, struct step_candidates *candidate)
{
    candidate->distance = 0;
    for (unsigned i = 0; i < pattern->count; i++) {
        const struct access *access =
            event_graph_access(graph, candidate->nodes[i], (enum access_kind)pattern->steps[i].kind);
        for (unsigned k = 0; k < i; k++) {
            const struct access *other =
                event_graph_access(graph, candidate->nodes[k], (enum access_kind)pattern->steps[k].kind);
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

static unsigned add_cast(struct step_candidates candidates[STEP_CANDIDATES], unsigned count,
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
    struct role roles[2];
    unsigned count = 0;
    for (unsigned thread = 0; thread < 2; thread++) {
        struct role *role = &roles[thread];
        role->step_count = role->part_count = 0;
        for (unsigned i = 0; i < pattern->count; i++)
            if (pattern->steps[i].thread == thread)
                role->steps[role->step_count++] = i;
        find_parts(graph, pattern, window, role);
    }
    for (unsigned i = 0; i < roles[0].part_count; i++)
        for (unsigned k = 0; k < roles[1].part_count; k++) {
            const struct part *pair[2] = {&roles[0].parts[i], &roles[1].parts[k]};
            struct step_candidates candidate = {0};
            for (unsigned thread = 0; thread < 2; thread++)
                for (unsigned s = 0; s < roles[thread].step_count; s++)
                    candidate.nodes[roles[thread].steps[s]] = pair[thread]->graph[s];
            if (pair[0]->task != pair[1]->task && fits(graph, pattern, &candidate))
                count = add_cast(candidates, count, &candidate);
        }
    return count;
}
