// SPDX-License-Identifier: MIT
// hang_overwritten_flag.c - a client waits for a state that was overwritten before it looked.
//
// Shape: W(state)=READY W'(state)=CLOSED, then a loop until READY is seen.
// Why:   a single variable carries two facts, and the later one hides the earlier one.
//
// expect: hang|deadlock
// find: random within 50
// find: pct within 50
// cause: a:W(state)@hang_overwritten_flag.c:31 << b:R(state)@hang_overwritten_flag.c:40
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { STARTING, READY, CLOSED };

static atomic_int state = STARTING;

/* Private work that takes far longer than one look at the state. */
static unsigned calculate(unsigned x)
{
    for (int i = 0; i < 1000000; i++)
        x = x * 1103515245u + 12345u;
    return x;
}

static void *server(void *result)
{
    atomic_store(&state, READY);
    *(unsigned *)result = calculate(1);
    atomic_store(&state, CLOSED);
    return NULL;
}

int main(void)
{
    unsigned result = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, server, &result);
    while (atomic_load(&state) != READY)
        ;
    pthread_join(thread, NULL);
    return result == calculate(1) ? 0 : 1;
}
