/* SPDX-License-Identifier: MIT
 *
 * race.h - the long form of a shadow cell, and the data races seen in it.
 */
#ifndef RADDLE_RACE_H
#define RADDLE_RACE_H

#include "runtime/access.h"

struct sync; /* oracle/order.h */

/* An earlier access to the cell. */
struct past_access {
    uint64_t pc : 48;
    uint64_t bytes : 4; /* bytes of the cell that its task may have accessed up to then */
    uint64_t mask : 4;  /* bytes of this access that no later access covers */
    uint64_t flags : 8; /* ACCESS_* */
    uint64_t operation; /* 0: not known any more */
    uint32_t clock;
    uint16_t task;
    uint8_t size;  /* of the whole access; 255: or more */
    int8_t begins; /* where it begins, seen from the cell; 0 if too far away */
};

struct record {
    uint8_t
        shared; /* bytes whose accesses are visible: accessed by more than one task, and the order of some may differ */
    uint8_t
        several; /* bytes accessed by more than one task; those that are not in `shared` too are only read, as far as is known */
    uint16_t count, capacity;
    struct readers *
        readers; /* more past accesses: oracle/readers.h; NULL: none.  Only while all bytes are in `several`, and none or all in `shared` */
    struct sync *syncs; /* released clocks of the atomic objects in this cell */
    struct past_access pasts[];
};

/* The record of the cell at `address`, made from the content of the cell if there is none.  NULL for FREED and REDZONE cells. */
struct record *race_get_record(struct cell *cell, uintptr_t address);
void race_drop_record(struct record *record);
/* Bytes of the record that tasks other than self have accessed. */
unsigned race_bytes_of_others(const struct record *record, const struct task *self);
/* Whether an access of self, with ACCESS_* flags, to the bytes `mask` of the cell may conflict with one of another task in any order. */
bool race_is_visible(const struct task *self, struct cell *cell, unsigned mask, unsigned flags);
/* As race_access, of a plain read of bytes that are only read as far as is known, if the note of an earlier read is replaced.  False: that is
   not so, nothing was done. */
bool race_read_again(const struct task *self, const struct cell *cell, uintptr_t at, unsigned mask, uintptr_t pc,
                     const struct span *span);
/* self accesses the bytes `mask` of the cell at `at`, which has a record, as part of `span`: looks for races, and notes the access. */
void race_access(struct task *self, struct cell *cell, uintptr_t at, unsigned mask, uintptr_t pc,
                 const struct span *span);
/* Whether no warning was given yet for this pair of sites (or other numbers that are not 0 and name places).  False if the pair is known, or too many are. */
bool race_pair_is_new(uintptr_t a, uintptr_t b);
/* self is about to free [lo, hi).  If other tasks have accessed it, their sites and pc are visible from now on: true. */
bool race_frees_shared(struct task *self, uintptr_t lo, uintptr_t hi, uintptr_t pc);

#endif
