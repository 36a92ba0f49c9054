// SPDX-License-Identifier: MIT
// event_loop.c - an epoll loop fed by two pipes and an eventfd that tells it to stop.
//
// expect: none
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int pipes[2][2], stop_event;

static void add(int epoll, int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    assert(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0);
}

static void *loop(void *total)
{
    int epoll = epoll_create1(0);
    add(epoll, pipes[0][0]);
    add(epoll, pipes[1][0]);
    add(epoll, stop_event);
    for (int running = 1; running;) {
        struct epoll_event event;
        int n = epoll_wait(epoll, &event, 1, -1);
        assert(n == 1);
        if (event.data.fd == stop_event) {
            running = 0;
        } else {
            char c;
            assert(read(event.data.fd, &c, 1) == 1);
            *(int *)total += c;
        }
    }
    close(epoll);
    return NULL;
}

static void *feed(void *fd)
{
    for (char c = 1; c <= 2; c++)
        assert(write(*(int *)fd, &c, 1) == 1);
    return NULL;
}

int main(void)
{
    int total = 0;
    char rest;
    uint64_t one = 1;
    pthread_t looper, feeder[2];
    assert(pipe(pipes[0]) == 0 && pipe(pipes[1]) == 0);
    stop_event = eventfd(0, 0);
    pthread_create(&looper, NULL, loop, &total);
    for (int i = 0; i < 2; i++)
        pthread_create(&feeder[i], NULL, feed, &pipes[i][1]);
    for (int i = 0; i < 2; i++)
        pthread_join(feeder[i], NULL);
    assert(write(stop_event, &one, sizeof one) == sizeof one);
    pthread_join(looper, NULL);
    for (int i = 0; i < 2; i++) { /* what the loop left */
        close(pipes[i][1]);
        while (read(pipes[i][0], &rest, 1) == 1)
            total += rest;
    }
    assert(total == 6);
    return 0;
}
