// SPDX-License-Identifier: MIT
// subject_segmented_map.c - a map in segments with a lock each: a value that is being moved from one segment to another is always in one of
// them, but a search that takes the segments one by one misses it.
//
// Shape: ConcurrentHashMap.containsValue (JDK 6); two locations, all accesses under locks.
// expect: assert
#include "subject.h"

enum { SEGMENTS = 4, SLOTS = 4 };

static struct segment {
    pthread_mutex_t lock;
    int count, key[SLOTS], value[SLOTS];
} segment[SEGMENTS];

static struct segment *segment_of(int key)
{
    return &segment[key % SEGMENTS];
}

static void insert(int key, int value)
{
    struct segment *own = segment_of(key);
    pthread_mutex_lock(&own->lock);
    own->key[own->count] = key;
    own->value[own->count++] = value;
    pthread_mutex_unlock(&own->lock);
}

static void erase(int key)
{
    struct segment *own = segment_of(key);
    pthread_mutex_lock(&own->lock);
    for (int i = 0; i < own->count; i++)
        if (own->key[i] == key) {
            own->count--;
            own->key[i] = own->key[own->count];
            own->value[i] = own->value[own->count];
        }
    pthread_mutex_unlock(&own->lock);
}

static void map_put(int key, int value)
{
    call_begin();
    insert(key, value);
    call_end();
}

static void map_move(int key, int new_key, int value)
{
    call_begin();
    insert(new_key, value);
    erase(key);
    call_end();
}

static bool map_has_value(int value)
{
    bool found = false;
    call_begin();
    for (int s = 0; s < SEGMENTS && !found; s++) {
        pthread_mutex_lock(&segment[s].lock);
        for (int i = 0; i < segment[s].count; i++)
            found |= segment[s].value[i] == value;
        pthread_mutex_unlock(&segment[s].lock);
    }
    call_end();
    return found;
}

static void *search(void *unused)
{
    (void)unused;
    assert(!map_has_value(99));
    assert(map_has_value(70));
    return NULL;
}

static void *change(void *unused)
{
    (void)unused;
    map_put(5, 50);
    map_put(10, 100);
    map_move(7, 4, 70);
    return NULL;
}

int main(void)
{
    for (int i = 0; i < SEGMENTS; i++)
        pthread_mutex_init(&segment[i].lock, NULL);
    for (int key = 1; key < 8; key += 2)
        map_put(key, 10 * key);
    subject_run(2, (subject_task[]){search, change});
    return 0;
}
