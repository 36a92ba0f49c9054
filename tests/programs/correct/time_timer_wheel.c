// SPDX-License-Identifier: MIT
// time_timer_wheel.c - a thread that serves timers in the order of their deadlines.
//
// expect: none
#include "correct.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static long deadlines[4];
static int waiting, fired;

static long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return t.tv_sec * 1000000L + t.tv_nsec / 1000;
}

static void *serve(void *unused)
{
    (void)unused;
    long last = 0;
    pthread_mutex_lock(&lock);
    while (fired < 3) {
        int first = -1;
        for (int i = 0; i < 4; i++)
            if (deadlines[i] != 0 && (first < 0 || deadlines[i] < deadlines[first]))
                first = i;
        if (first < 0) {
            pthread_cond_wait(&changed, &lock);
        } else if (now() >= deadlines[first]) {
            last = deadlines[first];
            deadlines[first] = 0;
            waiting--;
            fired++;
        } else {
            struct timespec end = {deadlines[first] / 1000000, deadlines[first] % 1000000 * 1000};
            pthread_cond_timedwait(&changed, &lock, &end);
        }
    }
    CHECK(last != 0 && waiting == 0);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t thread = start(serve, NULL);
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        deadlines[i] = now() + 300 * (3 - i);
        waiting++;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
    }
    join(thread);
    CHECK(fired == 3);
    return 0;
}
