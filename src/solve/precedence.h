/* SPDX-License-Identifier: MIT
 *
 * precedence.h - what must be done, and what must come before what, in every order that answers a question (question.h); a cycle in it is a
 * proof that there is none.
 *
 * DESIGN
 *   An event that must be done needs the events of its task before it, those that edges lead from, and, if it is a read after which its task
 *   goes on and one write only can have given it its value, that write.  Of two critical sections of a lock that exclude each other, one of
 *   which begins before something of the other one, the first ends before the second begins.  A write to what a read found comes before the
 *   write that it found or after the read; what would hide one step of a pattern from the next comes before the one or after the other.
 *   All of this follows from the question and from what has followed before.  It is kept as a clock for each event: how many events of each
 *   task come before it.
 *
 *   These are conditions that each order obeys, not all of them.  So a cycle is a proof, and no cycle says nothing.
 *
 *   Each edge knows why it is there: the rule, what it followed from, and which events have to be done for it.  The reasons of a cycle are
 *   those of its edges, and what they followed from in turn.
 */
#ifndef RADDLE_SOLVE_PRECEDENCE_H
#define RADDLE_SOLVE_PRECEDENCE_H

#include "solve/question.h"

struct precedence_edge { /* before comes before after */
    uint32_t before, after;
    struct reason reason;
    uint32_t from, to;       /* it follows from that `from` comes before `to`; EVENT_NONE: from nothing; */
    uint32_t premises, ways; /* and from so many ways in `premises`, from there on */
    uint32_t needs[2];       /* and from that these are done; EVENT_NONE */
    uint32_t next;           /* edge from the same event, + 1; 0: none */
    bool collected;
};

struct precedence_way { /* from comes before to */
    uint32_t from, to;
};

/* A read that several writes can have given its value, as far as is known. */
struct precedence_read {
    uint32_t event;
    uint64_t value;
    struct reason reason;
    uint32_t needs;
};

struct precedence_source {           /* a read finds what this write wrote */
    uint32_t location, writer, read; /* writer: EVENT_NONE: what was there at the beginning */
    struct reason reason;
    uint32_t needs, premises, ways; /* as of an edge */
};

/* These events of the task, up to a place, must be done because of that edge (UINT32_MAX: they are asked for). */
struct precedence_segment {
    uint16_t task;
    uint32_t upto, edge;
    bool collected;
};

struct precedence {    /* all zero to begin with; used again */
    bool certain_only; /* edges of the rules that are not certain are left out */
    const struct rules *rules;
    const struct question *question;
    uint32_t tasks;
    event_list must;    /* by task: so many of its events must be done */
    event_list members; /* these events, in the order in which they were found */
    event_list row;     /* by event, if it must be done: its place in members */
    event_list clocks;  /* by place in members, and task: so many events of the task come before it */
    event_list first;   /* by place in members: an edge from the event, + 1; 0: none */
    VECTOR(struct precedence_edge) edges;
    VECTOR(struct precedence_source) sources;
    VECTOR(struct precedence_segment) segments;
    VECTOR(struct precedence_read) reads;
    VECTOR(struct precedence_way) premises;
    event_list queue; /* events whose clock has changed */
    event_list writes;
    event_list deferred; /* reads that were the last of their task when they were looked at */
    uint32_t checked;    /* of the members: their values were looked at */
    uint64_t work;       /* of all questions */
    uint64_t stop;       /* when the work comes to this, it ends */
    bool impossible;     /* and the last of `edges` is part of the proof */
    uint32_t cycle;      /* an event that comes before itself; EVENT_NONE: the last edge is none that can be */
};

enum { PRECEDENCE_WORK = 400000 }; /* for one question, about; what has not followed then is left out */

/* `also`: another event that must be done (EVENT_NONE: none).  True: there is no such order, and the reasons in the answer say why; they are
   added to those that are there, and its `certain` is changed only to false. */
bool precedence_exclude(struct precedence *precedence, const struct rules *rules, const struct question *question,
                        uint32_t also, struct answer *answer);
void precedence_free(struct precedence *precedence);

static inline bool precedence_must(const struct precedence *precedence, uint32_t event)
{
    const struct execution *run = precedence->rules->execution;
    return run->place.data[event] < precedence->must.data[execution_event(run, event)->task];
}

/* The clock of an event that must be done: by task. */
static inline uint32_t *precedence_clock(const struct precedence *precedence, uint32_t event)
{
    assert(precedence_must(precedence, event));
    return precedence->clocks.data + (size_t)precedence->row.data[event] * precedence->tasks;
}

/* Both must be done. */
static inline bool precedence_precedes(const struct precedence *precedence, uint32_t before, uint32_t after)
{
    const struct execution *run = precedence->rules->execution;
    return run->place.data[before] < precedence_clock(precedence, after)[execution_event(run, before)->task];
}

#endif
