// SPDX-License-Identifier: MIT
// io_epoll_edge.c - edge-triggered epoll: after each event the descriptor is read until EAGAIN.
//
// expect: none
#include "correct.h"

#include <sys/epoll.h>

static int ends[2];

static void *writer(void *unused)
{
    (void)unused;
    for (int i = 0; i < 3; i++)
        CHECK(write(ends[1], "abc", 3) == 3);
    close(ends[1]);
    return NULL;
}

int main(void)
{
    CHECK(pipe2(ends, O_NONBLOCK) == 0);
    int set = epoll_create1(EPOLL_CLOEXEC), total = 0, open = 1;
    struct epoll_event event = {.events = EPOLLIN | EPOLLET | EPOLLRDHUP, .data.fd = ends[0]};
    CHECK(epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event) == 0);
    pthread_t thread = start(writer, NULL);
    while (open) {
        CHECK(epoll_wait(set, &event, 1, -1) == 1 && event.data.fd == ends[0]);
        char buffer[4];
        ssize_t length;
        while ((length = read(ends[0], buffer, sizeof buffer)) > 0)
            total += (int)length;
        CHECK(length == 0 || errno == EAGAIN);
        open = length != 0;
    }
    join(thread);
    CHECK(total == 9);
    close(ends[0]);
    close(set);
    return 0;
}
