// SPDX-License-Identifier: MIT
// join_after_detach.c - a worker detaches itself when it is late, and main joins it nevertheless.
//
// Shape: order violation between detach and join.
// Why:   two places feel responsible for the end of the thread; a join of a detached thread fails, and its result is
//        used unwritten.
//
// expect: assert|lock-misuse|signal
// find: random within 50
// find: pct within 100
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int impatient;
static int answer = 42;

static void *work(void *unused)
{
    (void)unused;
    if (atomic_load(&impatient) == 1)
        pthread_detach(pthread_self()); /* no thread waits any more */
    return &answer;
}

int main(void)
{
    pthread_t thread;
    void *result = NULL;
    pthread_create(&thread, NULL, work, NULL);
    atomic_store(&impatient, 1);
    atomic_store(&impatient, 0); /* changed its mind: wait after all */
    int error = pthread_join(thread, &result);
    assert(error == 0);
    assert(result == &answer);
    return 0;
}
