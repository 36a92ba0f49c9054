/* SPDX-License-Identifier: MIT
 *
 * oracle_leak.h - --fail-on leak: whether a block that a run has lost is a failure.
 *
 * It is one if another run has freed all blocks of the same allocation site.  Blocks that every schedule loses may be
 * intended, or reachable in a way that a scan of memory does not see.  So every judged run is learned from.  For a
 * failure of an earlier campaign the site comes from its key.
 */
#ifndef RADDLE_CONTROL_ORACLE_LEAK_H
#define RADDLE_CONTROL_ORACLE_LEAK_H

#include "control/server.h"
#include "wire/wire_check.h"

struct oracle;
struct oracle_leaks;

struct oracle_leaks *oracle_leaks_open(void);
void oracle_leaks_close(struct oracle_leaks *leaks); /* NULL is allowed */
/* The site of this key is known to be freed in other schedules of the same program.  The key must stay valid as long as
   `leaks`. */
void oracle_leaks_know(struct oracle_leaks *leaks, const char *key);
/* Learns from the run in `server`, which has passed so far.  Returns the leak that is a failure and that the oracle does not
   suppress, or NULL. */
const struct wire_leak *oracle_leaks_look(struct oracle_leaks *leaks, const struct oracle *oracle,
                                          const struct server *server, const struct wire_copy *copy);
/* The allocation of the first block that was lost. */
struct wire_access oracle_leak_access(const struct wire_leak *leak);

#endif
