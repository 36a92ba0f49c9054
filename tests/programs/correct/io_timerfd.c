// SPDX-License-Identifier: MIT
// io_timerfd.c - a timerfd that ticks, polled together with a pipe.
//
// expect: none
#include "correct.h"

#include <poll.h>
#include <sys/timerfd.h>

static int ends[2];

static void *tell(void *unused)
{
    (void)unused;
    usleep(500);
    CHECK(write(ends[1], "x", 1) == 1);
    return NULL;
}

int main(void)
{
    CHECK(pipe(ends) == 0);
    int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    struct itimerspec every = {{0, 1000000}, {0, 1000000}};
    CHECK(timerfd_settime(timer, 0, &every, NULL) == 0);
    pthread_t thread = start(tell, NULL);
    uint64_t ticks = 0, expired;
    for (int told = 0; !told || ticks == 0;) {
        struct pollfd fds[2] = {{.fd = timer, .events = POLLIN}, {.fd = told ? -1 : ends[0], .events = POLLIN}};
        CHECK(poll(fds, 2, -1) > 0);
        if (fds[0].revents & POLLIN) {
            CHECK(read(timer, &expired, sizeof expired) == sizeof expired);
            ticks += expired;
        }
        told |= (fds[1].revents & POLLIN) != 0;
    }
    join(thread);
    close(timer);
    close(ends[0]);
    close(ends[1]);
    return 0;
}
