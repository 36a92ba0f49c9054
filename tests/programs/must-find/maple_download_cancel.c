// SPDX-License-Identifier: MIT
// maple_download_cancel.c - when a download is complete, the thread that shows its progress is cancelled: in the middle of a line.
//
// Shape: W(state) by main, just after the cancellation, comes before R'(state) by a thread that holds the lock of the terminal.
// Why:   writing is a cancellation point, and the thread has no clean-up handler that gives back the lock.
//
// expect: deadlock
// find: surw within 100
// find: pct within 500
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { WORKERS = 2, CHUNKS = 3, CHUNK = 64, FILE_SIZE = WORKERS * CHUNKS * CHUNK };

static struct {
    pthread_mutex_t lock;
    unsigned char content[FILE_SIZE];
    size_t written;
    const char *state;
} file = {.lock = PTHREAD_MUTEX_INITIALIZER, .state = "loading"};

static struct {
    pthread_mutex_t lock;
    int descriptor;
} terminal = {.lock = PTHREAD_MUTEX_INITIALIZER};

static sem_t arrived;

static size_t file_written(void)
{
    pthread_mutex_lock(&file.lock);
    size_t written = file.written;
    pthread_mutex_unlock(&file.lock);
    return written;
}

/* A line on the terminal, never mixed with another. */
static void terminal_show(size_t percent)
{
    char line[64];
    pthread_mutex_lock(&terminal.lock);
    int length = snprintf(line, sizeof line, "%s: %zu %%\n", file.state, percent);
    if (write(terminal.descriptor, line, (size_t)length) != length)
        abort();
    pthread_mutex_unlock(&terminal.lock);
}

static void *show_progress(void *unused)
{
    (void)unused;
    for (;;) {
        sem_wait(&arrived);
        size_t percent = file_written() * 100 / FILE_SIZE;
        pthread_testcancel(); /* a line that is no longer true is not shown */
        terminal_show(percent);
    }
    return NULL;
}

/* Stands for the network. */
static void receive(unsigned char *chunk, unsigned *state)
{
    for (int i = 0; i < CHUNK; i++) {
        *state = *state * 1664525u + 1013904223u;
        chunk[i] = (unsigned char)(*state >> 24);
    }
}

static void *load(void *argument)
{
    uintptr_t number = (uintptr_t)argument;
    unsigned state = (unsigned)number + 1;
    for (int i = 0; i < CHUNKS; i++) {
        unsigned char chunk[CHUNK];
        receive(chunk, &state);
        pthread_mutex_lock(&file.lock);
        for (int k = 0; k < CHUNK; k++)
            file.content[(number * CHUNKS + (size_t)i) * CHUNK + (size_t)k] = chunk[k];
        file.written += CHUNK;
        pthread_mutex_unlock(&file.lock);
        if (i % 2 == 0)
            sem_post(&arrived);
    }
    return NULL;
}

/* Part by part, as other threads may still want the file. */
static unsigned check_sum(void)
{
    unsigned sum = 0;
    for (int i = 0; i < WORKERS * CHUNKS * 4; i++) {
        pthread_mutex_lock(&file.lock);
        for (int k = 0; k < CHUNK / 4; k++)
            sum = sum * 31 + file.content[i * (CHUNK / 4) + k];
        pthread_mutex_unlock(&file.lock);
    }
    return sum;
}

int main(void)
{
    pthread_t workers[WORKERS], progress;
    sem_init(&arrived, 0, 0);
    terminal.descriptor = open("/dev/null", O_WRONLY);
    pthread_create(&progress, NULL, show_progress, NULL);
    for (uintptr_t i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], NULL, load, (void *)i);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    unsigned sum = check_sum();
    pthread_cancel(progress);
    file.state = "complete";
    pthread_join(progress, NULL);
    terminal_show(sum % 101);
    return 0;
}
