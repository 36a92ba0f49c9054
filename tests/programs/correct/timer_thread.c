// SPDX-License-Identifier: MIT
// timer_thread.c - POSIX timers that call a function in a thread: once, periodic, set again, switched off, deleted.
//
// expect: none
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

static sem_t ticks;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count, never;
static pthread_t main_thread;

static void tick(union sigval value)
{
    sigset_t mask;
    assert(!pthread_equal(pthread_self(), main_thread));
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    assert(sigismember(&mask, SIGUSR1));
    pthread_mutex_lock(&lock);
    count += value.sival_int;
    pthread_mutex_unlock(&lock);
    sem_post(&ticks);
    if (value.sival_int == 1)
        pthread_exit(NULL); // ends this thread only
}

static void not_called(union sigval value)
{
    (void)value;
    never++;
}

static timer_t make(void (*function)(union sigval), int value)
{
    timer_t timer;
    struct sigevent event = {
        .sigev_notify = SIGEV_THREAD, .sigev_notify_function = function, .sigev_value.sival_int = value};
    assert(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    return timer;
}

static void set(timer_t timer, long first, long interval)
{
    struct itimerspec value = {{0, interval}, {0, first}};
    assert(timer_settime(timer, 0, &value, NULL) == 0);
}

int main(void)
{
    struct itimerspec left;
    main_thread = pthread_self();
    sem_init(&ticks, 0, 0);
    timer_t periodic = make(tick, 1), once = make(tick, 100), off = make(not_called, 0);

    set(periodic, 1000000, 1000000);
    for (int i = 0; i < 3; i++)
        sem_wait(&ticks);
    assert(timer_gettime(periodic, &left) == 0 && left.it_interval.tv_nsec == 1000000);
    assert(timer_getoverrun(periodic) >= 0);
    assert(timer_delete(periodic) == 0);

    pthread_mutex_lock(&lock);
    assert(count >= 3);
    count = 0;
    pthread_mutex_unlock(&lock);
    while (sem_trywait(&ticks) == 0)
        continue;

    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    struct itimerspec past = {{0, 0}, now};
    assert(timer_settime(once, TIMER_ABSTIME, &past, NULL) == 0);
    int seen;
    do { // a last tick of the deleted timer may still come
        sem_wait(&ticks);
        pthread_mutex_lock(&lock);
        seen = count;
        pthread_mutex_unlock(&lock);
    } while (seen < 100);
    assert(timer_gettime(once, &left) == 0 && left.it_value.tv_sec == 0 && left.it_value.tv_nsec == 0);

    struct itimerspec wrong = {{0, 0}, {0, 2000000000}};
    assert(timer_settime(off, 0, &wrong, NULL) == -1 && errno == EINVAL);
    assert(timer_gettime(off, &left) == 0 && left.it_value.tv_nsec == 0);
    assert(timer_delete(off) == 0 && timer_delete(once) == 0);
    assert(never == 0);
    return 0;
}
