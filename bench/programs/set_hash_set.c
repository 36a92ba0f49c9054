// SPDX-License-Identifier: MIT
// set_hash_set.c - a set looks for a key, and adds it in a second step: it may have it twice, and count it twice.
//
// Shape: HashSet (JDK 1.4.2, synchronised).  Nothing fails.
// expect: serializability
// run: --fail-on serializability
#include "set.h"

enum { SLOTS = 8 };

struct set {
    pthread_mutex_t lock;
    int count;
    int keys[SLOTS];
    int used[SLOTS];
};

LIBRARY struct set *set_new(void)
{
    struct set *s = calloc(1, sizeof *s);
    object_lock_init(&s->lock);
    return s;
}

LIBRARY bool set_contains(struct set *s, int key)
{
    pthread_mutex_lock(&s->lock);
    bool found = false;
    for (int i = 0; i < SLOTS && !found; i++) {
        int slot = (key + i) % SLOTS;
        if (!s->used[slot])
            break;
        found = s->keys[slot] == key;
    }
    pthread_mutex_unlock(&s->lock);
    return found;
}

LIBRARY void set_insert(struct set *s, int key)
{
    pthread_mutex_lock(&s->lock);
    for (int i = 0; i < SLOTS; i++) {
        int slot = (key + i) % SLOTS;
        if (!s->used[slot]) {
            s->used[slot] = 1;
            s->keys[slot] = key;
            s->count++;
            break;
        }
    }
    pthread_mutex_unlock(&s->lock);
}

// BUG: not a whole.
LIBRARY bool set_add(struct set *s, int key)
{
    whole_begin(&s->lock);
    bool is_new = !set_contains(s, key);
    if (is_new)
        set_insert(s, key);
    whole_end(&s->lock);
    return is_new;
}

LIBRARY int set_count(struct set *s)
{
    pthread_mutex_lock(&s->lock);
    int count = s->count;
    pthread_mutex_unlock(&s->lock);
    return count;
}

LIBRARY void set_clear(struct set *s)
{
    pthread_mutex_lock(&s->lock);
    for (int i = 0; i < SLOTS; i++)
        s->used[i] = 0;
    s->count = 0;
    pthread_mutex_unlock(&s->lock);
}

// BUG: not a whole.
LIBRARY bool set_equals(struct set *s, struct set *other)
{
    whole_begin(&s->lock);
    whole_begin(&other->lock);
    bool equal = set_count(s) == set_count(other);
    for (int key = 1; key <= 3 && equal; key++)
        equal = set_contains(s, key) == set_contains(other, key);
    whole_end(&other->lock);
    whole_end(&s->lock);
    return equal;
}

static struct set *seen, *wanted;

static void *add_some(void *unused)
{
    (void)unused;
    set_add(seen, 1);
    set_add(seen, 2);
    work(WORK);
    return NULL;
}

static void *add_others(void *unused)
{
    (void)unused;
    work(WORK);
    set_add(seen, 2);
    set_add(seen, 9);
    return NULL;
}

static void *compare(void *unused)
{
    (void)unused;
    work(WORK / 2);
    set_equals(seen, wanted);
    set_clear(wanted);
    return NULL;
}

int main(void)
{
    seen = set_new();
    wanted = set_new();
    set_add(wanted, 1);
    const set_thread threads[] = {add_some, add_others, compare};
    set_run(3, threads);
    free(seen);
    free(wanted);
    return 0;
}
