// SPDX-License-Identifier: MIT
// many_readers.c - a word that thirty threads read, some of them write, each in its turn: all in an order that locks make.
//
// expect: none
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

enum { THREADS = 30, ROUNDS = 3 };

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int word;

static int look(void)
{
    pthread_rwlock_rdlock(&lock);
    int seen = word;
    pthread_rwlock_unlock(&lock);
    return seen;
}

static void *work(void *argument)
{
    for (int i = 0; i < ROUNDS; i++) {
        int before = look();
        if ((uintptr_t)argument % 10 == 0) {
            pthread_rwlock_wrlock(&lock);
            word++;
            pthread_rwlock_unlock(&lock);
        }
        assert(look() >= before);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(word == THREADS / 10 * ROUNDS);
    return 0;
}
