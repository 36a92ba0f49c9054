// SPDX-License-Identifier: MIT
// memory_realloc_moves.c - a block grows by realloc in turns of two threads and keeps its content.
//
// expect: none
#include "correct.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *numbers, count;

static void *work(void *unused)
{
    (void)unused;
    for (int i = 0; i < 4; i++) {
        pthread_mutex_lock(&lock);
        numbers = reallocarray(numbers, (size_t)count + 1, 100 * sizeof *numbers);
        CHECK(numbers != NULL);
        numbers[count] = count;
        count++;
        for (int k = 0; k < count; k++)
            CHECK(numbers[k] == k);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t a = start(work, NULL), b = start(work, NULL);
    join(a);
    join(b);
    CHECK(count == 8);
    free(numbers);
    return 0;
}
