// SPDX-License-Identifier: MIT
// futex_lock.c - a three-state lock on the futex system call: 0 free, 1 held, 2 held and a thread waits.
//
// expect: none
#define _GNU_SOURCE
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { THREADS = 3 };

static atomic_int word;
static int counter;

static void lock(void)
{
    int state = 0;
    if (atomic_compare_exchange_strong(&word, &state, 1))
        return;
    if (state != 2)
        state = atomic_exchange(&word, 2);
    while (state != 0) {
        syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
        state = atomic_exchange(&word, 2);
    }
}

static void unlock(void)
{
    if (atomic_exchange(&word, 0) == 2)
        syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *work(void *unused)
{
    (void)unused;
    for (int i = 0; i < 2; i++) {
        lock();
        counter++;
        unlock();
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    assert(counter == 2 * THREADS);
    return 0;
}
