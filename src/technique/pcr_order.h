/* SPDX-License-Identifier: MIT
 *
 * pcr_order.h - which events of an execution come before which in every other order, as far as that can be told without a search: so most
 * of what cannot happen is never asked of the solver.
 *
 * DESIGN
 *   An event comes after the events of its task, after what it waits for, and after the only write from which an earlier read of its task can
 *   have what it found.  If that write is in a critical section, it comes after the whole section.  A lock keeps the events of two critical
 *   sections apart.
 *
 *   What is *likely* takes it that each read finds what it found from the same write; it can be otherwise.
 */
#ifndef RADDLE_TECHNIQUE_PCR_ORDER_H
#define RADDLE_TECHNIQUE_PCR_ORDER_H

#include "solve/rules.h"

struct pcr_held { /* a critical section around an event */
    uint32_t event, lock, section;
    bool shared;
};

struct pcr_order { /* all zero to begin with; used once */
    const struct rules *rules;
    uint32_t tasks;               /* how many */
    event_list clocks, likely;    /* by event and task: how many events of the task must come before */
    event_list only_writer;       /* by event: from which it read in any case; EVENT_NONE */
    uint32_t asked_about;         /* location */
    VECTOR(struct pcr_held) held; /* critical sections that events lie in */
    event_list first_held;        /* by event: its part of them; with one more at the end */
};

enum pcr_certainty { PCR_CERTAIN, PCR_LIKELY };

void pcr_order_make(struct pcr_order *order, const struct rules *rules);
void pcr_order_free(struct pcr_order *order);
/* What is likely from now on says nothing of the reads of this location. */
void pcr_order_ask_about(struct pcr_order *order, uint32_t location);

bool pcr_order_precedes(const struct pcr_order *order, enum pcr_certainty certainty, uint32_t first, uint32_t second);
/* Two events of one task, or one event, lie in a critical section that the other one, of another task, is kept out of. */
bool pcr_order_are_together(const struct pcr_order *order, uint32_t one, uint32_t two, uint32_t other);
/* The last event of the second one's task before it takes a lock that the first one's task holds; EVENT_NONE: there is none. */
uint32_t pcr_order_brink(const struct pcr_order *order, uint32_t first, uint32_t second);

#endif
