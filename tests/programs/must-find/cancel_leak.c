// SPDX-License-Identifier: MIT
// cancel_leak.c - a cancelled thread never gives its buffer back to the pool.
//
// Shape: resource leak by cancellation between take and give.
// Why:   the clean-up handler is missing; without a cancellation in just that window all is well.
//
// expect: assert
// find: random within 500
// find: pct within 200
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int free_buffers = 2;

static void buffer_take(void)
{
    atomic_fetch_sub(&free_buffers, 1);
}

static void buffer_give(void)
{
    atomic_fetch_add(&free_buffers, 1);
}

static void *download(void *unused)
{
    (void)unused;
    pthread_testcancel();
    buffer_take();
    pthread_testcancel(); /* stands for the read from the network */
    buffer_give();
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, download, NULL);
    if (atomic_load(&free_buffers) == 1) /* it takes too long */
        pthread_cancel(thread);
    pthread_join(thread, NULL);
    int left = atomic_load(&free_buffers);
    assert(left == 2);
    return 0;
}
