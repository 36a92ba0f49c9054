/* SPDX-License-Identifier: MIT
 *
 * pattern.h - the language in which all techniques speak of interleavings: two threads touch one or two variables in this
 * order.
 *
 *   pattern   = [family] group { relation group }
 *   group     = step { "|" step }                     steps of one group come in any order
 *   relation  = ( "<" | "<<" ) [ "[" number "]" ]
 *   step      = thread ":" kind "(" variable ")" [ "@" site ] [ "~" context ] [ "*" occurrence ]
 *   thread    = "a" | "b"                             the one that is named first is called a
 *   kind      = R W U free lock unlock rdlock rdunlock acquire release try wait signal init destroy (access.h), * for any
 *   variable  = a name; two different ones at most    x and y if nothing better is known
 *   site      see site.h                              left out: anywhere
 *   context   = hexadecimal hash of the calling context
 *   occurrence = number                               the thread's how-manyeth execution of the site, from 1
 *   family    = its name, such as idiom.4 (family.h): the steps must have its shape; its rules then hold beside what is
 *               written, and < may be written where it has <<
 *
 *   <       every step of the group before comes before every step of the group after it.
 *   <<      also: a step after it comes *immediately* after the last step before it on its variable (access.h).
 *   [n]     a step after it is at most n operations of its thread after the thread's step before.
 *
 *   a:R(x)@bank.c:18 << b:W(x)@bank.c:25 << a:W(x)@bank.c:19       lost update
 *   a:W(x) | b:W(y) << b:R(x) | a:R(y)                              the shape of a deadlock
 *
 * Patterns hold no memory of their own: sites are numbers of a site table.
 */
#ifndef RADDLE_PATTERN_PATTERN_H
#define RADDLE_PATTERN_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

#include "pattern/site.h"
#include "trace/access.h"
#include "util/buffer.h"
#include "util/error.h"

enum {
    PATTERN_STEPS = 4,
    PATTERN_NAME = 32, /* longest variable name, with its end */
};

enum relation { RELATION_BEFORE, RELATION_IMMEDIATE };

struct family;

struct pattern_step {
    uint8_t thread;      /* 0 is a, 1 is b */
    uint8_t variable;    /* 0 is the first, 1 the second */
    uint8_t kind;        /* enum access_kind */
    uint8_t group;       /* from 0, never falling, no gaps */
    uint8_t relation;    /* enum relation: of its group to the group before; BEFORE in group 0 */
    uint32_t window;     /* 0: none */
    uint32_t site;       /* SITE_ANY: anywhere */
    uint32_t occurrence; /* 0: any */
    uint64_t context;    /* 0: any */
};

struct pattern {
    const struct family *family; /* NULL: none */
    unsigned count;              /* of steps: 2 to 4 */
    struct pattern_step steps[PATTERN_STEPS];
    char variables[2][PATTERN_NAME]; /* "" where there is none */
};

/* The last step before `step` on its variable: what << refers to.  -1 if there is none. */
int pattern_previous_on_variable(const struct pattern *pattern, unsigned step);
/* The step before `step` of its thread; -1 if there is none. */
int pattern_previous_of_thread(const struct pattern *pattern, unsigned step);
/* Same threads, variables and groups, and kinds that fit: an instance of the shape. */
bool pattern_has_shape(const struct pattern *pattern, const struct pattern *shape);
/* The same in all but the names of the variables. */
bool pattern_equal(const struct pattern *a, const struct pattern *b);
/* All rules that a pattern must obey; parse has checked them. */
bool pattern_check(const struct pattern *pattern, struct error *error);

/* New sites are added to the table.  False: the error says in one sentence what is wrong and at which column. */
bool pattern_parse(const char *text, struct sites *sites, struct pattern *pattern, struct error *error);
void pattern_print(const struct pattern *pattern, const struct sites *sites, enum site_detail detail,
                   struct buffer *out);

#endif
