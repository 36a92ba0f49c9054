// SPDX-License-Identifier: MIT
// mutex.c - rows M of docs/posix.md, and what waits do with special mutexes.
#include "rows.h"

static int types[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK,
                      PTHREAD_MUTEX_ADAPTIVE_NP};
static pthread_mutex_t mutex;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void make(int type, int robust, int protocol)
{
    pthread_mutexattr_t a;
    pthread_mutexattr_init(&a);
    pthread_mutexattr_settype(&a, type);
    pthread_mutexattr_setrobust(&a, robust ? PTHREAD_MUTEX_ROBUST : PTHREAD_MUTEX_STALLED);
    pthread_mutexattr_setprotocol(&a, protocol);
    memset(&mutex, 0, sizeof mutex);
    if (pthread_mutex_init(&mutex, &a) != 0)
        abort();
}
static int timed_past(pthread_mutex_t *m)
{
    return pthread_mutex_timedlock(m, &past);
}
static int timed_1970(pthread_mutex_t *m)
{
    return pthread_mutex_timedlock(m, &before_1970);
}
static int timed_invalid(pthread_mutex_t *m)
{
    return pthread_mutex_timedlock(m, &no_time);
}
static int clock_bad(pthread_mutex_t *m)
{
    return pthread_mutex_clocklock(m, CLOCK_PROCESS_CPUTIME_ID, &past);
}
static int clock_past(pthread_mutex_t *m)
{
    return pthread_mutex_clocklock(m, CLOCK_MONOTONIC, &past);
}
static int timed_soon(pthread_mutex_t *m)
{
    struct timespec t = soon(CLOCK_REALTIME, 20);
    return pthread_mutex_timedlock(m, &t);
}
static int clock_soon(pthread_mutex_t *m)
{
    struct timespec t = soon(CLOCK_MONOTONIC, 20);
    return pthread_mutex_clocklock(m, CLOCK_MONOTONIC, &t);
}
static int wait_past(pthread_mutex_t *m)
{
    return pthread_cond_timedwait(&cond, m, &past);
}
static int lock_unlock(pthread_mutex_t *m)
{
    int e = pthread_mutex_lock(m);
    return e ? e : pthread_mutex_unlock(m);
}
static int checked(int type)
{
    return type == PTHREAD_MUTEX_RECURSIVE || type == PTHREAD_MUTEX_ERRORCHECK;
}

static void plain(int type, int robust, int protocol)
{
    printf("type %d robust %d protocol %d\n", type, robust, protocol);
    make(type, robust, protocol);
    ROW("M1", pthread_mutex_lock(&mutex));
    ROW("M2", pthread_mutex_unlock(&mutex));
    ROW("M3", ELSEWHERE(lock_unlock, &mutex));
    ROW("M4", pthread_mutex_trylock(&mutex));
    ROW("M5", ELSEWHERE(pthread_mutex_trylock, &mutex));
    ROW("M6", ELSEWHERE(timed_past, &mutex));
    ROW("M6", ELSEWHERE(timed_1970, &mutex));
    ROW("M6", ELSEWHERE(timed_soon, &mutex));
    ROW("M7", ELSEWHERE(timed_invalid, &mutex));
    ROW("M8", ELSEWHERE(clock_past, &mutex));
    ROW("M8", ELSEWHERE(clock_soon, &mutex));
    ROW("M9", ELSEWHERE(clock_bad, &mutex));
    ROW("M10", pthread_mutex_trylock(&mutex));
    if (type == PTHREAD_MUTEX_RECURSIVE)
        pthread_mutex_unlock(&mutex);
    if (checked(type))
        ROW("M11", pthread_mutex_lock(&mutex));
    if (type == PTHREAD_MUTEX_RECURSIVE)
        pthread_mutex_unlock(&mutex);
    if (checked(type) || protocol == 0) { /* libc waits for ever with an inheriting one */
        ROW("M12", timed_past(&mutex));
        if (type == PTHREAD_MUTEX_RECURSIVE)
            pthread_mutex_unlock(&mutex);
        ROW("M13", timed_invalid(&mutex));
        if (type == PTHREAD_MUTEX_RECURSIVE)
            pthread_mutex_unlock(&mutex);
    }
    if (checked(type) || robust)
        ROW("M14", ELSEWHERE(pthread_mutex_unlock, &mutex));
    ROW("M2", pthread_mutex_unlock(&mutex));
    if (checked(type) || robust)
        ROW("M15", pthread_mutex_unlock(&mutex));
    ROW("M16", timed_invalid(&mutex));
    ROW("M2", pthread_mutex_unlock(&mutex));
    ROW("M9", clock_bad(&mutex));
    if (checked(type) || robust)
        ROW("C12", wait_past(&mutex));
    ROW("M17", pthread_mutex_consistent(&mutex));
    ROW("M18", pthread_mutex_destroy(&mutex));
    memset(&mutex, 0, sizeof mutex); /* a new one by assignment */
    ROW("M19", lock_unlock(&mutex));
}

static int lock_and_end(pthread_mutex_t *m)
{
    return pthread_mutex_lock(m);
}

static void robust(int type)
{
    printf("robust type %d\n", type);
    make(type, 1, 0);
    ROW("M1", ELSEWHERE(lock_and_end, &mutex));
    ROW("M30", pthread_mutex_lock(&mutex));
    ROW("M31", pthread_mutex_trylock(&mutex));
    if (type == PTHREAD_MUTEX_RECURSIVE)
        ROW("M32", pthread_mutex_unlock(&mutex));
    ROW("M33", pthread_mutex_unlock(&mutex));
    ROW("M34", pthread_mutex_lock(&mutex));
    ROW("M34", timed_past(&mutex));
    ROW("M15", pthread_mutex_unlock(&mutex));
    ROW("M35", pthread_mutex_consistent(&mutex));
    ROW("M18", pthread_mutex_destroy(&mutex));
    make(type, 1, 0);
    ELSEWHERE(lock_and_end, &mutex);
    ROW("M36", pthread_mutex_trylock(&mutex));
    ROW("M37", pthread_mutex_consistent(&mutex));
    ROW("M35", pthread_mutex_consistent(&mutex));
    ROW("M2", pthread_mutex_unlock(&mutex));
    ROW("M1", pthread_mutex_lock(&mutex));
    ROW("M2", pthread_mutex_unlock(&mutex));
    make(type, 1, 0);
    ELSEWHERE(lock_and_end, &mutex);
    ELSEWHERE(lock_and_end, &mutex);
    ROW("M38", timed_past(&mutex));
    ROW("M33", pthread_mutex_unlock(&mutex));
    make(type, 1, 0);
    ELSEWHERE(lock_and_end, &mutex);
    ROW("M30", pthread_mutex_lock(&mutex));
    ROW("C13", wait_past(&mutex));
    ROW("M15", pthread_mutex_unlock(&mutex));
}

static pthread_mutex_t s0 = PTHREAD_MUTEX_INITIALIZER, s1 = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP,
                       s2 = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP, s3 = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
static void statics(void)
{
    pthread_mutex_t *all[] = {&s0, &s1, &s2, &s3};
    for (int i = 0; i < 4; i++) {
        ROW("M20", pthread_mutex_lock(all[i]));
        ROW("M20", pthread_mutex_trylock(all[i]));
        ROW("M20", pthread_mutex_unlock(all[i]));
        if (i == 1)
            ROW("M20", pthread_mutex_unlock(all[i]));
        ROW("M20", pthread_mutex_destroy(all[i]));
    }
}
/* A held one whose memory becomes another one: a frame that returned. */
static int leave_locked(int depth)
{
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    (void)depth;
    return pthread_mutex_lock(&m);
}
static int lock_again(int depth)
{
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    (void)depth;
    return pthread_mutex_lock(&m) ?: pthread_mutex_unlock(&m);
}

int main(void)
{
    for (int protocol = 0; protocol < 2; protocol++)
        for (int r = 0; r < 2; r++)
            for (int i = 0; i < 4; i++)
                plain(types[i], r, protocol);
    for (int i = 0; i < 4; i++)
        robust(types[i]);
    statics();
    ROW("M21", leave_locked(1));
    ROW("M21", lock_again(1));
    ROW("M21", leave_locked(1));
    ROW("M21", lock_again(1));
    return 0;
}
