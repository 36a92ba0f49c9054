/* SPDX-License-Identifier: MIT
 *
 * dataflow.c - see dataflow.h.
 */
#include "analyze/dataflow.h"

#include <assert.h>

/* ---- transfer functions --------------------------------------------------------------------------------------------- */

void transfer_copy(struct transfer *into, const struct transfer *from)
{
    set_copy(&into->gained, &from->gained);
    set_copy(&into->lost, &from->lost);
    into->reached = from->reached;
}

void transfer_free(struct transfer *transfer)
{
    set_free(&transfer->gained);
    set_free(&transfer->lost);
}

void transfer_gain(struct transfer *transfer, const struct set *facts)
{
    set_unite(&transfer->gained, facts);
}

void transfer_lose(struct transfer *transfer, const struct set *facts)
{
    struct set left = {0};
    set_subtract(&left, &transfer->gained, facts);
    set_free(&transfer->gained);
    transfer->gained = left;
    set_unite(&transfer->lost, facts);
}

bool dataflow_meet(const struct dataflow *flow, struct transfer *into, const struct transfer *from)
{
    if (!from->reached)
        return false;
    if (!into->reached) {
        transfer_copy(into, from);
        return true;
    }
    struct set *grows = flow->must ? &into->lost : &into->gained;
    struct set *shrinks = flow->must ? &into->gained : &into->lost;
    uint32_t size = set_size(shrinks);
    bool changed = set_unite(grows, flow->must ? &from->lost : &from->gained);
    set_intersect(shrinks, flow->must ? &from->gained : &from->lost);
    return changed || set_size(shrinks) != size;
}

/* One of several functions is called. */
static void step_call(const struct dataflow *flow, uint32_t call, struct transfer *transfer)
{
    bool unseen;
    const struct set *functions = flow->called(flow->context, call, &unseen);
    struct transfer any = {.reached = unseen || set_is_empty(functions)};
    for (struct set_walk walk = {.set = functions}; set_next(&walk);)
        dataflow_meet(flow, &any, &flow->summaries[walk.number]);
    if (!set_is_empty(&any.lost))
        transfer_lose(transfer, &any.lost);
    transfer_gain(transfer, &any.gained);
    transfer->reached &= any.reached;
    transfer_free(&any);
}

static bool matters(const struct dataflow *flow, const struct ir_op *op)
{
    return op->kind == IR_CALL || flow->matters(op);
}

void dataflow_step(const struct dataflow *flow, uint32_t op, struct transfer *transfer)
{
    const struct ir_op *data = &flow->program->ops.data[op];
    if (data->kind == IR_CALL)
        step_call(flow, data->call, transfer);
    else if (flow->matters(data))
        flow->apply(flow->context, op, transfer);
}

static void step_block(const struct dataflow *flow, const struct ir_block *block, struct transfer *transfer)
{
    for (uint32_t op = block->first; op < block->first + block->ops; op++)
        dataflow_step(flow, op, transfer);
}

/* ---- functions ------------------------------------------------------------------------------------------------------ */

struct transfer *dataflow_blocks(const struct dataflow *flow, uint32_t number, const struct transfer *entry)
{
    const struct ir_program *program = flow->program;
    const struct ir_function *function = &program->functions.data[number];
    struct transfer *in = memory_allocate(function->blocks, sizeof *in);
    VECTOR(uint32_t) list = {0};
    bool *listed = memory_allocate(function->blocks, sizeof *listed);
    if (function->blocks > 0) {
        transfer_copy(&in[0], entry);
        vector_push(&list, 0);
    }
    for (size_t at = 0; at < list.count; at++) {
        uint32_t index = list.data[at];
        listed[index] = false;
        const struct ir_block *block = &program->blocks.data[function->first + index];
        struct transfer out = {0};
        transfer_copy(&out, &in[index]);
        step_block(flow, block, &out);
        for (uint32_t i = 0; i < block->nexts; i++) {
            uint32_t next = program->nexts.data[block->first_next + i] - function->first;
            if (dataflow_meet(flow, &in[next], &out) && !listed[next]) {
                listed[next] = true;
                vector_push(&list, next);
            }
        }
        transfer_free(&out);
    }
    vector_free(&list);
    free(listed);
    return in;
}

void dataflow_blocks_free(const struct dataflow *flow, uint32_t function, struct transfer *blocks)
{
    for (uint32_t i = 0; i < flow->program->functions.data[function].blocks; i++)
        transfer_free(&blocks[i]);
    free(blocks);
}

static void summarise(const struct dataflow *flow, uint32_t number, struct transfer *summary)
{
    const struct ir_function *function = &flow->program->functions.data[number];
    const struct transfer start = {.reached = true};
    struct transfer *in = dataflow_blocks(flow, number, &start);
    for (uint32_t i = 0; i < function->blocks; i++) {
        const struct ir_block *block = &flow->program->blocks.data[function->first + i];
        if (!block->ends || !in[i].reached)
            continue;
        step_block(flow, block, &in[i]);
        dataflow_meet(flow, summary, &in[i]);
    }
    dataflow_blocks_free(flow, number, in);
}

static bool is_same(const struct transfer *a, const struct transfer *b)
{
    struct set more = {0};
    set_subtract(&more, &a->gained, &b->gained);
    bool same = set_is_empty(&more) && set_size(&a->gained) == set_size(&b->gained) && a->reached == b->reached;
    set_subtract(&more, &a->lost, &b->lost);
    same = same && set_is_empty(&more) && set_size(&a->lost) == set_size(&b->lost);
    set_free(&more);
    return same;
}

/* Functions that can come to an operation that matters, and those that may not come to an end: others change nothing. */
static bool is_relevant(const struct dataflow *flow, const bool *relevant, uint32_t function)
{
    uint32_t first, end;
    bool unseen, ends = false;
    dataflow_ops(flow->program, function, &first, &end);
    for (uint32_t op = first; op < end; op++) {
        const struct ir_op *data = &flow->program->ops.data[op];
        if (!matters(flow, data))
            continue;
        if (data->kind != IR_CALL)
            return true;
        for (struct set_walk walk = {.set = flow->called(flow->context, data->call, &unseen)}; set_next(&walk);)
            if (relevant[walk.number])
                return true;
    }
    const struct ir_function *of = &flow->program->functions.data[function];
    for (uint32_t i = 0; i < of->blocks; i++)
        ends |= flow->program->blocks.data[of->first + i].ends;
    return !ends && of->blocks > 0;
}

static void find_relevant(const struct dataflow *flow, bool *relevant)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = (uint32_t)flow->program->functions.count; i-- > 0;)
            if (!relevant[i] && is_relevant(flow, relevant, i))
                changed = relevant[i] = true;
    }
}

void dataflow_summarise(struct dataflow *flow)
{
    uint32_t count = (uint32_t)flow->program->functions.count;
    if (flow->summaries == NULL)
        flow->summaries = memory_allocate(count, sizeof *flow->summaries);
    bool *relevant = memory_allocate(count, sizeof *relevant);
    find_relevant(flow, relevant);
    for (uint32_t i = 0; i < count; i++) {
        transfer_free(&flow->summaries[i]);
        flow->summaries[i] = (struct transfer){.reached = !relevant[i]};
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = count; i-- > 0;) {
            struct transfer summary = {0};
            if (!relevant[i])
                continue;
            summarise(flow, i, &summary);
            bool same = is_same(&summary, &flow->summaries[i]);
            changed |= !same;
            transfer_free(same ? &summary : &flow->summaries[i]);
            if (!same)
                flow->summaries[i] = summary;
        }
    }
    free(relevant);
}

void dataflow_free(struct dataflow *flow)
{
    for (size_t i = 0; flow->summaries != NULL && i < flow->program->functions.count; i++)
        transfer_free(&flow->summaries[i]);
    free(flow->summaries);
    flow->summaries = NULL;
}

/* ---- entries -------------------------------------------------------------------------------------------------------- */

void dataflow_entries_open(const struct dataflow *flow, struct dataflow_entries *entries)
{
    size_t count = flow->program->functions.count;
    *entries = (struct dataflow_entries){0};
    entries->all = memory_allocate(count, sizeof *entries->all);
    entries->listed = memory_allocate(count, sizeof *entries->listed);
}

void dataflow_enter(const struct dataflow *flow, struct dataflow_entries *entries, uint32_t function,
                    const struct transfer *at)
{
    if (dataflow_meet(flow, &entries->all[function], at) && !entries->listed[function]) {
        entries->listed[function] = true;
        vector_push(&entries->list, function);
    }
}

static void enter_called(const struct dataflow *flow, struct dataflow_entries *entries, uint32_t number)
{
    const struct ir_program *program = flow->program;
    const struct ir_function *function = &program->functions.data[number];
    struct transfer *in = dataflow_blocks(flow, number, &entries->all[number]);
    for (uint32_t i = 0; i < function->blocks; i++) {
        const struct ir_block *block = &program->blocks.data[function->first + i];
        for (uint32_t op = block->first; in[i].reached && op < block->first + block->ops; op++) {
            const struct ir_op *data = &program->ops.data[op];
            bool unseen;
            if (data->kind == IR_CALL)
                for (struct set_walk walk = {.set = flow->called(flow->context, data->call, &unseen)}; set_next(&walk);)
                    dataflow_enter(flow, entries, walk.number, &in[i]);
            dataflow_step(flow, op, &in[i]);
        }
    }
    dataflow_blocks_free(flow, number, in);
}

void dataflow_entries_close(const struct dataflow *flow, struct dataflow_entries *entries)
{
    for (size_t at = 0; at < entries->list.count; at++) {
        uint32_t function = entries->list.data[at];
        entries->listed[function] = false;
        enter_called(flow, entries, function);
    }
}

void dataflow_entries_free(const struct dataflow *flow, struct dataflow_entries *entries)
{
    for (size_t i = 0; i < flow->program->functions.count; i++)
        transfer_free(&entries->all[i]);
    free(entries->all);
    free(entries->listed);
    vector_free(&entries->list);
}

void dataflow_each(const struct dataflow *flow, const struct dataflow_entries *entries, uint32_t number,
                   dataflow_visit *visit, void *context)
{
    const struct ir_program *program = flow->program;
    const struct ir_function *function = &program->functions.data[number];
    if (!entries->all[number].reached)
        return;
    struct transfer *in = dataflow_blocks(flow, number, &entries->all[number]);
    for (uint32_t i = 0; i < function->blocks; i++) {
        const struct ir_block *block = &program->blocks.data[function->first + i];
        for (uint32_t op = block->first; in[i].reached && op < block->first + block->ops; op++) {
            visit(context, number, op, &in[i].gained);
            dataflow_step(flow, op, &in[i]);
        }
    }
    dataflow_blocks_free(flow, number, in);
}
