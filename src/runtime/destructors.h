/* SPDX-License-Identifier: MIT
 *
 * destructors.h - the destructors that the loader runs at exit, without those that have no visible effect.
 */
#ifndef RADDLE_DESTRUCTORS_H
#define RADDLE_DESTRUCTORS_H

/* At the fork point: lists what is loaded. */
void destructors_learn(void);
/* The function that libc calls instead of `loader`, which runs the destructors of all loaded objects. */
void (*destructors_instead_of(void (*loader)(void)))(void);

#endif
