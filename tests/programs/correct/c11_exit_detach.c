// SPDX-License-Identifier: MIT
// c11_exit_detach.c - thrd_exit, thrd_detach, thrd_sleep and mtx_trylock.
//
// expect: none
// tsan: no (it does not know C11 threads)
#include "correct.h"

#include <stdatomic.h>
#include <threads.h>

static mtx_t lock;
static atomic_int done;

static int detached(void *unused)
{
    (void)unused;
    thrd_sleep(&(struct timespec){.tv_nsec = 1000}, NULL);
    if (mtx_trylock(&lock) == thrd_success)
        mtx_unlock(&lock);
    atomic_fetch_add(&done, 1);
    thrd_exit(1);
}

static int joined(void *unused)
{
    (void)unused;
    mtx_lock(&lock);
    thrd_yield();
    mtx_unlock(&lock);
    thrd_exit(5);
}

int main(void)
{
    thrd_t a, b;
    int result;
    CHECK(mtx_init(&lock, mtx_plain) == thrd_success);
    CHECK(thrd_create(&a, detached, NULL) == thrd_success && thrd_detach(a) == thrd_success);
    CHECK(thrd_create(&b, joined, NULL) == thrd_success);
    CHECK(thrd_join(b, &result) == thrd_success && result == 5);
    while (atomic_load(&done) == 0)
        thrd_yield();
    return 0;
}
