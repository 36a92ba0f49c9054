// SPDX-License-Identifier: MIT
// app_cache.c - correct: a cache in shards, each with its own lock and clock hand; a janitor throws out what is old, one thread makes
// the cache larger once, another one asks for totals; at the end everything is cleared.
#include "app.h"

enum { SHARDS = 2, SLOTS = 4, CLIENTS = 3, CALLS = 6 };

static struct shard {
    pthread_mutex_t lock;
    struct {
        int key, value;
        bool used, recent;
    } slot[SLOTS];
    int room, hand, hits, misses, evicted;
} shard[SHARDS];

static pthread_mutex_t totals_lock = PTHREAD_MUTEX_INITIALIZER;
static int calls, loads, resizes, reports, expired;
static pthread_mutex_t life_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_gone = PTHREAD_COND_INITIALIZER;
static int clients;

static int find(const struct shard *own, int key)
{
    for (int i = 0; i < own->room; i++)
        if (own->slot[i].used && own->slot[i].key == key)
            return i;
    return -1;
}

static int make_room(struct shard *own)
{
    for (int i = 0; i < own->room; i++)
        if (!own->slot[i].used)
            return i;
    while (own->slot[own->hand].recent) {
        own->slot[own->hand].recent = false;
        own->hand = (own->hand + 1) % own->room;
    }
    own->evicted++;
    return own->hand;
}

static bool look_up(int key, int *value)
{
    struct shard *own = &shard[key % SHARDS];
    pthread_mutex_lock(&own->lock);
    int at = find(own, key);
    if (at >= 0) {
        own->slot[at].recent = true;
        *value = own->slot[at].value;
        own->hits++;
    } else {
        own->misses++;
    }
    pthread_mutex_unlock(&own->lock);
    return at >= 0;
}

static void insert(int key, int value)
{
    struct shard *own = &shard[key % SHARDS];
    pthread_mutex_lock(&own->lock);
    int at = find(own, key);
    if (at < 0)
        at = make_room(own);
    own->slot[at].key = key;
    own->slot[at].value = value;
    own->slot[at].used = own->slot[at].recent = true;
    pthread_mutex_unlock(&own->lock);
}

static void forget(int key)
{
    struct shard *own = &shard[key % SHARDS];
    pthread_mutex_lock(&own->lock);
    int at = find(own, key);
    if (at >= 0)
        own->slot[at].used = false;
    pthread_mutex_unlock(&own->lock);
}

static void *use(void *argument)
{
    int client = (int)(long)argument;
    pthread_mutex_lock(&life_lock);
    clients++;
    pthread_mutex_unlock(&life_lock);
    for (int i = 0; i < CALLS; i++) {
        int key = (client * 2 + i) % 7, value = 0;
        app_crunch((uint32_t)key, 200);
        bool hit = look_up(key, &value);
        assert(!hit || value == key * 10);
        if (!hit) {
            app_crunch((uint32_t)key, 250);
            insert(key, key * 10);
        }
        if (i == 3)
            forget(key);
        pthread_mutex_lock(&totals_lock);
        calls++;
        loads += !hit;
        pthread_mutex_unlock(&totals_lock);
    }
    pthread_mutex_lock(&life_lock);
    if (--clients == 0)
        pthread_cond_signal(&all_gone);
    pthread_mutex_unlock(&life_lock);
    return NULL;
}

static void *keep_clean(void *unused)
{
    (void)unused;
    for (int round = 0; round < 2; round++)
        for (int s = 0; s < SHARDS; s++) {
            app_crunch((uint32_t)(round + s), 200);
            int gone = 0;
            pthread_mutex_lock(&shard[s].lock);
            for (int i = 0; i < shard[s].room; i++)
                if (shard[s].slot[i].used && !shard[s].slot[i].recent) {
                    shard[s].slot[i].used = false;
                    gone++;
                }
            pthread_mutex_unlock(&shard[s].lock);
            pthread_mutex_lock(&totals_lock);
            expired += gone;
            pthread_mutex_unlock(&totals_lock);
        }
    return NULL;
}

static void *resize_once(void *unused)
{
    (void)unused;
    app_crunch(1, 400);
    for (int s = 0; s < SHARDS; s++) {
        pthread_mutex_lock(&shard[s].lock);
        shard[s].room = SLOTS;
        pthread_mutex_unlock(&shard[s].lock);
        app_crunch((uint32_t)s, 250);
    }
    pthread_mutex_lock(&totals_lock);
    resizes++;
    pthread_mutex_unlock(&totals_lock);
    for (int i = 0; i < 2; i++) {
        app_crunch((uint32_t)i, 250);
        int sum = 0;
        for (int s = 0; s < SHARDS; s++) {
            pthread_mutex_lock(&shard[s].lock);
            sum += shard[s].hits + shard[s].misses;
            pthread_mutex_unlock(&shard[s].lock);
        }
        pthread_mutex_lock(&totals_lock);
        reports++;
        assert(sum <= CLIENTS * CALLS && calls <= CLIENTS * CALLS);
        pthread_mutex_unlock(&totals_lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t client[CLIENTS], janitor, other;
    for (int s = 0; s < SHARDS; s++) {
        pthread_mutex_init(&shard[s].lock, NULL);
        shard[s].room = SLOTS / 2;
    }
    app_start(&janitor, keep_clean, 0);
    for (long i = 0; i < CLIENTS; i++)
        app_start(&client[i], use, i);
    app_start(&other, resize_once, 0);
    for (int i = 0; i < CLIENTS; i++)
        pthread_join(client[i], NULL);
    pthread_mutex_lock(&life_lock);
    while (clients > 0)
        pthread_cond_wait(&all_gone, &life_lock);
    pthread_mutex_unlock(&life_lock);
    for (int s = 0; s < SHARDS; s++) {
        pthread_mutex_lock(&shard[s].lock);
        memset(shard[s].slot, 0, sizeof shard[s].slot);
        pthread_mutex_unlock(&shard[s].lock);
    }
    pthread_join(janitor, NULL);
    pthread_join(other, NULL);
    assert(calls == CLIENTS * CALLS && loads <= calls && reports == 2 && resizes == 1);
    return 0;
}
