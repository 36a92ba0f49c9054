// SPDX-License-Identifier: MIT
// cond_destroyed_after_broadcast.c - POSIX allows to destroy a condition variable once all waiters have been woken.
//
// expect: none
#include "correct.h"

struct element {
    pthread_mutex_t lock;
    pthread_cond_t gone;
    int waiters, removed;
};

static void *wait_for_removal(void *argument)
{
    struct element *element = argument;
    pthread_mutex_lock(&element->lock);
    element->waiters++;
    while (!element->removed)
        pthread_cond_wait(&element->gone, &element->lock);
    element->waiters--;
    pthread_mutex_unlock(&element->lock);
    return NULL;
}

int main(void)
{
    struct element *element = calloc(1, sizeof *element);
    pthread_mutex_init(&element->lock, NULL);
    pthread_cond_init(&element->gone, NULL);
    pthread_t a = start(wait_for_removal, element), b = start(wait_for_removal, element);
    pthread_mutex_lock(&element->lock);
    element->removed = 1;
    pthread_cond_broadcast(&element->gone);
    pthread_mutex_unlock(&element->lock);
    join(a);
    join(b);
    CHECK(element->waiters == 0);
    CHECK(pthread_cond_destroy(&element->gone) == 0 && pthread_mutex_destroy(&element->lock) == 0);
    free(element);
    return 0;
}
