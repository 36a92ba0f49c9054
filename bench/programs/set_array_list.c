// SPDX-License-Identifier: MIT
// set_array_list.c - calls over a whole list ask for its size, then for one element after the other, each under the lock.
//
// Shape: ArrayList (JDK 1.4.2, synchronised).
// expect: assert
#include "set.h"

enum { MOST = 16 };

struct list {
    pthread_mutex_t lock;
    int size, changes;
    int items[MOST];
};

LIBRARY int list_size(struct list *l)
{
    pthread_mutex_lock(&l->lock);
    int size = l->size;
    pthread_mutex_unlock(&l->lock);
    return size;
}

LIBRARY int list_get(struct list *l, int index)
{
    pthread_mutex_lock(&l->lock);
    assert(index < l->size);
    int item = l->items[index];
    pthread_mutex_unlock(&l->lock);
    return item;
}

LIBRARY void list_add(struct list *l, int item)
{
    pthread_mutex_lock(&l->lock);
    if (l->size < MOST)
        l->items[l->size++] = item;
    l->changes++;
    pthread_mutex_unlock(&l->lock);
}

LIBRARY void list_remove_last(struct list *l)
{
    pthread_mutex_lock(&l->lock);
    if (l->size > 0)
        l->size--;
    l->changes++;
    pthread_mutex_unlock(&l->lock);
}

LIBRARY void list_clear(struct list *l)
{
    pthread_mutex_lock(&l->lock);
    memset(l->items, 0, sizeof l->items);
    l->size = 0;
    l->changes++;
    pthread_mutex_unlock(&l->lock);
}

LIBRARY bool list_contains(struct list *l, int item)
{
    pthread_mutex_lock(&l->lock);
    bool found = false;
    for (int i = 0; i < l->size && !found; i++)
        found = l->items[i] == item;
    pthread_mutex_unlock(&l->lock);
    return found;
}

// BUG: not a whole.
LIBRARY void list_add_all(struct list *l, struct list *other)
{
    whole_begin(&l->lock);
    whole_begin(&other->lock);
    int count = list_size(other);
    for (int i = 0; i < count; i++)
        list_add(l, list_get(other, i));
    whole_end(&other->lock);
    whole_end(&l->lock);
}

// BUG: not a whole.
LIBRARY bool list_contains_all(struct list *l, struct list *other)
{
    whole_begin(&l->lock);
    whole_begin(&other->lock);
    bool all = true;
    for (int i = 0; i < list_size(other) && all; i++)
        all = list_contains(l, list_get(other, i));
    whole_end(&other->lock);
    whole_end(&l->lock);
    return all;
}

static struct list names = {OBJECT_LOCK, 3, 0, {1, 2, 3}}, more = {OBJECT_LOCK, 2, 0, {2, 3}};

static void *read_all(void *unused)
{
    (void)unused;
    list_contains_all(&names, &more);
    list_add_all(&names, &more);
    work(WORK);
    return NULL;
}

static void *change(void *unused)
{
    (void)unused;
    work(WORK);
    list_add(&more, 4);
    list_remove_last(&more);
    list_clear(&more);
    return NULL;
}

static void *change_first(void *unused)
{
    (void)unused;
    work(WORK / 2);
    list_remove_last(&names);
    list_add(&names, 7);
    return NULL;
}

int main(void)
{
    const set_thread threads[] = {read_all, change, change_first};
    set_run(3, threads);
    return 0;
}
