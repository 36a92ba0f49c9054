// SPDX-License-Identifier: MIT
// exit_in_thread.c - exit in another thread than main, with handlers and buffered output
#include "frame.h"

static int handled;

static void handler(void)
{
    printf("handler %d\n", ++handled);
}

static void *leave(void *unused)
{
    (void)unused;
    printf("leaving");
    exit(0);
}

static void before(void)
{
    printf("%d ", handled);
    atexit(handler);
}

static void after(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, leave, NULL);
    pthread_detach(thread);
}
