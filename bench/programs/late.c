/* SPDX-License-Identifier: MIT
 *
 * late.c OPERATIONS - a producer and a consumer that each do so many private operations, half of them all in all, before they meet at a
 * bounded queue: what the director replays before an attempt is nearly the whole run, and not of one thread alone.
 */
#include <pthread.h>
#include <stdlib.h>

enum { PLACES = 2, ITEMS = 4, TABLE = 1024 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static int items[PLACES], first, count;
static long operations;

static void work(int *table, long times)
{
    unsigned hash = 1;
    for (long i = times; i > 0; i--) { /* each a read and a write */
        hash = hash * 1103515245u + 12345u;
        table[hash % TABLE] += (int)i;
    }
}

static void *produce(void *table)
{
    work(table, operations / 4);
    for (int i = 1; i <= ITEMS; i++) {
        pthread_mutex_lock(&lock);
        while (count == PLACES)
            pthread_cond_wait(&not_full, &lock);
        items[(first + count++) % PLACES] = i;
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    static int tables[2][TABLE];
    int sum = 0;
    pthread_t producer;
    operations = argc > 1 ? atol(argv[1]) : 1000000;
    pthread_create(&producer, NULL, produce, tables[0]);
    work(tables[1], operations / 4);
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&lock);
        while (count == 0)
            pthread_cond_wait(&not_empty, &lock);
        sum += items[first];
        first = (first + 1) % PLACES;
        count--;
        pthread_cond_signal(&not_full);
        pthread_mutex_unlock(&lock);
    }
    pthread_join(producer, NULL);
    return sum == ITEMS * (ITEMS + 1) / 2 ? EXIT_SUCCESS : EXIT_FAILURE;
}
