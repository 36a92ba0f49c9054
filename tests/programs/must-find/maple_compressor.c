// SPDX-License-Identifier: MIT
// maple_compressor.c - main tears down the queue of blocks when all consumers have left it; one of them is not quite gone.
//
// Shape: order violation between two single accesses: W(queue.left) by main comes before R'(queue.left) by a consumer.
// Why:   a consumer counts itself out under the lock and signals afterwards; main may have seen the count by then.
//
// expect: signal|use-after-free|lock-misuse
// find: surw within 500
// find: pct within 2000
// cause: a:W(left)@maple_compressor.c:54 << b:R(left)@maple_compressor.c:62
// cause: a:destroy(left)@maple_compressor.c:52 << b:signal(left)@maple_compressor.c:62
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 4, BLOCK = 48, CONSUMERS = 3, TRAILER = 20 };

struct block {
    unsigned char plain[BLOCK], packed[2 * BLOCK];
    size_t length;
};

static struct block block[BLOCKS];

static struct {
    pthread_mutex_t lock;
    pthread_cond_t not_empty;
    pthread_cond_t *left; /* as long as a thread may have to wait for it */
    int next, filled, is_complete, consumers;
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .not_empty = PTHREAD_COND_INITIALIZER, .consumers = CONSUMERS};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int ready;
    size_t bytes;
} output = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};

static void queue_open(void)
{
    queue.left = malloc(sizeof *queue.left);
    if (queue.left == NULL || pthread_cond_init(queue.left, NULL) != 0)
        abort();
}

static void queue_close(void)
{
    pthread_mutex_lock(&queue.lock);
    while (queue.consumers > 0)
        pthread_cond_wait(queue.left, &queue.lock);
    pthread_mutex_unlock(&queue.lock);
    pthread_cond_destroy(queue.left);
    free(queue.left);
    queue.left = NULL;
}

static void queue_leave(void)
{
    pthread_mutex_lock(&queue.lock);
    queue.consumers--;
    pthread_mutex_unlock(&queue.lock);
    pthread_cond_signal(queue.left); /* if it still is there */
}

static void queue_put(int is_last)
{
    pthread_mutex_lock(&queue.lock);
    queue.filled++;
    queue.is_complete = is_last;
    pthread_cond_broadcast(&queue.not_empty);
    pthread_mutex_unlock(&queue.lock);
}

/* -1: there will be no more. */
static int queue_get(void)
{
    pthread_mutex_lock(&queue.lock);
    while (queue.next == queue.filled && !queue.is_complete)
        pthread_cond_wait(&queue.not_empty, &queue.lock);
    int number = queue.next < queue.filled ? queue.next++ : -1;
    pthread_mutex_unlock(&queue.lock);
    return number;
}

/* Runs of equal bytes, as pairs. */
static size_t pack(const unsigned char *from, size_t length, unsigned char *to)
{
    size_t used = 0;
    for (size_t i = 0, run; i < length; i += run) {
        for (run = 1; i + run < length && from[i + run] == from[i]; run++)
            ;
        to[used++] = (unsigned char)run;
        to[used++] = from[i];
    }
    return used;
}

static void *consume(void *unused)
{
    (void)unused;
    for (int number; (number = queue_get()) >= 0;) {
        unsigned char packed[2 * BLOCK];
        size_t length = pack(block[number].plain, BLOCK, packed);
        pthread_mutex_lock(&output.lock);
        memcpy(block[number].packed, packed, length);
        block[number].length = length;
        output.bytes += length;
        output.ready++;
        pthread_cond_signal(&output.changed);
        pthread_mutex_unlock(&output.lock);
    }
    queue_leave();
    return NULL;
}

static void output_add(size_t bytes)
{
    pthread_mutex_lock(&output.lock);
    output.bytes += bytes;
    pthread_mutex_unlock(&output.lock);
}

static void *write_file(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&output.lock);
    while (output.ready < BLOCKS)
        pthread_cond_wait(&output.changed, &output.lock);
    pthread_mutex_unlock(&output.lock);
    for (int i = 0; i < TRAILER; i++) /* an index of the blocks, sums, padding */
        output_add(1);
    return NULL;
}

int main(void)
{
    pthread_t consumers[CONSUMERS], writer;
    queue_open();
    for (int i = 0; i < BLOCKS; i++)
        for (int k = 0; k < BLOCK; k++)
            block[i].plain[k] = (unsigned char)('a' + k / (3 + i));
    for (int i = 0; i < CONSUMERS; i++)
        pthread_create(&consumers[i], NULL, consume, NULL);
    pthread_create(&writer, NULL, write_file, NULL);
    for (int i = 0; i < BLOCKS; i++)
        queue_put(i == BLOCKS - 1);
    pthread_join(writer, NULL);
    queue_close();
    for (int i = 0; i < CONSUMERS; i++)
        pthread_join(consumers[i], NULL);
    return 0;
}
