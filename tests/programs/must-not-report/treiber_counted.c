// SPDX-License-Identifier: MIT
// treiber_counted.c - a lock-free stack whose top carries a change counter, so that a node that comes back is noticed.
//
// expect: none
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

enum { NODES = 3, NONE = 0xffff };

static atomic_uint_least64_t top; /* low 16 bits: node; the rest counts changes */
static atomic_uint next[NODES];
static int user[NODES]; /* plain: the thread that has popped the node owns it */

static int pop(void)
{
    uint_least64_t old = atomic_load(&top);
    for (;;) {
        unsigned node = (unsigned)(old & 0xffff);
        if (node == NONE)
            return -1;
        uint_least64_t below = atomic_load(&next[node]);
        if (atomic_compare_exchange_weak(&top, &old, (((old >> 16) + 1) << 16) | below))
            return (int)node;
    }
}

static void push(int node)
{
    uint_least64_t old = atomic_load(&top);
    do
        atomic_store(&next[node], (unsigned)(old & 0xffff));
    while (!atomic_compare_exchange_weak(&top, &old, (((old >> 16) + 1) << 16) | (uint_least64_t)node));
}

static void *work(void *unused)
{
    (void)unused;
    for (int i = 0; i < 2; i++) {
        int a = pop(), b = pop();
        if (a >= 0)
            assert(++user[a] == 1);
        if (b >= 0)
            assert(++user[b] == 1);
        if (a >= 0) {
            user[a]--;
            push(a);
        }
        if (b >= 0) {
            user[b]--;
            push(b);
        }
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    atomic_store(&top, NONE);
    for (int i = 0; i < NODES; i++)
        push(i);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    int left = 0;
    while (pop() >= 0)
        left++;
    assert(left == NODES);
    return 0;
}
