/* SPDX-License-Identifier: MIT
 *
 * deeds.h - a run as what its tasks did, and what each deed needs to be done again.
 *
 * A deed is an event.  It needs the deeds of its task before it; the writes that it reads; what it waited for, as far as that does
 * not depend on who gets a lock first (clock.h); whom it woke, waiting; and what lies before it on an object that is no lock.  What a
 * deed inside of a critical section needs is needed before the section, if it was there by then: while the lock is held nobody may
 * be able to do it.
 */
#ifndef RADDLE_DIRECT_DEEDS_H
#define RADDLE_DIRECT_DEEDS_H

#include "pattern/access.h"
#include "trace/table.h"
#include "util/vector.h"

#define DEED_NONE UINT32_MAX

struct deed_need {
    uint32_t deed;
    bool must; /* it cannot be done without; otherwise it only reads something else */
};

enum lock_use { LOCK_NO, LOCK_TAKE, LOCK_SHARE, LOCK_GIVE };

struct deed_piece { /* of memory that a deed accesses */
    uint32_t location;
    uint32_t writer; /* the deed that wrote what was there; DEED_NONE */
};

struct deed_hold { /* a lock that a task holds, and the others that it holds */
    uint64_t lock;
    uint32_t deed;   /* that took it */
    uint32_t others; /* in `holds`; 0: none */
};

struct deed {
    uint64_t operation, value;
    uint64_t lock;                 /* that it takes or gives back */
    uint32_t site;                 /* of the event */
    uint32_t alike;                /* the deed before it at the same site; DEED_NONE */
    uint32_t place;                /* among its task's */
    uint32_t door;                 /* place of the first lock that its task holds; its own place if it holds none */
    uint32_t holds;                /* what its task holds behind it, in `holds`; 0: nothing */
    uint32_t end;                  /* of one that takes a lock: the deed that gives it back; DEED_NONE */
    uint32_t need, need_count;     /* in `needs` */
    uint32_t piece, piece_count;   /* in `pieces` */
    uint32_t access, access_count; /* in `accesses` */
    uint16_t task;
    uint8_t lock_use;   /* enum lock_use */
    bool reads, writes; /* memory */
    bool valued;        /* `value` is what it read or wrote */
};

typedef VECTOR(uint32_t) deed_list;
typedef VECTOR(struct deed_need) need_list;

struct deeds { /* all zero is the empty run */
    VECTOR(struct deed) all;
    need_list needs;
    VECTOR(struct deed_piece) pieces;
    VECTOR(struct access) accesses;
    VECTOR(struct deed_hold) holds; /* the first is none */
    VECTOR(deed_list) tasks;        /* the deeds of each, in order */
    VECTOR(deed_list) writes;       /* to each location, in order */
    deed_list first_reads;          /* of each location, before anybody had written there; DEED_NONE */
    struct table sites;             /* site → its last deed + 1 */
};

/* sites: of each event.  Replaces what was there. */
void deeds_make(struct deeds *deeds, const struct wire_event *events, const uint32_t *sites, size_t count);
void deeds_free(struct deeds *deeds);

/* A deed that has read what was there at the beginning; DEED_NONE: nobody knows. */
uint32_t deeds_first_reader(const struct deeds *deeds, const struct deed *deed);
/* How many of the list come before the deed with this number. */
uint32_t deeds_count_before(const deed_list *list, uint32_t number);
/* What is held when this is given back; adds to `holds` if it was not the last that was taken. */
uint32_t deeds_let_go(struct deeds *deeds, uint32_t holds, uint64_t lock);
/* The access of the deed that can be a step of that kind; NULL: none. */
const struct access *deeds_access(const struct deeds *deeds, uint32_t deed, enum access_kind kind);

#endif
