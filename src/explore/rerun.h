/* SPDX-License-Identifier: MIT
 *
 * rerun.h - run one schedule again, exactly, and record its events.
 *
 * DESIGN
 *   Which accesses are scheduling points, and so events, depends on which sites are known to touch shared data, and that is
 *   learned as runs go by.  So a rerun takes two passes: the first begins with nothing known and learns, the second knows what
 *   the first one learned, and its events count (the first's only if it went another way).  Then the event log depends on nothing but schedule, program and input.
 */
#ifndef RADDLE_EXPLORE_RERUN_H
#define RADDLE_EXPLORE_RERUN_H

#include <stdbool.h>

#include "explore/oracle.h"
#include "explore/server.h"
#include "trace/failure.h"
#include "trace/schedule.h"
#include "trace/symbols.h"
#include "wire/wire_check.h"

struct rerun { /* all zero to begin with */
    struct wire_copy copy;
    enum server_state state;
    struct judgement judgement;
};

/* Fills in the plan: this schedule, exactly, recorded. */
void rerun_plan(struct wire *wire, const struct schedule *schedule);
/* `pass_on`: what the program prints goes to our stdout and stderr, once.  False: it could not be run at all. */
bool rerun_schedule(struct rerun *rerun, struct server *server, const struct oracle *oracle,
                    const struct schedule *schedule, bool pass_on, struct error *error);
/* Only the first pass: what it learned is in server->wire, for whoever makes the second. */
bool rerun_learn(struct rerun *rerun, struct server *server, const struct oracle *oracle,
                 const struct schedule *schedule, struct error *error);
/* The place of a hang is known only from recorded events: the last one of the thread.  Not for story_key, which does without. */
void rerun_locate_hang(struct rerun *rerun);
/* The oracle that a failure was found by, for runs in `server`.  The failure must outlive it. */
bool rerun_oracle(struct oracle *oracle, const struct failure *failure, const struct server *server,
                  struct error *error);
void rerun_free(struct rerun *rerun);

/* Symbols of what is loaded in a server; opened anew when that changed.  Starts from all zero. */
struct server_symbols {
    struct wire_modules modules;
    struct symbols *symbols;
};
struct symbols *server_symbols_get(struct server_symbols *cache, const struct server *server);
void server_symbols_close(struct server_symbols *cache);

/* The event log as text; false if memory or a stream gave out. */
bool rerun_events(const struct rerun *rerun, struct symbols *symbols, struct buffer *text);

#endif
