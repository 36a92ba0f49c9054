// SPDX-License-Identifier: MIT
// cond_two_predicates.c - two conditions on one mutex, each with a variable of its own: strict turns.
//
// expect: none
#include "correct.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t even = PTHREAD_COND_INITIALIZER, odd = PTHREAD_COND_INITIALIZER;
static int turn;

static void *work(void *parity)
{
    int mine = (int)(intptr_t)parity;
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        while (turn % 2 != mine)
            pthread_cond_wait(mine ? &odd : &even, &lock);
        CHECK(turn == 2 * i + mine);
        turn++;
        pthread_cond_signal(mine ? &even : &odd);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t a = start(work, (void *)0), b = start(work, (void *)1);
    join(a);
    join(b);
    CHECK(turn == 6);
    return 0;
}
