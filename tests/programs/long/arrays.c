/* SPDX-License-Identifier: MIT
 *
 * arrays.c - several hundred thousand events in one run: threads that read and write all over a shared array, a lock now and then.  Correct
 * as far as it checks itself; an argument says how many rounds.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { THREADS = 6, CELLS = 512 };

static atomic_int cells[CELLS];
static int sums[8];
static pthread_mutex_t locks[8] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                   PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                   PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int rounds;

static void add(unsigned which, int value)
{
    pthread_mutex_lock(&locks[which]);
    sums[which] += value;
    pthread_mutex_unlock(&locks[which]);
}

static void *work(void *argument)
{
    unsigned at = (unsigned)(size_t)argument * 77;
    for (int i = 0; i < rounds; i++) {
        at = at * 1103515245 + 12345;
        unsigned from = at >> 8 & (CELLS - 1), to = at >> 20 & (CELLS - 1);
        int value = atomic_load(&cells[from]);
        atomic_store(&cells[to], value + 1);
        if (atomic_load(&cells[(from + to) & (CELLS - 1)]) > value)
            atomic_fetch_add(&cells[from], 1);
        else
            atomic_fetch_sub(&cells[to], 1);
        if (i % 16 == 0)
            add(at & 7, value);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    rounds = argc > 1 ? atoi(argv[1]) : 20000;
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
