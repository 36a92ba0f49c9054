// SPDX-License-Identifier: MIT
// order_thread_handle.c - a worker finds itself by a handle that its creator may not have stored yet.
//
// Shape: order violation on the place that pthread_create writes to.
// Why:   pthread_create may store the handle after the new thread has begun to run.
//
// expect: assert
// find: random within 50
// find: pct within 50
// cause: a:R(known)@order_thread_handle.c:26 << b:W(known)@order_thread_handle.c:36
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

struct worker {
    pthread_t handle;
    int known;
};

static struct worker worker;
static int index_of_self = -1;

static void *work(void *unused)
{
    (void)unused;
    if (worker.known && pthread_equal(worker.handle, pthread_self()))
        index_of_self = 0;
    return NULL;
}

static void start_worker(struct worker *w)
{
    pthread_t handle;
    pthread_create(&handle, NULL, work, NULL);
    w->handle = handle;
    w->known = 1;
}

int main(void)
{
    start_worker(&worker);
    pthread_join(worker.handle, NULL);
    assert(index_of_self == 0);
    return 0;
}
