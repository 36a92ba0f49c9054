// SPDX-License-Identifier: MIT
// timedwait_ignored.c - the result of a timed wait is not looked at.
//
// Shape: timed-wait assumption: the time-out is taken for the signal.
// Why:   ten seconds were always enough; when they are not, the caller goes on without the data.
//
// expect: assert
// find: random within 500
// cause: a:R(data)@timedwait_ignored.c:39 << b:W(data)@timedwait_ignored.c:23
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
static int data;

static void *fetch(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    data = 99;
    pthread_cond_signal(&arrived);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    struct timespec end;
    pthread_create(&thread, NULL, fetch, NULL);
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 10;
    pthread_mutex_lock(&lock);
    if (data == 0)
        pthread_cond_timedwait(&arrived, &lock, &end);
    int got = data;
    pthread_mutex_unlock(&lock);
    assert(got == 99);
    pthread_join(thread, NULL);
    return 0;
}
