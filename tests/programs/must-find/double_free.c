// SPDX-License-Identifier: MIT
// double_free.c - two threads close the same connection.
//
// Shape: check-then-act on a pointer, then free, free.
// Why:   "if not yet closed, close" is not atomic.
//
// expect: double-free|use-after-free
// find: random within 20
// find: pct within 50
// cause: a:R(closed)@double_free.c:25 << b:W(closed)@double_free.c:27
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct connection {
    char *buffer;
};

static struct connection connection;
static atomic_int closed;

static void *close_connection(void *unused)
{
    (void)unused;
    if (!atomic_load(&closed)) {
        free(connection.buffer);
        atomic_store(&closed, 1);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    connection.buffer = malloc(100);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, close_connection, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
