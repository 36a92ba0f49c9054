// SPDX-License-Identifier: MIT
// socketpair.c - send and recv over a socket pair, until the other side shuts down.
//
// expect: none
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[2];

static void *echo(void *unused)
{
    (void)unused;
    char text[16];
    ssize_t n;
    while ((n = recv(ends[1], text, sizeof text, 0)) > 0)
        assert(send(ends[1], text, (size_t)n, 0) == n);
    close(ends[1]);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    char back[16] = "";
    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    pthread_create(&thread, NULL, echo, NULL);
    assert(send(ends[0], "hello", 5, 0) == 5);
    for (size_t have = 0; have < 5;) {
        ssize_t n = recv(ends[0], back + have, sizeof back - have, 0);
        assert(n > 0);
        have += (size_t)n;
    }
    assert(memcmp(back, "hello", 5) == 0);
    shutdown(ends[0], SHUT_WR);
    assert(recv(ends[0], back, sizeof back, 0) == 0);
    pthread_join(thread, NULL);
    close(ends[0]);
    return 0;
}
