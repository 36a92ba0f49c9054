/* SPDX-License-Identifier: MIT
 *
 * reorder.c - see reorder.h.
 */
#include <stdlib.h>
#include <string.h>

#include "direct/reorder_private.h"
#include "direct/step_candidates.h"
#include "util/memory.h"

enum { ORDERS = 16 }; /* that are tried for a pattern */

/* ---- life ---------------------------------------------------------------------------------------------------------- */

struct reorderer *reorderer_new(void)
{
    return memory_allocate(1, sizeof(struct reorderer));
}

static void forget_run(struct reorderer *reorderer)
{
    vector_clear(&reorderer->actors);
    table_clear(&reorderer->pairs);
    free(reorderer->done);
    free(reorderer->wanted);
    free(reorderer->value_unknown);
    free(reorderer->writers);
    free(reorderer->written);
}

void reorderer_learn(struct reorderer *reorderer, const struct reorderer_run *run)
{
    flow_observe(&reorderer->flow, run->events, run->sites, run->event_count);
}

void reorderer_read(struct reorderer *reorderer, const struct reorderer_run *run)
{
    size_t count = run->event_count;
    forget_run(reorderer);
    event_graph_make(&reorderer->graph, run->events, run->sites, count);
    reorderer->steps = run->steps;
    reorderer->step_count = run->step_count;
    reorderer->done = memory_allocate(count / 64 + 1, sizeof *reorderer->done);
    reorderer->wanted = memory_allocate(count / 64 + 1, sizeof *reorderer->wanted);
    reorderer->value_unknown = memory_allocate(count / 64 + 1, sizeof *reorderer->value_unknown);
    reorderer->writers = memory_allocate(reorderer->graph.writes.count + 1, sizeof *reorderer->writers);
    reorderer->written = memory_allocate(reorderer->graph.writes.count + 1, sizeof *reorderer->written);
    reorderer->orders = 0;
    reorderer->run_holds = reorderer->graph.holds.count;
    while (reorderer->actors.count < reorderer->graph.tasks.count)
        vector_push(&reorderer->actors, ((struct actor){0}));
}

void reorderer_free(struct reorderer *reorderer)
{
    if (reorderer == NULL)
        return;
    forget_run(reorderer);
    event_graph_free(&reorderer->graph);
    flow_free(&reorderer->flow);
    vector_free(&reorderer->actors);
    vector_free(&reorderer->demanded);
    vector_free(&reorderer->order);
    table_free(&reorderer->pairs);
    table_free(&reorderer->tried);
    table_free(&reorderer->won);
    free(reorderer);
}

uint64_t reorderer_work(const struct reorderer *reorderer)
{
    return reorderer->work;
}

/* ---- all orders ---------------------------------------------------------------------------------------------------- */

/* The steps as they are written. */
static void set_steps(const struct reorderer *reorderer, const struct pattern *pattern,
                      const struct step_candidates *candidate, struct sequence *sequence)
{
    sequence->count = pattern->count;
    for (unsigned i = 0; i < pattern->count; i++) {
        const struct pattern_step *step = &pattern->steps[i];
        sequence->nodes[i] = candidate->nodes[i];
        sequence->access[i] = *event_graph_access(&reorderer->graph, candidate->nodes[i], (enum access_kind)step->kind);
        sequence->before[i] = step->relation == RELATION_IMMEDIATE ? pattern_previous_on_variable(pattern, i) : -1;
    }
}

static uint64_t site_key(uint32_t a, uint32_t b)
{
    return (uint64_t)a << 32 | b;
}

double reorderer_odds(const struct reorderer *reorderer, const struct pattern *pattern)
{
    double odds = 1;
    for (unsigned i = 0; i < pattern->count; i++) {
        int before = pattern_previous_on_variable(pattern, i);
        if (before < 0 || pattern->steps[i].relation != RELATION_IMMEDIATE)
            continue;
        uint64_t key = site_key(pattern->steps[before].site, pattern->steps[i].site);
        const uint64_t *tried = table_get(&reorderer->tried, key), *won = table_get(&reorderer->won, key);
        odds *= ((won != NULL ? (double)*won : 0) + 1) / ((tried != NULL ? (double)*tried : 0) + 2);
    }
    return odds;
}

/* Two that are to follow each other at once can, if nothing else is wanted. */
static bool can_follow(struct reorderer *reorderer, const struct sequence *sequence, unsigned first, unsigned second)
{
    enum { PAIR_NO = 1, PAIR_YES = 2 };
    uint64_t key = (uint64_t)sequence->nodes[first] << 32 | sequence->nodes[second];
    uint64_t *known = table_put(&reorderer->pairs, key);
    if (*known == 0) {
        const struct sequence pair = {.count = 2,
                                      .nodes = {sequence->nodes[first], sequence->nodes[second]},
                                      .access = {sequence->access[first], sequence->access[second]},
                                      .before = {-1, 0}};
        *known = reorder_try(reorderer, &pair) ? PAIR_YES : PAIR_NO;
        uint64_t sites =
            site_key(reorder_node(reorderer, pair.nodes[0])->site, reorder_node(reorderer, pair.nodes[1])->site);
        ++*table_put(&reorderer->tried, sites);
        *table_put(&reorderer->won, sites) += *known == PAIR_YES;
    }
    return *known == PAIR_YES;
}

static bool can_all_follow(struct reorderer *reorderer, const struct sequence *sequence)
{
    for (unsigned i = 0; i < sequence->count; i++)
        if (sequence->before[i] >= 0 && !can_follow(reorderer, sequence, (unsigned)sequence->before[i], i))
            return false;
    return true;
}

static void swap_steps(struct sequence *sequence, unsigned a, unsigned b)
{
    struct sequence old = *sequence;
    sequence->nodes[a] = old.nodes[b];
    sequence->nodes[b] = old.nodes[a];
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
static bool turn(const struct reorderer *reorderer, const struct pattern *pattern, unsigned turned,
                 struct sequence *sequence)
{
    unsigned pair = 0;
    for (unsigned i = 1; i < pattern->count; i++)
        if (pattern->steps[i].group == pattern->steps[i - 1].group && (turned >> pair++ & 1))
            swap_steps(sequence, i - 1, i);
    for (unsigned i = 0; i < sequence->count; i++)
        for (unsigned k = i + 1; k < sequence->count; k++) {
            const struct event_node *a = reorder_node(reorderer, sequence->nodes[i]),
                                    *b = reorder_node(reorderer, sequence->nodes[k]);
            if (a->task == b->task && a->place >= b->place)
                return false;
        }
    return turned >> pair == 0;
}

static void write_step(const struct event_node *node, goal_steps *steps)
{
    if (steps->count == 0 || steps->data[steps->count - 1].task != node->task)
        vector_push(steps, ((struct wire_step){.type = STEP_RUN, .task = node->task}));
    steps->data[steps->count - 1].until = node->operation + 1;
}

static void write_steps(const struct reorderer *reorderer, goal_steps *steps)
{
    vector_clear(steps);
    for (uint32_t i = 0; i < reorderer->began; i++)
        write_step(reorder_node(reorderer, i), steps);
    for (size_t i = 0; i < reorderer->order.count; i++)
        write_step(reorder_node(reorderer, reorderer->order.data[i]), steps);
    for (size_t i = 0; i < reorderer->step_count; i++)
        if (reorderer->steps[i].type == STEP_CHOICE)
            vector_push(steps, reorderer->steps[i]);
}

bool reorder(struct reorderer *reorderer, const struct pattern *pattern, uint32_t window, goal_steps *steps,
             uint32_t *uncertain_reads)
{
    enum { TURNS = 4 };
    bool found = false;
    struct step_candidates candidates[STEP_CANDIDATES];
    unsigned count = step_candidates_find(&reorderer->graph, pattern, window, candidates), tried = 0;
    for (unsigned i = 0; i < count; i++)
        for (unsigned turned = 0; turned < TURNS && tried < ORDERS; turned++) {
            struct sequence sequence;
            set_steps(reorderer, pattern, &candidates[i], &sequence);
            if (!turn(reorderer, pattern, turned, &sequence) || !can_all_follow(reorderer, &sequence))
                continue;
            tried++;
            if (!reorder_try(reorderer, &sequence) || (found && reorderer->uncertain_reads >= *uncertain_reads))
                continue;
            found = true;
            *uncertain_reads = reorderer->uncertain_reads;
            write_steps(reorderer, steps);
            if (*uncertain_reads == 0)
                return true;
        }
    return found;
}
