// SPDX-License-Identifier: MIT
// pattern_msqueue.c - a Michael and Scott queue whose nodes are never freed before the end.
//
// expect: none
#include "correct.h"

#include <stdatomic.h>

struct node {
    int value;
    _Atomic(struct node *) next;
};
static struct node nodes[5];
static _Atomic(struct node *) head = &nodes[0], tail = &nodes[0];

static void enqueue(struct node *node)
{
    for (;;) {
        struct node *last = atomic_load(&tail), *next = atomic_load(&last->next);
        if (next != NULL) {
            atomic_compare_exchange_strong(&tail, &last, next);
        } else if (atomic_compare_exchange_strong(&last->next, &next, node)) {
            atomic_compare_exchange_strong(&tail, &last, node);
            return;
        }
    }
}

static int dequeue(void)
{
    for (;;) {
        struct node *first = atomic_load(&head), *last = atomic_load(&tail), *next = atomic_load(&first->next);
        if (next == NULL)
            return 0;
        if (first == last)
            atomic_compare_exchange_strong(&tail, &last, next);
        else if (atomic_compare_exchange_strong(&head, &first, next))
            return next->value;
    }
}

static void *produce(void *first)
{
    struct node *node = first;
    for (int i = 0; i < 2; i++)
        enqueue(&node[i]);
    return NULL;
}

int main(void)
{
    for (int i = 1; i < 5; i++)
        nodes[i].value = i;
    pthread_t a = start(produce, &nodes[1]), b = start(produce, &nodes[3]);
    int sum = dequeue();
    join(a);
    join(b);
    for (int x; (x = dequeue()) != 0;)
        sum += x;
    CHECK(sum == 10);
    return 0;
}
