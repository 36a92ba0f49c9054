/* SPDX-License-Identifier: MIT
 *
 * fault.h - a test that failed: reduced, written as a C file, and run again.
 */
#ifndef RADDLE_GENERATE_FAULT_H
#define RADDLE_GENERATE_FAULT_H

#include "generate/session.h"

/* False: the fault is known, or it did not come back. */
bool fault_found(struct session *session, const struct test *test, const struct explore *explore);

#endif
