// SPDX-License-Identifier: MIT
// chain.c - a failure that takes STEPS steps in order, each of which depends on a value: two threads lead and follow in turn.  The
// leader shows a token for a moment and takes it back; the follower must read it in between, and its reply must be there when the leader
// looks.  Any other value leads to a path that ends the chain and does no harm.  BYSTANDERS threads have no part in it: they work under
// a lock on data of their own.
//
//   -DSTEPS=2..5  -DBYSTANDERS=0..8
//
// expect: assert
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#ifndef STEPS
#define STEPS 2
#endif
#ifndef BYSTANDERS
#define BYSTANDERS 0
#endif

enum { ROUNDS = 4, ACCOUNTS = 3 };

// Each use reads them again.
static volatile int token[STEPS], reply[STEPS];
static volatile int early, late, unanswered;

// The reply to the step before is part of the token: a thread that has not come through it cannot know it.
static int token_of(int step, int last)
{
    return 3 * last + step + 1;
}

static bool lead(int step, int *last)
{
    int shown = token_of(step, *last);
    token[step] = shown;
    token[step] = -shown;
    *last = reply[step];
    if (*last != shown + 1) {
        unanswered = step;
        return false;
    }
    return true;
}

static bool follow(int step, int *last)
{
    int seen = token[step];
    if (seen == 0) {
        early = step;
        return false;
    }
    if (seen < 0) {
        late = step;
        return false;
    }
    reply[step] = seen + 1;
    *last = seen + 1;
    return true;
}

// The first thread leads the even steps, the second one the odd ones.
static void *walk(void *second)
{
    int step = 0, last = 0;
    while (step < STEPS && ((step % 2 == 1) == (second != NULL) ? lead : follow)(step, &last))
        step++;
    // The leader of the last step is the one that knows that all went through.
    if ((STEPS % 2 == 0) == (second != NULL))
        assert(step < STEPS);
    return NULL;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance[ACCOUNTS] = {100, 100, 100}, moved;

static void *stand_by(void *argument)
{
    int own = (int)(long)argument;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&lock);
        balance[(own + i) % ACCOUNTS] -= 1;
        balance[(own + i + 1) % ACCOUNTS] += 1;
        moved++;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    static int second;
    pthread_t thread[2 + BYSTANDERS];
    pthread_create(&thread[0], NULL, walk, NULL);
    pthread_create(&thread[1], NULL, walk, &second);
    for (long i = 0; i < BYSTANDERS; i++)
        pthread_create(&thread[2 + i], NULL, stand_by, (void *)i);
    for (int i = 0; i < 2 + BYSTANDERS; i++)
        pthread_join(thread[i], NULL);
    assert(balance[0] + balance[1] + balance[2] == 100 * ACCOUNTS);
    return 0;
}
