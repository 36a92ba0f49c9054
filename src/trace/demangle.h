/* SPDX-License-Identifier: MIT
 *
 * demangle.h - readable names of C++ symbols that have no debug information.
 */
#ifndef RADDLE_TRACE_DEMANGLE_H
#define RADDLE_TRACE_DEMANGLE_H

/* "_ZNSt6thread4joinEv" → "std::thread::join": the name only, without parameters and template arguments.  NULL if the
   symbol is not mangled, or not supported; freed by the caller. */
char *demangle(const char *symbol);

#endif
