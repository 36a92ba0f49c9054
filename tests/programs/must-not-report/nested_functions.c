// SPDX-License-Identifier: MIT
// nested_functions.c - GNU C's nested functions: their code lies on the stack of the thread, which must be executable.
//
// Shape: a pointer to a nested function that uses variables of the function around it goes to libc, in every thread.
//
// expect: none
// build: -Wl,--no-warn-execstack
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int compared;

#if defined(__clang__)
static int compare(const void *x, const void *y)
{
    return *(const int *)x - *(const int *)y;
}
#endif

static void *sorts(void *unused)
{
    int values[4] = {3, 1, 2, 0}, calls = 1;
#if !defined(__clang__)
    int compare(const void *x, const void *y)
    {
        calls++;
        return *(const int *)x - *(const int *)y;
    }
#endif
    qsort(values, 4, sizeof values[0], compare);
    assert(values[0] == 0 && values[3] == 3);
    pthread_mutex_lock(&lock);
    compared += calls;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    pthread_attr_t large;
    pthread_attr_init(&large);
    pthread_attr_setstacksize(&large, 16 << 20);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], i == 2 ? &large : NULL, sorts, NULL);
    sorts(NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert(compared >= 4);
    return 0;
}
