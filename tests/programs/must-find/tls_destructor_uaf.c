// SPDX-License-Identifier: MIT
// tls_destructor_uaf.c - a thread-specific destructor reports to a registry that main has freed.
//
// Shape: order violation: free(registry) before the destructor of an ending thread touches it.
// Why:   main waits for the result, but destructors run after the thread has delivered it.
//
// expect: use-after-free
// find: random within 50
// find: pct within 20
// cause: a:free(registry)@tls_destructor_uaf.c:43 << b:W(registry)@tls_destructor_uaf.c:24
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

struct registry {
    int threads;
};

static pthread_key_t key;
static sem_t delivered;

static void unregister(void *registry)
{
    __atomic_fetch_sub(&((struct registry *)registry)->threads, 1, __ATOMIC_RELAXED);
}

static void *work(void *registry)
{
    __atomic_fetch_add(&((struct registry *)registry)->threads, 1, __ATOMIC_RELAXED);
    pthread_setspecific(key, registry);
    sem_post(&delivered);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    struct registry *registry = calloc(1, sizeof *registry);
    sem_init(&delivered, 0, 0);
    pthread_key_create(&key, unregister);
    pthread_create(&thread, NULL, work, registry);
    sem_wait(&delivered);
    free(registry); /* should come after the join */
    pthread_join(thread, NULL);
    pthread_key_delete(key);
    return 0;
}
