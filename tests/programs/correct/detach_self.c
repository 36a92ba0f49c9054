// SPDX-License-Identifier: MIT
// detach_self.c - a thread detaches itself; main learns of its end by a semaphore.
//
// expect: none
#include "correct.h"

static sem_t done;
static int result;

static void *work(void *unused)
{
    (void)unused;
    CHECK(pthread_detach(pthread_self()) == 0);
    __atomic_fetch_add(&result, 5, __ATOMIC_SEQ_CST);
    sem_post(&done);
    return NULL;
}

int main(void)
{
    sem_init(&done, 0, 0);
    start(work, NULL);
    start(work, NULL);
    sem_wait(&done);
    sem_wait(&done);
    CHECK(__atomic_load_n(&result, __ATOMIC_SEQ_CST) == 10);
    return 0;
}
