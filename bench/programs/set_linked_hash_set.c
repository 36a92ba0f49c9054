// SPDX-License-Identifier: MIT
// set_linked_hash_set.c - a set keeps a table, and a list of its keys in their order, each under a lock of its own: one lags behind the other.
//
// Shape: LinkedHashSet (JDK 1.4.2, synchronised).  Nothing fails.
// expect: serializability
// run: --fail-on serializability
#include "set.h"

enum { SLOTS = 8 };

struct set {
    pthread_mutex_t whole, table_lock, order_lock;
    int present[SLOTS];
    int order[SLOTS];
    int length;
};

LIBRARY bool set_contains(struct set *s, int key)
{
    whole_begin(&s->whole);
    pthread_mutex_lock(&s->table_lock);
    bool found = s->present[key % SLOTS] == key;
    pthread_mutex_unlock(&s->table_lock);
    whole_end(&s->whole);
    return found;
}

// BUG: not a whole.
LIBRARY void set_add(struct set *s, int key)
{
    whole_begin(&s->whole);
    pthread_mutex_lock(&s->table_lock);
    bool is_new = s->present[key % SLOTS] == 0;
    if (is_new)
        s->present[key % SLOTS] = key;
    pthread_mutex_unlock(&s->table_lock);
    if (is_new) {
        pthread_mutex_lock(&s->order_lock);
        s->order[s->length++] = key;
        pthread_mutex_unlock(&s->order_lock);
    }
    whole_end(&s->whole);
}

// BUG: not a whole.
LIBRARY void set_remove(struct set *s, int key)
{
    whole_begin(&s->whole);
    pthread_mutex_lock(&s->order_lock);
    for (int i = 0; i < s->length; i++)
        if (s->order[i] == key) {
            s->order[i] = s->order[--s->length];
            break;
        }
    pthread_mutex_unlock(&s->order_lock);
    pthread_mutex_lock(&s->table_lock);
    if (s->present[key % SLOTS] == key)
        s->present[key % SLOTS] = 0;
    pthread_mutex_unlock(&s->table_lock);
    whole_end(&s->whole);
}

// How many keys of the list the table has.
LIBRARY int set_count_in_order(struct set *s)
{
    whole_begin(&s->whole);
    int count = 0;
    pthread_mutex_lock(&s->order_lock);
    for (int i = 0; i < s->length; i++)
        count += set_contains(s, s->order[i]);
    pthread_mutex_unlock(&s->order_lock);
    whole_end(&s->whole);
    return count;
}

static struct set words = {OBJECT_LOCK, OBJECT_LOCK, OBJECT_LOCK, {0}, {0}, 0};

static void *add_words(void *unused)
{
    (void)unused;
    set_add(&words, 1);
    set_add(&words, 2);
    work(WORK);
    return NULL;
}

static void *remove_words(void *unused)
{
    (void)unused;
    work(WORK);
    set_remove(&words, 2);
    set_remove(&words, 5);
    return NULL;
}

static void *count_words(void *unused)
{
    (void)unused;
    work(WORK * 2);
    set_count_in_order(&words);
    return NULL;
}

int main(void)
{
    set_add(&words, 5);
    const set_thread threads[] = {add_words, remove_words, count_words};
    set_run(3, threads);
    return 0;
}
