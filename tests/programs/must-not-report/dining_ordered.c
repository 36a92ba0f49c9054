// SPDX-License-Identifier: MIT
// dining_ordered.c - philosophers that take the lower fork first: no cycle, no deadlock.
//
// expect: none
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

enum { N = 4 };

static pthread_mutex_t fork_lock[N];
static int eaten[N];

static void *dine(void *seat)
{
    uintptr_t left = (uintptr_t)seat, right = (left + 1) % N;
    uintptr_t low = left < right ? left : right, high = left < right ? right : left;
    pthread_mutex_lock(&fork_lock[low]);
    pthread_mutex_lock(&fork_lock[high]);
    eaten[left]++;
    pthread_mutex_unlock(&fork_lock[high]);
    pthread_mutex_unlock(&fork_lock[low]);
    return NULL;
}

int main(void)
{
    pthread_t thread[N];
    for (int i = 0; i < N; i++)
        pthread_mutex_init(&fork_lock[i], NULL);
    for (uintptr_t i = 0; i < N; i++)
        pthread_create(&thread[i], NULL, dine, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < N; i++) {
        assert(eaten[i] == 1);
        pthread_mutex_destroy(&fork_lock[i]);
    }
    return 0;
}
