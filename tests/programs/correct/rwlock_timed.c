// SPDX-License-Identifier: MIT
// rwlock_timed.c - timed and tried locks of a rwlock: what was got is given back, what was not is not.
//
// expect: none
// tsan: no (it does not know the call)
#include "correct.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value;

static void *reader(void *unused)
{
    (void)unused;
    struct timespec end = in_ms(CLOCK_REALTIME, 10);
    int error = pthread_rwlock_timedrdlock(&lock, &end), seen = 0;
    CHECK(error == 0 || error == ETIMEDOUT);
    if (error == 0) {
        seen = value;
        CHECK(seen == 0 || seen == 1);
        pthread_rwlock_unlock(&lock);
    }
    if (pthread_rwlock_tryrdlock(&lock) == 0) {
        CHECK(value >= seen);
        pthread_rwlock_unlock(&lock);
    }
    return NULL;
}

static void *writer(void *unused)
{
    (void)unused;
    struct timespec end = in_ms(CLOCK_MONOTONIC, 10);
    int error = pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &end);
    CHECK(error == 0 || error == ETIMEDOUT);
    if (error == 0) {
        value++;
        pthread_rwlock_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t a = start(reader, NULL), b = start(writer, NULL);
    join(a);
    join(b);
    CHECK(value <= 1);
    return 0;
}
