/* SPDX-License-Identifier: MIT
 *
 * scale.c THREADS OPERATIONS - that many threads do that many visible operations in all: nothing else, so that its time is the cost of
 * a scheduling point.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_long shared;

static void *work(void *count)
{
    for (long i = (long)count; i > 0; i--)
        atomic_fetch_add(&shared, 1);
    return NULL;
}

int main(int argc, char **argv)
{
    int threads = argc > 1 ? atoi(argv[1]) : 2;
    long operations = argc > 2 ? atol(argv[2]) : 10000;
    pthread_t *handles = calloc((size_t)threads, sizeof *handles);
    for (int i = 0; i < threads; i++)
        pthread_create(&handles[i], NULL, work, (void *)(operations / threads));
    for (int i = 0; i < threads; i++)
        pthread_join(handles[i], NULL);
    free(handles);
    return atomic_load(&shared) == operations / threads * threads ? 0 : 1;
}
