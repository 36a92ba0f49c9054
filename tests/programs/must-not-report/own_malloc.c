// SPDX-License-Identifier: MIT
// own_malloc.c - a program with an allocator of its own: libc's functions use it, and what it does not define works with it.
//
// Shape: malloc, free, realloc and calloc of the program's, for its threads and for libc.
//
// expect: none
// build: -fno-builtin
// repeats: no (libc allocates for its threads with it, and carriers make different numbers of threads)
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 16 };

static _Alignas(HEADER) char arena[4 << 20];
static size_t used;
static int taken;

void *malloc(size_t size)
{
    while (__atomic_exchange_n(&taken, 1, __ATOMIC_ACQUIRE))
        ;
    char *block = arena + used;
    size_t room = HEADER + ((size + HEADER - 1) & ~(size_t)(HEADER - 1));
    used += room <= sizeof arena - used ? room : 0;
    __atomic_store_n(&taken, 0, __ATOMIC_RELEASE);
    *(size_t *)block = size;
    return block + HEADER;
}

void free(void *block)
{
    assert(block == NULL || ((char *)block > arena && (char *)block < arena + sizeof arena));
}

void *realloc(void *block, size_t size)
{
    char *copy = malloc(size);
    size_t old = block != NULL ? *(size_t *)((char *)block - HEADER) : 0;
    memcpy(copy, block, old < size ? old : size);
    return copy;
}

void *calloc(size_t count, size_t size)
{
    return memset(malloc(count * size), 0, count * size);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *worker(void *unused)
{
    char *text = strdup("5");
    pthread_mutex_lock(&lock);
    sum += atoi(text);
    pthread_mutex_unlock(&lock);
    free(text);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    char *line = NULL;
    size_t size = 0;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(sum == 10);
    FILE *file = fopen("/proc/self/stat", "r");
    assert(file != NULL && getline(&line, &size, file) > 0);
    fclose(file);
    free(line);
    return 0;
}
