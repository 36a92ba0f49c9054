// SPDX-License-Identifier: MIT
// heap_places.c - blocks lie at the same distances, whatever libc allocates to make threads
#include "../restart/frame.h"

static char *first;
static _Atomic int done;

static void *allocate(void *unused)
{
    (void)unused;
    char *block = malloc(100);
    printf("%ld\n", (long)(block - first));
    free(block);
    done++;
    return NULL;
}

static void before(void)
{
    pthread_t threads[8];
    first = malloc(100);
    for (int i = 0; i < 8; i++)
        pthread_create(&threads[i], NULL, allocate, NULL);
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 8; i++) {
        pthread_create(&threads[i], NULL, allocate, NULL);
        pthread_join(threads[i], NULL);
    }
}

static void after(void)
{
    printf("%ld\n", (long)((char *)malloc(100) - first));
}
