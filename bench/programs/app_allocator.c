// SPDX-License-Identifier: MIT
// app_allocator.c - correct: an allocator: each thread has a small cache of free blocks per size, filled from and emptied into
// central lists; blocks are also given back by threads that did not take them; spans come from one pool; a trimmer returns spans.
#include "app.h"

enum { SIZES = 2, THREADS = 3, BLOCKS = 24, LOCAL = 2, ROUNDS = 5, SPAN = 4 };

static struct central {
    pthread_mutex_t lock;
    int free_block[BLOCKS], count, refills, returns;
} central[SIZES];

static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static int next_block, spans, trimmed, exhausted;

static struct {
    pthread_mutex_t lock;
    int block[BLOCKS], count;
} remote[THREADS]; /* given back by others */

static pthread_mutex_t stats_lock = PTHREAD_MUTEX_INITIALIZER;
static int live, peak, threads_up, audits;

struct own {
    int id, cached[SIZES][LOCAL * 2], count[SIZES];
};

static void count_live(int change)
{
    pthread_mutex_lock(&stats_lock);
    live += change;
    if (live > peak)
        peak = live;
    pthread_mutex_unlock(&stats_lock);
}

static int take_span(void)
{
    int first = -1;
    pthread_mutex_lock(&pool_lock);
    if (next_block + SPAN <= BLOCKS) {
        first = next_block;
        next_block += SPAN;
        spans++;
    } else {
        exhausted++;
    }
    pthread_mutex_unlock(&pool_lock);
    return first;
}

static void refill(struct own *own, int size)
{
    struct central *from = &central[size];
    pthread_mutex_lock(&from->lock);
    bool empty = from->count == 0;
    pthread_mutex_unlock(&from->lock);
    int span = empty ? take_span() : -1;
    pthread_mutex_lock(&from->lock);
    for (int i = 0; span >= 0 && i < SPAN; i++)
        from->free_block[from->count++] = span + i;
    while (from->count > 0 && own->count[size] < LOCAL)
        own->cached[size][own->count[size]++] = from->free_block[--from->count];
    from->refills++;
    pthread_mutex_unlock(&from->lock);
}

static void collect_remote(struct own *own)
{
    pthread_mutex_lock(&remote[own->id].lock);
    while (remote[own->id].count > 0 && own->count[0] < LOCAL * 2)
        own->cached[0][own->count[0]++] = remote[own->id].block[--remote[own->id].count];
    pthread_mutex_unlock(&remote[own->id].lock);
}

static void give_back(struct own *own, int size)
{
    struct central *to = &central[size];
    pthread_mutex_lock(&to->lock);
    while (own->count[size] > 0)
        to->free_block[to->count++] = own->cached[size][--own->count[size]];
    to->returns++;
    pthread_mutex_unlock(&to->lock);
}

static int allocate(struct own *own, int size)
{
    if (own->count[size] == 0 && size == 0)
        collect_remote(own);
    if (own->count[size] == 0)
        refill(own, size);
    if (own->count[size] == 0)
        return -1;
    count_live(1);
    return own->cached[size][--own->count[size]];
}

static void release(struct own *own, int size, int block)
{
    own->cached[size][own->count[size]++] = block;
    count_live(-1);
    if (own->count[size] == LOCAL * 2)
        give_back(own, size);
}

static void release_remote(int owner, int block)
{
    pthread_mutex_lock(&remote[owner].lock);
    remote[owner].block[remote[owner].count++] = block;
    pthread_mutex_unlock(&remote[owner].lock);
    count_live(-1);
}

static void *use(void *argument)
{
    struct own own = {.id = (int)(long)argument};
    pthread_mutex_lock(&stats_lock);
    threads_up++;
    pthread_mutex_unlock(&stats_lock);
    for (int i = 0; i < ROUNDS; i++) {
        app_crunch((uint32_t)(own.id * 10 + i), 220);
        int small = allocate(&own, 0), large = allocate(&own, 1);
        app_crunch((uint32_t)i, 250);
        if (small >= 0 && i == 2)
            release_remote((own.id + 1) % THREADS, small);
        else if (small >= 0)
            release(&own, 0, small);
        if (large >= 0)
            release(&own, 1, large);
    }
    collect_remote(&own);
    for (int size = 0; size < SIZES; size++)
        give_back(&own, size);
    pthread_mutex_lock(&stats_lock);
    threads_up--;
    pthread_mutex_unlock(&stats_lock);
    return NULL;
}

static void *trim(void *unused)
{
    (void)unused;
    for (int i = 0; i < 2; i++) {
        app_crunch((uint32_t)i, 400);
        for (int size = 0; size < SIZES; size++) {
            pthread_mutex_lock(&central[size].lock);
            bool much = central[size].count > SPAN;
            pthread_mutex_unlock(&central[size].lock);
            if (much) {
                pthread_mutex_lock(&pool_lock);
                trimmed++;
                pthread_mutex_unlock(&pool_lock);
            }
        }
        pthread_mutex_lock(&stats_lock);
        assert(live >= 0 && live <= 2 * THREADS && peak <= 2 * THREADS);
        audits++;
        pthread_mutex_unlock(&stats_lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS], trimmer;
    for (int i = 0; i < SIZES; i++)
        pthread_mutex_init(&central[i].lock, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_mutex_init(&remote[i].lock, NULL);
    for (long i = 0; i < THREADS; i++)
        app_start(&thread[i], use, i);
    app_start(&trimmer, trim, 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    pthread_join(trimmer, NULL);
    int sum = central[0].count + central[1].count;
    for (int i = 0; i < THREADS; i++)
        sum += remote[i].count;
    assert(sum == spans * SPAN && live == 0 && threads_up == 0 && audits == 2 && next_block <= BLOCKS);
    return 0;
}
