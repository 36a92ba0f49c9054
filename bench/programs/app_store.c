// SPDX-License-Identifier: MIT
// app_store.c - correct: a log-structured store: writers append to a log and a table in memory, a full table is frozen and written
// out by a flusher, runs are merged by a compactor, a reader takes snapshots, and all is closed at the end.
#include "app.h"

enum { WRITERS = 2, WRITES = 6, FULL = 3, RUNS = 16 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the tables and the runs */
static pthread_cond_t frozen_or_closed = PTHREAD_COND_INITIALIZER, thawed = PTHREAD_COND_INITIALIZER;
static int table[FULL], table_count, frozen[FULL], frozen_count;
static int run[RUNS], run_count, merged, snapshots;
static bool closing;

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static int log_length, log_synced, log_truncated;

static pthread_mutex_t state_lock = PTHREAD_MUTEX_INITIALIZER;
static int open_handles, flushes, compactions, errors;

static void handle_open(void)
{
    pthread_mutex_lock(&state_lock);
    open_handles++;
    pthread_mutex_unlock(&state_lock);
}

static void handle_close(void)
{
    pthread_mutex_lock(&state_lock);
    if (--open_handles < 0)
        errors++;
    pthread_mutex_unlock(&state_lock);
}

static void log_append(bool sync)
{
    pthread_mutex_lock(&log_lock);
    log_length++;
    if (sync)
        log_synced = log_length;
    pthread_mutex_unlock(&log_lock);
}

static void *write_some(void *argument)
{
    int writer = (int)(long)argument;
    handle_open();
    for (int i = 0; i < WRITES; i++) {
        int value = (int)(app_crunch((uint32_t)(writer * WRITES + i), 220) & 0xff);
        log_append(i % 3 == 2);
        app_crunch((uint32_t)value, 200);
        pthread_mutex_lock(&lock);
        while (table_count == FULL && frozen_count > 0)
            pthread_cond_wait(&thawed, &lock);
        if (table_count == FULL) {
            memcpy(frozen, table, sizeof table);
            frozen_count = table_count;
            table_count = 0;
            pthread_cond_broadcast(&frozen_or_closed);
        }
        table[table_count++] = value;
        pthread_mutex_unlock(&lock);
    }
    handle_close();
    return NULL;
}

static void *flush_frozen(void *unused)
{
    (void)unused;
    handle_open();
    for (;;) {
        pthread_mutex_lock(&lock);
        while (frozen_count == 0 && !closing)
            pthread_cond_wait(&frozen_or_closed, &lock);
        int count = frozen_count, sum = 0;
        for (int i = 0; i < count; i++)
            sum += frozen[i];
        pthread_mutex_unlock(&lock);
        if (count == 0)
            break;
        app_crunch((uint32_t)sum, 300);
        pthread_mutex_lock(&lock);
        run[run_count++] = count;
        frozen_count = 0;
        pthread_cond_broadcast(&thawed);
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&log_lock);
        log_truncated += count;
        assert(log_truncated <= log_length);
        pthread_mutex_unlock(&log_lock);
        pthread_mutex_lock(&state_lock);
        flushes++;
        pthread_mutex_unlock(&state_lock);
    }
    handle_close();
    return NULL;
}

static void *compact(void *unused)
{
    (void)unused;
    handle_open();
    for (int round = 0; round < 3; round++) {
        app_crunch((uint32_t)round, 300);
        pthread_mutex_lock(&lock);
        int first = run_count >= 2 ? run_count - 2 : -1, sum = first >= 0 ? run[first] + run[first + 1] : 0;
        pthread_mutex_unlock(&lock);
        if (first < 0)
            continue;
        app_crunch((uint32_t)sum, 250);
        pthread_mutex_lock(&lock); /* only this one takes runs away, the flusher adds after them */
        run[first] = sum;
        for (int i = first + 1; i + 1 < run_count; i++)
            run[i] = run[i + 1];
        run_count--;
        merged++;
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&state_lock);
        compactions++;
        pthread_mutex_unlock(&state_lock);
    }
    handle_close();
    return NULL;
}

static void *read_snapshots(void *unused)
{
    (void)unused;
    handle_open();
    for (int i = 0; i < 3; i++) {
        app_crunch((uint32_t)i, 250);
        pthread_mutex_lock(&lock);
        int seen = table_count + frozen_count;
        for (int k = 0; k < run_count; k++)
            seen += run[k];
        snapshots++;
        pthread_mutex_unlock(&lock);
        assert(seen <= WRITERS * WRITES + FULL);
        pthread_mutex_lock(&log_lock);
        bool unsynced = log_synced < log_length;
        if (unsynced)
            log_synced = log_length;
        pthread_mutex_unlock(&log_lock);
    }
    handle_close();
    return NULL;
}

int main(void)
{
    pthread_t writer[WRITERS], flusher, compactor, reader;
    app_start(&flusher, flush_frozen, 0);
    app_start(&compactor, compact, 0);
    for (long i = 0; i < WRITERS; i++)
        app_start(&writer[i], write_some, i);
    app_start(&reader, read_snapshots, 0);
    for (int i = 0; i < WRITERS; i++)
        pthread_join(writer[i], NULL);
    pthread_mutex_lock(&lock);
    closing = true;
    pthread_cond_broadcast(&frozen_or_closed);
    pthread_mutex_unlock(&lock);
    pthread_join(flusher, NULL);
    pthread_join(compactor, NULL);
    pthread_join(reader, NULL);
    int sum = table_count;
    for (int i = 0; i < run_count; i++)
        sum += run[i];
    assert(sum == WRITERS * WRITES && frozen_count == 0 && open_handles == 0 && errors == 0 && snapshots == 3);
    assert(flushes >= compactions && merged == compactions && log_length == WRITERS * WRITES);
    return 0;
}
