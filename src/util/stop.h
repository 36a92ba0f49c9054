/* SPDX-License-Identifier: MIT
 *
 * stop.h - when a command has to come to its end: Ctrl-C and SIGTERM, and the end of its time.
 *
 * DESIGN
 *   Every loop of the driver that may take long asks stop_requested(), which costs as much as reading a variable: signals set it, that of a
 *   timer too.  What such a loop leaves undone its caller must not take for done: he asks as well.
 *
 *   The first Ctrl-C asks for a clean end, a second one ends at once.  A time may be set within another: what is set by stop_within() never
 *   is later than what held before.
 */
#ifndef RADDLE_UTIL_STOP_H
#define RADDLE_UTIL_STOP_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

extern volatile sig_atomic_t stop_reasons; /* 0: none; only stop.c writes it */

/* From now on signals are taken. */
void stop_install(void);

/* The time ends at `when` (as clock_now()); 0: never.  Returns when it would have ended, to be set again. */
int64_t stop_at(int64_t when);
/* The same, `time` ns from now or when it ends anyway, whichever comes first; time 0: nothing changes. */
int64_t stop_within(int64_t time);
/* The same, but `time` ns from now at the earliest: for what must be done after the end. */
int64_t stop_not_within(int64_t time);
/* If a stop was requested, by whatever: `time` ns from now again.  For saving what there is. */
int64_t stop_finish(int64_t time);

/* Either of the two: end now with what there is. */
static inline bool stop_requested(void)
{
    return stop_reasons != 0;
}

/* There was a signal, now or before. */
bool stop_interrupted(void);

#endif
