// SPDX-License-Identifier: MIT
// bluetooth.c - a driver is stopped while a request is on its way in (the shape of a known Bluetooth driver bug).
//
// Shape: R(stopping)=0, the other: W(stopping), pending -> 0, W(stopped); then the request enters a stopped driver.
// Why:   the request checks the flag before it counts itself in.
//
// expect: assert
// find: random within 500
// find: pct within 500
// cause: a:R(stopping)@bluetooth.c:29 << b:W(stopping)@bluetooth.c:49 < b:W(stopped)@bluetooth.c:52 << a:R(stopped)@bluetooth.c:39
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int stopping, stopped;
static atomic_int pending = 1; /* the driver itself counts as one */
static sem_t drained;

static void release(void)
{
    if (atomic_fetch_sub(&pending, 1) == 1)
        sem_post(&drained);
}

static int enter(void)
{
    if (atomic_load(&stopping))
        return -1;
    atomic_fetch_add(&pending, 1); /* should be before the check */
    return 0;
}

static void *request(void *unused)
{
    (void)unused;
    if (enter() == 0) {
        int off = atomic_load(&stopped);
        assert(!off);
        release();
    }
    return NULL;
}

static void *stop(void *unused)
{
    (void)unused;
    atomic_store(&stopping, 1);
    release();
    sem_wait(&drained);
    atomic_store(&stopped, 1);
    return NULL;
}

int main(void)
{
    pthread_t adder, stopper;
    sem_init(&drained, 0, 0);
    pthread_create(&adder, NULL, request, NULL);
    pthread_create(&stopper, NULL, stop, NULL);
    pthread_join(adder, NULL);
    pthread_join(stopper, NULL);
    return 0;
}
