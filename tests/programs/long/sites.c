/* SPDX-License-Identifier: MIT
 *
 * sites.c - several hundred thousand events in one run, from many places of the program, all of them on the same few variables: there are
 * more patterns of interleaving in it than can be looked at in any reasonable time.
 */
#include <pthread.h>
#include <stdlib.h>

enum { THREADS = 4, ROUNDS = 20 };

static volatile int shared[16];
static int rounds = ROUNDS;

/* Each use is other code, and so four other places. */
#define STEP(n)                                                                                                        \
    shared[(n) % 16] = shared[((n) + 1) % 16] + 1;                                                                     \
    shared[((n) + 2) % 16] = shared[((n) + 3) % 16] - 1;
#define STEPS4(n)                                                                                                      \
    STEP(n)                                                                                                            \
    STEP((n) + 1)                                                                                                      \
    STEP((n) + 2)                                                                                                      \
    STEP((n) + 3)
#define STEPS16(n)                                                                                                     \
    STEPS4(n)                                                                                                          \
    STEPS4((n) + 5)                                                                                                    \
    STEPS4((n) + 10)                                                                                                   \
    STEPS4((n) + 15)
#define STEPS64(n)                                                                                                     \
    STEPS16(n)                                                                                                         \
    STEPS16((n) + 3)                                                                                                   \
    STEPS16((n) + 6)                                                                                                   \
    STEPS16((n) + 9)

static void *work(void *argument)
{
    for (int i = 0; i < rounds; i++) {
        STEPS64(1)
        STEPS64(2)
        STEPS64(3)
        STEPS64(4)
        STEPS64(5)
        STEPS64(6)
        STEPS64(7)
        STEPS64(8)
    }
    return argument;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    if (argc > 1)
        rounds = atoi(argv[1]);
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
