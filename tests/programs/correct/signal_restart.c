// SPDX-License-Identifier: MIT
// signal_restart.c - a read that a handler interrupts goes on with SA_RESTART, and gives EINTR without.
//
// expect: none
#include "correct.h"

#include <stdatomic.h>

static volatile sig_atomic_t handled;
static int ends[2];
static atomic_int waiting;

static void handle(int number)
{
    (void)number;
    handled++;
}

static void *reader(void *flags)
{
    char byte;
    struct sigaction action = {.sa_handler = handle, .sa_flags = (int)(intptr_t)flags};
    sigaction(SIGUSR1, &action, NULL);
    atomic_store(&waiting, 1);
    ssize_t got = read(ends[0], &byte, 1);
    while (got == -1 && errno == EINTR) {
        CHECK(flags == NULL);
        got = read(ends[0], &byte, 1);
    }
    CHECK(got == 1 && byte == 'x');
    return NULL;
}

int main(void)
{
    CHECK(pipe(ends) == 0);
    for (int round = 0; round < 2; round++) {
        atomic_store(&waiting, 0);
        pthread_t thread = start(reader, (void *)(intptr_t)(round ? SA_RESTART : 0));
        while (!atomic_load(&waiting))
            sched_yield();
        CHECK(pthread_kill(thread, SIGUSR1) == 0);
        CHECK(write(ends[1], "x", 1) == 1);
        join(thread);
    }
    CHECK(handled == 2);
    return 0;
}
