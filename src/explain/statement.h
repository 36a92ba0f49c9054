/* SPDX-License-Identifier: MIT
 *
 * statement.h - what went wrong in a failing run, in one sentence, with its threads, names and lines:
 * "T2 wrote balance at bank.c:23 between T1's read at :15 and its write at :16".
 *
 * DESIGN
 *   Some failures are told by the run itself: which locks a deadlock is about, which signal woke no thread, which thread freed
 *   the block.  Else it is the pattern of the cause, step by step; or, where there is none, the decisive operation (decisive.h).
 *   Nothing is said that did not happen in the run, except for steps that are named as still to come.
 */
#ifndef RADDLE_EXPLAIN_STATEMENT_H
#define RADDLE_EXPLAIN_STATEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tale/tale.h"

enum { STATEMENT_STEPS = 4, STATEMENT_NAME = 96 };

/* A step of the cause's first pattern. */
struct statement_step {
    uint32_t thread;
    uint32_t op;                 /* enum wire_op */
    bool coming;                 /* it was still to come when the run ended */
    uint32_t order;              /* in the run; UINT32_MAX: still to come */
    uint64_t operation;          /* of its thread */
    size_t event;                /* the number of its event in the run that is told; SIZE_MAX: none, or not known */
    char object[STATEMENT_NAME]; /* "balance"; "": not known */
    char where[STATEMENT_NAME];  /* "bank.c:23"; "": not known */
};

/* What the search for a cause adds to the tale. */
struct statement_facts {
    struct statement_step steps[STATEMENT_STEPS]; /* in the order in which they happened */
    size_t count;
    /* An update that was lost before the last of these steps, of another variable, and that all failing runs show: the read, the write of another thread,
       the write. */
    bool has_lost;
    struct statement_step lost[3];
    /* The step after which no run passed any more; and the one of another thread, with which it is in conflict, that came after it. */
    bool has_decisive, has_other;
    struct statement_step decisive, other;
    /* The decisive step was the end of a wait, `other`; `decisive` is then the last write before it to what its thread read next, and
       this the signal for it. */
    bool has_signal;
    struct statement_step signal;
    bool pattern_is_weak; /* the decisive step says more than the pattern */
    unsigned before,
        before_passed; /* runs that went on otherwise just before it: so many, and so many of them passed */
    unsigned after;    /* and just after it: none passed; 0: the failure is the next step */
};

/* Fresh, or NULL if there is nothing to say.  `facts` may be NULL. */
char *statement_make(const struct tale *tale, const struct statement_facts *facts);

#endif
