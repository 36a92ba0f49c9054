// SPDX-License-Identifier: MIT
// alternate_stack.c - an alternate signal stack
#include "frame.h"

#include <signal.h>

static char room[1 << 16];

static void before(void)
{
    stack_t old;
    sigaltstack(NULL, &old);
    printf("%s\n", old.ss_flags & SS_DISABLE ? "none" : "one");
}

static void after(void)
{
    stack_t stack = {.ss_sp = room, .ss_size = sizeof room};
    sigaltstack(&stack, NULL);
}
