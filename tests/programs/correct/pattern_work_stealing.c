// SPDX-License-Identifier: MIT
// pattern_work_stealing.c - two workers with a locked deque each; an idle one steals from the other's front.
//
// expect: none
#include "correct.h"

enum { JOBS = 6 };
static struct deque {
    pthread_mutex_t lock;
    int jobs[JOBS], front, back;
} deques[2] = {{.lock = PTHREAD_MUTEX_INITIALIZER}, {.lock = PTHREAD_MUTEX_INITIALIZER}};
static int done[JOBS];

static int take(struct deque *deque, int own)
{
    int job = -1;
    if (own)
        pthread_mutex_lock(&deque->lock);
    else if (pthread_mutex_trylock(&deque->lock) != 0)
        return -1;
    if (deque->front < deque->back)
        job = own ? deque->jobs[--deque->back] : deque->jobs[deque->front++];
    pthread_mutex_unlock(&deque->lock);
    return job;
}

static void *work(void *number)
{
    int me = (int)(intptr_t)number, job;
    while ((job = take(&deques[me], 1)) >= 0 || (job = take(&deques[1 - me], 0)) >= 0)
        done[job]++;
    return NULL;
}

int main(void)
{
    for (int i = 0; i < JOBS; i++)
        deques[i < 4 ? 0 : 1].jobs[deques[i < 4 ? 0 : 1].back++] = i;
    pthread_t a = start(work, (void *)0), b = start(work, (void *)1);
    join(a);
    join(b);
    for (int i = 0; i < JOBS; i++)
        CHECK(done[i] == 1);
    return 0;
}
