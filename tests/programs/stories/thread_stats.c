// thread_stats.c - each thread counts for itself; the destructor of the thread's object adds its count to a registry.
//
// kind: thread-specific data
// expect: heap
// wrong: main waits until the threads have counted, not until they have ended, and frees the registry; the destructor uses it later
// where: stats_destroy registry_free
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 2
#define ROUNDS  3

struct registry {
    pthread_mutex_t lock;
    int threads;
    long total;
};

struct stats {
    long count;
};

static struct registry *registry;
static pthread_key_t stats_key;
static sem_t finished;

static void registry_new(void)
{
    registry = calloc(1, sizeof *registry);
    pthread_mutex_init(&registry->lock, NULL);
}

static void registry_add(long count)
{
    pthread_mutex_lock(&registry->lock);
    registry->threads++;
    registry->total += count;
    pthread_mutex_unlock(&registry->lock);
}

static void registry_free(void)
{
    printf("%d threads, total %ld\n", registry->threads, registry->total);
    pthread_mutex_destroy(&registry->lock);
    free(registry);
}

static void stats_destroy(void *arg)
{
    struct stats *stats = arg;
    registry_add(stats->count);
    free(stats);
}

static struct stats *stats_mine(void)
{
    struct stats *stats = pthread_getspecific(stats_key);
    if (!stats) {
        stats = calloc(1, sizeof *stats);
        pthread_setspecific(stats_key, stats);
    }
    return stats;
}

static void *count(void *arg)
{
    (void)arg;
    for (int i = 0; i < ROUNDS; i++)
        stats_mine()->count++;
    sem_post(&finished);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    sem_init(&finished, 0, 0);
    pthread_key_create(&stats_key, stats_destroy);
    registry_new();
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, count, NULL);
    for (int i = 0; i < THREADS; i++)
        sem_wait(&finished);
    registry_free();
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_key_delete(stats_key);
    return 0;
}
