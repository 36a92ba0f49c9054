/* SPDX-License-Identifier: MIT
 *
 * question.h - is there an order of the events of an execution in which this happens?
 */
#ifndef RADDLE_SOLVE_QUESTION_H
#define RADDLE_SOLVE_QUESTION_H

#include "solve/rules.h"

struct question_order { /* first comes before second */
    uint32_t first, second;
    bool immediate;         /* and nothing comes between that hides one access from the other: */
    struct access from, to; /* of first and second */
};

enum question_change {
    CHANGE_NOTHING,
    CHANGE_VALUE,      /* the event reads `value` */
    CHANGE_BEGINNING,  /* it reads what was there at the beginning, which is not known */
    CHANGE_FINDS_NONE, /* a call that got what it wanted does not get it: a lock is taken, a semaphore is 0 */
    CHANGE_GETS, /* a call that did not get what it wanted gets it; a wait for a condition variable that lasts is woken */
};

struct question {      /* all zero, with changed = EVENT_NONE, asks for any order */
    event_list needed; /* that are done */
    VECTOR(struct question_order) orders;
    /* An event that comes out otherwise than it did: the last of its task. */
    uint32_t changed; /* EVENT_NONE: none */
    enum question_change change;
    uint64_t value;
    bool stuck;        /* after the order no task can go on, and some have not ended */
    bool whole;        /* all events of the execution may be part of the order, not those only that are needed */
    bool same;         /* all events find what they found, also the last of each task; except `changed` */
    event_list others; /* lists of events, each ended by EVENT_NONE: at least one of each list is done */
};

void question_clear(struct question *question);
void question_free(struct question *question);
void question_need(struct question *question, uint32_t event);
void question_order(struct question *question, const struct question_order *order);
/* The event may not come between the two, if the order is immediate. */
bool question_order_is_hidden(const struct rules *rules, const struct question_order *order, uint32_t event);

/* ---- answers ------------------------------------------------------------------------------------------------------ */

/* Why there is no order: rules that contradict each other. */
enum reason_kind {
    REASON_EDGE,      /* b needs a */
    REASON_LOCK,      /* sections that begin with a and b exclude each other */
    REASON_TAKEN,     /* a found a lock taken */
    REASON_VALUE,     /* a reads what it read */
    REASON_CHANGE,    /* a comes out otherwise */
    REASON_SEMAPHORE, /* a needs a post, or that there is none */
    REASON_WAKE,      /* a is woken */
    REASON_SIGNAL,    /* a wakes a task that waits */
    REASON_EXIT,      /* a ends the process */
    REASON_TARGET,    /* a before b, as asked */
    REASON_STUCK,     /* as asked */
    REASON_OTHER,     /* as asked: not an order that is known */
};

struct reason {
    uint8_t kind; /* enum reason_kind */
    bool certain;
    uint32_t a, b; /* events; EVENT_NONE */
};

enum answer_kind {
    ANSWER_FOUND,      /* `order` */
    ANSWER_IMPOSSIBLE, /* there is none; proven if `certain` */
    ANSWER_UNKNOWN,    /* no answer within the limits */
};

/* A wait with a time limit is over before its task has its mutex again. */
struct answer_leave {
    uint32_t end;  /* the event that ends the wait */
    size_t before; /* the place in the order before which it is over */
};

struct answer { /* all zero to begin with; used again */
    enum answer_kind kind;
    bool certain;
    enum question_change change;        /* of the question, */
    uint32_t changed;                   /* and the event that comes out so, unless it is CHANGE_NOTHING */
    event_list order;                   /* the events that are done */
    VECTOR(struct answer_leave) leaves; /* by rising place */
    VECTOR(struct reason) reasons;      /* of ANSWER_IMPOSSIBLE */
    uint64_t work;                      /* what it took, in a unit that does not depend on the machine */
};
void answer_free(struct answer *answer);
/* Replaces the order in `copy`, with the waits that are over early in it, and what comes out otherwise; nothing else. */
void answer_copy_order(struct answer *copy, const struct answer *answer);

#endif
