/* SPDX-License-Identifier: MIT
 *
 * inside.h - descriptors that connect only the threads of this process.
 *
 * When every task is blocked, and all of them wait for such descriptors, nothing outside can wake them: it is a deadlock,
 * and time may pass at once. A descriptor is inside if the program made it itself (pipe, socketpair, eventfd, epoll,
 * timerfd) while it had no child process. In doubt it is not.
 */
#ifndef RADDLE_HOOKS_INSIDE_H
#define RADDLE_HOOKS_INSIDE_H

#include <poll.h>
#include <stdbool.h>

void inside_add(int fd);
void inside_remove(int fd);
bool inside_has(int fd);
/* There is a child process now, or a descriptor was passed on: from now on no descriptor is inside. */
void inside_give_up(void);

#endif
