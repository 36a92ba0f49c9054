/* SPDX-License-Identifier: MIT
 *
 * suite.h - the tests of a campaign as a directory of C files, with a Makefile and a CMakeLists.txt.
 */
#ifndef RADDLE_GENERATE_SUITE_H
#define RADDLE_GENERATE_SUITE_H

#include "generate/session.h"

/* Adds those tests of the session that were run, at most SUITE_TESTS, the most promising ones first. */
enum { SUITE_TESTS = 60 };
bool suite_add(struct session *session, struct error *error);
/* When all sessions have added theirs: the files that build and run them. */
bool suite_finish(const struct generate_options *options, struct error *error);

#endif
