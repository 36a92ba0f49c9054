// SPDX-License-Identifier: MIT
// log_process_sweep.c - a sweeper empties the log between "is there something" and "process it".
//
// Shape: three threads, one buffer: log, process, sweep; the processor reads a record that the sweeper has just taken away.
// Why:   the processor remembers the position of a record across two critical sections.
//
// expect: signal|assert
// find: random within 50
// find: pct within 100
// cause: a:W(record)@log_process_sweep.c:48 << b:R(record)@log_process_sweep.c:39
#include <pthread.h>
#include <stddef.h>

enum { SIZE = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *record[SIZE];
static int used;
static int processed;

static void *log_record(void *text)
{
    pthread_mutex_lock(&lock);
    if (used < SIZE)
        record[used++] = text;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *process(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    int last = used - 1;
    pthread_mutex_unlock(&lock);
    if (last < 0)
        return NULL;
    pthread_mutex_lock(&lock);
    processed += record[last][0]; /* may be gone by now */
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *sweep(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    while (used > 0)
        record[--used] = NULL;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    static char text[] = "started";
    pthread_t logger, processor, sweeper;
    pthread_create(&logger, NULL, log_record, text);
    pthread_create(&processor, NULL, process, NULL);
    pthread_create(&sweeper, NULL, sweep, NULL);
    pthread_join(logger, NULL);
    pthread_join(processor, NULL);
    pthread_join(sweeper, NULL);
    return 0;
}
