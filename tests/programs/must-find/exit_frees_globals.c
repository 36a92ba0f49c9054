// SPDX-License-Identifier: MIT
// exit_frees_globals.c - main frees the tables and returns while a detached thread is still at work.
//
// Shape: order violation at the end of the process: free by main before the last read of the worker.
// Why:   no thread joins a detached one, and nothing else tells main when it has finished.
//
// expect: use-after-free
// find: random within 50
// find: pct within 50
// cause: a:free(table)@exit_frees_globals.c:37 << b:R(table)@exit_frees_globals.c:25
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

static int *table;
static sem_t started;
static atomic_int sum;

static void *background(void *unused)
{
    (void)unused;
    sem_post(&started);
    for (int i = 0; i < 4; i++)
        atomic_fetch_add(&sum, table[i]);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    table = calloc(4, sizeof *table);
    sem_init(&started, 0, 0);
    pthread_create(&thread, NULL, background, NULL);
    pthread_detach(thread);
    sem_wait(&started);
    free(table);
    return 0;
}
