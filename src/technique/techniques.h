/* SPDX-License-Identifier: MIT
 *
 * techniques.h - all techniques.  To add one: its file, and a row here.
 */
#ifndef RADDLE_TECHNIQUE_TECHNIQUES_H
#define RADDLE_TECHNIQUE_TECHNIQUES_H

#include "technique/technique.h"

/* In the order in which they tend to find bugs: the first schedules of --strategy all are theirs in this order. */
#define TECHNIQUES(X)                                                                                                  \
    X(pos)                                                                                                             \
    X(maple)                                                                                                           \
    X(random)                                                                                                          \
    X(pct)                                                                                                             \
    X(surw)                                                                                                            \
    X(pctlarge)                                                                                                        \
    X(roundrobin)                                                                                                      \
    X(race)                                                                                                            \
    X(atom)                                                                                                            \
    X(asset)                                                                                                           \
    X(pcr)                                                                                                             \
    X(maptest)                                                                                                         \
    X(mcr)                                                                                                             \
    X(chess)                                                                                                           \
    X(dpor)                                                                                                            \
    X(dfs)                                                                                                             \
    X(force)

#define X(name) extern const struct technique technique_##name;
TECHNIQUES(X)
#undef X

extern const struct technique *const techniques[]; /* ends with NULL */

#endif
