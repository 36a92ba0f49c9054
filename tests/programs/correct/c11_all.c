// SPDX-License-Identifier: MIT
// c11_all.c - C11 threads: mutexes of all types, a condition with a time limit, call_once and a key with a destructor.
//
// expect: none
// tsan: no (it does not know C11 threads)
#include "correct.h"

#include <threads.h>

static mtx_t plain, timed, recursive;
static cnd_t changed;
static once_flag flag = ONCE_FLAG_INIT;
static tss_t key;
static int made, counter, ready, destroyed;

static void make(void)
{
    made++;
}

static void destroy(void *value)
{
    CHECK(value == &key);
    mtx_lock(&plain);
    destroyed++;
    mtx_unlock(&plain);
}

static int work(void *argument)
{
    call_once(&flag, make);
    CHECK(tss_set(key, &key) == thrd_success);
    mtx_lock(&recursive);
    mtx_lock(&recursive);
    counter++;
    mtx_unlock(&recursive);
    mtx_unlock(&recursive);
    mtx_lock(&timed);
    while (!ready) {
        struct timespec end = in_ms(CLOCK_REALTIME, 5);
        int result = cnd_timedwait(&changed, &timed, &end);
        CHECK(result == thrd_success || result == thrd_timedout);
    }
    mtx_unlock(&timed);
    return *(int *)argument;
}

int main(void)
{
    thrd_t threads[2];
    int numbers[2] = {11, 12}, result;
    mtx_init(&plain, mtx_plain);
    mtx_init(&timed, mtx_timed);
    mtx_init(&recursive, mtx_plain | mtx_recursive);
    cnd_init(&changed);
    tss_create(&key, destroy);
    for (int i = 0; i < 2; i++)
        CHECK(thrd_create(&threads[i], work, &numbers[i]) == thrd_success);
    mtx_lock(&timed);
    ready = 1;
    cnd_broadcast(&changed);
    mtx_unlock(&timed);
    for (int i = 0; i < 2; i++)
        CHECK(thrd_join(threads[i], &result) == thrd_success && result == numbers[i]);
    CHECK(made == 1 && counter == 2 && destroyed == 2);
    return 0;
}
