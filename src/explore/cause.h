/* SPDX-License-Identifier: MIT
 *
 * cause.h - which pattern makes the difference between the runs that fail and those that pass.
 */
#ifndef RADDLE_EXPLORE_CAUSE_H
#define RADDLE_EXPLORE_CAUSE_H

#include <stdbool.h>
#include <stdint.h>

#include "explore/rerun.h"
#include "explore/shrink.h"
#include "tale/tale.h"

struct coverage;

/* `failing`: a recorded rerun of `schedule`, which shows the failure `key`.  `seen`: coverage of the campaign so far, or NULL.  The
   cause is filled for tale_set_cause (the caller frees it there).  False: the server could not be used any more; the cause then
   says what is known so far. */
bool cause_find(struct tale_cause *cause, const struct schedule *schedule, const struct rerun *failing,
                struct server *server, struct server_symbols *symbols, const struct oracle *oracle, const char *key,
                const struct coverage *seen, uint64_t seed, const struct shrink_budget *budget, struct error *error);

#endif
