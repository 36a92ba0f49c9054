// SPDX-License-Identifier: MIT
// asm_aba_stack.c - a stack of indices whose top is exchanged by `lock cmpxchg`: a node comes back, and the exchange succeeds.
//
// Shape: R(top)=A, R(A.next)=B, the other: pop A, pop B, push A; then the exchange of A for B succeeds.
// Why:   comparing the index does not tell that the stack below it has changed.
//
// expect: assert
// find: pct within 1000
// tsan: no (inline assembler)
#include "../asm_x86.h"

#include <assert.h>
#include <pthread.h>

enum { NODES = 3, NONE = -1 };

static int top = 0, next[NODES] = {1, 2, NONE}, users[NODES];

static int pop(void)
{
    for (;;) {
        int node = asm_load(&top);
        if (node == NONE)
            return NONE;
        int below = asm_load(&next[node]);
        if (asm_compare_exchange(&top, node, below))
            return node;
    }
}

static void push(int node)
{
    int below;
    do {
        below = asm_load(&top);
        asm_store(&next[node], below);
    } while (!asm_compare_exchange(&top, below, node));
}

static void use(int node)
{
    assert(asm_fetch_add(&users[node], 1) == 0);
}

static void *taker(void *unused)
{
    int node = pop();
    if (node != NONE)
        use(node);
    return unused;
}

static void *swapper(void *unused)
{
    int first = pop(), second = pop();
    if (second != NONE)
        use(second);
    if (first != NONE)
        push(first);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, taker, NULL);
    pthread_create(&b, NULL, swapper, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    int node;
    while ((node = pop()) != NONE)
        use(node);
    return 0;
}
