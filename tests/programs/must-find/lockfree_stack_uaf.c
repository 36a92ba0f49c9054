// SPDX-License-Identifier: MIT
// lockfree_stack_uaf.c - a lock-free stack frees a node that another pop is still looking at.
//
// Shape: R(top)=n, free'(n), R(n->next).
// Why:   the compare-and-swap is right, but memory reclamation is missing: it is not known which threads still read the node.
//
// expect: use-after-free|double-free
// find: random within 100
// find: pct within 200
// cause: a:free(node)@lockfree_stack_uaf.c:39 << b:R(node)@lockfree_stack_uaf.c:34
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int value;
};

static _Atomic(struct node *) top;

static void push(int value)
{
    struct node *node = malloc(sizeof *node);
    node->value = value;
    node->next = atomic_load(&top);
    while (!atomic_compare_exchange_weak(&top, &node->next, node))
        ;
}

static int pop(void)
{
    struct node *node = atomic_load(&top);
    while (node != NULL && !atomic_compare_exchange_strong(&top, &node, node->next))
        ;
    if (node == NULL)
        return 0;
    int value = node->value;
    free(node);
    return value;
}

static void *consume(void *sum)
{
    *(int *)sum = pop();
    return NULL;
}

int main(void)
{
    int sum[2];
    pthread_t thread[2];
    push(1);
    push(2);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, consume, &sum[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return sum[0] + sum[1] == 3 ? 0 : 1;
}
