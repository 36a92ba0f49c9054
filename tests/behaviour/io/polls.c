// SPDX-License-Identifier: MIT
// polls.c - poll, select and epoll: what is ready, time limits, signal masks, errors.
#include "io.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>

static int fds[2], event;
static volatile sig_atomic_t handled;

static void handler(int signo)
{
    (void)signo;
    handled = 1;
}

static void *post(void *unused)
{
    (void)unused;
    for (int i = 0; i < 3; i++)
        assert(eventfd_write(event, 1) == 0);
    return NULL;
}

static void *put(void *unused)
{
    (void)unused;
    assert(write(fds[1], "x", 1) == 1);
    return NULL;
}

static void *kill_main(void *thread)
{
    pthread_kill(*(pthread_t *)thread, SIGUSR1);
    return NULL;
}

static void *wait_only(void *unused)
{
    assert(poll(NULL, 0, 1) == 0 && ppoll(NULL, 0, &(struct timespec){0, 1000}, NULL) == 0);
    return unused;
}

/* Calls without descriptors ask the runtime for memory of no bytes.  No other memory may lie there: the last lock here gets its clock when it is
   unlocked, just after such a call has given its memory back, and later two calls have such memory at a time. */
static void no_descriptors(void)
{
    enum { LOCKS = 50 };
    static pthread_mutex_t locks[LOCKS];
    for (int i = 0; i < LOCKS; i++) {
        pthread_mutex_lock(&locks[i]);
        if (i == LOCKS - 1)
            assert(poll(NULL, 0, 0) == 0);
        pthread_mutex_unlock(&locks[i]);
    }
    pthread_t one = start(wait_only, NULL), two = start(wait_only, NULL);
    finish(one);
    finish(two);
}

static void time_limits(void)
{
    struct pollfd one = {fds[0], POLLIN, 0};
    struct timeval limit = {0, 30000};
    struct timespec before, after;
    fd_set set;
    clock_gettime(CLOCK_MONOTONIC, &before);
    assert(poll(&one, 1, 30) == 0);
    clock_gettime(CLOCK_MONOTONIC, &after);
    assert((after.tv_sec - before.tv_sec) * 1000000000 + after.tv_nsec - before.tv_nsec >= 30000000);
    assert(poll(&one, 1, 0) == 0 && poll(NULL, 0, 1) == 0);
    FD_ZERO(&set);
    FD_SET(fds[0], &set);
    assert(select(fds[0] + 1, &set, NULL, NULL, &limit) == 0);
    assert(!FD_ISSET(fds[0], &set) && limit.tv_sec == 0 && limit.tv_usec == 0);
    assert(select(0, NULL, NULL, NULL, &limit) == 0);
}

static void readiness(void)
{
    struct pollfd two[2] = {{fds[0], POLLIN, 0}, {-1, POLLIN, 0}};
    char byte;
    fd_set set;
    pthread_t thread = start(put, NULL);
    assert(poll(two, 2, -1) == 1 && two[0].revents == POLLIN && two[1].revents == 0);
    FD_ZERO(&set);
    FD_SET(fds[0], &set);
    assert(select(fds[0] + 1, &set, NULL, NULL, NULL) == 1 && FD_ISSET(fds[0], &set));
    assert(read(fds[0], &byte, 1) == 1);
    finish(thread);
}

static void events(void)
{
    struct epoll_event got[4], wanted = {EPOLLIN, {.u32 = 7}};
    int queue = epoll_create1(0);
    event = eventfd(0, EFD_SEMAPHORE);
    assert(epoll_ctl(queue, EPOLL_CTL_ADD, event, &wanted) == 0);
    FAILS(EEXIST, epoll_ctl(queue, EPOLL_CTL_ADD, event, &wanted));
    pthread_t thread = start(post, NULL);
    for (int i = 0; i < 3; i++) {
        eventfd_t one;
        assert(epoll_wait(queue, got, 4, -1) == 1 && got[0].data.u32 == 7);
        assert(eventfd_read(event, &one) == 0);
    }
    finish(thread);
    assert(epoll_wait(queue, got, 4, 20) == 0 && epoll_wait(queue, got, 4, 0) == 0);
    FAILS(EINVAL, epoll_wait(queue, got, 0, -1));
    close(queue);
}

/* The mask is in force while the call waits, and only then. */
static void masks(void)
{
    struct sigaction action = {.sa_handler = handler};
    struct pollfd one = {fds[0], POLLIN, 0};
    pthread_t self = pthread_self();
    sigset_t blocked, open;
    fd_set set;
    sigaction(SIGUSR1, &action, NULL);
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &blocked, &open);
    pthread_t thread = start(kill_main, &self);
    FAILS(EINTR, ppoll(&one, 1, NULL, &open));
    assert(handled);
    finish(thread);
    handled = 0;
    thread = start(kill_main, &self);
    FD_ZERO(&set);
    FD_SET(fds[0], &set);
    FAILS(EINTR, pselect(fds[0] + 1, &set, NULL, NULL, NULL, &open));
    assert(handled);
    finish(thread);
}

static void errors(void)
{
    struct pollfd none = {999, POLLIN, 0};
    struct epoll_event got;
    struct timespec no_time = {0, -1};
    fd_set set;
    assert(poll(&none, 1, -1) == 1 && none.revents == POLLNVAL);
    FAILS(EBADF, epoll_wait(999, &got, 1, -1));
    FAILS(EINVAL, ppoll(&none, 1, &no_time, NULL));
    FAILS(EINVAL, select(-1, NULL, NULL, NULL, NULL));
    FD_ZERO(&set);
    FD_SET(50, &set);
    FAILS(EBADF, select(51, &set, NULL, NULL, NULL));
}

int main(void)
{
    assert(pipe(fds) == 0);
    no_descriptors();
    time_limits();
    readiness();
    events();
    masks();
    errors();
    return 0;
}
