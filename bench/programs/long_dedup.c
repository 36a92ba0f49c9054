// SPDX-License-Identifier: MIT
// long_dedup.c - a pipeline: a reader cuts the input into chunks, threads look them up in a hash table with a lock per bucket, compress what is
// new, and a writer puts all in order.  Bounded queues lie between.  See long.h.  Size 1: about 300,000 accesses.
//
// 1 look up, then insert: a chunk is stored twice        6 one waiter for both conditions of a queue, signal
// 2 a chunk is published before it is compressed         7 the number of stored chunks is not locked
// 3 the reference count is not locked                    8 bucket and table locks in two orders: deadlock
// 4 the end of the input reaches one thread only         9 the writer looks for the next chunk without the lock
// 5 a full queue: the waiter does not look again        10 the last thread of a stage closes the queue too early
#include "long.h"

enum { CHUNK = 64, QUEUE = 16, BUCKETS = 64, LOOKERS = 3, PACKERS = 3, MOST_CHUNKS = 1 << 20 };

struct entry { // a chunk with its content, once
    uint32_t hash, content;
    int references, packed; // packed: its size, 0 if it is not known yet
    struct entry *next;
};

struct item { // a chunk of the input, in its place
    int place;
    const unsigned char *bytes;
    struct entry *entry;
};

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t filled, emptied;
    struct item items[QUEUE];
    unsigned head, tail;
    bool closed;
};

struct bucket {
    pthread_mutex_t lock;
    struct entry *first;
};

static unsigned char *input;
static int chunks;
static struct queue to_look, to_pack, to_write;
static struct bucket buckets[BUCKETS];
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static int stored, references;
static pthread_mutex_t stage_lock = PTHREAD_MUTEX_INITIALIZER;
static int lookers = LOOKERS, packers = PACKERS;

static pthread_mutex_t output_lock = PTHREAD_MUTEX_INITIALIZER;
static struct item *output; // by place
static bool *output_there;
static int next_place;
static long bytes_written;

static void queue_init(struct queue *queue)
{
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->filled, NULL);
    pthread_cond_init(&queue->emptied, NULL);
}

static pthread_cond_t *emptied_of(struct queue *queue)
{
    return has_bug(6) ? &queue->filled : &queue->emptied;
}

static bool is_full(const struct queue *queue)
{
    return queue->tail - queue->head == QUEUE;
}

static void queue_put(struct queue *queue, struct item item)
{
    pthread_mutex_lock(&queue->lock);
    if (has_bug(5) && queue == &to_pack) {
        if (is_full(queue))
            pthread_cond_wait(emptied_of(queue), &queue->lock);
    } else {
        while (is_full(queue))
            pthread_cond_wait(emptied_of(queue), &queue->lock);
    }
    assert(!queue->closed && queue->tail - queue->head < QUEUE);
    queue->items[queue->tail++ % QUEUE] = item;
    pthread_cond_signal(&queue->filled);
    pthread_mutex_unlock(&queue->lock);
}

static bool queue_get(struct queue *queue, struct item *item)
{
    pthread_mutex_lock(&queue->lock);
    while (queue->head == queue->tail && !queue->closed)
        pthread_cond_wait(&queue->filled, &queue->lock);
    bool found = queue->head != queue->tail;
    if (found) {
        *item = queue->items[queue->head++ % QUEUE];
        if (has_bug(5) && queue == &to_pack)
            pthread_cond_broadcast(emptied_of(queue));
        else
            pthread_cond_signal(emptied_of(queue));
    }
    pthread_mutex_unlock(&queue->lock);
    return found;
}

static void queue_close(struct queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->closed = true;
    if (has_bug(4) && queue == &to_write)
        pthread_cond_signal(&queue->filled);
    else
        pthread_cond_broadcast(&queue->filled);
    pthread_mutex_unlock(&queue->lock);
}

static void *read_input(void *unused)
{
    (void)unused;
    for (int i = 0; i < chunks; i++)
        queue_put(&to_look, (struct item){i, input + (size_t)i * CHUNK, NULL});
    queue_close(&to_look);
    return NULL;
}

static uint32_t hash_chunk(const unsigned char *bytes)
{
    uint32_t hash = 2166136261u;
    for (int i = 0; i < CHUNK; i++)
        hash = (hash ^ bytes[i]) * 16777619u;
    return hash;
}

static struct entry *find(struct bucket *bucket, uint32_t hash)
{
    for (struct entry *entry = bucket->first; entry != NULL; entry = entry->next)
        if (entry->hash == hash)
            return entry;
    return NULL;
}

static void count_stored(struct bucket *bucket)
{
    if (has_bug(8) && stored % 8 == 7) {
        pthread_mutex_unlock(&bucket->lock);
        pthread_mutex_lock(&table_lock);
        pthread_mutex_lock(&bucket->lock);
    } else {
        lock_unless(7, &table_lock);
    }
    stored++;
    unlock_unless(7, &table_lock);
}

// The entry of the chunk; *is_new: it was not there.
static struct entry *look_up(const unsigned char *bytes, bool *is_new)
{
    uint32_t hash = hash_chunk(bytes);
    struct bucket *bucket = &buckets[hash % BUCKETS];
    pthread_mutex_lock(&bucket->lock);
    struct entry *entry = find(bucket, hash);
    if (has_bug(1)) {
        pthread_mutex_unlock(&bucket->lock);
        pthread_mutex_lock(&bucket->lock);
    }
    *is_new = entry == NULL;
    if (*is_new) {
        entry = calloc(1, sizeof *entry);
        entry->hash = hash;
        entry->next = bucket->first;
        bucket->first = entry;
        count_stored(bucket);
    }
    if (has_bug(3))
        pthread_mutex_unlock(&bucket->lock);
    entry->references++;
    if (!has_bug(3))
        pthread_mutex_unlock(&bucket->lock);
    return entry;
}

static void leave_stage(int *left, struct queue *next)
{
    pthread_mutex_lock(&stage_lock);
    bool last = --*left == (has_bug(10) ? 1 : 0);
    pthread_mutex_unlock(&stage_lock);
    if (last)
        queue_close(next);
}

static void *look_up_chunks(void *unused)
{
    struct item item;
    bool is_new;
    (void)unused;
    while (queue_get(&to_look, &item)) {
        item.entry = look_up(item.bytes, &is_new);
        queue_put(is_new ? &to_pack : &to_write, item);
    }
    leave_stage(&lookers, &to_pack);
    return NULL;
}

// Run lengths: how many bytes it would take.
static int pack(const unsigned char *bytes)
{
    int size = 2;
    for (int i = 1; i < CHUNK; i++)
        size += bytes[i] != bytes[i - 1] ? 2 : 0;
    return size;
}

static void *pack_chunks(void *unused)
{
    struct item item;
    (void)unused;
    while (queue_get(&to_pack, &item)) {
        if (has_bug(2) && item.place % 16 == 5)
            queue_put(&to_write, item);
        int size = pack(item.bytes);
        struct bucket *bucket = &buckets[item.entry->hash % BUCKETS];
        pthread_mutex_lock(&bucket->lock);
        item.entry->content = item.bytes[0];
        item.entry->packed = size;
        pthread_mutex_unlock(&bucket->lock);
        if (!has_bug(2) || item.place % 16 != 5)
            queue_put(&to_write, item);
    }
    pthread_mutex_lock(&stage_lock);
    bool last = --packers == 0;
    pthread_mutex_unlock(&stage_lock);
    if (last)
        queue_close(&to_write);
    return NULL;
}

static void write_ready(void)
{
    for (; next_place < chunks && output_there[next_place]; next_place++)
        bytes_written += CHUNK;
}

// Two writers; the items come in any order.
static void *write_chunks(void *unused)
{
    struct item item;
    (void)unused;
    while (queue_get(&to_write, &item)) {
        if (has_bug(2) && item.place % 16 == 5 && item.entry->references == 1) {
            struct bucket *bucket = &buckets[item.entry->hash % BUCKETS];
            pthread_mutex_lock(&bucket->lock);
            assert(item.entry->packed > 0);
            pthread_mutex_unlock(&bucket->lock);
        }
        pthread_mutex_lock(&output_lock);
        output[item.place] = item;
        output_there[item.place] = true;
        if (has_bug(9))
            pthread_mutex_unlock(&output_lock);
        write_ready();
        if (!has_bug(9))
            pthread_mutex_unlock(&output_lock);
    }
    return NULL;
}

static void fill(void)
{
    uint64_t state = 5;
    for (int i = 0; i < chunks; i++) {
        uint64_t own = long_random(&state) % (unsigned)(chunks / 2 + 1);
        for (int j = 0; j < CHUNK; j++)
            input[(size_t)i * CHUNK + j] = (unsigned char)(long_random(&own) % 4);
    }
}

static void check(void)
{
    int entries = 0;
    for (int i = 0; i < BUCKETS; i++)
        for (struct entry *entry = buckets[i].first; entry != NULL; entry = entry->next) {
            for (struct entry *other = entry->next; other != NULL; other = other->next)
                assert(other->hash != entry->hash);
            assert(entry->packed > 0);
            entries++;
            references += entry->references;
        }
    assert(entries == stored && references == chunks);
    assert(next_place == chunks && bytes_written == (long)chunks * CHUNK);
}

int main(int argc, char **argv)
{
    enum { WRITERS = 2, READERS = 1 };
    pthread_t reading[READERS], looking[LOOKERS], packing[PACKERS], writing[WRITERS];
    long_begin(argc, argv);
    chunks = 200 * long_size < MOST_CHUNKS ? 200 * long_size : MOST_CHUNKS;
    input = malloc((size_t)chunks * CHUNK);
    output = calloc((size_t)chunks, sizeof *output);
    output_there = calloc((size_t)chunks, sizeof *output_there);
    fill();
    queue_init(&to_look);
    queue_init(&to_pack);
    queue_init(&to_write);
    for (int i = 0; i < BUCKETS; i++)
        pthread_mutex_init(&buckets[i].lock, NULL);
    start_threads(reading, READERS, read_input);
    start_threads(looking, LOOKERS, look_up_chunks);
    start_threads(packing, PACKERS, pack_chunks);
    start_threads(writing, WRITERS, write_chunks);
    join_threads(reading, READERS);
    join_threads(looking, LOOKERS);
    join_threads(packing, PACKERS);
    join_threads(writing, WRITERS);
    check();
    return 0;
}
