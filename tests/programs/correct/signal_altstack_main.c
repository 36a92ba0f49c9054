// SPDX-License-Identifier: MIT
// signal_altstack_main.c - a handler with SA_ONSTACK runs on the alternate stack that main has set up.
//
// expect: none
#include "correct.h"

static char stack[64 << 10];
static volatile sig_atomic_t on_it;
static int finished;

static void handle(int number)
{
    char local;
    (void)number;
    on_it = (uintptr_t)&local - (uintptr_t)stack < sizeof stack;
}

static void *work(void *unused)
{
    (void)unused;
    __atomic_fetch_add(&finished, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

int main(void)
{
    stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack}, old;
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
    CHECK(sigaltstack(&alternate, NULL) == 0 && sigaction(SIGUSR1, &action, NULL) == 0);
    pthread_t thread = start(work, NULL);
    CHECK(raise(SIGUSR1) == 0);
    CHECK(on_it);
    CHECK(sigaltstack(NULL, &old) == 0 && old.ss_sp == stack);
    join(thread);
    CHECK(finished == 1);
    return 0;
}
