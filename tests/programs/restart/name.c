// SPDX-License-Identifier: MIT
// name.c - the name of the process's first thread
#include "frame.h"

#include <sys/prctl.h>

static void before(void)
{
    char name[16];
    prctl(PR_GET_NAME, name);
    printf("%s\n", name);
}

static void after(void)
{
    prctl(PR_SET_NAME, "renamed");
}
