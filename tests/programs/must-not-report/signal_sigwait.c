// SPDX-License-Identifier: MIT
// signal_sigwait.c - one thread takes all signals with sigwait, the others send them with pthread_kill.
//
// expect: none
#define _POSIX_C_SOURCE 200809L
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static sigset_t set;
static int requests;

static void *handle(void *unused)
{
    (void)unused;
    int number = 0;
    do {
        assert(sigwait(&set, &number) == 0);
        if (number == SIGUSR1)
            requests++;
    } while (number != SIGTERM);
    return NULL;
}

static void *ask(void *handler)
{
    assert(pthread_kill(*(pthread_t *)handler, SIGUSR1) == 0);
    return NULL;
}

int main(void)
{
    pthread_t handler, asker[2];
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&handler, NULL, handle, NULL);
    for (int i = 0; i < 2; i++)
        pthread_create(&asker[i], NULL, ask, &handler);
    for (int i = 0; i < 2; i++)
        pthread_join(asker[i], NULL);
    assert(pthread_kill(handler, SIGTERM) == 0);
    pthread_join(handler, NULL);
    assert(requests <= 2); /* equal pending signals are one */
    return 0;
}
