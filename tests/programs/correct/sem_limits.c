// SPDX-License-Identifier: MIT
// sem_limits.c - a semaphore lets as many in as it has, sem_trywait says EAGAIN, and the value adds up in the end.
//
// expect: none
#include "correct.h"

static sem_t slots;
static int inside;

static void *work(void *unused)
{
    (void)unused;
    for (int i = 0; i < 2; i++) {
        if (sem_trywait(&slots) != 0) {
            CHECK(errno == EAGAIN);
            CHECK(sem_wait(&slots) == 0);
        }
        CHECK(__atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST) <= 2);
        __atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST);
        CHECK(sem_post(&slots) == 0);
    }
    return NULL;
}

int main(void)
{
    int value;
    CHECK(sem_init(&slots, 0, 2) == 0);
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        threads[i] = start(work, NULL);
    for (int i = 0; i < 3; i++)
        join(threads[i]);
    CHECK(sem_getvalue(&slots, &value) == 0 && value == 2);
    CHECK(sem_destroy(&slots) == 0);
    return 0;
}
