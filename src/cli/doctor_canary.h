/* SPDX-License-Identifier: MIT
 *
 * doctor_canary.h - the programs that `raddle doctor` builds.  Each is a prelude, for C or for C++, and a body that
 * compiles as both.
 */
#ifndef RADDLE_CLI_DOCTOR_CANARY_H
#define RADDLE_CLI_DOCTOR_CANARY_H

extern const char canary_prelude_c[], canary_prelude_cxx[];
extern const char canary_lost_update[], canary_deadlock[], canary_correct[], canary_whoami[];

#endif
