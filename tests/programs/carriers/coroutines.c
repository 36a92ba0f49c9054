// SPDX-License-Identifier: MIT
// coroutines.c - threads that switch between stacks of their own
#include "../restart/frame.h"

#include <ucontext.h>

enum { SIZE = 64 << 10, STEPS = 3 };
static __thread ucontext_t thread_context, coroutine;
static __thread int local;
static int shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void body(void)
{
    for (int i = 0; i < STEPS; i++) {
        pthread_mutex_lock(&lock);
        shared = shared * 3 + ++local;
        pthread_mutex_unlock(&lock);
        swapcontext(&coroutine, &thread_context);
    }
}

static void *run(void *unused)
{
    char *stack = malloc(SIZE);
    getcontext(&coroutine);
    coroutine.uc_stack.ss_sp = stack;
    coroutine.uc_stack.ss_size = SIZE;
    coroutine.uc_link = &thread_context;
    makecontext(&coroutine, body, 0);
    for (int i = 0; i <= STEPS; i++)
        swapcontext(&thread_context, &coroutine);
    free(stack);
    return unused;
}

static void before(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", shared);
}

static void after(void)
{
    run(NULL);
}
