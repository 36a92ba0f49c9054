// SPDX-License-Identifier: MIT
// set_two_locks.c - the two halves of an object have a lock each, and a call works on one after the other: the halves are no whole.
//
// expect: none
#include <assert.h>
#include <pthread.h>

struct connection {
    pthread_mutex_t in_lock, out_lock;
    int in_count, in_bytes, out_count, out_bytes;
};

static struct connection shared = {.in_lock = PTHREAD_MUTEX_INITIALIZER, .out_lock = PTHREAD_MUTEX_INITIALIZER};

__attribute__((noinline)) static void connection_poll(struct connection *c)
{
    pthread_mutex_lock(&c->in_lock);
    c->in_count++;
    c->in_bytes += 10;
    pthread_mutex_unlock(&c->in_lock);
    pthread_mutex_lock(&c->out_lock);
    c->out_count++;
    c->out_bytes += 20;
    pthread_mutex_unlock(&c->out_lock);
}

static void *poll_it(void *unused)
{
    (void)unused;
    connection_poll(&shared);
    connection_poll(&shared);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, poll_it, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(shared.in_count == 4 && shared.in_bytes == 40 && shared.out_count == 4 && shared.out_bytes == 80);
    return 0;
}
