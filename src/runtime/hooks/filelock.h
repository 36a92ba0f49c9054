/* SPDX-License-Identifier: MIT
 *
 * filelock.h - what descriptor.c needs from the file locks.
 */
#ifndef RADDLE_HOOKS_FILELOCK_H
#define RADDLE_HOOKS_FILELOCK_H

#include <fcntl.h>

#include "runtime/rt.h"

/* A descriptor was closed: a lock may be free. */
void filelock_changed(void);

/* fcntl(fd, F_SETLK, F_SETLKW, F_OFD_SETLK or F_OFD_SETLKW, lock) of a task; leaves the hook. */
int filelock_fcntl(struct task *self, uintptr_t pc, int fd, int command, const struct flock *lock);

#endif
