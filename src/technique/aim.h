/* SPDX-License-Identifier: MIT
 *
 * aim.h - what techniques share that make the open instances of one family happen, and then those again that have happened.
 *
 * DESIGN
 *   Instances of the family come from the coverage: every observed run is predicted from, also those of other techniques.  An open one is
 *   attempted by the director until it happens or is given up (targets.h); all get their first attempt before any gets its second.
 *   Those that attempts have not made happen are asked about, too (second_way.h): a schedule is found, or why there is none.
 *   When none is left, what has happened is made to happen again, what was repeated least first, and the run goes on at random: an
 *   order of two accesses that does no harm in one run may do it in another.  Of these, known_ways are made in the way in which it happened first for each
 *   that leaves more to chance.  Now and then, and when there is nothing to aim at, a
 *   random run is made.
 */
#ifndef RADDLE_TECHNIQUE_AIM_H
#define RADDLE_TECHNIQUE_AIM_H

#include "technique/second_way.h"
#include "technique/technique.h"

struct aim_instance {
    size_t number;
    uint32_t repeated;
    uint32_t
        way; /* the attempt (director.h) that is made again: the one that made it happen, as far as it does that again */
    bool is_known;
    struct witness witnesses[PATTERN_STEPS]; /* of a prediction, if is_known */
};

struct aim { /* all zero but setup and rows is the beginning */
    struct technique_setup setup;
    family_mask rows;
    /* Whether an instance of the rows is aimed at; NULL: all are.  What it says may become true later, not false. */
    bool (*wants)(const void *context, const struct instance *instance);
    /* Of open instances that were tried equally often those of the lowest rank come first; NULL: all have the same. */
    unsigned (*rank)(const void *context, const struct instance *instance);
    const void *context;
    uint32_t
        known_ways; /* of the runs that repeat something, so many in a known way for each that leaves more to chance */
    VECTOR(struct aim_instance) all; /* of the rows, by number */
    size_t listed;                   /* instances of the coverage that were looked at for `all` */
    size_t kept;                     /* of `all`: those whose witnesses were kept, as far as there were any */
    uint64_t turns, attempts, targets, exposed, given_up, repeated;
    uint64_t
        broken; /* of attempts and runs that repeat one: a suspended task had to go on, because no other one could */
    struct second_way second_way; /* if no other technique has turns: maple asks for all families */
};

/* What one run is for.  All zero: nothing yet. */
struct aim_run {
    size_t target; /* an instance, if has_target */
    bool has_target, repeats;
    uint32_t way;  /* of a repetition: one more than aim_instance.way; 0: at random */
    uint64_t seen; /* how often the target had happened */
    bool solved;   /* it follows a schedule of the solver's */
};

/* After its setup was filled in. */
void aim_open(struct aim *aim);
void aim_close(struct aim *aim);
/* A run has ended, of any technique. */
void aim_learn(struct aim *aim, const struct technique_seen *seen);
/* Plans a run.  Without a target it is left as a random one. */
void aim_plan(struct aim *aim, struct technique_run *run, struct aim_run *own);
/* A run of its own has ended. */
void aim_observe(struct aim *aim, const struct technique_run *run, const struct aim_run *own,
                 const struct technique_seen *seen);
void aim_abandon(struct aim *aim, const struct aim_run *own);

/* Names and values of what it counts. */
#define AIM_COUNTERS "attempts", "targets", "exposed", "given_up", "repeated", "broken", NULL
/* aim may be NULL. */
void aim_counts(const struct aim *aim, uint64_t *values);
/* "3 attempts at 2 races: 2 exposed, 0 given up; 10 runs repeated one".  Nothing if there is nothing to say. */
void aim_summarise(const struct aim *aim, const char *what, struct buffer *out);

#endif
