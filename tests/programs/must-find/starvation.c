// SPDX-License-Identifier: MIT
// starvation.c - two readers overlap so that a writer that only tries never gets in.
//
// Shape: writer starvation: at every attempt some reader holds the lock; the writer gives up.
// Why:   trywrlock with a fixed number of attempts is a bet on the readers' timing.
//
// expect: exit
// find: random within 20
// find: pct within 50
#include <pthread.h>
#include <stddef.h>

enum { ATTEMPTS = 2, READS = 2 };

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value;
static int gave_up;

static void *reader(void *sum)
{
    for (int i = 0; i < READS; i++) {
        pthread_rwlock_rdlock(&lock);
        *(int *)sum += value;
        pthread_rwlock_unlock(&lock);
    }
    return NULL;
}

static void *writer(void *unused)
{
    (void)unused;
    for (int i = 0; i < ATTEMPTS; i++)
        if (pthread_rwlock_trywrlock(&lock) == 0) {
            value = 1;
            pthread_rwlock_unlock(&lock);
            return NULL;
        }
    gave_up = 1;
    return NULL;
}

int main(void)
{
    int sum[2] = {0, 0};
    pthread_t thread[3];
    pthread_create(&thread[0], NULL, reader, &sum[0]);
    pthread_create(&thread[1], NULL, reader, &sum[1]);
    pthread_create(&thread[2], NULL, writer, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    return gave_up;
}
