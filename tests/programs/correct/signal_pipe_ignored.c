// SPDX-License-Identifier: MIT
// signal_pipe_ignored.c - with SIGPIPE ignored a write to a closed pipe is EPIPE, in any thread.
//
// expect: none
#include "correct.h"

#include <stdatomic.h>

static int ends[2];
static atomic_int closed;

static void *writer(void *unused)
{
    (void)unused;
    ssize_t got = write(ends[1], "x", 1);
    CHECK(got == 1 || (got == -1 && errno == EPIPE));
    while (!atomic_load(&closed))
        sched_yield();
    CHECK(write(ends[1], "x", 1) == -1 && errno == EPIPE);
    return NULL;
}

int main(void)
{
    CHECK(signal(SIGPIPE, SIG_IGN) != SIG_ERR && pipe(ends) == 0);
    pthread_t thread = start(writer, NULL);
    close(ends[0]);
    atomic_store(&closed, 1);
    join(thread);
    return 0;
}
