// SPDX-License-Identifier: MIT
// mask.c - the mask for new files
#include "frame.h"

#include <sys/stat.h>

static void before(void)
{
    mode_t mask = umask(0);
    umask(mask);
    printf("%o\n", (unsigned)mask);
}

static void after(void)
{
    umask(0123);
}
