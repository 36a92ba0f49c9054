// SPDX-License-Identifier: MIT
// long_compress.c - a block compressor: a reader hands out blocks from a pool of buffers, workers compress them (move to front, run lengths), a
// writer puts them in order and gives the buffers back.  See long.h.  Size 1: about 250,000 accesses.
//
// 1 a buffer goes back before it was written            6 the memory count is not locked
// 2 the writer does not look again                      7 the end is decided on a count that was read earlier
// 3 the check sum is combined without the lock          8 pool and output locks in two orders: deadlock
// 4 the pool: tested for a free buffer, then taken      9 a block's size is published before its bytes
// 5 the reader ends without a signal                   10 the tables of the first block are made by two workers
#include "long.h"

enum { BLOCK = 256, BUFFERS = 6, WORKERS = 4, MOST_BLOCKS = 1 << 16 };

struct buffer {
    unsigned char in[BLOCK], out[2 * BLOCK];
    int size, number; // number: of the block
    bool in_use;
};

static int blocks, next_number;
static struct buffer buffers[BUFFERS];
static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t pool_changed = PTHREAD_COND_INITIALIZER;
static int memory_in_use, memory_most;

static pthread_mutex_t work_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work_changed = PTHREAD_COND_INITIALIZER;
static struct buffer *work[BUFFERS * 2];
static unsigned work_head, work_tail;
static bool all_read;

static pthread_mutex_t output_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t output_changed = PTHREAD_COND_INITIALIZER;
static struct buffer *done[MOST_BLOCKS];
static int blocks_done;
static uint32_t sum_in, sum_out;

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned char *table;
static int tables_made;

static uint32_t add_up(const unsigned char *bytes, int size)
{
    uint32_t sum = 0;
    for (int i = 0; i < size; i++)
        sum = sum * 31 + bytes[i];
    return sum;
}

static struct buffer *free_buffer(void)
{
    for (int i = 0; i < BUFFERS; i++)
        if (!buffers[i].in_use)
            return &buffers[i];
    return NULL;
}

// A free buffer for the next block; NULL: all blocks have been read.  Numbers are given out with buffers, so that the block that is written next
// always has one.
static struct buffer *take_buffer(void)
{
    struct buffer *buffer;
    pthread_mutex_lock(&pool_lock);
    while ((buffer = free_buffer()) == NULL)
        pthread_cond_wait(&pool_changed, &pool_lock);
    if (next_number == blocks) {
        pthread_mutex_unlock(&pool_lock);
        return NULL;
    }
    if (has_bug(4)) {
        pthread_mutex_unlock(&pool_lock);
        pthread_mutex_lock(&pool_lock);
    }
    assert(!buffer->in_use);
    buffer->in_use = true;
    buffer->number = next_number++;
    if (!has_bug(6))
        memory_in_use += BLOCK;
    memory_most = memory_in_use > memory_most ? memory_in_use : memory_most;
    pthread_mutex_unlock(&pool_lock);
    if (has_bug(6))
        memory_in_use += BLOCK;
    return buffer;
}

static void give_back(struct buffer *buffer)
{
    pthread_mutex_lock(&pool_lock);
    buffer->in_use = false;
    memory_in_use -= BLOCK;
    pthread_cond_broadcast(&pool_changed);
    pthread_mutex_unlock(&pool_lock);
}

static void read_block(struct buffer *buffer)
{
    uint64_t state = (uint64_t)buffer->number + 1;
    for (int i = 0; i < BLOCK; i++)
        buffer->in[i] = (unsigned char)(long_random(&state) % 7 == 0 ? i % 5 : 3);
}

static void submit(struct buffer *buffer)
{
    pthread_mutex_lock(&work_lock);
    work[work_tail++ % (BUFFERS * 2)] = buffer;
    pthread_cond_signal(&work_changed);
    pthread_mutex_unlock(&work_lock);
}

static void *read_blocks(void *unused)
{
    static int readers_left = 2;
    struct buffer *buffer;
    (void)unused;
    while ((buffer = take_buffer()) != NULL) {
        read_block(buffer);
        uint32_t sum = add_up(buffer->in, BLOCK);
        pthread_mutex_lock(&work_lock);
        sum_in += sum;
        pthread_mutex_unlock(&work_lock);
        submit(buffer);
    }
    pthread_mutex_lock(&work_lock);
    if (--readers_left == 0) {
        all_read = true;
        if (!has_bug(5))
            pthread_cond_broadcast(&work_changed);
    }
    pthread_mutex_unlock(&work_lock);
    return NULL;
}

static struct buffer *next_work(void)
{
    struct buffer *buffer = NULL;
    bool ended = has_bug(7) ? all_read : false;
    pthread_mutex_lock(&work_lock);
    while (work_head == work_tail && !all_read)
        pthread_cond_wait(&work_changed, &work_lock);
    if (work_head != work_tail && !ended)
        buffer = work[work_head++ % (BUFFERS * 2)];
    pthread_mutex_unlock(&work_lock);
    return buffer;
}

// Made by the first that needs it.
static const unsigned char *get_table(void)
{
    pthread_mutex_lock(&table_lock);
    unsigned char *found = table;
    if (has_bug(10))
        pthread_mutex_unlock(&table_lock);
    if (found == NULL) {
        found = malloc(256);
        for (int i = 0; i < 256; i++)
            found[i] = (unsigned char)i;
        if (has_bug(10))
            pthread_mutex_lock(&table_lock);
        table = found;
        tables_made++;
        if (has_bug(10))
            pthread_mutex_unlock(&table_lock);
    }
    if (!has_bug(10))
        pthread_mutex_unlock(&table_lock);
    return found;
}

static int compress(const unsigned char *start, const unsigned char *in, unsigned char *out)
{
    unsigned char order[256];
    int size = 0;
    memcpy(order, start, 256);
    for (int i = 0; i < BLOCK; i++) {
        int at = 0;
        while (order[at] != in[i])
            at++;
        memmove(order + 1, order, (size_t)at);
        order[0] = in[i];
        if (size >= 2 && out[size - 2] == at && out[size - 1] < 255)
            out[size - 1]++;
        else {
            out[size++] = (unsigned char)at;
            out[size++] = 1;
        }
    }
    return size;
}

static void publish(struct buffer *buffer, int size)
{
    pthread_mutex_lock(&output_lock);
    buffer->size = size;
    done[buffer->number] = buffer;
    blocks_done++;
    pthread_cond_broadcast(&output_changed);
    pthread_mutex_unlock(&output_lock);
}

static void *compress_blocks(void *unused)
{
    struct buffer *buffer;
    (void)unused;
    while ((buffer = next_work()) != NULL) {
        unsigned char own[2 * BLOCK];
        int size = compress(get_table(), buffer->in, own);
        if (has_bug(9) && buffer->number % 8 == 3)
            publish(buffer, size);
        memcpy(buffer->out, own, (size_t)size);
        uint32_t sum = add_up(own, size);
        lock_unless(3, &output_lock);
        sum_out += sum;
        unlock_unless(3, &output_lock);
        if (!has_bug(9) || buffer->number % 8 != 3)
            publish(buffer, size);
    }
    return NULL;
}

static void *write_blocks(void *result)
{
    uint32_t *written = result;
    for (int next = 0; next < blocks; next++) {
        pthread_mutex_lock(&output_lock);
        if (has_bug(2)) {
            if (done[next] == NULL)
                pthread_cond_wait(&output_changed, &output_lock);
            if (done[next] == NULL) // a block that came out of order
                pthread_cond_wait(&output_changed, &output_lock);
            assert(done[next] != NULL);
        }
        while (done[next] == NULL)
            pthread_cond_wait(&output_changed, &output_lock);
        struct buffer *buffer = done[next];
        int size = buffer->size;
        uint32_t sum = has_bug(8) ? add_up(buffer->out, size) : 0;
        if (has_bug(8))
            give_back(buffer);
        pthread_mutex_unlock(&output_lock);
        if (has_bug(1))
            give_back(buffer);
        if (!has_bug(8))
            sum = add_up(buffer->out, size);
        *written += sum;
        if (!has_bug(1) && !has_bug(8))
            give_back(buffer);
    }
    return NULL;
}

// With bug 8 the writer gives a buffer back while it holds the output lock; here the two are taken the other way round.
static void *watch(void *unused)
{
    (void)unused;
    for (int i = 0; i < blocks; i++) {
        pthread_mutex_lock(&pool_lock);
        if (has_bug(8))
            pthread_mutex_lock(&output_lock);
        assert(memory_in_use >= 0 && memory_in_use <= BUFFERS * BLOCK);
        if (has_bug(8))
            pthread_mutex_unlock(&output_lock);
        pthread_mutex_unlock(&pool_lock);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    enum { READERS = 2 };
    pthread_t readers[READERS], workers[WORKERS], writer, watcher;
    uint32_t written = 0;
    long_begin(argc, argv);
    blocks = 40 * long_size < MOST_BLOCKS ? 40 * long_size : MOST_BLOCKS;
    start_threads(readers, READERS, read_blocks);
    start_threads(workers, WORKERS, compress_blocks);
    pthread_create(&writer, NULL, write_blocks, &written);
    pthread_create(&watcher, NULL, watch, NULL);
    join_threads(readers, READERS);
    join_threads(workers, WORKERS);
    pthread_join(writer, NULL);
    pthread_join(watcher, NULL);
    assert(blocks_done == blocks && memory_in_use == 0);
    assert(tables_made == 1 && written == sum_out);
    free(table);
    return 0;
}
