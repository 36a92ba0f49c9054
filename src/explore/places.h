/* SPDX-License-Identifier: MIT
 *
 * places.h - from the pcs of a running process to the numbers of sites, and back.
 *
 * DESIGN
 *   A pc is known as module and address relative to it: that does not depend on where the module was loaded, and is looked
 *   up in the debug information once.  In front of it lies a table per *layout* (which modules are loaded where) that has
 *   pcs as they are: one look-up per event.  Nearly always there is one layout; servers with different load addresses have
 *   one each, and of many the oldest is forgotten.
 *
 *   New pcs of a run get their sites in order of module and address, whatever order they were met in (site.h says why).
 */
#ifndef RADDLE_EXPLORE_PLACES_H
#define RADDLE_EXPLORE_PLACES_H

#include "pattern/site.h"
#include "trace/symbols.h"
#include "util/vector.h"
#include "wire/wire_check.h"

struct places;

typedef VECTOR(uint32_t) site_list;

/* Sites are added to the table, which must outlive the places. */
struct places *places_new(struct sites *sites);
void places_free(struct places *places);

/* The site of each event; SITE_ANY for those that access nothing.  Replaces what was in `found`.  Accesses from code that
   is in no module are all at one unknown site. */
void places_find(struct places *places, const struct wire_modules *modules, struct symbols *symbols,
                 const struct wire_event *events, size_t count, site_list *found);
/* The pcs that stand for the site in a process with these modules; at most `most` are stored.  Returns how many were. */
size_t places_pcs(const struct places *places, uint32_t site, const struct wire_modules *modules, uint64_t *pcs,
                  size_t most);

#endif
