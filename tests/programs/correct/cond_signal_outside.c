// SPDX-License-Identifier: MIT
// cond_signal_outside.c - a signal is sent after the mutex was given back; no wake-up is lost.
//
// expect: none
#include "correct.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int stage;

static void *work(void *unused)
{
    (void)unused;
    for (int i = 1; i <= 3; i += 2) {
        pthread_mutex_lock(&lock);
        while (stage != i)
            pthread_cond_wait(&changed, &lock);
        stage++;
        pthread_mutex_unlock(&lock);
        pthread_cond_broadcast(&changed);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread = start(work, NULL);
    for (int i = 0; i <= 2; i += 2) {
        pthread_mutex_lock(&lock);
        while (stage != i)
            pthread_cond_wait(&changed, &lock);
        stage++;
        pthread_mutex_unlock(&lock);
        pthread_cond_broadcast(&changed);
    }
    join(thread);
    CHECK(stage == 4);
    return 0;
}
