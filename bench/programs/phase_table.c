// SPDX-License-Identifier: MIT
// phase_table.c - correct: a table under a readers-writer lock: insert, read, resize, rehash, remove, count; readers keep statistics.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "cover.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int *slot, room = 2, count, version, resizes, removed;
static atomic_int reads, found, late;

static int *probe(int key)
{
    for (int i = 0; i < room; i++)
        if (slot[(key + i) % room] == key || slot[(key + i) % room] == 0)
            return &slot[(key + i) % room];
    return NULL;
}

static void resize(int to)
{
    int *old = slot, before = room;
    slot = calloc((size_t)to, sizeof *slot);
    if (slot == NULL)
        abort();
    room = to;
    for (int i = 0; i < before; i++)
        if (old[i] != 0)
            *probe(old[i]) = old[i];
    resizes++;
    free(old);
}

static void insert(int key)
{
    pthread_rwlock_wrlock(&lock);
    if (count + 1 >= room)
        resize(2 * room);
    int *at = probe(key);
    if (*at == 0) {
        *at = key;
        count++;
    }
    version++;
    pthread_rwlock_unlock(&lock);
}

static int has(int key)
{
    pthread_rwlock_rdlock(&lock);
    const int *at = probe(key);
    int there = at != NULL && *at == key;
    pthread_rwlock_unlock(&lock);
    atomic_fetch_add(&reads, 1);
    if (there)
        atomic_fetch_add(&found, 1);
    return there;
}

static int is_older(int than)
{
    pthread_rwlock_rdlock(&lock);
    int older = version < than;
    pthread_rwlock_unlock(&lock);
    if (!older)
        atomic_store(&late, 1);
    return older;
}

static void rebuild_without(int key)
{
    pthread_rwlock_wrlock(&lock);
    int *at = probe(key);
    if (at != NULL && *at == key) {
        *at = 0;
        count--;
        removed++;
        resize(room);
    }
    version++;
    pthread_rwlock_unlock(&lock);
}

static void *change(void *argument)
{
    int base = argument == NULL ? 1 : 5;
    insert(base);
    cover_work(10);
    insert(base + 1);
    cover_work(10);
    if (has(base + 2) == 0)
        insert(base + 2);
    cover_work(10);
    rebuild_without(base);
    cover_work(10);
    insert(base + 3);
    assert(has(base + 3));
    return NULL;
}

static void *look(void *unused)
{
    (void)unused;
    has(1);
    cover_work(12);
    if (is_older(3))
        has(6);
    cover_work(12);
    if (atomic_load(&late))
        has(3);
    cover_work(12);
    pthread_rwlock_rdlock(&lock);
    int full = count == room;
    pthread_rwlock_unlock(&lock);
    assert(!full);
    is_older(8);
    return NULL;
}

int main(void)
{
    pthread_t thread[4];
    slot = calloc((size_t)room, sizeof *slot);
    if (slot == NULL)
        abort();
    for (int i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, i < 2 ? change : look, i % 2 == 0 ? NULL : thread);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    assert(count == 6 && removed == 2 && atomic_load(&found) <= atomic_load(&reads));
    free(slot);
    return 0;
}
