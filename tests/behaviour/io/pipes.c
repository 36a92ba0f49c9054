// SPDX-License-Identifier: MIT
// pipes.c - blocking and non-blocking reads and writes of pipes and eventfds.
#include "io.h"

#include <sys/eventfd.h>
#include <sys/uio.h>

enum { LONG = 200000 };
static int data[2], back[2], counter;
static int handed_over; /* the pipe orders its accesses */

static char byte_at(long position)
{
    return (char)(position * 7);
}

static void *write_long(void *unused)
{
    (void)unused;
    char *bytes = malloc(LONG);
    for (int i = 0; i < LONG; i++)
        bytes[i] = byte_at(i);
    handed_over = 42;
    struct iovec parts[2] = {{bytes, 1000}, {bytes + 1000, LONG - 1000}};
    assert(writev(data[1], parts, 2) == LONG);
    close(data[1]);
    free(bytes);
    return NULL;
}

static void *read_long(void *unused)
{
    (void)unused;
    char bytes[3000];
    long total = 0;
    ssize_t got;
    while ((got = read(data[0], bytes, sizeof bytes)) > 0) {
        assert(handed_over == 42);
        for (int i = 0; i < got; i++)
            assert(bytes[i] == byte_at(total + i));
        total += got;
    }
    assert(got == 0 && total == LONG);
    assert(write(back[1], "k", 1) == 1);
    return NULL;
}

static void *poll_by_reading(void *fd)
{
    char byte;
    while (read(*(int *)fd, &byte, 1) != 1)
        assert(errno == EAGAIN);
    return NULL;
}

static void *count_up(void *unused)
{
    (void)unused;
    for (int i = 0; i < 3; i++)
        assert(eventfd_write(counter, 1) == 0);
    return NULL;
}

/* A pipe takes small writes as long as the kernel does, although poll says no before. */
static void fill_with_small_writes(void)
{
    int fds[2];
    char bytes[100] = {0};
    assert(pipe(fds) == 0);
    for (int i = 0; i < 600; i++)
        assert(write(fds[1], bytes, sizeof bytes) == sizeof bytes);
    close(fds[0]);
    close(fds[1]);
}

static void errors(void)
{
    int fds[2];
    char byte;
    FAILS(EBADF, read(999, &byte, 1));
    FAILS(EBADF, write(999, &byte, 1));
    FAILS(EBADF, close(999));
    assert(pipe(fds) == 0);
    FAILS(EBADF, read(fds[1], &byte, 1));
    FAILS(EBADF, write(fds[0], &byte, 1));
    assert(read(fds[0], &byte, 0) == 0);
    close(fds[0]);
    signal(SIGPIPE, SIG_IGN);
    FAILS(EPIPE, write(fds[1], "x", 1));
    close(fds[1]);
}

int main(void)
{
    char byte;
    assert(pipe(data) == 0 && pipe(back) == 0);
    pthread_t writer = start(write_long, NULL), reader = start(read_long, NULL);
    assert(read(back[0], &byte, 1) == 1 && byte == 'k');
    finish(writer);
    finish(reader);

    int quick[2];
    assert(pipe2(quick, O_NONBLOCK) == 0);
    FAILS(EAGAIN, read(quick[0], &byte, 1));
    pthread_t poller = start(poll_by_reading, &quick[0]);
    assert(write(quick[1], "x", 1) == 1);
    finish(poller);

    counter = eventfd(0, EFD_SEMAPHORE);
    pthread_t adder = start(count_up, NULL);
    for (int i = 0; i < 3; i++) {
        eventfd_t one;
        assert(eventfd_read(counter, &one) == 0 && one == 1);
    }
    finish(adder);
    fill_with_small_writes();
    errors();
    return 0;
}
