/* SPDX-License-Identifier: MIT
 *
 * oracle_leak.h - --fail-on leak: whether a block that a run has lost is a failure.
 *
 * It is if another run has freed all blocks of the same place: what every schedule loses may be meant, or be found by means that a scan of memory does
 * not know.  So each run that is judged is learned from.  A failure that was found by an earlier campaign has its place from there.
 */
#ifndef RADDLE_CONTROL_ORACLE_LEAK_H
#define RADDLE_CONTROL_ORACLE_LEAK_H

#include "control/server.h"
#include "wire/wire.h"

struct oracle_leaks;

struct oracle_leaks *oracle_leaks_open(void);
void oracle_leaks_close(struct oracle_leaks *leaks); /* may be NULL */
/* The place of this key is known to be freed in other schedules of the same program.  The key must outlive it. */
void oracle_leaks_know(struct oracle_leaks *leaks, const char *key);
/* The run in `server` has ended well.  Learns from it; the place whose blocks it must not lose, or NULL. */
const struct wire_leak *oracle_leaks_look(struct oracle_leaks *leaks, const struct server *server,
                                          const struct wire_result *result);
/* The allocation of the first block that was lost. */
struct wire_access oracle_leak_access(const struct wire_leak *leak);

#endif
