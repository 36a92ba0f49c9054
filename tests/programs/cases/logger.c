// logger.c - a logger thread misses the signal between its test and its wait.
// clang-format off
// expect: deadlock
// says: (signal of (more|room) at logger.c:(33|42|71) woke no thread: T[0-9] began to wait at :(48|29) after it|waits for (more|room))
// rows: 48

/* An asynchronous logger: messages go to a ring, a background thread writes them. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define RING 4
#define LINE 64

static char ring[RING][LINE];
static atomic_uint head, tail;
static atomic_bool stopping;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static pthread_cond_t room = PTHREAD_COND_INITIALIZER;
static int written;

static void log_line(const char *text)
{
    pthread_mutex_lock(&lock);
    while (atomic_load(&head) - atomic_load(&tail) == RING)
        pthread_cond_wait(&room, &lock);
    strncpy(ring[atomic_load(&head) % RING], text, LINE - 1);
    atomic_fetch_add(&head, 1);
    pthread_mutex_unlock(&lock);
    pthread_cond_signal(&more);
}

static void *writer(void *unused)
{
    (void)unused;
    for (;;) {
        while (atomic_load(&tail) != atomic_load(&head)) {
            written++;                                  /* write(fd, ring[tail % RING]) */
            atomic_fetch_add(&tail, 1);
            pthread_cond_signal(&room);
        }
        if (atomic_load(&stopping))
            return NULL;
        pthread_mutex_lock(&lock);
        pthread_cond_wait(&more, &lock);                /* nothing there: wait for more */
        pthread_mutex_unlock(&lock);
    }
}

static void *app(void *name)
{
    char text[LINE];
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof text, "%s: message %d", (const char *)name, i);
        log_line(text);
    }
    return NULL;
}

int main(void)
{
    pthread_t w, a, b;
    pthread_create(&w, NULL, writer, NULL);
    pthread_create(&a, NULL, app, "a");
    pthread_create(&b, NULL, app, "b");
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    atomic_store(&stopping, true);
    pthread_cond_signal(&more);
    pthread_join(w, NULL);
    printf("%d lines\n", written);
    return 0;
}
