// SPDX-License-Identifier: MIT
// pipe.c - two threads talk through a pair of pipes; the bytes also order plain memory.
//
// expect: none
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static int request[2], reply[2];
static int sent; /* written before the request is, read after it came */

static void *serve(void *unused)
{
    (void)unused;
    char c;
    while (read(request[0], &c, 1) == 1) {
        c = (char)(c + 1);
        assert(sent > 0);
        assert(write(reply[1], &c, 1) == 1);
    }
    close(reply[1]);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    char c = 'a';
    assert(pipe(request) == 0 && pipe(reply) == 0);
    pthread_create(&thread, NULL, serve, NULL);
    for (int i = 0; i < 3; i++) {
        sent++;
        assert(write(request[1], &c, 1) == 1);
        assert(read(reply[0], &c, 1) == 1);
    }
    assert(c == 'd');
    close(request[1]);
    assert(read(reply[0], &c, 1) == 0);
    pthread_join(thread, NULL);
    return 0;
}
