// SPDX-License-Identifier: MIT
// order_publish_before_fill.c - a message is announced before its body has been written.
//
// Shape: order violation between two variables, W(ready) R(ready) R(body) W(body).
// Why:   the two lines of the sender are in the wrong order; the reader does everything right.
//
// expect: assert
// find: random within 200
// find: pct within 500
// cause: a:R(body)@order_publish_before_fill.c:31 << b:W(body)@order_publish_before_fill.c:23
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int ready;
static _Atomic(int) body;

static void *send_message(void *unused)
{
    (void)unused;
    atomic_store(&ready, 1); /* should be the last line */
    atomic_store(&body, 42);
    return NULL;
}

static void *receive_message(void *unused)
{
    (void)unused;
    if (atomic_load(&ready)) {
        int got = atomic_load(&body);
        assert(got == 42);
    }
    return NULL;
}

int main(void)
{
    pthread_t sender, receiver;
    pthread_create(&sender, NULL, send_message, NULL);
    pthread_create(&receiver, NULL, receive_message, NULL);
    pthread_join(sender, NULL);
    pthread_join(receiver, NULL);
    return 0;
}
