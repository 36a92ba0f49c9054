// SPDX-License-Identifier: MIT
// pattern_readers_writers.c - readers and writers by hand: a count of readers and a semaphore.
//
// expect: none
#include "correct.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t room;
static int readers, value, copy;

static void *reader(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    if (++readers == 1)
        sem_wait(&room);
    pthread_mutex_unlock(&lock);
    CHECK(value == copy);
    pthread_mutex_lock(&lock);
    if (--readers == 0)
        sem_post(&room);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *writer(void *unused)
{
    (void)unused;
    sem_wait(&room);
    value++;
    copy++;
    sem_post(&room);
    return NULL;
}

int main(void)
{
    sem_init(&room, 0, 1);
    pthread_t threads[4] = {start(reader, NULL), start(writer, NULL), start(reader, NULL), start(writer, NULL)};
    for (int i = 0; i < 4; i++)
        join(threads[i]);
    CHECK(value == 2 && copy == 2);
    return 0;
}
