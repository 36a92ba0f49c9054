/* SPDX-License-Identifier: MIT
 *
 * stop.h - when a command has to end: Ctrl-C, SIGTERM, and its time limit.
 *
 * DESIGN
 *   Every loop of the driver that may take long calls stop_requested(), which only reads a variable that signal
 *   handlers set.  The caller of such a loop must call it too, because the loop may have ended early.
 *
 *   The first Ctrl-C asks for a clean end, a second one ends at once.  Time limits nest: stop_within() never extends
 *   the limit that was set before.
 */
#ifndef RADDLE_UTIL_STOP_H
#define RADDLE_UTIL_STOP_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

extern volatile sig_atomic_t stop_reasons; /* 0: none; only stop.c writes it */

/* Installs the signal handlers. */
void stop_install(void);

/* Sets the time limit to `when` (as clock_now()); 0: none.  Returns the previous limit, so that the caller can restore
   it. */
int64_t stop_at(int64_t when);
/* The same, with `time` ns from now or the current limit, whichever comes first; time 0: nothing changes. */
int64_t stop_within(int64_t time);
/* The same, but at least `time` ns from now: for work that must be done after the limit. */
int64_t stop_not_within(int64_t time);
/* If a stop was requested, allows `time` ns from now, to save the results. */
int64_t stop_finish(int64_t time);

/* A signal came or the time is over: end now, with the results so far. */
static inline bool stop_requested(void)
{
    return stop_reasons != 0;
}

/* Whether there was a signal. */
bool stop_interrupted(void);

#endif
