// SPDX-License-Identifier: MIT
// exit_handlers.c - atexit handlers run after main, in reverse order, while another thread still works.
//
// expect: none
#include "correct.h"

#include <stdatomic.h>

static atomic_int stop;
static int order;

static void *work(void *unused)
{
    (void)unused;
    while (!atomic_load(&stop))
        sched_yield();
    return NULL;
}

static void first(void)
{
    CHECK(order++ == 1);
}

static void second(void)
{
    CHECK(order++ == 0);
    atomic_store(&stop, 1);
}

int main(void)
{
    CHECK(atexit(first) == 0 && atexit(second) == 0);
    pthread_t thread = start(work, NULL);
    CHECK(pthread_detach(thread) == 0);
    return 0;
}
