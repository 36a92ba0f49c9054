// SPDX-License-Identifier: MIT
// atomics.c - three threads raise one atomic number by compare-and-swap and count their tries in another.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int number, tries;

static void *raise_number(void *unused)
{
    (void)unused;
    for (int i = 0; i < 4; i++) {
        int seen = atomic_load(&number);
        do
            atomic_fetch_add(&tries, 1);
        while (!atomic_compare_exchange_weak(&number, &seen, seen + 1));
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, raise_number, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return atomic_load(&number) == 12 && atomic_load(&tries) >= 12 ? EXIT_SUCCESS : EXIT_FAILURE;
}
