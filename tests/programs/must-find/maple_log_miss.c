// SPDX-License-Identifier: MIT
// maple_log_miss.c - a server changes to a new log file in two critical sections; what is done in between is not logged.
//
// Shape: W(log) by the rotation, then R'(log) by a client, which finds it closed, then W(log) again; no data race.
// Why:   closing the old file and opening the new one are locked each, and not together.
//
// expect: assert
// find: surw within 100
// find: pct within 1000
// cause: a:W(is_open)@maple_log_miss.c:62 << b:R(is_open)@maple_log_miss.c:54 << a:W(is_open)@maple_log_miss.c:74
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { CLIENTS = 2, STATEMENTS = 4, ROWS = 16, FILES = 4, STATUS_REQUESTS = 30 };

static struct {
    pthread_mutex_t lock;
    int is_open;
    int file;
    int entries[FILES];
    char name[32];
} binlog = {PTHREAD_MUTEX_INITIALIZER, 1, 0, {0}, "binlog.0"};

static struct {
    pthread_mutex_t lock;
    long row[ROWS];
    int changes, requests;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void table_update(unsigned key, long value)
{
    pthread_mutex_lock(&table.lock);
    table.row[key % ROWS] += value;
    table.changes++;
    table.requests++;
    pthread_mutex_unlock(&table.lock);
}

static int table_status(void)
{
    pthread_mutex_lock(&table.lock);
    int changes = table.changes;
    table.requests++;
    pthread_mutex_unlock(&table.lock);
    return changes;
}

static void binlog_write(void)
{
    pthread_mutex_lock(&binlog.lock);
    if (binlog.is_open)
        binlog.entries[binlog.file]++;
    pthread_mutex_unlock(&binlog.lock);
}

static void binlog_close(void)
{
    pthread_mutex_lock(&binlog.lock);
    binlog.is_open = 0;
    pthread_mutex_unlock(&binlog.lock);
}

static void binlog_open(int file)
{
    char name[32];
    snprintf(name, sizeof name, "binlog.%d", file);
    pthread_mutex_lock(&binlog.lock);
    for (size_t i = 0; i < sizeof name; i++)
        binlog.name[i] = name[i];
    binlog.file = file;
    binlog.is_open = 1;
    pthread_mutex_unlock(&binlog.lock);
}

static void *client(void *argument)
{
    unsigned key = (unsigned)(uintptr_t)argument;
    for (int i = 0; i < STATEMENTS; i++) {
        key = key * 1103515245u + 12345u;
        table_update(key >> 16, i);
        binlog_write();
    }
    return NULL;
}

static void *administrator(void *unused)
{
    (void)unused;
    int last = 0;
    for (int i = 0; i < STATUS_REQUESTS; i++) {
        int now = table_status();
        assert(now >= last);
        last = now;
    }
    binlog_close();
    binlog_open(1);
    return NULL;
}

int main(void)
{
    pthread_t clients[CLIENTS], admin;
    for (uintptr_t i = 0; i < CLIENTS; i++)
        pthread_create(&clients[i], NULL, client, (void *)(i + 1));
    pthread_create(&admin, NULL, administrator, NULL);
    for (int i = 0; i < CLIENTS; i++)
        pthread_join(clients[i], NULL);
    pthread_join(admin, NULL);
    int logged = 0;
    for (int i = 0; i < FILES; i++)
        logged += binlog.entries[i];
    assert(logged == table.changes);
    return 0;
}
