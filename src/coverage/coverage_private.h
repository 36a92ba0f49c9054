/* SPDX-License-Identifier: MIT
 *
 * coverage_private.h - what coverage.c (what was seen) and coverage_open.c (what could be) share.
 */
#ifndef RADDLE_COVERAGE_COVERAGE_PRIVATE_H
#define RADDLE_COVERAGE_COVERAGE_PRIVATE_H

#include "coverage/coverage.h"
#include "coverage/site_map.h"
#include "coverage/unseen.h"
#include "coverage/variables.h"
#include "pattern/observe.h"
#include "predict/predictor.h"

enum { ROWS = 64, GROUPS = 8 };

/* What is known about an instance. */
struct known_instance {
    uint64_t runs;      /* observed ones that it occurred in */
    uint64_t first_run; /* number of the first of them */
    uint64_t bad;       /* of them, those that did not pass */
    bool predicted;
    bool impossible; /* only while runs is 0 */
    uint8_t alternative_count;
    struct core *core;                         /* why it is impossible; NULL: not known */
    struct coverage_alternative *alternatives; /* COVERAGE_ALTERNATIVES; NULL none */
};

struct coverage {
    struct coverage_options options;
    struct sites *sites;
    struct site_map *site_map;
    struct observer *observer;
    const struct predictor *predictor;
    struct instances found;              /* in this run */
    struct instances all;                /* ever */
    VECTOR(struct known_instance) known; /* by index in all */
    struct coverage_count rows[ROWS];
    struct coverage_group groups[GROUPS];
    size_t group_count;
    uint8_t group_of_row[ROWS];
    struct unseen unseen[GROUPS + 1]; /* of each group; the last one is of all together */
    struct variables variables;       /* of a campaign with families that have an estimate */
    uint64_t profiled, open;          /* open: those that are impossible, too */
    uint64_t count_work;              /* of counting the instances of runs, in units of observer_work() */
    uint64_t predict_work;            /* of the predictor, in units of observer_work() */
    uint64_t read_work;               /* of recording and reading runs, in units of observer_work() */
    uint64_t events, left_out;
    bool lost_events, cut;
    struct cores cores;
    VECTOR(struct coverage_point) curve;
    VECTOR(struct coverage_source *) sources; /* the oldest first */
    size_t source_bytes;
};

/* The number of the instance, which is made if it is new. */
size_t coverage_number(struct coverage *coverage, const struct instance *instance);

/* coverage_open.c */
/* Predicts from the run; returns how many are new and open.  `work_most`: units of observer_work(), about; 0: any number. */
uint32_t coverage_predict_run(struct coverage *coverage, const struct execution *execution, uint64_t schedule,
                              uint64_t work_most);
/* It is not open any more. */
void coverage_close_instance(struct coverage *coverage, size_t number);
void coverage_open_free(struct coverage *coverage);

#endif
