// buffer_pool.c - a lock-free list of free buffers: the head is exchanged by compare and swap.
//
// kind: ABA
// expect: abort
// wrong: pool_get() reads head and next and then exchanges the head; another thread took that buffer and the next one and gave the
//        first one back, so the exchange succeeds and makes a buffer that is in use the head: two threads have it
// where: pool_get pool_put
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define BUFFERS 3
#define NONE    (-1)

struct buffer {
    atomic_int next;
    atomic_int owner;
    char bytes[16];
};

static struct buffer buffers[BUFFERS];
static atomic_int head;

static void pool_fill(void)
{
    for (int i = 0; i < BUFFERS; i++)
        atomic_store(&buffers[i].next, i + 1 < BUFFERS ? i + 1 : NONE);
    atomic_store(&head, 0);
}

static int pool_get(void)
{
    int first = atomic_load(&head);
    while (first != NONE) {
        int next = atomic_load(&buffers[first].next);
        if (atomic_compare_exchange_strong(&head, &first, next))
            return first;
    }
    return NONE;
}

static void pool_put(int buffer)
{
    int first = atomic_load(&head);
    do
        atomic_store(&buffers[buffer].next, first);
    while (!atomic_compare_exchange_strong(&head, &first, buffer));
}

static void buffer_take(int buffer, int owner)
{
    if (atomic_exchange(&buffers[buffer].owner, owner) != 0) {
        fprintf(stderr, "buffer %d has two owners\n", buffer);
        abort();
    }
}

static void buffer_give(int buffer)
{
    atomic_store(&buffers[buffer].owner, 0);
    pool_put(buffer);
}

static void *reader(void *arg)
{
    int me = *(int *)arg;
    int mine[2];
    for (int i = 0; i < 2; i++) {
        mine[i] = pool_get();
        if (mine[i] == NONE)
            continue;
        buffer_take(mine[i], me);
        buffers[mine[i]].bytes[0] = (char)me;
    }
    for (int i = 0; i < 2; i++)
        if (mine[i] != NONE)
            buffer_give(mine[i]);
    return NULL;
}

static void *copier(void *arg)
{
    int me = *(int *)arg;
    int from = pool_get();
    if (from == NONE)
        return NULL;
    buffer_take(from, me);
    int to = pool_get();
    if (to != NONE)
        buffer_take(to, me);
    buffer_give(from);
    if (to != NONE) {
        buffers[to].bytes[0] = (char)me;
        buffer_give(to);
    }
    return NULL;
}

int main(void)
{
    int numbers[2] = {1, 2};
    pthread_t a, b;
    pool_fill();
    pthread_create(&a, NULL, reader, &numbers[0]);
    pthread_create(&b, NULL, copier, &numbers[1]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
