// SPDX-License-Identifier: MIT
// queue_two_producers.c - a linked queue whose enqueue sets the tail after the link, both without a lock.
//
// Shape: R(tail) R'(tail) W(tail->next) W'(tail->next): one of two elements falls out of the list.
// Why:   enqueue is written for one producer and called by two.
//
// expect: assert
// find: random within 20
// find: pct within 100
// cause: a:R(tail)@queue_two_producers.c:25 << b:W(tail)@queue_two_producers.c:27 << a:W(tail)@queue_two_producers.c:27
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    _Atomic(struct node *) next;
};

static struct node dummy;
static _Atomic(struct node *) tail = &dummy;

static void *enqueue(void *node)
{
    struct node *last = atomic_load(&tail);
    atomic_store(&last->next, node);
    atomic_store(&tail, node);
    return NULL;
}

static int length(void)
{
    int n = 0;
    for (struct node *node = atomic_load(&dummy.next); node != NULL; node = atomic_load(&node->next))
        n++;
    return n;
}

int main(void)
{
    static struct node node[2];
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, enqueue, &node[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    int n = length();
    assert(n == 2);
    return 0;
}
