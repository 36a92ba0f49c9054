// SPDX-License-Identifier: MIT
// cancel_disabled.c - a cancellation waits while it is disabled, and acts at the first point after it was enabled.
//
// expect: none
#include "correct.h"

static int finished, survived;

static void *work(void *unused)
{
    (void)unused;
    int old;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
    for (int i = 0; i < 3; i++) {
        usleep(10);
        pthread_testcancel();
    }
    finished = 1;
    pthread_setcancelstate(old, NULL);
    pthread_testcancel();
    survived = 1;
    return NULL;
}

int main(void)
{
    pthread_t thread = start(work, NULL);
    int error = pthread_cancel(thread);
    CHECK(error == 0 || error == ESRCH);
    void *result = join(thread);
    CHECK(result == PTHREAD_CANCELED || survived);
    CHECK(result != PTHREAD_CANCELED || finished || !survived);
    return 0;
}
