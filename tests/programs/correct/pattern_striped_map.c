// SPDX-License-Identifier: MIT
// pattern_striped_map.c - a hash table with a lock per stripe; a resize takes all of them in order.
//
// expect: none
#include "correct.h"

enum { STRIPES = 2 };
static pthread_mutex_t locks[STRIPES] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int *buckets, length = 2, resizes;

static void add(int key)
{
    pthread_mutex_lock(&locks[key % STRIPES]);
    buckets[key % length] += key;
    pthread_mutex_unlock(&locks[key % STRIPES]);
}

static void resize(void)
{
    for (int i = 0; i < STRIPES; i++)
        pthread_mutex_lock(&locks[i]);
    int *larger = calloc((size_t)length * 2, sizeof *larger);
    for (int i = 0; i < length; i++)
        larger[i] = buckets[i];
    free(buckets);
    buckets = larger;
    length *= 2;
    resizes++;
    for (int i = STRIPES; i-- > 0;)
        pthread_mutex_unlock(&locks[i]);
}

static void *work(void *first)
{
    for (int i = 0; i < 3; i++)
        add((int)(intptr_t)first + i);
    return NULL;
}

int main(void)
{
    buckets = calloc((size_t)length, sizeof *buckets);
    pthread_t a = start(work, (void *)1), b = start(work, (void *)4);
    resize();
    join(a);
    join(b);
    int sum = 0;
    for (int i = 0; i < length; i++)
        sum += buckets[i];
    CHECK(sum == 21 && resizes == 1);
    free(buckets);
    return 0;
}
