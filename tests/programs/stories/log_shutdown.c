// log_shutdown.c - a logger thread writes lines; main closes the log at the end.
//
// kind: shutdown order
// expect: crash
// wrong: log_close() sets the buffer to NULL and does not wait for the writer, which tests `log.open' before it uses the buffer
// where: log_close log_line
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINES 3

struct log {
    atomic_int open;
    atomic_int lines;
    _Atomic(char *) buffer;
    size_t size;
};

static struct log journal;
static pthread_mutex_t work_lock = PTHREAD_MUTEX_INITIALIZER;
static int work_done;

static void log_open(size_t size)
{
    atomic_store(&journal.buffer, calloc(1, size));
    journal.size = size;
    atomic_store(&journal.open, 1);
}

static void log_close(void)
{
    atomic_store(&journal.open, 0);
    char *buffer = atomic_exchange(&journal.buffer, NULL);
    free(buffer);
}

static int log_line(const char *text)
{
    if (!atomic_load(&journal.open))
        return 0;
    char *buffer = atomic_load(&journal.buffer);
    size_t length = strlen(buffer);
    if (length + strlen(text) + 1 < journal.size)
        strcpy(buffer + length, text);
    atomic_fetch_add(&journal.lines, 1);
    return 1;
}

static void work(void)
{
    pthread_mutex_lock(&work_lock);
    work_done++;
    pthread_mutex_unlock(&work_lock);
}

static void *worker(void *arg)
{
    (void)arg;
    for (int i = 0; i < LINES; i++) {
        work();
        log_line("worker: done\n");
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;
    log_open(128);
    log_line("main: started\n");
    pthread_create(&thread, NULL, worker, NULL);
    work();
    log_line("main: stops\n");
    log_close();
    pthread_join(thread, NULL);
    printf("%d lines, %d done\n", atomic_load(&journal.lines), work_done);
    return 0;
}
