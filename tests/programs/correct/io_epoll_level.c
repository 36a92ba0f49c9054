// SPDX-License-Identifier: MIT
// io_epoll_level.c - one level-triggered epoll set, two waiting threads, EPOLLONESHOT: each event goes to one.
//
// expect: none
#include "correct.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>

static int set, event_fd, handled;

static void *work(void *unused)
{
    (void)unused;
    struct epoll_event event;
    uint64_t value;
    CHECK(epoll_wait(set, &event, 1, -1) == 1);
    CHECK(read(event_fd, &value, sizeof value) == sizeof value && value == 1);
    __atomic_fetch_add(&handled, 1, __ATOMIC_SEQ_CST);
    event = (struct epoll_event){.events = EPOLLIN | EPOLLONESHOT};
    CHECK(epoll_ctl(set, EPOLL_CTL_MOD, event_fd, &event) == 0);
    return NULL;
}

int main(void)
{
    uint64_t one = 1;
    set = epoll_create1(0);
    event_fd = eventfd(0, EFD_SEMAPHORE);
    struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT};
    CHECK(epoll_ctl(set, EPOLL_CTL_ADD, event_fd, &event) == 0);
    pthread_t a = start(work, NULL), b = start(work, NULL);
    CHECK(write(event_fd, &one, sizeof one) == sizeof one && write(event_fd, &one, sizeof one) == sizeof one);
    join(a);
    join(b);
    CHECK(handled == 2);
    close(event_fd);
    close(set);
    return 0;
}
