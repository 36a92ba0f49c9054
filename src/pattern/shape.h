/* SPDX-License-Identifier: MIT
 *
 * shape.h - which rows of the table of families a given combination of dependencies can be an instance of.
 *
 * DESIGN
 *   A row consists of one or two dependencies (on x, on y): idiom.4 is A→B on x and C→D on y.  Observer and predictor
 *   find dependencies and put two together; what they have then is described by a shape_case: which thread did which of
 *   the four ends, in which order, on one variable or on two.  All rows and ways to assign their steps to the ends that
 *   agree with a case are computed once; what is left to check per combination is cheap.
 */
#ifndef RADDLE_PATTERN_SHAPE_H
#define RADDLE_PATTERN_SHAPE_H

#include "pattern/family.h"
#include "util/vector.h"

/* The ends of two dependencies A→B and C→D. */
enum shape_end { END_A, END_B, END_C, END_D, END_COUNT };

struct shape_case {
    unsigned steps;            /* 2: only A→B; 3: B and C are one access; 4 */
    uint8_t thread[END_COUNT]; /* of the ends */
    uint8_t rank[END_COUNT];   /* their order */
    bool total;                /* the ranks hold for all ends; else only among those of one thread */
    bool one_variable;
};

/* One way to be an instance of a row. */
struct shape_choice {
    uint8_t row;
    uint8_t end[PATTERN_STEPS]; /* enum shape_end, by step */
    uint8_t first, second;      /* enum relation: what A→B and C→D have to be */
};

typedef VECTOR(struct shape_choice) shape_choices;

/* The choices of the case among the wanted rows. */
void shape_list(family_mask wanted, const struct shape_case *shape_case, shape_choices *choices);

#endif
