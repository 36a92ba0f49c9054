/* SPDX-License-Identifier: MIT
 *
 * site_map.h - from the pcs of a running process to the numbers of sites, and back.
 *
 * DESIGN
 *   A pc is known as module and address relative to it: that does not depend on where the module was loaded, and is looked
 *   up in the debug information once.  In front of it lies a table per *layout* (which modules are loaded where) that has
 *   pcs as they are: one look-up per event.  Nearly always there is one layout; servers with different load addresses have
 *   one each, and of many the oldest is forgotten.
 *
 *   New pcs of a run get their sites in order of module and address, not in the order in which they were met (site.h says why).
 */
#ifndef RADDLE_COVERAGE_SITE_MAP_H
#define RADDLE_COVERAGE_SITE_MAP_H

#include "pattern/site.h"
#include "trace/access.h"
#include "trace/symbols.h"
#include "wire/wire_check.h"

struct site_map;

/* Sites are added to the table, which must outlive the places. */
struct site_map *site_map_new(struct sites *sites);
void site_map_free(struct site_map *site_map);

/* Sets the site of each event by its pc; SITE_ANY for those that access nothing.  Accesses from code that is in no module are all at
   one unknown site. */
void site_map_find(struct site_map *site_map, const struct wire_modules *modules, struct symbols *symbols,
                   struct event *events, size_t count);
/* The pcs that stand for the site in a process with these modules; at most `most` are stored.  Returns how many were. */
size_t site_map_pcs(const struct site_map *site_map, uint32_t site, const struct wire_modules *modules, uint64_t *pcs,
                    size_t most);

#endif
