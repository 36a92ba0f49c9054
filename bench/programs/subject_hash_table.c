// SPDX-License-Identifier: MIT
// subject_hash_table.c - readers take no lock: one that has the mask of the old table and the entries of the new one does not find a key
// that has been there all the time.
//
// Shape: Hashtable (JDK 6), rehash; table resized while it is read, two variables.
// expect: assert
#include "subject.h"

enum { SMALL = 16, LARGE = 64, KEPT = 8, FREE = 0 };

struct entry {
    int key, value;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry small[SMALL], large[LARGE];
static struct entry *volatile entries = small; // each use reads them again
static volatile unsigned mask = SMALL - 1;
static int count, hits;

static unsigned hash(int key)
{
    return (unsigned)key * 13;
}

static struct entry *find(struct entry *in, unsigned bits, int key)
{
    unsigned at = hash(key) & bits;
    while (in[at].key != FREE && in[at].key != key)
        at = (at + 1) & bits;
    return &in[at];
}

static void grow(void)
{
    for (int i = 0; i < SMALL; i++)
        if (small[i].key != FREE)
            *find(large, LARGE - 1, small[i].key) = small[i];
    entries = large;
    mask = LARGE - 1;
}

static void table_put(int key, int value)
{
    call_begin();
    pthread_mutex_lock(&lock);
    if (count == SMALL - 2)
        grow();
    struct entry *entry = find(entries, mask, key);
    entry->value = value;
    entry->key = key;
    count++;
    pthread_mutex_unlock(&lock);
    call_end();
}

static int table_get(int key)
{
    call_begin();
    unsigned bits = mask;
    const struct entry *entry = find(entries, bits, key);
    int value = entry->key == key ? entry->value : -1;
    hits += value >= 0;
    call_end();
    return value;
}

static void *reader(void *unused)
{
    (void)unused;
    for (int key = 1; key <= KEPT; key++)
        assert(table_get(key * 3) == key);
    return NULL;
}

static void *writer(void *unused)
{
    (void)unused;
    for (int key = KEPT + 1; key <= SMALL; key++)
        table_put(key * 3, key);
    return NULL;
}

int main(void)
{
    for (int key = 1; key <= KEPT; key++)
        table_put(key * 3, key);
    subject_run(2, (subject_task[]){reader, writer});
    return 0;
}
