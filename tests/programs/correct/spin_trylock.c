// SPDX-License-Identifier: MIT
// spin_trylock.c - a spin lock and pthread_spin_trylock: EBUSY only while another thread is inside.
//
// expect: none
#include "correct.h"

static pthread_spinlock_t lock;
static int counter, busy;

static void *work(void *unused)
{
    (void)unused;
    pthread_spin_lock(&lock);
    counter++;
    pthread_spin_unlock(&lock);
    int error = pthread_spin_trylock(&lock);
    if (error == 0) {
        counter++;
        pthread_spin_unlock(&lock);
    } else {
        CHECK(error == EBUSY);
        __atomic_fetch_add(&busy, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

int main(void)
{
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_t a = start(work, NULL), b = start(work, NULL);
    join(a);
    join(b);
    CHECK(counter + busy == 4 && pthread_spin_destroy(&lock) == 0);
    return 0;
}
