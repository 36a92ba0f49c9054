// SPDX-License-Identifier: MIT
// rwlock.c - rows R of docs/posix.md.
#include "rows.h"
static pthread_rwlock_t lock;
static int rd(void *l)
{
    int e = pthread_rwlock_rdlock(l);
    if (!e)
        pthread_rwlock_unlock(l);
    return e;
}
static int tryrd(void *l)
{
    int e = pthread_rwlock_tryrdlock(l);
    if (!e)
        pthread_rwlock_unlock(l);
    return e;
}
static int trywr(void *l)
{
    int e = pthread_rwlock_trywrlock(l);
    if (!e)
        pthread_rwlock_unlock(l);
    return e;
}
static int timedrd(void *l)
{
    int e = pthread_rwlock_timedrdlock(l, &past);
    if (!e)
        pthread_rwlock_unlock(l);
    return e;
}
static int timedwr(void *l)
{
    struct timespec t = soon(CLOCK_REALTIME, 10);
    int e = pthread_rwlock_timedwrlock(l, &t);
    if (!e)
        pthread_rwlock_unlock(l);
    return e;
}
static int clockrd(void *l)
{
    struct timespec t = soon(CLOCK_MONOTONIC, 10);
    int e = pthread_rwlock_clockrdlock(l, CLOCK_MONOTONIC, &t);
    if (!e)
        pthread_rwlock_unlock(l);
    return e;
}
static int clockwr(void *l)
{
    struct timespec t = soon(CLOCK_MONOTONIC, 10);
    int e = pthread_rwlock_clockwrlock(l, CLOCK_MONOTONIC, &t);
    if (!e)
        pthread_rwlock_unlock(l);
    return e;
}
static int started;
static void *writer(void *l)
{
    __atomic_store_n(&started, 1, __ATOMIC_SEQ_CST);
    pthread_rwlock_wrlock(l);
    pthread_rwlock_unlock(l);
    return NULL;
}
int main(void)
{
    for (int kind = 0; kind < 3; kind++) {
        printf("kind %d\n", kind);
        pthread_rwlockattr_t a;
        pthread_rwlockattr_init(&a);
        pthread_rwlockattr_setkind_np(&a, kind);
        ROW("R1", pthread_rwlock_init(&lock, &a));
        ROW("R2", pthread_rwlock_rdlock(&lock));
        ROW("R2", pthread_rwlock_rdlock(&lock));
        ROW("R2", ELSEWHERE(rd, &lock));
        ROW("R2", ELSEWHERE(tryrd, &lock));
        ROW("R3", ELSEWHERE(trywr, &lock));
        ROW("R3", pthread_rwlock_trywrlock(&lock));
        ROW("R4", ELSEWHERE(timedwr, &lock));
        ROW("R4", ELSEWHERE(clockwr, &lock));
        struct timespec t = soon(CLOCK_REALTIME, 10);
        ROW("R5", pthread_rwlock_timedwrlock(&lock, &t));
        ROW("R6", pthread_rwlock_timedrdlock(&lock, &no_time));
        ROW("R6", pthread_rwlock_timedwrlock(&lock, &negative));
        ROW("R7", pthread_rwlock_clockrdlock(&lock, CLOCK_PROCESS_CPUTIME_ID, &past));
        ROW("R7", pthread_rwlock_clockwrlock(&lock, CLOCK_PROCESS_CPUTIME_ID, &past));
        pthread_t w;
        started = 0;
        pthread_create(&w, NULL, writer, &lock);
        while (!__atomic_load_n(&started, __ATOMIC_SEQ_CST))
            usleep(100);
        usleep(20000);
        for (int i = 0; kind == 2 && i < 1000 && ELSEWHERE(tryrd, &lock) == 0; i++)
            usleep(1000); /* until it waits */
        ROW("R8", ELSEWHERE(tryrd, &lock));
        ROW("R8", ELSEWHERE(clockrd, &lock));
        ROW("R9", pthread_rwlock_unlock(&lock));
        ROW("R9", pthread_rwlock_unlock(&lock));
        pthread_join(w, NULL);
        ROW("R10", pthread_rwlock_wrlock(&lock));
        ROW("R11", pthread_rwlock_rdlock(&lock));
        ROW("R11", pthread_rwlock_wrlock(&lock));
        ROW("R11", pthread_rwlock_timedrdlock(&lock, &past));
        ROW("R12", pthread_rwlock_tryrdlock(&lock));
        ROW("R12", pthread_rwlock_trywrlock(&lock));
        ROW("R13", ELSEWHERE(tryrd, &lock));
        ROW("R13", ELSEWHERE(trywr, &lock));
        ROW("R14", ELSEWHERE(timedrd, &lock));
        ROW("R14", ELSEWHERE(timedwr, &lock));
        ROW("R14", ELSEWHERE(clockrd, &lock));
        ROW("R9", pthread_rwlock_unlock(&lock));
        ROW("R3", ELSEWHERE(trywr, &lock));
        ROW("R15", pthread_rwlock_destroy(&lock));
        lock = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;
        ROW("R16", rd(&lock));
        ROW("R16", trywr(&lock));
        ROW("R15", pthread_rwlock_destroy(&lock));
    }
    pthread_rwlock_t s = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
    ROW("R16", rd(&s));
    return 0;
}
