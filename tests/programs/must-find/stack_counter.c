// SPDX-License-Identifier: MIT
// stack_counter.c - a stack whose push is locked and whose "is there something" is not part of pop's lock.
//
// Shape: check-then-act between two poppers; the second one takes from below the bottom.
// Why:   the check was moved out of the lock to make the empty case cheap.
//
// expect: out-of-block|assert|signal
// find: random within 20
// find: pct within 100
// cause: a:R(depth)@stack_counter.c:29 << b:W(depth)@stack_counter.c:31 << a:W(depth)@stack_counter.c:31
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long *stack;
static atomic_int depth;

static void push(long value)
{
    pthread_mutex_lock(&lock);
    stack[atomic_load(&depth)] = value;
    atomic_fetch_add(&depth, 1);
    pthread_mutex_unlock(&lock);
}

static void *pop(void *result)
{
    if (atomic_load(&depth) > 0) {
        pthread_mutex_lock(&lock);
        int at = atomic_fetch_sub(&depth, 1) - 1;
        *(long *)result = stack[at];
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    long result[2] = {0, 0};
    pthread_t thread[2];
    stack = calloc(4, sizeof *stack);
    push(7);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, pop, &result[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    free(stack);
    return result[0] + result[1] == 7 ? 0 : 1;
}
