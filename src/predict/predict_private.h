/* SPDX-License-Identifier: MIT
 *
 * predict_private.h - what predict.c (single dependencies), pairs.c (accesses close to each other), compound.c (two
 * dependencies) and order.c (is there an order?) share.
 */
#ifndef RADDLE_PREDICT_PREDICT_PRIVATE_H
#define RADDLE_PREDICT_PREDICT_PRIVATE_H

#include "pattern/shape.h"
#include "predict/history.h"
#include "trace/execution.h"

/* A predicted dependency.  Between groups of entries, each named by its first one: once two of their entries can depend on
   each other, the others add nothing. */
struct prediction {
    uint32_t from, to;
    uint8_t relations; /* bits 1 << enum relation, PREDICTED_RACE */
};
enum { PREDICTED_RACE = 1 << 2 };

/* Two accesses of one task within the window, the first before the second.  What lies between concerns each of them by
   itself: another access of the task to its bytes, of any kind or a strong one. */
enum {
    PAIR_NEXT = 1 << 0,         /* the second is the next access of the task to a byte of the first */
    PAIR_FIRST_ANY = 1 << 1,    /* in between, the bytes of the first were accessed */
    PAIR_FIRST_STRONG = 1 << 2, /* … by a strong access */
    PAIR_SECOND_ANY = 1 << 3,   /* the same for the second */
    PAIR_SECOND_STRONG = 1 << 4,
    PAIR_UNIT = 1 << 5, /* in one unit of work, or both in none */
};

struct access_pair {
    uint32_t first, second; /* groups of entries */
    uint8_t through;        /* locks of the second that are held all the time: bits by index */
    uint8_t bits;           /* PAIR_* */
    uint32_t next;          /* another pair of the same entries, index + 1; 0 none */
};

enum { PAIR_CACHE = 1 << 14 };

/* An access that may still be the first of a pair. */
struct recent {
    uint64_t number, operation;
    uint64_t lock_changes;
    uint32_t entry;
    uint32_t location; /* UINT32_MAX: several */
    uint32_t life;     /* of the location */
    uint32_t unit;
    uint8_t space;
};
typedef VECTOR(struct recent) recent_list;

/* Cases of shape.h that the predictor meets.  Threads: A and D of the one, B and C of the other; in the last case A and C
   of the one, B and D of the other. */
enum predict_case {
    CASE_SINGLE,
    CASE_TRIPLE,
    CASE_BACK_ONE, /* B before C, one variable */
    CASE_BACK,     /* B before C */
    CASE_CROSS,    /* C before B */
    CASE_ALONG,    /* A before C, B before D */
    CASE_COUNT
};

struct prediction_state { /* while an execution is read */
    struct predictor_options options;
    uint64_t work;
    uint64_t compared; /* entries with others, and what costs about the same */
    uint64_t read;     /* events */
    bool late;         /* what comes before the events is not known */
    struct instances *found;
    struct history history;
    shape_choices choices[CASE_COUNT];
    bool nearest; /* rows with < are wanted */
    bool compounds;
    uint8_t complete; /* relations that there can be */
    int race_row;     /* -1: not wanted */
    VECTOR(struct prediction) predictions;
    struct table prediction_index; /* from, to → index + 1 */
    VECTOR(recent_list) windows;   /* by task, oldest first */
    VECTOR(struct access_pair) pairs;
    struct table pair_keys;          /* entries, through, bits → 1 */
    uint64_t pair_cache[PAIR_CACHE]; /* keys that were looked up lately, by hash: loops come back to the same ones */
    struct table pair_kinds;         /* hash of sites and kinds → how many pairs */
    struct table pair_index;         /* first, second → index + 1 */
};

/* Such an instance was found already; entries by step. */
bool predict_knows(const struct prediction_state *state, unsigned row, const uint32_t entries[PATTERN_STEPS]);
/* Adds an instance of the row. */
void predict_report(struct prediction_state *state, unsigned row, const uint32_t entries[PATTERN_STEPS]);

/* pairs.c: the access joins its predecessors within the window; before history_commit. */
void pairs_access(struct prediction_state *state, const struct event *event, const struct access *access,
                  uint32_t entry);
const struct access_pair *pairs_find(const struct prediction_state *state, uint32_t first,
                                     uint32_t second); /* NULL none */
void pairs_free(struct prediction_state *state);

/* compound.c */
void compound_join(struct prediction_state *state);

/* order.c: two tasks, with one or two accesses each. */
struct order_task {
    uint32_t first, second;         /* entries; equal if there is only one access */
    uint8_t first_end, second_end;  /* enum shape_end */
    const struct access_pair *pair; /* NULL if there is only one */
};
struct order_question {
    struct order_task tasks[2];
    const struct shape_choice *choice;
    uint32_t entries[END_COUNT]; /* by end */
};
/* There may be an execution in which the accesses come in the order of the choice's row. */
bool order_exists(const struct history *history, const struct order_question *question);

#endif
