// SPDX-License-Identifier: MIT
// sem.c - rows P of docs/posix.md.
#include "rows.h"
#include <fcntl.h>
#include <limits.h>
static sem_t sem;
static int post(void *s)
{
    return sem_post(s);
}
static void handler(int s)
{
    (void)s;
}
static int result, error, back;
static void *sem_waiter(void *u)
{
    (void)u;
    errno = 0;
    result = sem_wait(&sem);
    error = errno;
    __atomic_store_n(&back, 1, __ATOMIC_SEQ_CST);
    return NULL;
}
static void *sem_timed(void *u)
{
    (void)u;
    struct timespec t = soon(CLOCK_REALTIME, 10000);
    errno = 0;
    result = sem_timedwait(&sem, &t);
    error = errno;
    __atomic_store_n(&back, 1, __ATOMIC_SEQ_CST);
    return NULL;
}
/* Signals until the wait has ended. */
static void interrupt(pthread_t thread)
{
    __atomic_store_n(&back, 0, __ATOMIC_SEQ_CST);
    do {
        usleep(10000);
        pthread_kill(thread, SIGUSR1);
    } while (!__atomic_load_n(&back, __ATOMIC_SEQ_CST));
    pthread_join(thread, NULL);
}
int main(void)
{
    int v;
    pthread_t t[1];
    void *r;
    ROW_ERRNO("P1", sem_init(&sem, 0, 2));
    ROW_ERRNO("P2", sem_wait(&sem));
    ROW_ERRNO("P2", sem_trywait(&sem));
    ROW_ERRNO("P3", sem_trywait(&sem));
    ROW_ERRNO("P4", sem_timedwait(&sem, &past));
    struct timespec s = soon(CLOCK_REALTIME, 10);
    ROW_ERRNO("P4", sem_timedwait(&sem, &s));
    s = soon(CLOCK_MONOTONIC, 10);
    ROW_ERRNO("P5", sem_clockwait(&sem, CLOCK_MONOTONIC, &s));
    ROW_ERRNO("P4", sem_timedwait(&sem, &before_1970));
    ROW_ERRNO("P6", sem_timedwait(&sem, &no_time));
    ROW_ERRNO("P7", sem_clockwait(&sem, CLOCK_PROCESS_CPUTIME_ID, &past));
    ROW_ERRNO("P8", ELSEWHERE(post, &sem));
    ROW_ERRNO("P9", sem_getvalue(&sem, &v));
    ROW("P9", v - 1);
    ROW_ERRNO("P6", sem_timedwait(&sem, &no_time));
    ROW_ERRNO("P7", sem_clockwait(&sem, CLOCK_PROCESS_CPUTIME_ID, &past));
    ROW_ERRNO("P10", sem_timedwait(&sem, &past));
    ROW_ERRNO("P11", sem_destroy(&sem));
    ROW_ERRNO("P12", sem_init(&sem, 0, (unsigned)SEM_VALUE_MAX + 1));
    ROW_ERRNO("P1", sem_init(&sem, 0, SEM_VALUE_MAX));
    ROW_ERRNO("P13", sem_post(&sem));
    struct sigaction action = {.sa_handler = handler};
    sigaction(SIGUSR1, &action, NULL);
    sem_init(&sem, 0, 0);
    pthread_create(&t[0], NULL, sem_waiter, NULL);
    interrupt(t[0]);
    printf("P14 %d %s\n", result, answer(error));
    action.sa_flags = SA_RESTART;
    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&t[0], NULL, sem_waiter, NULL);
    usleep(20000);
    pthread_kill(t[0], SIGUSR1);
    usleep(20000);
    sem_post(&sem);
    pthread_join(t[0], NULL);
    printf("P15 %d %s\n", result, answer(error));
    pthread_create(&t[0], NULL, sem_timed, NULL);
    interrupt(t[0]);
    printf("P16 %d %s\n", result, answer(error));
    sem_init(&sem, 0, 0);
    pthread_create(&t[0], NULL, sem_waiter, NULL);
    usleep(20000);
    pthread_cancel(t[0]);
    pthread_join(t[0], &r);
    ROW("P17", r != PTHREAD_CANCELED);
    sem_getvalue(&sem, &v);
    ROW("P17", v);
    char name[64];
    snprintf(name, sizeof name, "/raddle-rows-%d", (int)getpid());
    sem_unlink(name);
    errno = 0;
    ROW_ERRNO("P20", sem_open(name, 0) == SEM_FAILED);
    sem_t *a = sem_open(name, O_CREAT, 0600, 3), *b = sem_open(name, O_CREAT, 0600, 7);
    ROW("P21", a != b);
    sem_getvalue(b, &v);
    ROW("P21", v - 3);
    ROW_ERRNO("P22", sem_open(name, O_CREAT | O_EXCL, 0600, 1) == SEM_FAILED);
    ROW_ERRNO("P23", sem_wait(a));
    ROW_ERRNO("P24", sem_close(a));
    sem_getvalue(b, &v);
    ROW("P24", v - 2);
    ROW_ERRNO("P24", sem_close(b));
    b = sem_open(name, 0);
    sem_getvalue(b, &v);
    ROW("P25", v - 2);
    ROW_ERRNO("P26", sem_unlink(name));
    ROW_ERRNO("P26", sem_unlink(name));
    ROW_ERRNO("P27", sem_post(b));
    ROW_ERRNO("P27", sem_open(name, 0) == SEM_FAILED);
    sem_close(b);
    ROW_ERRNO("P28", sem_close(b));
    ROW_ERRNO("P29", sem_open("/a/b", O_CREAT, 0600, 1) == SEM_FAILED);
    ROW_ERRNO("P29", sem_open("", O_CREAT, 0600, 1) == SEM_FAILED);
    ROW_ERRNO("P29", sem_open(name, O_CREAT, 0600, UINT_MAX) == SEM_FAILED);
    return 0;
}
