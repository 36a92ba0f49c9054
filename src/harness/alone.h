/* SPDX-License-Identifier: MIT
 *
 * alone.h - the program that runs calls of a module one after another, in one thread, and watches them.
 *
 * DESIGN
 *   The module is compiled with -fsanitize=thread and linked with this in the place of the sanitizer's library (alone_trace.c).  Allocation
 *   and locks are functions of this program: blocks are never used again and lie at the same places in each run (alone_memory.c), and a lock
 *   is a row in a table, so that its own memory does not change (alone_locks.c).
 *
 *   A state is kept by keeping the process that has it: each further call is run by a child.
 *
 *   What this program knows is in one mapping outside of its data: the rest of the data is the module's, and part of its state.
 */
#ifndef RADDLE_HARNESS_ALONE_H
#define RADDLE_HARNESS_ALONE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/wire_generate.h"

enum { ALONE_BLOCKS = 1 << 16, ALONE_LOCKS = 64, ALONE_SITES = 1 << 12 };

struct alone_block {
    uintptr_t begin, end;
    uint32_t freed;
    uint32_t number; /* in the traversal with this stamp */
    uint64_t stamp;
};

struct alone_lock {
    const void *address; /* NULL: free row */
    uint32_t writer, readers;
};

struct alone {
    struct gen_shared *shared;
    struct gen_report *report; /* of the call that runs; NULL: none is watched */
    struct gen_event *events;
    uint64_t
        variant; /* runs that must give the same, if results do not depend on addresses, time, or memory that was not set */
    uintptr_t stack_top;
    /* trace */
    uint64_t trace, epoch;
    struct {
        uint64_t epoch;
        uint32_t site, count;
    } sites[ALONE_SITES];
    /* memory */
    uintptr_t arena, next, arena_end;
    uint32_t blocks;
    struct alone_block block[ALONE_BLOCKS];
    uint64_t stamp;
    uint32_t numbered, queue[ALONE_BLOCKS];
    /* locks */
    struct alone_lock lock[ALONE_LOCKS];
};

/* Made when first asked for. */
struct alone *alone_get(void);

/* Ends the process: the call has failed. */
_Noreturn void alone_fail(enum gen_status status);
_Noreturn void alone_block_for_ever(void);

/* The call takes a lock only if it is free. */
void alone_tries(void);

/* alone_trace.c */
void alone_trace_begin(void);
void alone_note(enum gen_event_kind kind, const void *address, unsigned size, bool atomic, bool shared, uintptr_t pc);
/* alone_memory.c */
/* The block at the address, freed ones too; NULL: none. */
struct alone_block *alone_block_at(uintptr_t address);
uint64_t alone_hash_state(void);

#endif
