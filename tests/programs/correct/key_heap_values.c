// SPDX-License-Identifier: MIT
// key_heap_values.c - each thread's buffer hangs on a key, is made on first use, and is freed at the thread's end.
//
// expect: none
#include "correct.h"

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int alive;

static void drop(void *buffer)
{
    __atomic_fetch_sub(&alive, 1, __ATOMIC_RELAXED);
    free(buffer);
}

static void make_key(void)
{
    CHECK(pthread_key_create(&key, drop) == 0);
}

static char *buffer(void)
{
    pthread_once(&once, make_key);
    char *mine = pthread_getspecific(key);
    if (mine == NULL) {
        mine = malloc(32);
        __atomic_fetch_add(&alive, 1, __ATOMIC_RELAXED);
        pthread_setspecific(key, mine);
    }
    return mine;
}

static void *work(void *number)
{
    snprintf(buffer(), 32, "thread %d", (int)(intptr_t)number);
    sched_yield();
    CHECK(buffer()[7] == '0' + (int)(intptr_t)number);
    return NULL;
}

int main(void)
{
    pthread_t a = start(work, (void *)1), b = start(work, (void *)2);
    join(a);
    join(b);
    CHECK(alive == 0);
    return 0;
}
