// SPDX-License-Identifier: MIT
// group.c - the session and process group
#include "frame.h"

static void before(void)
{
    printf("%s\n", getsid(0) == getpid() ? "leader" : "member");
}

static void after(void)
{
    setsid();
}
