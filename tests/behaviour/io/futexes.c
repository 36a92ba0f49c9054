// SPDX-License-Identifier: MIT
// futexes.c - locks and waits made by hand with futex(2).
#include "io.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>

static atomic_uint word, other, lock_word;
static int counted;

static long futex(atomic_uint *address, int operation, unsigned value, const void *timeout, atomic_uint *second,
                  unsigned third)
{
    return syscall(SYS_futex, address, operation, value, timeout, second, third);
}

static void lock(void)
{
    unsigned seen = 0;
    if (atomic_compare_exchange_strong(&lock_word, &seen, 1))
        return;
    if (seen != 2)
        seen = atomic_exchange(&lock_word, 2);
    while (seen != 0) {
        futex(&lock_word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
        seen = atomic_exchange(&lock_word, 2);
    }
}

static void unlock(void)
{
    if (atomic_fetch_sub(&lock_word, 1) != 1) {
        atomic_store(&lock_word, 0);
        futex(&lock_word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    }
}

static void *count(void *unused)
{
    (void)unused;
    for (int i = 0; i < 3; i++) {
        lock();
        counted++;
        unlock();
    }
    return NULL;
}

static void *wait_for_word(void *unused)
{
    (void)unused;
    while (atomic_load(&word) == 0) {
        long result = futex(&word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
        assert(result == 0 || errno == EAGAIN);
    }
    return NULL;
}

/* Ends when woken at either address. */
static void *wait_once(void *unused)
{
    (void)unused;
    long result = futex(&word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
    assert(result == 0 || errno == EAGAIN);
    return NULL;
}

static void requeueing(void)
{
    pthread_t threads[3];
    long seen = 0;
    atomic_store(&word, 0);
    for (int i = 0; i < 3; i++)
        threads[i] = start(wait_once, NULL);
    FAILS(EAGAIN, futex(&word, FUTEX_CMP_REQUEUE_PRIVATE, 1, (void *)10, &other, 5));
    while (seen < 3) {
        long result = futex(&word, FUTEX_CMP_REQUEUE_PRIVATE, 1, (void *)10, &other, 0);
        assert(result >= 0);
        seen += result;
        usleep(1000);
    }
    atomic_store(&other, 0);
    int operation = FUTEX_OP(FUTEX_OP_ADD, 5, FUTEX_OP_CMP_EQ, 0);
    assert(futex(&word, FUTEX_WAKE_OP_PRIVATE, INT_MAX, (void *)10, &other, (unsigned)operation) >= 0);
    assert(atomic_load(&other) == 5);
    for (int i = 0; i < 3; i++)
        finish(threads[i]);
}

static void limits_and_errors(void)
{
    struct timespec little = {0, 5000000}, no_time = {0, -1}, past = {1, 0};
    atomic_uint value = 7;
    FAILS(ETIMEDOUT, futex(&value, FUTEX_WAIT, 7, &little, NULL, 0));
    FAILS(ETIMEDOUT, futex(&value, FUTEX_WAIT_BITSET, 7, &past, NULL, FUTEX_BITSET_MATCH_ANY));
    FAILS(EAGAIN, futex(&value, FUTEX_WAIT, 8, &little, NULL, 0));
    FAILS(EINVAL, futex(&value, FUTEX_WAIT, 7, &no_time, NULL, 0));
    FAILS(EINVAL, futex(&value, FUTEX_WAIT_BITSET, 7, NULL, NULL, 0));
    FAILS(EINVAL, futex((atomic_uint *)((char *)&value + 1), FUTEX_WAIT, 7, NULL, NULL, 0));
    assert(futex(&value, FUTEX_WAKE, 1, NULL, NULL, 0) == 0);
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        threads[i] = start(count, NULL);
    for (int i = 0; i < 3; i++)
        finish(threads[i]);
    assert(counted == 9);
    for (int i = 0; i < 3; i++)
        threads[i] = start(wait_for_word, NULL);
    atomic_store(&word, 1);
    assert(futex(&word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0) >= 0);
    for (int i = 0; i < 3; i++)
        finish(threads[i]);
    requeueing();
    limits_and_errors();
    return 0;
}
