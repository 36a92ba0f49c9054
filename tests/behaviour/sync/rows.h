/* SPDX-License-Identifier: MIT
 *
 * rows.h - a row of docs/posix.md as one printed line: its number and what the call answered.  The same program runs by
 * itself and under control, and must print the same.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static inline const char *answer(int error)
{
    return error == 0 ? "0" : error == -1 ? "-1" : strerrorname_np(error);
}
#define ROW(number, call)                                                                                              \
    do {                                                                                                               \
        int answer_ = (call);                                                                                          \
        printf("%s %s\n", number, answer(answer_));                                                                    \
    } while (0)
#define ROW_ERRNO(number, call)                                                                                        \
    do {                                                                                                               \
        errno = 0;                                                                                                     \
        int answer_ = (call);                                                                                          \
        printf("%s %d %s\n", number, answer_, answer(errno));                                                          \
    } while (0)

static const struct timespec past = {1, 0}, before_1970 = {-1, 0}, no_time = {1, 1000000000}, negative = {1, -1};

static inline struct timespec soon(clockid_t clock, long milliseconds)
{
    struct timespec now;
    clock_gettime(clock, &now);
    now.tv_nsec += milliseconds * 1000000;
    now.tv_sec += now.tv_nsec / 1000000000;
    now.tv_nsec %= 1000000000;
    return now;
}

/* Calls function(object) in another thread. */
struct elsewhere {
    int (*function)(void *);
    void *object;
    int answer;
};
static inline void *elsewhere_run(void *argument)
{
    struct elsewhere *e = argument;
    e->answer = e->function(e->object);
    return NULL;
}
static inline int elsewhere_call(int (*function)(void *), void *object)
{
    struct elsewhere e = {function, object, 0};
    pthread_t thread;
    if (pthread_create(&thread, NULL, elsewhere_run, &e) != 0 || pthread_join(thread, NULL) != 0)
        abort();
    return e.answer;
}
#define ELSEWHERE(function, object) elsewhere_call((int (*)(void *))(function), (void *)(object))
