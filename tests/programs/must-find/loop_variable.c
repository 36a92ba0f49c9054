// SPDX-License-Identifier: MIT
// loop_variable.c - every thread gets the address of the same loop variable.
//
// Shape: order violation on a stack variable of the creator: W'(i) before R(*argument).
// Why:   the thread reads its number when it runs, not when it is created.
//
// expect: assert
// find: random within 20
// find: pct within 20
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { THREADS = 2 };

static atomic_int visits[THREADS + 1];

/* Private work that takes far longer than the start of a thread. */
static unsigned calculate(unsigned x)
{
    for (int i = 0; i < 1000000; i++)
        x = x * 1103515245u + 12345u;
    return x;
}

static void *work(void *number)
{
    int me = *(int *)number;
    atomic_fetch_add(&visits[me], 1);
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];
    unsigned input = 1;
    int i;
    for (i = 0; i < THREADS; i++) {
        pthread_create(&thread[i], NULL, work, &i);
        input = calculate(input); /* the input of the next one */
    }
    for (int j = 0; j < THREADS; j++)
        pthread_join(thread[j], NULL);
    int wrong = atomic_load(&visits[THREADS]);
    assert(wrong == 0);
    return input != 0 ? 0 : 1;
}
