// SPDX-License-Identifier: MIT
// maple_log_sweep.c - a log is written, processed and swept by three threads; the sweeper goes by a counter that runs ahead.
// With SWEEP_ALL it only sweeps when everything has been processed.
//
// Shape: order violation between two single accesses: the sweeper's W(record) comes before the processor's R'(record).
// Why:   the processor counts a record as processed when it takes it, and looks at it afterwards, without the lock.
//
// expect: signal|use-after-free
// find: surw within 500
// find: pct within 1000
// cause: a:W(record)@maple_log_sweep.c:99 << b:R(record)@maple_log_sweep.c:90
// cause: a:free(text)@maple_log_sweep.c:98 << b:R(text)@maple_log_sweep.c:90
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RECORDS = 6, SIZE = 16, PATIENCE = 40 };
#ifdef SWEEP_ALL
enum { PASSES = 2, STATISTICS = 12 };
#else
enum { PASSES = 1, STATISTICS = 45 };
#endif

static struct {
    pthread_mutex_t lock;
    char *record[SIZE];
    int written, processed, swept;
} journal = {.lock = PTHREAD_MUTEX_INITIALIZER};

static pthread_mutex_t statistics_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long bytes;

static void count_bytes(size_t number)
{
    pthread_mutex_lock(&statistics_lock);
    bytes += number;
    pthread_mutex_unlock(&statistics_lock);
}

static char *compose(int number)
{
    char line[64];
    unsigned hash = 17;
    for (int i = 0; i < 40; i++)
        hash = hash * 31 + (unsigned)(number + i);
    snprintf(line, sizeof line, "record %d: %u", number, hash);
    return strdup(line);
}

static void *write_records(void *unused)
{
    (void)unused;
    for (int i = 0; i < RECORDS; i++) {
        char *text = compose(i);
        pthread_mutex_lock(&journal.lock);
        journal.record[journal.written] = text;
        journal.written++;
        pthread_mutex_unlock(&journal.lock);
        count_bytes(1);
    }
    return NULL;
}

/* The position of a record that is not processed yet, or -1. */
static int take_record(void)
{
    int position = -1;
    pthread_mutex_lock(&journal.lock);
    if (journal.processed < journal.written) {
        position = journal.processed;
        journal.processed++;
    }
    pthread_mutex_unlock(&journal.lock);
    return position;
}

static void *process_records(void *unused)
{
    (void)unused;
    int done = 0;
    for (int patience = PATIENCE; done < RECORDS && patience > 0; patience--) {
        int position = take_record();
        if (position < 0) {
            sched_yield();
            continue;
        }
        count_bytes(strlen(journal.record[position])); /* may have been swept by now */
        done++;
    }
    return NULL;
}

static void drop_record(int position)
{
    free(journal.record[position]);
    journal.record[position] = NULL;
}

/* What has been processed is not needed any more. */
static void sweep(void)
{
    pthread_mutex_lock(&journal.lock);
#ifdef SWEEP_ALL
    if (journal.written > 0 && journal.processed == journal.written) {
        for (int i = 0; i < journal.written; i++)
            drop_record(i);
        journal.written = journal.processed = 0;
    }
#else
    for (; journal.swept < journal.processed; journal.swept++)
        drop_record(journal.swept);
#endif
    pthread_mutex_unlock(&journal.lock);
}

static void *sweep_records(void *unused)
{
    (void)unused;
    for (int pass = 0; pass < PASSES; pass++) {
        for (int i = 0; i < STATISTICS; i++)
            count_bytes(0);
        sweep();
    }
    return NULL;
}

int main(void)
{
    pthread_t writer, processor, sweeper;
    pthread_create(&writer, NULL, write_records, NULL);
    pthread_create(&processor, NULL, process_records, NULL);
    pthread_create(&sweeper, NULL, sweep_records, NULL);
    pthread_join(writer, NULL);
    pthread_join(processor, NULL);
    pthread_join(sweeper, NULL);
    for (int i = journal.swept; i < journal.written; i++)
        free(journal.record[i]);
    return 0;
}
