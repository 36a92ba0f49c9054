/* SPDX-License-Identifier: MIT
 *
 * variables.h - the variables that threads share, as sets of the sites that read and write them, and how many instances of a
 * pattern there could be at most by these numbers: the T_C of MAP-coverage.
 *
 * Z. Wang, Y. Zhao, S. Liu, J. Sun, X. Chen, H. Lin, "MAP-Coverage: A Novel Coverage Criterion for Testing Thread-Safe Classes", ASE 2019;
 * "Achieving High MAP-Coverage through Pattern Constraint Reduction" has the formula:
 *
 *     T_C = Σx 2·R·W + W² + R²·W + 3·R·W² + W³  +  Σ{x,y} 3·Wx²·Wy² + 6·Wx·Rx·Wy·Ry
 *
 * where R and W are the numbers of sites that read and write a variable.  Each summand is one of the 17 patterns: a factor R for
 * each step that reads the variable, a factor W for each that writes it.  So it is calculated from the shapes of the patterns.
 *
 * DESIGN
 *   In the paper a variable is a field of a class, and each instruction accesses one field, of any object.  Here it is what the
 *   observed runs show.  Sites that access the same memory access the same variable: if two sites touched one location
 *   (location.h), they belong to one variable, in all runs.  So the field `next` of all nodes of a list is one variable, and so are the
 *   elements of an array that a loop goes through.  Only locations count that more than one thread accessed in a run and that were
 *   written in it.  An update (an atomic increment) is a read and a write.
 *
 *   An access to several locations at once (free, memset, a copied structure) belongs to all their variables and does not make them one.
 *   What is one location is decided when it is accessed: if a part of it is accessed by itself only later in the run, the wide access
 *   counts as one to a single location.
 *
 *   What differs from the paper: sites that no observed run has reached are not counted, so the numbers grow.  Two objects of one kind
 *   are one variable; instances on two variables that are one here are not part of T_C (variables_are_one).  The sum over {x,y} has each
 *   two variables once, as in the paper, although most patterns can begin with either of them.
 */
#ifndef RADDLE_COVERAGE_VARIABLES_H
#define RADDLE_COVERAGE_VARIABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "pattern/family.h"
#include "trace/execution.h"
#include "util/table.h"
#include "util/vector.h"

struct variables {           /* all zero is the beginning */
    VECTOR(uint32_t) parent; /* by site: another site of its variable, or itself */
    VECTOR(uint8_t) use;     /* by site: what it does with single locations; VARIABLE_* */
    struct table wide; /* a site of the variable, and the site that accesses it along with others → VARIABLE_* */
};

enum { VARIABLE_READ = 1, VARIABLE_WRITE = 2 };

void variables_observe(struct variables *variables, const struct execution *execution);
void variables_free(struct variables *variables);

/* Both sites access one variable and no other. */
bool variables_are_one(const struct variables *variables, uint32_t site, uint32_t other);

/* The numbers of sites of each variable that has a reading or a writing one. */
struct variable_sites {
    uint32_t readers, writers;
};
typedef VECTOR(struct variable_sites) variable_list;
/* Replaces what was in the list; its order has no meaning. */
void variables_list(const struct variables *variables, variable_list *list);

/* A site, by the variable that it accesses: a site that accesses several is there several times. */
struct variable_use {
    uint32_t variable; /* the smallest number of its sites */
    uint32_t site;
    uint8_t use; /* VARIABLE_* */
};
typedef VECTOR(struct variable_use) variable_uses;
/* All of them, by variable and site.  Replaces what was there. */
void variables_uses(const struct variables *variables, variable_uses *uses);

/* The summand of one pattern in T_C.  The steps of the shape are reads and writes. */
double variables_estimate(const variable_list *list, const struct pattern *shape);

#endif
