/* SPDX-License-Identifier: MIT
 *
 * interrupt.h - Ctrl-C and SIGTERM: the first asks for a clean end, a second one ends at once.
 */
#ifndef RADDLE_EXPLORE_INTERRUPT_H
#define RADDLE_EXPLORE_INTERRUPT_H

#include <stdbool.h>

void interrupt_install(void);
bool interrupt_requested(void);

#endif
