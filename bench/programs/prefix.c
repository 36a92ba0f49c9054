/* SPDX-License-Identifier: MIT
 *
 * prefix.c OPERATIONS - so many private operations, then two threads that interact a little: what checkpoints are for.
 */
#include <pthread.h>
#include <stdlib.h>

static int table[4096], x, y;

static void *one(void *unused)
{
    x = 1;
    y = 2;
    return unused;
}

static void *two(void *unused)
{
    x = 2;
    y = 1;
    return unused;
}

int main(int argc, char **argv)
{
    long operations = argc > 1 ? atol(argv[1]) : 1000000;
    unsigned hash = 1;
    for (long i = 0; i < operations / 2; i++) { /* each a read and a write */
        hash = hash * 1103515245u + 12345u;
        table[hash % 4096] += (int)i;
    }
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return x + y > 4; /* never */
}
