// SPDX-License-Identifier: MIT
// work_stealing.c - owner and thief take the last task of a work-stealing queue.
//
// Shape: two-ended queue: R(top) by the owner, CAS(top) by the thief, no CAS by the owner on the last element.
// Why:   only when one element is left do the two ends meet; that case needs the same compare-and-swap on both sides.
//
// expect: assert
// find: random within 200
// find: pct within 500
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { TASKS = 3 };

static atomic_int top, bottom;
static atomic_int runs[TASKS];

static void run(int task)
{
    int before = atomic_fetch_add(&runs[task], 1);
    assert(before == 0);
}

static void push(void)
{
    atomic_fetch_add(&bottom, 1);
}

static int pop(void)
{
    int b = atomic_load(&bottom) - 1;
    atomic_store(&bottom, b);
    int t = atomic_load(&top);
    if (t <= b)
        return b; /* wrong when t == b: a thief may be taking it right now */
    atomic_store(&bottom, b + 1);
    return -1;
}

static int steal(void)
{
    int t = atomic_load(&top);
    int b = atomic_load(&bottom);
    if (t >= b || !atomic_compare_exchange_strong(&top, &t, t + 1))
        return -1;
    return t;
}

static void *thief(void *unused)
{
    (void)unused;
    for (int i = 0; i < 2; i++) {
        int task = steal();
        if (task >= 0)
            run(task);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;
    for (int i = 0; i < TASKS; i++)
        push();
    pthread_create(&thread, NULL, thief, NULL);
    for (int task = pop(); task >= 0; task = pop())
        run(task);
    pthread_join(thread, NULL);
    return 0;
}
