// SPDX-License-Identifier: MIT
// poll_select.c - one thread waits with poll, one with select, with and without a time limit.
//
// expect: none
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/select.h>
#include <unistd.h>

static int a[2], b[2], silent[2];

static void *poller(void *unused)
{
    (void)unused;
    char c;
    struct pollfd fds[2] = {{.fd = silent[0], .events = POLLIN}, {.fd = a[0], .events = POLLIN}};
    assert(poll(fds, 1, 0) == 0);
    assert(poll(fds, 1, 20) == 0); /* times out */
    assert(poll(fds, 2, -1) == 1);
    assert(fds[1].revents & POLLIN);
    assert(read(a[0], &c, 1) == 1 && c == 'x');
    assert(write(b[1], "y", 1) == 1);
    return NULL;
}

static void *selector(void *unused)
{
    (void)unused;
    char c;
    fd_set set;
    struct timeval limit = {0, 1000};
    FD_ZERO(&set);
    FD_SET(silent[0], &set);
    assert(select(silent[0] + 1, &set, NULL, NULL, &limit) == 0);
    FD_ZERO(&set);
    FD_SET(b[0], &set);
    assert(select(b[0] + 1, &set, NULL, NULL, NULL) == 1);
    assert(FD_ISSET(b[0], &set));
    assert(read(b[0], &c, 1) == 1 && c == 'y');
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    assert(pipe(a) == 0 && pipe(b) == 0 && pipe(silent) == 0);
    pthread_create(&one, NULL, poller, NULL);
    pthread_create(&two, NULL, selector, NULL);
    assert(write(a[1], "x", 1) == 1);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
