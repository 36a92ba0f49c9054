/* SPDX-License-Identifier: MIT
 *
 * many.c - many locks, many threads, many operations.
 *
 *   many THREADS LOCKS OPERATIONS
 *
 * The operations are shared out among the threads.  A quarter of them lock and unlock one mutex each, with a write to its counter; the threads walk
 * through the locks from different places on.  The rest are reads of a table that is written before the threads exist.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { TABLE = 1 << 12 };

struct cell {
    pthread_mutex_t lock;
    uint32_t count;
};

static struct cell *cells;
static uint32_t table[TABLE];
static unsigned long threads, locks, operations;

static void *work(void *argument)
{
    unsigned long number = (unsigned long)(uintptr_t)argument, rounds = operations / threads / 8;
    unsigned long at = locks / threads * number;
    uint32_t sum = 0;
    for (unsigned long i = 0; i < rounds; i++) {
        for (unsigned long k = 0; k < 4; k++)
            sum += table[(i * 4 + k) % TABLE];
        struct cell *cell = &cells[at++ % locks];
        pthread_mutex_lock(&cell->lock);
        cell->count += sum;
        pthread_mutex_unlock(&cell->lock);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    threads = argc > 1 ? strtoul(argv[1], NULL, 10) : 4;
    locks = argc > 2 ? strtoul(argv[2], NULL, 10) : 1000;
    operations = argc > 3 ? strtoul(argv[3], NULL, 10) : 100000;
    cells = calloc(locks, sizeof *cells);
    pthread_t *handles = calloc(threads, sizeof *handles);
    if (threads == 0 || locks == 0 || cells == NULL || handles == NULL)
        return 2;
    for (unsigned long i = 0; i < locks; i++)
        pthread_mutex_init(&cells[i].lock, NULL);
    for (uint32_t i = 0; i < TABLE; i++)
        table[i] = i;
    for (unsigned long i = 0; i < threads; i++)
        if (pthread_create(&handles[i], NULL, work, (void *)(uintptr_t)i) != 0) {
            fprintf(stderr, "many: cannot create thread %lu\n", i);
            return 2;
        }
    for (unsigned long i = 0; i < threads; i++)
        pthread_join(handles[i], NULL);
    free(handles);
    free(cells);
    return 0;
}
