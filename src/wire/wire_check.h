/* SPDX-License-Identifier: MIT
 *
 * wire_check.h - reading what the program under test has left in shared memory: the driver reads it only through here.
 *
 * DESIGN
 *   The program may have written anything there, and a process that escaped may still be writing.  So everything is first
 *   copied into memory of our own, then the copy is checked: counts clamped, enumerations and indices in range, texts terminated
 *   and without control characters.  Code that uses a wire_copy need not check anything again.
 */
#ifndef RADDLE_WIRE_CHECK_H
#define RADDLE_WIRE_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "util/vector.h"
#include "wire/wire.h"

struct wire_copy {
    struct wire_result result;
    VECTOR(struct wire_step) steps;
    VECTOR(struct wire_event) events;
    VECTOR(struct wire_choice) choices;
    VECTOR(struct wire_transition)
    transitions; /* result.transition_count that were done, then a pending one of each task */
    VECTOR(struct wire_call) calls;
    VECTOR(struct wire_private) privates; /* COPY_EVENTS; in the order in which they happened */
    bool damaged;                         /* something was impossible: the program wrote over it */
    const char *why;                      /* what was impossible, if damaged */
};

struct wire_modules {
    struct wire_module entries[WIRE_MODULES];
    uint32_t count;
};

enum { COPY_STEPS = 1, COPY_EVENTS = 2, COPY_CHOICES = 4, COPY_TRANSITIONS = 8 };

/* Copies and checks.  The wire is a shared mapping: of large tables this process releases its pages.  `copy` is used again and again, starting from all zero; wire_copy_free at the end.  Parts of the
   tables beyond the counts are left as they were. */
void wire_check_result(const struct wire *wire, unsigned what, struct wire_copy *copy);
void wire_copy_free(struct wire_copy *copy);

/* Only the count of operations, while a run goes on. */
uint64_t wire_check_operations(const struct wire *wire);
/* Likewise: the thread to interrupt (result.runner; 0: none); the last change, as of the last interruption. */
int wire_check_runner(const struct wire *wire);
uint64_t wire_check_progress(const struct wire *wire);
/* Likewise: result.taken_off; how many tasks there have been (any number). */
uint32_t wire_check_taken_off(const struct wire *wire);
uint32_t wire_check_tasks(const struct wire *wire);

/* False if the table was impossible; what is left of it is in range. */
bool wire_check_modules(const struct wire *wire, struct wire_modules *modules);

/* Whether magic, version and size are still correct. */
bool wire_check_head(const struct wire *wire);

/* Before the first run: a fresh mapping. */
void wire_prepare(struct wire *wire, uint32_t head_flags);
/* Before each run: clears the last result. */
void wire_clear_result(struct wire *wire);

#endif
