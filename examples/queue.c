/* SPDX-License-Identifier: MIT
 *
 * queue.c - a correct bounded queue with two producers and two consumers.  No schedule fails: the question is how much was tested.
 *
 *     raddle cc queue.c -o queue && raddle run --runs 400 -- ./queue
 */
#include <assert.h>
#include <pthread.h>

enum { ROOM = 2, EACH = 3 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t not_full, not_empty;
    int items[ROOM];
    int first, count;
} queue = {
    .lock = PTHREAD_MUTEX_INITIALIZER, .not_full = PTHREAD_COND_INITIALIZER, .not_empty = PTHREAD_COND_INITIALIZER};

static int sum; /* protected by queue.lock */

static void put(int item)
{
    pthread_mutex_lock(&queue.lock);
    while (queue.count == ROOM)
        pthread_cond_wait(&queue.not_full, &queue.lock);
    queue.items[(queue.first + queue.count++) % ROOM] = item;
    pthread_cond_signal(&queue.not_empty);
    pthread_mutex_unlock(&queue.lock);
}

static void take(void)
{
    pthread_mutex_lock(&queue.lock);
    while (queue.count == 0)
        pthread_cond_wait(&queue.not_empty, &queue.lock);
    sum += queue.items[queue.first];
    queue.first = (queue.first + 1) % ROOM;
    queue.count--;
    pthread_cond_signal(&queue.not_full);
    pthread_mutex_unlock(&queue.lock);
}

static void *produce(void *unused)
{
    for (int i = 1; i <= EACH; i++)
        put(i);
    return unused;
}

static void *consume(void *unused)
{
    for (int i = 1; i <= EACH; i++)
        take();
    return unused;
}

int main(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, i % 2 == 0 ? produce : consume, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert(sum == 12);
    return 0;
}
