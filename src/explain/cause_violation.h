/* SPDX-License-Identifier: MIT
 *
 * cause_violation.h - the cause of a violation of serializability.
 */
#ifndef RADDLE_EXPLAIN_CAUSE_VIOLATION_H
#define RADDLE_EXPLAIN_CAUSE_VIOLATION_H

#include "tale/tale.h"

/* The failure is a pattern of accesses, so nothing has to be compared: its steps are marked in the tale, and the cause is that pattern.  The tale was
   built from the finding's run. */
void cause_of_violation(const struct tale *tale, const struct wire_finding *finding, struct tale_cause *cause);

#endif
