/* SPDX-License-Identifier: MIT
 *
 * instance.h - instances of families over sites ("iRoots" where the family is an idiom), and sets of them.
 *
 * An instance is what coverage counts: a row of the table of families, and for each step a site and the kind of access.
 * Two instances that differ only in what the threads and variables are called are one (idiom.5 read from the other side).
 */
#ifndef RADDLE_PATTERN_INSTANCE_H
#define RADDLE_PATTERN_INSTANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pattern/family.h"
#include "util/table.h"
#include "util/vector.h"

struct instance {
    uint32_t site[PATTERN_STEPS]; /* 0 after the last step */
    uint8_t kind[PATTERN_STEPS];  /* enum access_kind: what the row asks for, or what it was if it asks for anything */
    uint8_t row;
    uint8_t reserved[3]; /* 0 */
};

/* Where a step was seen, or what a prediction was made from.  It tells how to make the step happen. */
struct witness {
    uint64_t operation;     /* of its task */
    uint64_t section_entry; /* where its task entered the critical sections that it was in; 0: none, or not known */
    uint64_t address;
    uint64_t context;
    uint32_t occurrence; /* how many times the task had come to the site, this time included; 0: not known */
    uint16_t task;
    uint16_t unit_depth; /* wire_goal_step.unit_depth; 0: not known */
};

struct instances {                    /* all zero is the empty set */
    VECTOR(struct instance) all;      /* in the order in which they were added */
    VECTOR(struct witness) witnesses; /* PATTERN_STEPS for each, unless it is bare */
    struct table index;
    bool bare; /* witnesses are not kept; to be set while it is empty */
};

/* With a and b exchanged, where that means the same; order[i] is the step that has become step i.  False: it does not. */
bool instance_other_name(const struct instance *instance, struct instance *other, uint8_t order[PATTERN_STEPS]);
/* Names it the one way of all that mean the same; order[i] is the step that has become step i. */
void instance_canonical(struct instance *instance, uint8_t order[PATTERN_STEPS]);
bool instance_equal(const struct instance *a, const struct instance *b);
/* The instance as a pattern of its family. */
struct pattern instance_pattern(const struct instance *instance);
/* As pattern_print of it; the text does not depend on the numbers of its sites. */
void instance_print(const struct instance *instance, const struct sites *sites, enum site_detail detail,
                    struct buffer *out);

/* True if it was not there.  `witnesses` are those of its steps (may be NULL); the first ones are kept. */
bool instances_add(struct instances *instances, const struct instance *instance, const struct witness *witnesses);
/* Its index in `all`; SIZE_MAX if it is not there. */
size_t instances_find(const struct instances *instances, const struct instance *instance);
bool instances_has(const struct instances *instances, const struct instance *instance);
size_t instances_count_of(const struct instances *instances, family_mask rows);
static inline const struct witness *instances_witnesses(const struct instances *instances, size_t index)
{
    return &instances->witnesses.data[index * PATTERN_STEPS];
}
void instances_clear(struct instances *instances); /* keeps the memory */
void instances_free(struct instances *instances);

#endif
