// SPDX-License-Identifier: MIT
// set_linked_list.c - an array is made as long as the list was a moment ago; an element that is moved is in no list for a while.
//
// Shape: LinkedList (JDK 1.4.2, synchronised).
// expect: assert
#include "set.h"

struct node {
    struct node *next;
    int value;
};

struct list {
    pthread_mutex_t lock;
    struct node *first, *last;
    int size;
};

LIBRARY int list_size(struct list *l)
{
    pthread_mutex_lock(&l->lock);
    int size = l->size;
    pthread_mutex_unlock(&l->lock);
    return size;
}

LIBRARY void list_push(struct list *l, struct node *node)
{
    pthread_mutex_lock(&l->lock);
    node->next = NULL;
    if (l->last != NULL)
        l->last->next = node;
    else
        l->first = node;
    l->last = node;
    l->size++;
    pthread_mutex_unlock(&l->lock);
}

LIBRARY struct node *list_pop(struct list *l)
{
    pthread_mutex_lock(&l->lock);
    struct node *node = l->first;
    if (node != NULL) {
        l->first = node->next;
        if (l->first == NULL)
            l->last = NULL;
        l->size--;
    }
    pthread_mutex_unlock(&l->lock);
    return node;
}

// BUG: the size may not be the one of the list that is copied.
LIBRARY int list_to_array(struct list *l, int *values, int most)
{
    whole_begin(&l->lock);
    int size = list_size(l), count = 0;
    assert(size <= most);
    pthread_mutex_lock(&l->lock);
    for (struct node *node = l->first; node != NULL; node = node->next) {
        assert(count < size);
        values[count++] = node->value;
    }
    pthread_mutex_unlock(&l->lock);
    whole_end(&l->lock);
    return count;
}

// BUG: the last element may be another one by then.
LIBRARY void list_rotate(struct list *l)
{
    whole_begin(&l->lock);
    struct node *node = list_pop(l);
    if (node != NULL)
        list_push(l, node);
    whole_end(&l->lock);
}

LIBRARY int list_sum(struct list *l)
{
    pthread_mutex_lock(&l->lock);
    int sum = l->size;
    for (struct node *node = l->first; node != NULL; node = node->next)
        sum += node->value;
    pthread_mutex_unlock(&l->lock);
    return sum;
}

static struct list jobs = {OBJECT_LOCK, NULL, NULL, 0};
static struct node nodes[4];

static void *copy_jobs(void *unused)
{
    (void)unused;
    int values[8];
    list_to_array(&jobs, values, 8);
    list_rotate(&jobs);
    work(WORK);
    return NULL;
}

static void *add_job(void *unused)
{
    (void)unused;
    work(WORK);
    list_push(&jobs, &nodes[3]);
    list_sum(&jobs);
    return NULL;
}

static void *take_job(void *unused)
{
    (void)unused;
    work(WORK);
    list_pop(&jobs);
    list_sum(&jobs);
    return NULL;
}

int main(void)
{
    for (int i = 0; i < 3; i++)
        list_push(&jobs, &nodes[i]);
    const set_thread threads[] = {copy_jobs, add_job, take_job};
    set_run(3, threads);
    return 0;
}
