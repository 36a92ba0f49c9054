// SPDX-License-Identifier: MIT
// heap_neighbours.c - blocks of one size that are allocated one after the other are taken for neighbours in this order.
//
// Shape: two blocks are allocated while another thread runs.
// Why:   which blocks are neighbours differs from schedule to schedule: it depends on how far the other thread has come.
//
// expect: assert
// find: random within 50
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int turns;

static void *take_turns(void *unused)
{
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&mutex);
        turns++;
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

static void allocate(void)
{
    char *first = malloc(24), *second = malloc(24);
    assert(second > first);
    free(first);
    free(second);
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, take_turns, NULL);
    pthread_mutex_lock(&mutex);
    turns++;
    pthread_mutex_unlock(&mutex);
    allocate();
    pthread_join(thread, NULL);
    return turns == 4 ? 0 : 1;
}
