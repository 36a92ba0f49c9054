// SPDX-License-Identifier: MIT
// sem_clockwait.c - sem_clockwait on both clocks: the token or ETIMEDOUT; tokens are never lost.
//
// expect: none
#include "correct.h"

static sem_t tokens;
static int taken;

static void *take(void *clock)
{
    clockid_t id = *(clockid_t *)clock;
    struct timespec end = in_ms(id, 3);
    if (sem_clockwait(&tokens, id, &end) == 0)
        __atomic_fetch_add(&taken, 1, __ATOMIC_SEQ_CST);
    else
        CHECK(errno == ETIMEDOUT);
    return NULL;
}

int main(void)
{
    clockid_t clocks[2] = {CLOCK_MONOTONIC, CLOCK_REALTIME};
    int value;
    sem_init(&tokens, 0, 0);
    pthread_t a = start(take, &clocks[0]), b = start(take, &clocks[1]);
    sem_post(&tokens);
    sem_post(&tokens);
    join(a);
    join(b);
    sem_getvalue(&tokens, &value);
    CHECK(taken + value == 2);
    return 0;
}
