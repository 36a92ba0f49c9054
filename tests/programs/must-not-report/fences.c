// SPDX-License-Identifier: MIT
// fences.c - relaxed atomics made safe by fences: message passing and a release sequence through a fetch_add.
//
// expect: none
// tsan: no (ThreadSanitizer does not know fences)
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static int data;
static atomic_int ready, done;

static void *send(void *unused)
{
    (void)unused;
    data = 11;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return NULL;
}

static void *receive(void *unused)
{
    (void)unused;
    while (atomic_load_explicit(&ready, memory_order_relaxed) == 0)
        ;
    atomic_thread_fence(memory_order_acquire);
    assert(data == 11);
    data = 12;
    atomic_fetch_add_explicit(&done, 1, memory_order_release);
    return NULL;
}

static void *bystander(void *unused)
{
    (void)unused;
    atomic_fetch_add_explicit(&done, 1, memory_order_relaxed); /* goes on with the release sequence */
    return NULL;
}

int main(void)
{
    pthread_t thread[3];
    pthread_create(&thread[0], NULL, send, NULL);
    pthread_create(&thread[1], NULL, receive, NULL);
    pthread_create(&thread[2], NULL, bystander, NULL);
    while (atomic_load_explicit(&done, memory_order_relaxed) < 2)
        ;
    atomic_thread_fence(memory_order_acquire);
    assert(data == 12);
    data = 13;
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
