// SPDX-License-Identifier: MIT
// sockets.c - connections and datagrams between threads, long sends, time limits, errors.
#include "io.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

enum { LONG = 300000, DATAGRAMS = 200, DATAGRAM = 2000 };
static int listener, receiver;
static struct sockaddr_in address;
static struct sockaddr_un local = {.sun_family = AF_UNIX};
static socklen_t local_size;

static void *client(void *unused)
{
    (void)unused;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    char *bytes = calloc(1, LONG), answer[4];
    assert(connect(fd, (struct sockaddr *)&address, sizeof address) == 0);
    assert(send(fd, bytes, LONG, 0) == LONG);
    assert(shutdown(fd, SHUT_WR) == 0);
    assert(recv(fd, answer, 4, MSG_WAITALL) == 4 && memcmp(answer, "done", 4) == 0);
    close(fd);
    free(bytes);
    return NULL;
}

static void *server(void *unused)
{
    (void)unused;
    int fd = accept(listener, NULL, NULL);
    char bytes[5000];
    long total = 0;
    ssize_t got;
    assert(fd >= 0);
    while ((got = recv(fd, bytes, sizeof bytes, 0)) > 0)
        total += got;
    assert(got == 0 && total == LONG);
    assert(send(fd, "do", 2, 0) == 2 && send(fd, "ne", 2, 0) == 2);
    close(fd);
    return NULL;
}

/* The queue of a local datagram socket is short: the sender has to wait, and poll cannot tell it. */
static void *sender(void *unused)
{
    (void)unused;
    int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    char bytes[DATAGRAM] = {0};
    for (int i = 0; i < DATAGRAMS; i++)
        assert(sendto(fd, bytes, DATAGRAM, 0, (struct sockaddr *)&local, local_size) == DATAGRAM);
    close(fd);
    return NULL;
}

static void datagrams(void)
{
    char bytes[3000];
    receiver = socket(AF_UNIX, SOCK_DGRAM, 0);
    assert(bind(receiver, (struct sockaddr *)&local, sizeof local.sun_family) == 0); /* the kernel chooses a name */
    local_size = sizeof local;
    assert(getsockname(receiver, (struct sockaddr *)&local, &local_size) == 0);
    pthread_t thread = start(sender, NULL);
    for (int i = 0; i < DATAGRAMS; i++) {
        struct iovec vector = {bytes, sizeof bytes};
        struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};
        assert(recvmsg(receiver, &message, 0) == DATAGRAM);
    }
    finish(thread);
    close(receiver);
}

static void limits_and_errors(void)
{
    struct timeval limit = {0, 20000};
    char byte;
    int pair[2];
    setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    FAILS(EAGAIN, accept(listener, NULL, NULL));
    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    FAILS(EAGAIN, recv(pair[0], &byte, 1, 0));
    FAILS(EAGAIN, read(pair[0], &byte, 1));
    FAILS(EAGAIN, recv(pair[1], &byte, 1, MSG_DONTWAIT));
    FAILS(ENOTSOCK, recv(0, &byte, 1, 0));
    FAILS(EBADF, recv(999, &byte, 1, 0));
    close(pair[0]);
    assert(recv(pair[1], &byte, 1, 0) == 0);
    FAILS(EPIPE, send(pair[1], "x", 1, MSG_NOSIGNAL));
    close(pair[1]);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    close(listener);
    FAILS(ECONNREFUSED, connect(fd, (struct sockaddr *)&address, sizeof address));
    close(fd);
}

int main(void)
{
    socklen_t size = sizeof address;
    listener = socket(AF_INET, SOCK_STREAM, 0);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert(bind(listener, (struct sockaddr *)&address, sizeof address) == 0 && listen(listener, 5) == 0);
    assert(getsockname(listener, (struct sockaddr *)&address, &size) == 0);
    pthread_t a = start(client, NULL), b = start(server, NULL);
    finish(a);
    finish(b);
    datagrams();
    limits_and_errors();
    return 0;
}
