/* SPDX-License-Identifier: MIT
 *
 * history.h - the accesses of an execution, condensed, with what prediction has to know of each.  Inside predict/ only.
 *
 * DESIGN
 *   An entry stands for all accesses of a task that are alike: site, kind, bytes, clock and set of locks held; and of those
 *   to an atomic set, the calling context, since what is called by one unit of work need not be called by another.  For each
 *   lock held it says whether one of them was the first, or the last, in its critical section: of all accesses of the task
 *   to these bytes (ANY), or of the strong ones (STRONG: nothing strong was before, or after).  First is known at once,
 *   last when the section ends.
 *
 *   A place is what a task has done at a location: its last accesses, from which these bits come, and its entries there.
 */
#ifndef RADDLE_PREDICT_HISTORY_H
#define RADDLE_PREDICT_HISTORY_H

#include "predict/clock.h"
#include "predict/lockset.h"
#include "predict/predictor.h"
#include "trace/location.h"

enum {
    FIRST_ANY = 1 << 0,
    FIRST_STRONG = 1 << 1,
    LAST_ANY = 1 << 2,
    LAST_STRONG = 1 << 3,
};

enum {
    ENTRY_LOCKS = 8,  /* more locks held at once are forgotten: then too much is predicted */
    ENTRY_CLOCKS = 8, /* entries that differ only in their clocks; the last one stands for all later ones */
};

struct lock_use {
    uint64_t lock;
    uint8_t bits;
    bool shared;
};

struct access_entry {
    uint64_t lo, hi;
    uint64_t first, last; /* numbers of events */
    struct clock *clock;
    struct witness witness;
    uint32_t site, unit, set;
    uint16_t task;
    uint8_t kind, space;
    bool atomic;
    bool waiting;   /* to be compared */
    bool alone;     /* no other entry differs from it only in the clock */
    uint32_t group; /* the first of the entries that differ only in their clocks: it speaks for all in compounds */
    uint8_t lock_count;
    struct lock_use locks[ENTRY_LOCKS]; /* by address */
};

struct place_access {
    uint64_t number;
    uint32_t entry;
};
struct task_place {
    uint16_t task;
    struct place_access any, strong;  /* the last ones; number 0 none */
    VECTOR(struct place_access) weak; /* since the last strong one; the last of each entry */
    VECTOR(uint32_t) entries;
    size_t limit; /* look for useless entries at this length */
};

struct site_cell { /* what is known about a location */
    VECTOR(struct task_place) places;
};

struct history_space {
    struct history *history;
    struct locations locations;
    VECTOR(struct site_cell) cells;
    enum access_space space;
};

struct history {
    struct clocks *clocks;
    struct locksets locksets;
    struct history_space spaces[2];
    VECTOR(struct access_entry) entries;
    VECTOR(uint32_t) fresh; /* new, or changed, and not yet compared */
    location_list touched;
    struct table occurrences;
    uint64_t number; /* of the event */
    uint32_t entry_most;
    bool cut;
};

void history_init(struct history *history, uint32_t entry_most);
void history_free(struct history *history);

/* An access of an event, done with its task's locks and clock as they are.  What the task knew of the bytes before is still
   there: history_commit comes next.  Returns the entry, or UINT32_MAX if there is no room. */
uint32_t history_access(struct history *history, const struct event *event, const struct access *access,
                        uint32_t occurrence);
/* The access becomes the task's last one at the locations of history->touched. */
void history_commit(struct history *history, const struct access *access, uint16_t task, uint32_t entry);
/* A critical section of the task ends: a section_ends function; the context is the history. */
void history_section_ends(void *context, uint16_t task, struct lock_section *section);
/* It is no lock: it excludes no task, and never did. */
void history_void_lock(struct history *history, uint64_t lock);
/* The memory is another one from now on. */
void history_forget(struct history *history, uint64_t lo, uint64_t hi);

static inline struct access_entry *history_entry(const struct history *history, uint32_t entry)
{
    return &history->entries.data[entry];
}
struct task_place *history_place(const struct history *history, enum access_space space, uint32_t location,
                                 uint16_t task);

/* a happens before b, in program order or without mutexes, for all accesses that the entries stand for. */
bool entry_before(const struct access_entry *a, const struct access_entry *b);
static inline bool entry_overlap(const struct access_entry *a, const struct access_entry *b)
{
    return a->space == b->space && a->lo < b->hi && b->lo < a->hi;
}

#endif
