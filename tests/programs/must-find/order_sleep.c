// SPDX-License-Identifier: MIT
// order_sleep.c - a sleep stands where a wait should be.
//
// Shape: order violation hidden by time: the reader sleeps ten times longer than the writer needs.
// Why:   nothing but the clock orders the two; on a loaded machine the writer is late.
//
// expect: assert
// find: random within 1000
// find: pct within 500
// cause: a:R(result)@order_sleep.c:35 << b:W(result)@order_sleep.c:24
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int result;

static void *compute(void *unused)
{
    (void)unused;
    usleep(1000);
    pthread_mutex_lock(&lock);
    result = 7;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, compute, NULL);
    usleep(10000); /* "it is done by now" */
    pthread_mutex_lock(&lock);
    int got = result;
    pthread_mutex_unlock(&lock);
    assert(got == 7);
    pthread_join(thread, NULL);
    return 0;
}
