// SPDX-License-Identifier: MIT
// queue_torn_down.c - main frees the work queue while consumers still use it (the shape of a known pbzip2 bug).
//
// Shape: order violation: free(queue) by main before the last lock/unlock of a consumer.
// Why:   main waits until all blocks are written, which is not the same as until all consumers have left.
//
// expect: use-after-free|lock-misuse
// find: random within 20
// find: pct within 20
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { BLOCKS = 2, CONSUMERS = 2 };

struct queue {
    pthread_mutex_t lock;
    int blocks;
};

static atomic_int written;

static void *consume(void *argument)
{
    struct queue *queue = argument;
    for (int more = 1; more;) {
        pthread_mutex_lock(&queue->lock);
        int took = queue->blocks > 0;
        queue->blocks -= took;
        more = queue->blocks > 0;
        pthread_mutex_unlock(&queue->lock);
        if (took)
            atomic_fetch_add(&written, 1);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[CONSUMERS];
    struct queue *queue = malloc(sizeof *queue);
    pthread_mutex_init(&queue->lock, NULL);
    queue->blocks = BLOCKS;
    for (int i = 0; i < CONSUMERS; i++)
        pthread_create(&thread[i], NULL, consume, queue);
    int patience = 0;
    while (atomic_load(&written) < BLOCKS && patience++ < 100)
        ;
    if (atomic_load(&written) == BLOCKS) { /* the file is complete: tidy up */
        pthread_mutex_destroy(&queue->lock);
        free(queue);
    }
    for (int i = 0; i < CONSUMERS; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
