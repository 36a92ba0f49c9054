// SPDX-License-Identifier: MIT
// aget.c - on interruption a thread saves the progress of a download while the workers go on (the shape of a known bug).
//
// Shape: two-variable atomicity violation: the sum and its parts are read at different moments.
// Why:   the saving thread takes no lock that stops the workers, so the file says something that never was.
//
// expect: assert
// find: random within 20
// find: pct within 100
#define _POSIX_C_SOURCE 200809L
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>

enum { WORKERS = 2, CHUNK = 100 };

static atomic_int written[WORKERS];
static atomic_int total;
static sigset_t interrupt_set;

static void *download(void *number)
{
    uintptr_t i = (uintptr_t)number;
    for (int k = 0; k < 2; k++) {
        atomic_fetch_add(&written[i], CHUNK);
        atomic_fetch_add(&total, CHUNK);
    }
    return NULL;
}

static void *save_on_interrupt(void *unused)
{
    (void)unused;
    int number;
    sigwait(&interrupt_set, &number);
    int sum = atomic_load(&total);
    int parts = 0;
    for (int i = 0; i < WORKERS; i++)
        parts += atomic_load(&written[i]);
    assert(sum == parts);
    return NULL;
}

int main(void)
{
    pthread_t worker[WORKERS], saver;
    sigemptyset(&interrupt_set);
    sigaddset(&interrupt_set, SIGINT);
    pthread_sigmask(SIG_BLOCK, &interrupt_set, NULL);
    pthread_create(&saver, NULL, save_on_interrupt, NULL);
    for (uintptr_t i = 0; i < WORKERS; i++)
        pthread_create(&worker[i], NULL, download, (void *)i);
    pthread_kill(saver, SIGINT);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(worker[i], NULL);
    pthread_join(saver, NULL);
    return 0;
}
