// SPDX-License-Identifier: MIT
// clock_before_main.c - constructors that wait for the clock before main, as programs do that measure how fast it is.
//
// Shape: time passes before the run begins too, and goes on from there.
//
// expect: none
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sys/time.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;
static struct timespec before;

__attribute__((constructor)) static void calibrate(void)
{
    struct timeval from, to;
    gettimeofday(&from, NULL);
    do
        gettimeofday(&to, NULL);
    while (to.tv_usec == from.tv_usec);
}

__attribute__((constructor)) static void wait_for_two_seconds(void)
{
    time_t from = time(NULL);
    while (time(NULL) < from + 2)
        ;
    clock_gettime(CLOCK_MONOTONIC, &before);
}

static void *worker(void *unused)
{
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    assert(now.tv_sec > before.tv_sec || (now.tv_sec == before.tv_sec && now.tv_nsec >= before.tv_nsec));
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(count == 2);
    return 0;
}
