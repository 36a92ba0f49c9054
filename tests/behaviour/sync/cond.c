// SPDX-License-Identifier: MIT
// cond.c - rows C of docs/posix.md.
#include "rows.h"
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int flag, waiting, woken;

static int wait_flag(void *u)
{
    (void)u;
    pthread_mutex_lock(&mutex);
    int e = 0;
    waiting++;
    while (!flag && !e)
        e = pthread_cond_wait(&cond, &mutex);
    woken++;
    pthread_mutex_unlock(&mutex);
    return e;
}
static void *waiter(void *u)
{
    return (void *)(long)wait_flag(u);
}
static int signal_flag(void *u)
{
    (void)u;
    pthread_mutex_lock(&mutex);
    flag = 1;
    int e = pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
    return e;
}
static void until_waiting(int n)
{
    for (;;) {
        pthread_mutex_lock(&mutex);
        int k = waiting;
        pthread_mutex_unlock(&mutex);
        if (k >= n)
            return;
        usleep(100);
    }
}
static int try_mutex(void *m)
{
    int e = pthread_mutex_trylock(m);
    if (!e)
        pthread_mutex_unlock(m);
    return e;
}
static int held_during_wait;
static void *look(void *u)
{
    (void)u;
    usleep(20000);
    held_during_wait = try_mutex(&recursive);
    return NULL;
}
static void cleanup(void *u)
{
    (void)u;
    printf("C20 cleanup holds: %s\n", answer(pthread_mutex_trylock(&mutex)));
    pthread_mutex_unlock(&mutex);
}
static void *cancelled_wait(void *u)
{
    (void)u;
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(cleanup, NULL);
    waiting++;
    for (;;)
        pthread_cond_wait(&cond, &mutex);
    pthread_cleanup_pop(1);
    return NULL;
}

static pthread_mutex_t robust;
static int wait_robust(void *u)
{
    (void)u;
    pthread_mutex_lock(&robust);
    waiting = 1;
    return pthread_cond_wait(&cond, &robust);
}
static void *robust_waiter(void *u)
{
    return (void *)(long)wait_robust(u);
}
static int signal_and_end(void *u)
{
    (void)u;
    for (int seen = 0; !seen;) {
        pthread_mutex_lock(&robust);
        seen = waiting;
        if (!seen)
            pthread_mutex_unlock(&robust);
    }
    return pthread_cond_signal(&cond); /* and ends, holding it */
}
static void *timed_waiter(void *u)
{
    (void)u;
    struct timespec t = soon(CLOCK_REALTIME, 300);
    pthread_mutex_lock(&mutex);
    waiting = 1;
    int error = pthread_cond_timedwait(&cond, &mutex, &t);
    pthread_mutex_unlock(&mutex);
    return (void *)(long)error;
}
static void handler(int number)
{
    (void)number;
}

static void rows_of_waits(void)
{
    pthread_t t;
    void *r;
    pthread_mutexattr_t a;
    pthread_mutexattr_init(&a);
    pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&robust, &a);
    waiting = 0;
    pthread_create(&t, NULL, robust_waiter, NULL);
    ROW("C16", ELSEWHERE(signal_and_end, NULL));
    pthread_join(t, &r);
    ROW("C16", (int)(long)r);

    waiting = 0;
    pthread_create(&t, NULL, timed_waiter, NULL);
    until_waiting(1);
    pthread_mutex_lock(&mutex);
    usleep(600000);
    ROW("C17", pthread_cond_signal(&cond));
    pthread_mutex_unlock(&mutex);
    pthread_join(t, &r);
    ROW("C17", (int)(long)r);

    struct sigaction action = {.sa_handler = handler};
    sigaction(SIGUSR1, &action, NULL);
    flag = waiting = 0;
    pthread_create(&t, NULL, waiter, NULL);
    until_waiting(1);
    for (int i = 0; i < 3; i++) {
        pthread_kill(t, SIGUSR1);
        usleep(1000);
    }
    ELSEWHERE(signal_flag, NULL);
    pthread_join(t, &r);
    ROW("C21", (int)(long)r);
}

int main(void)
{
    pthread_t t[4];
    void *r;
    ROW("C1", pthread_cond_signal(&cond));
    ROW("C1", pthread_cond_broadcast(&cond));
    pthread_create(&t[0], NULL, waiter, NULL);
    until_waiting(1);
    ROW("C2", ELSEWHERE(signal_flag, NULL));
    pthread_join(t[0], &r);
    ROW("C3", (int)(long)r);
    flag = 0;
    waiting = 0;
    woken = 0;
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, waiter, NULL);
    until_waiting(3);
    pthread_mutex_lock(&mutex);
    flag = 1;
    ROW("C4", pthread_cond_broadcast(&cond));
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], &r);
    ROW("C4", woken - 3);
    pthread_mutex_lock(&mutex);
    ROW("C5", pthread_cond_timedwait(&cond, &mutex, &past));
    struct timespec s = soon(CLOCK_REALTIME, 10);
    ROW("C5", pthread_cond_timedwait(&cond, &mutex, &s));
    s = soon(CLOCK_MONOTONIC, 10);
    ROW("C6", pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &s));
    s = soon(CLOCK_REALTIME, 10);
    ROW("C6", pthread_cond_clockwait(&cond, &mutex, CLOCK_REALTIME, &s));
    ROW("C7", pthread_cond_timedwait(&cond, &mutex, &no_time));
    ROW("C7", pthread_cond_timedwait(&cond, &mutex, &negative));
    ROW("C8", pthread_cond_clockwait(&cond, &mutex, CLOCK_PROCESS_CPUTIME_ID, &past));
    ROW("C8", pthread_cond_clockwait(&cond, &mutex, -1, &past));
    pthread_mutex_unlock(&mutex);
    ROW("M2", try_mutex(&mutex));
    pthread_condattr_t a;
    pthread_condattr_init(&a);
    pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
    pthread_cond_t mono;
    ROW("C9", pthread_cond_init(&mono, &a));
    pthread_mutex_lock(&mutex);
    s = soon(CLOCK_MONOTONIC, 10);
    ROW("C9", pthread_cond_timedwait(&mono, &mutex, &s));
    pthread_mutex_unlock(&mutex);
    ROW("C10", pthread_cond_destroy(&mono));
    mono = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    ROW("C11", pthread_cond_signal(&mono));
    ROW("C10", pthread_cond_destroy(&mono));
    pthread_mutex_lock(&recursive);
    pthread_mutex_lock(&recursive);
    pthread_create(&t[0], NULL, look, NULL);
    s = soon(CLOCK_REALTIME, 50);
    ROW("C14", pthread_cond_timedwait(&cond, &recursive, &s));
    pthread_join(t[0], NULL);
    ROW("C14", held_during_wait);
    pthread_mutex_unlock(&recursive);
    pthread_mutex_unlock(&recursive);
    ROW("C14", try_mutex(&recursive));
    waiting = 0;
    pthread_create(&t[0], NULL, cancelled_wait, NULL);
    until_waiting(1);
    fflush(stdout);
    pthread_cancel(t[0]);
    pthread_join(t[0], &r);
    ROW("C20", r == PTHREAD_CANCELED ? 0 : 1);
    /* destroyed by the thread that broadcast, while the woken have not gone on yet */
    flag = 0;
    waiting = 0;
    woken = 0;
    pthread_create(&t[0], NULL, waiter, NULL);
    until_waiting(1);
    pthread_mutex_lock(&mutex);
    flag = 1;
    pthread_cond_broadcast(&cond);
    ROW("C15", pthread_cond_destroy(&cond));
    memset(&cond, 0, sizeof cond);
    pthread_mutex_unlock(&mutex);
    pthread_join(t[0], &r);
    ROW("C15", (int)(long)r);
    rows_of_waits();
    return 0;
}
