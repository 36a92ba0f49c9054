// SPDX-License-Identifier: MIT
// aba_stack.c - a lock-free stack whose nodes come back: the classic ABA.
//
// Shape: R(top)=A, R(A.next)=B, others: pop A, pop B, push A; then CAS(top, A, B) succeeds and B is handed out twice.
// Why:   comparing the pointer does not tell that the stack below it has changed.
//
// expect: assert
// find: pct within 500
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { NODES = 3, NONE = -1 };

static atomic_int top = 0;
static atomic_int next[NODES] = {1, 2, NONE};
static atomic_int users[NODES];

static int pop(void)
{
    for (;;) {
        int node = atomic_load(&top);
        if (node == NONE)
            return NONE;
        int below = atomic_load(&next[node]);
        if (atomic_compare_exchange_strong(&top, &node, below))
            return node;
    }
}

static void push(int node)
{
    int below = atomic_load(&top);
    do
        atomic_store(&next[node], below);
    while (!atomic_compare_exchange_strong(&top, &below, node));
}

static int take(void)
{
    int node = pop();
    if (node != NONE) {
        int others = atomic_fetch_add(&users[node], 1);
        assert(others == 0);
    }
    return node;
}

static void give(int node)
{
    if (node == NONE)
        return;
    atomic_fetch_sub(&users[node], 1);
    push(node);
}

static void *borrow(void *unused)
{
    (void)unused;
    int a = take();
    int b = take();
    give(a);
    give(b);
    return NULL;
}

static void *swap(void *unused)
{
    (void)unused;
    int a = take();
    take(); /* kept for good */
    give(a);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, borrow, NULL);
    pthread_create(&two, NULL, swap, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
