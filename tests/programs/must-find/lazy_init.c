// SPDX-License-Identifier: MIT
// lazy_init.c - a cache is made twice because two threads find it missing.
//
// Shape: check-then-act on a pointer: R(p)=NULL R'(p)=NULL W(p) W'(p).
// Why:   no lock at all around "make it if it is not there"; what the first one put in is lost.
//
// expect: assert
// find: random within 20
// find: pct within 100
// cause: a:R(cache)@lazy_init.c:29 << b:W(cache)@lazy_init.c:27
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct cache {
    atomic_int entries;
};

static _Atomic(struct cache *) cache;

static struct cache *cache_get(void)
{
    if (atomic_load(&cache) == NULL) {
        struct cache *made = malloc(sizeof *made);
        atomic_init(&made->entries, 0);
        atomic_store(&cache, made);
    }
    return atomic_load(&cache);
}

static void *insert(void *unused)
{
    (void)unused;
    atomic_fetch_add(&cache_get()->entries, 1);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, insert, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    int entries = atomic_load(&cache_get()->entries);
    assert(entries == 2);
    return 0;
}
