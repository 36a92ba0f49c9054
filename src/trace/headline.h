/* SPDX-License-Identifier: MIT
 *
 * headline.h - a finding in one line: what happened and where.  How the threads got there is in a tale (tale/tale.h).
 */
#ifndef RADDLE_TRACE_HEADLINE_H
#define RADDLE_TRACE_HEADLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/object.h"
#include "trace/symbols.h"
#include "wire/wire.h"

/* What happened in one line, without the end of the line: "assertion `total == 200' failed at bank.c:42".  `events` may
   be NULL if count is 0.  The caller frees. */
char *headline_text(struct symbols *symbols, const struct wire_result *result, const struct wire_finding *finding,
                    const struct wire_event *events, uint32_t count);
/* "a 5 s sleep of T0 at x.c:9 ended before T1 locked m at x.c:4": for a run in which a wait ended although another
   thread could run. NULL: there was none. */
char *headline_early(struct symbols *symbols, const struct wire_result *result, const struct wire_event *events,
                     uint32_t count);

/* The place of the finding, also for `failures[].site`: "bank.c:42".  Application code before library code. */
const char *headline_site(struct symbols *symbols, const struct wire_result *result,
                          const struct wire_finding *finding);

/* The key identifies a finding: its kind, what the oracle says (an exit status, a signal), and places: those of the calls in the program's own
   code, innermost first; of a block where it was allocated and freed.  It contains no addresses, so it is valid for other builds.  The
   caller frees. */
char *failure_key(struct symbols *symbols, const struct wire_result *result, const struct wire_finding *finding);

/* The same for one build and one place that it is loaded at, without debug information: a number of the finding's kind and of the code
   addresses of its sides. */
uint64_t failure_raw_place(const struct wire_finding *finding);

/* The memory that a race is on, or the two locks that are taken in both orders; count 0: the finding is about neither.
   Arguments as for headline_text. */
struct headline_names {
    unsigned count;
    char names[2][OBJECT_NAME];
};
void headline_names(struct symbols *symbols, const struct wire_result *result, const struct wire_finding *finding,
                    const struct wire_event *events, uint32_t count, struct headline_names *names);

/* The stacks of both sides of a finding that has them (a lock order), a line each; NULL: it has none.  The caller frees. */
char *headline_stacks(struct symbols *symbols, const struct wire_finding *finding);

/* ---- places ---------------------------------------------------------------------------------------------------------- */

/* The place to show: the program's own code, outside functions that were inlined from system headers. */
const struct site *headline_visible_site(const struct site *site);
/* Whether it is a line of the program itself, not of a library, of a system header or of raddle. */
bool headline_is_application(const struct site *site);
/* The places of a finding, innermost first: frame number `index`; NULL after the last. */
const struct site *headline_frame(struct symbols *symbols, const struct wire_finding *finding, uint32_t index);
/* The same of the other task. */
const struct site *headline_other_frame(struct symbols *symbols, const struct wire_finding *finding, uint32_t index);
/* The place that headline_site names: the program's own code, else any code with lines, else the innermost; NULL if it
   has none. */
const struct site *headline_place(struct symbols *symbols, const struct wire_finding *finding);
/* The same for an indirect call (wire_event.origin; 0: not known): the program's code that called it through libraries,
   functions of system headers or its own operator new. */
const struct site *headline_origin(struct symbols *symbols, const struct wire_result *result, uint64_t pc,
                                   uint32_t origin);
/* The visible place of a call that returns to pc. */
const char *headline_where(struct symbols *symbols, uint64_t pc);

#endif
