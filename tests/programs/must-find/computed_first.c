// SPDX-License-Identifier: MIT
// computed_first.c - a thread announces what it has computed for long; another thread relies on coming first, which it does on most machines.
//
// expect: assert
// find: pos within 15
// repeats: no (how long threads compute before they are taken off is learned)
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int result, started;

static unsigned long burn(void)
{
    unsigned long x = 1;
    for (long i = 0; i != 120000000; i++) {
        x = x * 6364136223846793005UL + 1;
        __asm__ volatile("" : "+r"(x));
    }
    return x;
}

static void *compute(void *unused)
{
    unsigned long x = burn();
    atomic_store(&result, x != 0);
    return unused;
}

static void *use(void *unused)
{
    atomic_store(&started, 1);
    assert(atomic_load(&result) == 0);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, compute, NULL);
    pthread_create(&b, NULL, use, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
