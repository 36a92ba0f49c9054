// SPDX-License-Identifier: MIT
// low_heap.c - a program at fixed low addresses keeps addresses of heap blocks in 32 bits.
//
// Shape: without PIE the heap lies right after the program's own data, natively and here; sbrk has room, too.
//
// expect: none
// build: -no-pie
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

struct node {
    int value;
    int next; /* an address */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int head;

static struct node *node_at(int address)
{
    return (struct node *)(intptr_t)address;
}

static void push(struct node *node, int value)
{
    node->value = value;
    pthread_mutex_lock(&lock);
    node->next = head;
    head = (int)(intptr_t)node;
    pthread_mutex_unlock(&lock);
}

static void *worker(void *node)
{
    push(node, 2);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    char *end = sbrk(1 << 20);
    assert(end != (char *)-1);
    end[(1 << 20) - 1] = 1;
    push(malloc(sizeof(struct node)), 1);
    pthread_create(&thread, NULL, worker, calloc(1, sizeof(struct node)));
    for (int i = 0; i < 100; i++)
        push(malloc(sizeof(struct node)), 3);
    pthread_join(thread, NULL);
    int sum = 0;
    while (head != 0) {
        struct node *node = node_at(head);
        sum += node->value;
        head = node->next;
        free(node);
    }
    assert(sum == 303);
    return 0;
}
