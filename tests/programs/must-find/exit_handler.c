// SPDX-License-Identifier: MIT
// exit_handler.c - a clean-up at exit runs beside a thread that was not stopped.
//
// Shape: order violation between an atexit handler and a running thread.
// Why:   return from main runs the handlers first and ends the threads after them.
//
// expect: use-after-free|signal
// find: random within 100
// cause: a:free(logger)@exit_handler.c:25 << b:R(logger)@exit_handler.c:36
// cause: a:free(logger)@exit_handler.c:25 << b:W(logger)@exit_handler.c:36
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct logger {
    int lines;
};

static _Atomic(struct logger *) logger;
static atomic_int closed;

static void close_log(void)
{
    struct logger *old = atomic_exchange(&logger, NULL);
    free(old);
    atomic_store(&closed, 1);
}

static void *background(void *unused)
{
    (void)unused;
    for (int i = 0; i < 3 && !atomic_load(&closed); i++) {
        struct logger *log = atomic_load(&logger);
        if (log == NULL)
            break;
        log->lines++;
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;
    atomic_store(&logger, calloc(1, sizeof(struct logger)));
    atexit(close_log);
    pthread_create(&thread, NULL, background, NULL);
    pthread_detach(thread);
    return 0;
}
