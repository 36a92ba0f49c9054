// SPDX-License-Identifier: MIT
// private_work.c - two threads compute on memory of their own and share a total now and then.
//
//   private_work KERNEL [BLOCKS]     matrix: multiplies matrices of doubles   sort: sorts numbers   words: counts words in a text
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 2, SIDE = 96, NUMBERS = 20000, TEXT = 200000, BUCKETS = 4096 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t total;
static int blocks = 60;

static uint32_t draw(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void *get(size_t size)
{
    void *memory = malloc(size);
    if (memory == NULL)
        abort();
    return memory;
}

static uint64_t matrix(uint32_t *state)
{
    double *a = get(3 * sizeof *a * SIDE * SIDE), *b = a + SIDE * SIDE, *c = b + SIDE * SIDE;
    for (int i = 0; i < SIDE * SIDE; i++) {
        a[i] = draw(state) % 10;
        b[i] = draw(state) % 10;
    }
    double trace = 0;
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            c[i * SIDE + j] = 0;
            for (int k = 0; k < SIDE; k++)
                c[i * SIDE + j] += a[i * SIDE + k] * b[k * SIDE + j];
        }
    for (int i = 0; i < SIDE; i++)
        trace += c[i * SIDE + i];
    free(a);
    return (uint64_t)trace;
}

static void sift(int *heap, int root, int count)
{
    for (int child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && heap[child + 1] > heap[child])
            child++;
        if (heap[root] >= heap[child])
            return;
        int swap = heap[root];
        heap[root] = heap[child];
        heap[child] = swap;
    }
}

static uint64_t sort(uint32_t *state)
{
    int *numbers = get(NUMBERS * sizeof *numbers);
    for (int i = 0; i < NUMBERS; i++)
        numbers[i] = (int)draw(state);
    for (int i = NUMBERS / 2; i-- > 0;)
        sift(numbers, i, NUMBERS);
    for (int i = NUMBERS; i-- > 1;) {
        int largest = numbers[0];
        numbers[0] = numbers[i];
        numbers[i] = largest;
        sift(numbers, 0, i);
    }
    uint64_t median = (uint64_t)numbers[NUMBERS / 2];
    free(numbers);
    return median;
}

static uint64_t words(uint32_t *state)
{
    char *text = get(TEXT);
    uint16_t *counts = get(BUCKETS * sizeof *counts);
    memset(counts, 0, BUCKETS * sizeof *counts);
    for (int i = 0; i < TEXT; i++)
        text[i] = draw(state) % 6 == 0 ? ' ' : (char)('a' + draw(state) % 4);
    uint32_t hash = 0;
    uint64_t repeated = 0;
    for (int i = 0; i < TEXT; i++)
        if (text[i] != ' ') {
            hash = hash * 31 + (uint32_t)text[i];
        } else {
            repeated += counts[hash % BUCKETS]++ > 0;
            hash = 0;
        }
    free(counts);
    free(text);
    return repeated;
}

static uint64_t (*kernel)(uint32_t *state);

static void *work(void *argument)
{
    uint32_t state = (uint32_t)(size_t)argument;
    for (int i = 0; i < blocks; i++) {
        uint64_t part = kernel(&state);
        pthread_mutex_lock(&lock);
        total += part;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    kernel = strcmp(name, "matrix") == 0  ? matrix
             : strcmp(name, "sort") == 0  ? sort
             : strcmp(name, "words") == 0 ? words
                                          : NULL;
    if (kernel == NULL) {
        fprintf(stderr, "usage: private_work matrix|sort|words [BLOCKS]\n");
        return EXIT_FAILURE;
    }
    if (argc > 2)
        blocks = atoi(argv[2]);
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)(i + 1));
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%llu\n", (unsigned long long)total);
    return EXIT_SUCCESS;
}
