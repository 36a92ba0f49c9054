/* SPDX-License-Identifier: MIT
 *
 * descriptors.h - the descriptors of this process: which are open, and which were before the run.
 */
#ifndef RADDLE_DESCRIPTORS_H
#define RADDLE_DESCRIPTORS_H

#include <stdbool.h>

/* Opens it for reading with a high number, so that the program's descriptors have the same numbers as without it.  -errno. */
int descriptors_open_own(const char *path, int flags);
/* Calls `visit` for each open descriptor, until it returns false.  Returns false then, or if they cannot be listed. */
bool descriptors_each(bool (*visit)(void *argument, int fd), void *argument);

/* In the server, before the first run: remembers which are open. */
void descriptors_learn(void);
/* Whether the descriptor was open then. */
bool descriptors_is_inherited(int fd);
/* Whether all that were open then are open now, and are the same files. */
bool descriptors_are_kept(void);

#endif
