// SPDX-License-Identifier: MIT
// pattern_lru_cache.c - a cache of two places that forgets what was used longest ago, under a lock.
//
// expect: none
#include "correct.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    int key, value;
    unsigned used;
} places[2];
static unsigned ticks;
static int misses;

static int get(int key)
{
    pthread_mutex_lock(&lock);
    int at = places[0].key == key ? 0 : places[1].key == key ? 1 : -1;
    if (at < 0) {
        at = places[0].used > places[1].used;
        places[at].key = key;
        places[at].value = key * key;
        misses++;
    }
    places[at].used = ++ticks;
    int value = places[at].value;
    pthread_mutex_unlock(&lock);
    return value;
}

static void *work(void *unused)
{
    (void)unused;
    for (int key = 1; key <= 3; key++)
        CHECK(get(key) == key * key);
    return NULL;
}

int main(void)
{
    pthread_t a = start(work, NULL), b = start(work, NULL);
    join(a);
    join(b);
    CHECK(misses >= 3 && misses <= 6);
    return 0;
}
