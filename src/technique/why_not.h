/* SPDX-License-Identifier: MIT
 *
 * why_not.h - is a pattern that was written down impossible in all runs that were seen, and why?
 */
#ifndef RADDLE_TECHNIQUE_WHY_NOT_H
#define RADDLE_TECHNIQUE_WHY_NOT_H

#include "coverage/core_words.h"
#include "solve/prover.h"
#include "solve/traces.h"

/* True: no order of any of the executions shows the pattern at any of the sites that its own may mean, and this is proven; `core` says why
   of one.  What it asks beside the order of accesses (occurrence, context) is left out: it could only make less possible. */
bool why_not(const struct traces *traces, const struct pattern *pattern, const struct sites *sites, uint32_t window,
             struct core *core);

#endif
