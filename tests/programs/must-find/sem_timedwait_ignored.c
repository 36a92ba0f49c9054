// SPDX-License-Identifier: MIT
// sem_timedwait_ignored.c - a slot is used although waiting for it timed out.
//
// Shape: timed-wait assumption on a semaphore: two threads in a place for one.
// Why:   the return value of sem_timedwait is thrown away, and sem_post follows in any case.
//
// expect: assert
// find: random within 1000
// cause: a:W(users)@sem_timedwait_ignored.c:27 << b:W(users)@sem_timedwait_ignored.c:27
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

static sem_t slot;
static atomic_int users;

static void *print_page(void *unused)
{
    (void)unused;
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 60;
    sem_timedwait(&slot, &end);
    int others = atomic_fetch_add(&users, 1);
    assert(others == 0);
    atomic_fetch_sub(&users, 1);
    sem_post(&slot);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    sem_init(&slot, 0, 1);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, print_page, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    sem_destroy(&slot);
    return 0;
}
