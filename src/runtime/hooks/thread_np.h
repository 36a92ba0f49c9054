/* SPDX-License-Identifier: MIT
 *
 * thread_np.h - what is learned about threads before the run.
 */
#ifndef RADDLE_HOOKS_THREAD_NP_H
#define RADDLE_HOOKS_THREAD_NP_H

/* Before the fork point: which processors the program has. */
void thread_learn_processors(void);

#endif
