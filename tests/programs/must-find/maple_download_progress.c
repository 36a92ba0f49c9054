// SPDX-License-Identifier: MIT
// maple_download_progress.c - an interrupted download saves how far each part has come, and the sum: of different moments.
//
// Shape: two-variable atomicity violation: W(offset) R'(offset) … R'(total) W(total).
// Why:   the saving thread takes the parts one by one and the total under its own lock, and does not stop the workers.
//
// expect: assert
// find: surw within 100
// find: pct within 500
#define _POSIX_C_SOURCE 200809L
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

enum { WORKERS = 2, CHUNKS = 3, CHUNK = 32, LOG_LINES = 24 };

static struct part {
    pthread_t thread;
    unsigned number;
    atomic_size_t offset;
    unsigned char content[CHUNKS * CHUNK];
} part[WORKERS];

static struct {
    pthread_mutex_t lock;
    size_t total;
} written = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct {
    pthread_mutex_t lock;
    unsigned lines;
} history = {.lock = PTHREAD_MUTEX_INITIALIZER};

static sigset_t interruptions;

static void history_add(void)
{
    pthread_mutex_lock(&history.lock);
    history.lines++;
    pthread_mutex_unlock(&history.lock);
}

static void receive(unsigned char *chunk, unsigned *state)
{
    for (int i = 0; i < CHUNK; i++) {
        *state = *state * 1664525u + 1013904223u;
        chunk[i] = (unsigned char)(*state >> 24);
    }
}

static void *load(void *argument)
{
    struct part *self = argument;
    unsigned state = self->number;
    for (int i = 0; i < CHUNKS; i++) {
        unsigned char chunk[CHUNK];
        receive(chunk, &state);
        memcpy(self->content + i * CHUNK, chunk, CHUNK);
        atomic_fetch_add(&self->offset, CHUNK);
        pthread_mutex_lock(&written.lock);
        written.total += CHUNK;
        pthread_mutex_unlock(&written.lock);
        history_add();
    }
    return NULL;
}

/* What the next start of the program goes on from. */
static void save(void)
{
    size_t sum = 0;
    for (int i = 0; i < WORKERS; i++)
        sum += atomic_load(&part[i].offset);
    pthread_mutex_lock(&written.lock);
    size_t total = written.total;
    pthread_mutex_unlock(&written.lock);
    assert(sum <= total);
}

static void *save_on_interruption(void *unused)
{
    (void)unused;
    int number;
    sigwait(&interruptions, &number);
    for (int i = 0; i < LOG_LINES; i++)
        history_add();
    save();
    return NULL;
}

int main(void)
{
    pthread_t saver;
    sigemptyset(&interruptions);
    sigaddset(&interruptions, SIGINT);
    pthread_sigmask(SIG_BLOCK, &interruptions, NULL);
    pthread_create(&saver, NULL, save_on_interruption, NULL);
    for (unsigned i = 0; i < WORKERS; i++) {
        part[i].number = i + 1;
        pthread_create(&part[i].thread, NULL, load, &part[i]);
    }
    pthread_kill(saver, SIGINT);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(part[i].thread, NULL);
    pthread_join(saver, NULL);
    return 0;
}
