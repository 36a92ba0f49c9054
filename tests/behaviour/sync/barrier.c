// SPDX-License-Identifier: MIT
// barrier.c - rows B of docs/posix.md.
#include "rows.h"
#include <limits.h>
static pthread_barrier_t barrier;
static int serial, plain_;
static void *at_barrier(void *u)
{
    (void)u;
    for (int i = 0; i < 3; i++) {
        int r = pthread_barrier_wait(&barrier);
        __atomic_fetch_add(r == PTHREAD_BARRIER_SERIAL_THREAD ? &serial : &plain_, 1, __ATOMIC_SEQ_CST);
    }
    return NULL;
}
int main(void)
{
    pthread_t t[3];
    ROW("B1", pthread_barrier_init(&barrier, NULL, 0));
    ROW("B1", pthread_barrier_init(&barrier, NULL, UINT_MAX));
    ROW("B2", pthread_barrier_init(&barrier, NULL, 1));
    ROW("B3", pthread_barrier_wait(&barrier));
    ROW("B3", pthread_barrier_wait(&barrier));
    ROW("B4", pthread_barrier_destroy(&barrier));
    pthread_barrier_init(&barrier, NULL, 3);
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, at_barrier, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    ROW("B5", serial - 3);
    ROW("B5", plain_ - 6);
    ROW("B4", pthread_barrier_destroy(&barrier));
    return 0;
}
