// SPDX-License-Identifier: MIT
// pattern_hand_over_hand.c - a sorted list with a lock in each node, locked hand over hand.
//
// expect: none
#include "correct.h"

struct node {
    pthread_mutex_t lock;
    int key;
    struct node *next;
};
static struct node last = {PTHREAD_MUTEX_INITIALIZER, 1000, NULL}, first = {PTHREAD_MUTEX_INITIALIZER, 0, &last};

static void insert(int key)
{
    struct node *node = malloc(sizeof *node), *at = &first;
    pthread_mutex_init(&node->lock, NULL);
    node->key = key;
    pthread_mutex_lock(&at->lock);
    for (;;) {
        struct node *next = at->next;
        pthread_mutex_lock(&next->lock);
        if (next->key >= key) {
            node->next = next;
            at->next = node;
            pthread_mutex_unlock(&next->lock);
            pthread_mutex_unlock(&at->lock);
            return;
        }
        pthread_mutex_unlock(&at->lock);
        at = next;
    }
}

static void *work(void *start_key)
{
    for (int i = 0; i < 3; i++)
        insert((int)(intptr_t)start_key + 2 * i);
    return NULL;
}

int main(void)
{
    pthread_t a = start(work, (void *)1), b = start(work, (void *)2);
    join(a);
    join(b);
    int expected = 1;
    for (struct node *node = first.next, *next; node != &last; node = next) {
        next = node->next;
        CHECK(node->key == expected++);
        pthread_mutex_destroy(&node->lock);
        free(node);
    }
    CHECK(expected == 7);
    return 0;
}
