// SPDX-License-Identifier: MIT
// nice.c - how nice the process is
#include "frame.h"

#include <sys/resource.h>

static void before(void)
{
    printf("%d\n", getpriority(PRIO_PROCESS, 0));
}

static void after(void)
{
    if (nice(1) < 0)
        perror("nice");
}
