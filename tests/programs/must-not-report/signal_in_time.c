// SPDX-License-Identifier: MIT
// signal_in_time.c - handlers between private operations: they keep to masks, and are never later than what the sender does next.
//
// Shape: a signal to oneself is handled before raise returns; one that another thread has sent is handled before anything is seen that
//        the sender did after it; one that is blocked waits until it is let through, and is handled before that call returns.
//
// expect: none
#define _POSIX_C_SOURCE 200809L
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

static sem_t sent;
static atomic_int stored;
static __thread int handled, handled_later, inside, first, second;

/* Of the calling thread.  Plain, so that no reading is a scheduling point; compilers do not expect that raise() changes it. */
static int count(const int *counter)
{
    __asm__ volatile("" ::: "memory");
    return *counter;
}

static void on_signal(int number)
{
    (void)number;
    assert(!inside++); /* it is blocked meanwhile: not within itself */
    assert(first == second);
    handled++;
    inside--;
}

static void on_later_signal(int number)
{
    (void)number;
    assert(first == second);
    handled_later++;
}

static void change_pair(const sigset_t *set)
{
    pthread_sigmask(SIG_BLOCK, set, NULL);
    first++;
    second++;
    pthread_sigmask(SIG_UNBLOCK, set, NULL);
}

static void *waits(void *unused)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    change_pair(&set);
    sem_wait(&sent);
    assert(count(&handled) == 1);
    change_pair(&set);
    if (atomic_load(&stored))
        assert(count(&handled_later) == 1);
    raise(SIGUSR1);
    assert(count(&handled) == 2);
    return unused;
}

static void *blocks(void *unused)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    raise(SIGUSR1);
    first++;
    assert(count(&handled) == 0);
    second++;
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    assert(count(&handled) == 1);
    return unused;
}

int main(void)
{
    pthread_t waiter, blocker;
    sem_init(&sent, 0, 0);
    sigaction(SIGUSR1, &(struct sigaction){.sa_handler = on_signal}, NULL);
    sigaction(SIGUSR2, &(struct sigaction){.sa_handler = on_later_signal}, NULL);
    pthread_create(&waiter, NULL, waits, NULL);
    pthread_create(&blocker, NULL, blocks, NULL);
    pthread_kill(waiter, SIGUSR1);
    sem_post(&sent);
    pthread_kill(waiter, SIGUSR2);
    atomic_store(&stored, 1);
    pthread_join(waiter, NULL);
    pthread_join(blocker, NULL);
    return 0;
}
