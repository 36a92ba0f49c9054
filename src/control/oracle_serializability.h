/* SPDX-License-Identifier: MIT
 *
 * oracle_serializability.h - --fail-on serializability: whether two calls of a run interrupted each other so that no order of the two, one after
 * the other, could have done the same.
 *
 * Every run is recorded with its units of work and looked at.  One that shows several such violations fails with the one that it is compared
 * with, if it shows that; else with the first that has not been told yet; else with the first.
 */
#ifndef RADDLE_CONTROL_ORACLE_SERIALIZABILITY_H
#define RADDLE_CONTROL_ORACLE_SERIALIZABILITY_H

#include "control/oracle.h"

struct oracle_serializability;

struct oracle_serializability *oracle_serializability_open(void);
void oracle_serializability_close(struct oracle_serializability *serializability); /* NULL is allowed */
/* The runs that come are compared with the failure of this key, which must stay valid until then; NULL: with none. */
void oracle_serializability_want(struct oracle_serializability *serializability, const char *key);
/* Looks at the run in `server`.  True: it shows a violation that is neither benign nor suppressed. */
bool oracle_serializability_look(struct oracle_serializability *serializability, const struct oracle *oracle,
                                 const struct server *server, const struct wire_copy *copy,
                                 struct wire_finding *finding);

#endif
