// SPDX-License-Identifier: MIT
// map_chain.c - a failure that needs STEPS reads in a row to see what another thread has just written, among OTHERS threads that
// have no part in it.
//
// Shape: value-dependent steps: each read steers a branch, and only the last one fails.
//
// expect: assert
// find: random within 2000
// find: maptest within 2000
// find: pcr within 10
#include <assert.h>
#include <pthread.h>

#ifndef STEPS
#define STEPS 2
#endif
#ifndef OTHERS
#define OTHERS 0
#endif

static volatile int step; /* each use reads it again */
static int noise[OTHERS + 1];

static void *ask(void *unused)
{
    (void)unused;
    int reached = 0;
    for (int i = 0; i < STEPS; i++) {
        step = 2 * i + 1;      /* question i */
        if (step != 2 * i + 2) /* no answer yet */
            return NULL;
        reached++;
    }
    assert(reached < STEPS);
    return NULL;
}

static void *answer(void *unused)
{
    (void)unused;
    for (int i = 0; i < STEPS; i++)
        if (step == 2 * i + 1)
            step = 2 * i + 2;
    return NULL;
}

static void *other(void *own)
{
    for (int i = 0; i < 3; i++) {
        noise[*(int *)own]++;
        noise[OTHERS]++;
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[2 + OTHERS];
    int number[OTHERS + 1];
    pthread_create(&thread[0], NULL, ask, NULL);
    pthread_create(&thread[1], NULL, answer, NULL);
    for (int i = 0; i < OTHERS; i++) {
        number[i] = i;
        pthread_create(&thread[2 + i], NULL, other, &number[i]);
    }
    for (int i = 0; i < 2 + OTHERS; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
