// SPDX-License-Identifier: MIT
// app_logger.c - correct: an asynchronous logger: threads write into a buffer, a flusher swaps it and writes it out, the file is
// rotated when it is full, the level is changed while all this goes on, one thread wants everything on disk now, and it is closed.
#include "app.h"

enum { WRITERS = 3, LINES = 6, BUFFER = 5, FILE_FULL = 6 };

static pthread_mutex_t buffer_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake_flusher = PTHREAD_COND_INITIALIZER, has_room = PTHREAD_COND_INITIALIZER;
static int buffer[BUFFER], buffered, lost, wanted, flushed_to;
static pthread_cond_t on_disk = PTHREAD_COND_INITIALIZER;
static bool closing;

static pthread_mutex_t file_lock = PTHREAD_MUTEX_INITIALIZER;
static int file_lines, files = 1, total_lines, checksum;

static pthread_rwlock_t level_lock = PTHREAD_RWLOCK_INITIALIZER;
static int level = 1, level_changes;

static pthread_mutex_t registry_lock = PTHREAD_MUTEX_INITIALIZER;
static int registered, seen_most, suppressed, syncs;

static bool is_wanted(int importance)
{
    pthread_rwlock_rdlock(&level_lock);
    bool yes = importance >= level;
    pthread_rwlock_unlock(&level_lock);
    return yes;
}

static void write_line(int line, bool may_lose)
{
    pthread_mutex_lock(&buffer_lock);
    while (buffered == BUFFER && !may_lose)
        pthread_cond_wait(&has_room, &buffer_lock);
    if (buffered == BUFFER) {
        lost++;
    } else {
        buffer[buffered++] = line;
        wanted++;
        if (buffered >= BUFFER - 2)
            pthread_cond_signal(&wake_flusher);
    }
    pthread_mutex_unlock(&buffer_lock);
}

static void to_file(const int *line, int count)
{
    pthread_mutex_lock(&file_lock);
    for (int i = 0; i < count; i++) {
        if (file_lines == FILE_FULL) {
            files++;
            file_lines = 0;
        }
        file_lines++;
        total_lines++;
        checksum ^= line[i];
    }
    pthread_mutex_unlock(&file_lock);
}

static void *flush(void *unused)
{
    (void)unused;
    for (;;) {
        int own[BUFFER];
        pthread_mutex_lock(&buffer_lock);
        while (buffered < BUFFER - 2 && !closing)
            pthread_cond_wait(&wake_flusher, &buffer_lock);
        int count = buffered;
        memcpy(own, buffer, sizeof own);
        buffered = 0;
        bool last = closing && count == 0;
        pthread_cond_broadcast(&has_room);
        pthread_mutex_unlock(&buffer_lock);
        if (last)
            return NULL;
        app_crunch((uint32_t)count, 300);
        to_file(own, count);
        pthread_mutex_lock(&buffer_lock);
        flushed_to += count;
        pthread_cond_broadcast(&on_disk);
        pthread_mutex_unlock(&buffer_lock);
    }
}

static void sync_now(void)
{
    pthread_mutex_lock(&buffer_lock);
    int goal = wanted;
    if (flushed_to < goal && buffered > 0) { /* write it out here */
        int own[BUFFER], count = buffered;
        memcpy(own, buffer, sizeof own);
        buffered = 0;
        pthread_cond_broadcast(&has_room);
        pthread_mutex_unlock(&buffer_lock);
        to_file(own, count);
        pthread_mutex_lock(&buffer_lock);
        flushed_to += count;
        pthread_cond_broadcast(&on_disk);
    }
    while (flushed_to < goal)
        pthread_cond_wait(&on_disk, &buffer_lock);
    pthread_mutex_unlock(&buffer_lock);
    pthread_mutex_lock(&registry_lock);
    syncs++;
    pthread_mutex_unlock(&registry_lock);
}

static void *work(void *argument)
{
    int writer = (int)(long)argument;
    pthread_mutex_lock(&registry_lock);
    if (++registered > seen_most)
        seen_most = registered;
    pthread_mutex_unlock(&registry_lock);
    for (int i = 0; i < LINES; i++) {
        app_crunch((uint32_t)(writer * LINES + i), 220);
        if (is_wanted(i % 3)) {
            write_line(writer * 100 + i, i % 4 == 1);
        } else {
            pthread_mutex_lock(&registry_lock);
            suppressed++;
            pthread_mutex_unlock(&registry_lock);
        }
        if (writer == 1 && i == 3)
            sync_now();
    }
    pthread_mutex_lock(&registry_lock);
    registered--;
    pthread_mutex_unlock(&registry_lock);
    return NULL;
}

static void *change_level(void *unused)
{
    (void)unused;
    for (int i = 0; i < 3; i++) {
        app_crunch((uint32_t)i, 350);
        pthread_rwlock_wrlock(&level_lock);
        level = (level + 1) % 3;
        level_changes++;
        pthread_rwlock_unlock(&level_lock);
    }
    pthread_mutex_lock(&file_lock);
    assert(total_lines == (files - 1) * FILE_FULL + file_lines);
    pthread_mutex_unlock(&file_lock);
    return NULL;
}

int main(void)
{
    pthread_t writer[WRITERS], flusher, other;
    app_start(&flusher, flush, 0);
    app_start(&other, change_level, 0);
    for (long i = 0; i < WRITERS; i++)
        app_start(&writer[i], work, i);
    for (int i = 0; i < WRITERS; i++)
        pthread_join(writer[i], NULL);
    pthread_join(other, NULL);
    pthread_mutex_lock(&buffer_lock);
    closing = true;
    pthread_cond_signal(&wake_flusher);
    pthread_mutex_unlock(&buffer_lock);
    pthread_join(flusher, NULL);
    assert(total_lines == wanted && flushed_to == wanted && registered == 0 && syncs == 1 && level_changes == 3);
    assert(wanted + lost + suppressed == WRITERS * LINES && seen_most >= 1);
    return 0;
}
