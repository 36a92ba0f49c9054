/* SPDX-License-Identifier: MIT
 *
 * dataflow.h - facts that come and go along the control flow of a program, through calls: sets of numbers.
 *
 * DESIGN
 *   What a piece of code does to a set is a transfer function x -> gained + (x - lost).  A function has one, from its entry to its ends, so what
 *   holds at one of its calls does not get to another.  Where ways meet, a fact holds if it holds on one of them (*may*), or only if it
 *   holds on both (*must*; then the transfer function that is kept may say less than is true).
 */
#ifndef RADDLE_ANALYZE_DATAFLOW_H
#define RADDLE_ANALYZE_DATAFLOW_H

#include "analyze/ir.h"
#include "analyze/set.h"

struct transfer {
    struct set gained, lost;
    bool reached; /* false: the place is never reached */
};

void transfer_copy(struct transfer *into, const struct transfer *from);
void transfer_free(struct transfer *transfer);
void transfer_gain(struct transfer *transfer, const struct set *facts);
void transfer_lose(struct transfer *transfer, const struct set *facts);

struct dataflow {
    const struct ir_program *program;
    bool must;
    bool (*matters)(const struct ir_op *op);                              /* of operations other than calls */
    void (*apply)(void *context, uint32_t op, struct transfer *transfer); /* of those */
    const struct set *(*called)(void *context, uint32_t call, bool *unseen);
    void *context;
    struct transfer *summaries; /* by function; made by dataflow_summarise */
};

/* All functions. May be called again, when `apply` does something else. */
void dataflow_summarise(struct dataflow *flow);
void dataflow_free(struct dataflow *flow);

/* The operation, or call. */
void dataflow_step(const struct dataflow *flow, uint32_t op, struct transfer *transfer);
/* At the beginnings of a function's blocks, if `entry` is at its own beginning. */
struct transfer *dataflow_blocks(const struct dataflow *flow, uint32_t function, const struct transfer *entry);
void dataflow_blocks_free(const struct dataflow *flow, uint32_t function, struct transfer *blocks);
/* Where two ways meet.  Returns whether `into` has changed. */
bool dataflow_meet(const struct dataflow *flow, struct transfer *into, const struct transfer *from);

/* The entries of all functions that can be reached from some. */
struct dataflow_entries {
    struct transfer *all; /* by function */
    VECTOR(uint32_t) list;
    bool *listed;
};
void dataflow_entries_open(const struct dataflow *flow, struct dataflow_entries *entries);
void dataflow_enter(const struct dataflow *flow, struct dataflow_entries *entries, uint32_t function,
                    const struct transfer *at);
/* Enters what is called, until nothing changes. */
void dataflow_entries_close(const struct dataflow *flow, struct dataflow_entries *entries);
void dataflow_entries_free(const struct dataflow *flow, struct dataflow_entries *entries);

typedef void dataflow_visit(void *context, uint32_t function, uint32_t op, const struct set *facts);
/* All operations of a function that was entered. */
void dataflow_each(const struct dataflow *flow, const struct dataflow_entries *entries, uint32_t function,
                   dataflow_visit *visit, void *context);

/* The operations of a function: first, and the one after the last. */
static inline void dataflow_ops(const struct ir_program *program, uint32_t function, uint32_t *first, uint32_t *end)
{
    const struct ir_function *of = &program->functions.data[function];
    *first = *end = 0;
    if (of->blocks == 0)
        return;
    const struct ir_block *blocks = program->blocks.data + of->first;
    *first = blocks[0].first;
    *end = blocks[of->blocks - 1].first + blocks[of->blocks - 1].ops;
}

#endif
