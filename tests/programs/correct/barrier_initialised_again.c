// SPDX-License-Identifier: MIT
// barrier_initialised_again.c - a barrier that was destroyed is initialised again for another number of threads.
//
// expect: none
#include "correct.h"

static pthread_barrier_t barrier;
static int sum;

static void *work(void *unused)
{
    (void)unused;
    __atomic_fetch_add(&sum, 1, __ATOMIC_SEQ_CST);
    pthread_barrier_wait(&barrier);
    return NULL;
}

int main(void)
{
    for (unsigned count = 1; count <= 3; count++) {
        pthread_t threads[3];
        CHECK(pthread_barrier_init(&barrier, NULL, count) == 0);
        for (unsigned i = 0; i < count; i++)
            threads[i] = start(work, NULL);
        for (unsigned i = 0; i < count; i++)
            join(threads[i]);
        CHECK(pthread_barrier_destroy(&barrier) == 0);
    }
    CHECK(sum == 6);
    return 0;
}
