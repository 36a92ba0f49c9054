/* SPDX-License-Identifier: MIT
 *
 * site.h - places in the code, by names that outlive a run.
 *
 * DESIGN
 *   A site is known by module, function, file, line, column and an ordinal.  None of these changes when the program is
 *   linked again, loaded elsewhere or run on another machine.  The ordinal tells apart instructions that are at the same
 *   place otherwise (a macro that reads twice); the first one has 1.  Where there is no line, the offset into the function
 *   (or module) takes its place: then identity ends with the build.  The hint is the address relative to the module: it
 *   finds the ordinal again in the same build, and has no part in the identity.
 *
 *   Ordinals are given in the order in which sites are added.  If the sites of a run are added in order of address, they
 *   get the same ordinals wherever the same sites were seen; a table that is loaded has those that it was kept with.
 *
 *   A site may be incomplete, as people write it: "bank.c:18".  Fields that are empty stand for anything
 *   (sites_matches).
 *
 *   Text:   [module!][function@]file:line[:column][#ordinal]      libbank.so!withdraw@src/bank.c:18:7#2
 *           [module!]function+0xoffset      [module!]+0xoffset
 *   A name with other characters than letters, digits and _ . / - $ is written in double quotes, with \" and \\.
 */
#ifndef RADDLE_PATTERN_SITE_H
#define RADDLE_PATTERN_SITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/symbols.h"
#include "util/buffer.h"
#include "util/error.h"

struct site_key {
    const char *module, *function, *file; /* never NULL in a table; "" is unknown, or anything */
    uint32_t line, column;                /* 0 unknown */
    uint32_t ordinal;                     /* from 1; 0 not given */
    bool by_offset;                       /* no line: `offset` is the place */
    uint64_t offset;
    uint64_t hint; /* address relative to the module, 0 unknown; not part of the identity */
};

enum { SITE_ANY = 0 }; /* the number of no site in particular */

struct sites;

struct sites *sites_new(void);
void sites_free(struct sites *sites);
size_t sites_count(const struct sites *sites); /* numbers are 1 … count */

/* The number of the site, added if it is new.  Names may be NULL.  The texts are copied. */
uint32_t sites_add(struct sites *sites, const struct site_key *key);
/* As sites_add, for an instruction: an ordinal of 0 becomes that of the known site at the same place with the same hint,
   or else the next free one. */
uint32_t sites_add_instruction(struct sites *sites, const struct site_key *key);
/* The site of a recorded pc.  `base` is the load bias of its module (0 if unknown). */
uint32_t sites_add_symbol(struct sites *sites, const struct site *site, uint64_t pc, uint64_t base);

/* Valid until the sites are freed. */
const struct site_key *sites_get(const struct sites *sites, uint32_t site);
/* `site` is (one of) what `wanted` describes. */
bool sites_matches(const struct sites *sites, uint32_t wanted, uint32_t site);

enum site_detail { SITE_SHORT, SITE_FULL }; /* bank.c:18, or everything that is known */
void sites_print(const struct sites *sites, uint32_t site, enum site_detail detail, struct buffer *out);

/* Reads a site at the start of text; *length gets how much of it was one.  0 and an error if there is none: the error
   names the column, counted from `column` for the first character. */
uint32_t sites_parse(struct sites *sites, const char *text, size_t column, size_t *length, struct error *error);

#endif
