/* SPDX-License-Identifier: MIT
 *
 * destructors.h - what the loader does at exit, without what no run can show.
 */
#ifndef RADDLE_DESTRUCTORS_H
#define RADDLE_DESTRUCTORS_H

/* At the fork point: looks at what is loaded. */
void destructors_learn(void);
/* For libc, in the place of `loader`, which runs the destructors of all loaded objects. */
void (*destructors_instead_of(void (*loader)(void)))(void);

#endif
