// SPDX-License-Identifier: MIT
// asm_stack_pair.c - a stack whose top is a pointer with a count beside it, exchanged by cmpxchg16b: no ABA.
//
// expect: none
// tsan: no (inline assembler)
#include "../asm_x86.h"

#include <assert.h>
#include <pthread.h>
#include <stddef.h>

struct node {
    struct node *next;
    int users;
};

struct top {
    struct node *node;
    uint64_t count;
} __attribute__((aligned(16)));

static struct node nodes[3];
static struct top top;

static bool exchange(struct top *expected, struct top desired)
{
    bool done;
    __asm__ volatile("lock; cmpxchg16b %0\n\tsetz %1"
                     : "+m"(top), "=q"(done), "+a"(expected->node), "+d"(expected->count)
                     : "b"(desired.node), "c"(desired.count)
                     : "memory", "cc");
    return done;
}

static struct node *pop(void)
{
    struct top seen = {NULL, 0};
    exchange(&seen, seen); /* reads both at once */
    while (seen.node != NULL) {
        struct node *next;
        __asm__ volatile("movq %1, %0" : "=r"(next) : "m"(seen.node->next) : "memory");
        if (exchange(&seen, (struct top){next, seen.count + 1}))
            return seen.node;
    }
    return NULL;
}

static void push(struct node *node)
{
    struct top seen = {NULL, 0};
    exchange(&seen, seen);
    do
        __asm__ volatile("movq %1, %0" : "=m"(node->next) : "r"(seen.node) : "memory");
    while (!exchange(&seen, (struct top){node, seen.count + 1}));
}

static void *work(void *unused)
{
    struct node *first = pop(), *second = pop();
    for (int i = 0; i < 2; i++) {
        struct node *node = i == 0 ? first : second;
        if (node == NULL)
            continue;
        assert(asm_fetch_add(&node->users, 1) == 0);
        asm_fetch_add(&node->users, -1);
        push(node);
    }
    return unused;
}

int main(void)
{
    pthread_t a, b;
    for (int i = 0; i < 3; i++)
        push(&nodes[i]);
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    int left = 0;
    while (pop() != NULL)
        left++;
    assert(left == 3);
    return 0;
}
