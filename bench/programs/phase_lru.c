// SPDX-License-Identifier: MIT
// phase_lru.c - correct: a cache that throws out what was used least recently: warm up, look up, update, evict, flush, audit.
#include <assert.h>
#include <pthread.h>

#include "cover.h"

enum { USERS = 3, ROOM = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    int key, value, used;
} entry[ROOM];
static int count, now, hits, misses, evictions, dirty, flushed, audits;

static int find(int key)
{
    for (int i = 0; i < count; i++)
        if (entry[i].key == key)
            return i;
    return -1;
}

static int slot_for(int key)
{
    int at = find(key);
    if (at < 0 && count < ROOM)
        at = count++;
    if (at < 0) {
        at = 0;
        for (int i = 1; i < ROOM; i++)
            if (entry[i].used < entry[at].used)
                at = i;
        evictions++;
    }
    entry[at].key = key;
    return at;
}

static void warm_up(int user)
{
    pthread_mutex_lock(&lock);
    int at = slot_for(user);
    entry[at].value = user;
    entry[at].used = now++;
    pthread_mutex_unlock(&lock);
}

static int look_up(int key)
{
    pthread_mutex_lock(&lock);
    int at = find(key), value = -1;
    if (at >= 0) {
        hits++;
        entry[at].used = now++;
        value = entry[at].value;
    } else {
        misses++;
    }
    pthread_mutex_unlock(&lock);
    return value;
}

static void update(int key, int value)
{
    pthread_mutex_lock(&lock);
    int at = find(key);
    if (at < 0)
        at = slot_for(key);
    entry[at].value = value;
    dirty++;
    pthread_mutex_unlock(&lock);
}

static void evict(void)
{
    pthread_mutex_lock(&lock);
    if (count > 1) {
        entry[0] = entry[count - 1];
        count--;
        evictions++;
    }
    pthread_mutex_unlock(&lock);
}

static void flush(void)
{
    pthread_mutex_lock(&lock);
    flushed += dirty;
    dirty = 0;
    pthread_mutex_unlock(&lock);
}

static void audit(void)
{
    pthread_mutex_lock(&lock);
    assert(count <= ROOM && hits + misses <= 2 * USERS);
    audits++;
    pthread_mutex_unlock(&lock);
}

static void *use(void *argument)
{
    int user = (int)(long)argument;
    warm_up(user);
    cover_work(12);
    look_up((user + 1) % USERS);
    cover_work(12);
    update(user + 10, user);
    cover_work(12);
    evict();
    cover_work(12);
    look_up(user + 10);
    cover_work(12);
    flush();
    cover_work(12);
    audit();
    return NULL;
}

int main(void)
{
    pthread_t thread[USERS];
    for (long i = 0; i < USERS; i++)
        pthread_create(&thread[i], NULL, use, (void *)i);
    for (int i = 0; i < USERS; i++)
        pthread_join(thread[i], NULL);
    assert(audits == USERS && flushed == USERS && dirty == 0);
    return 0;
}
