// SPDX-License-Identifier: MIT
// by_number.c - system calls by number
#include "frame.h"

#include <sys/syscall.h>

static void before(void)
{
    long mask = syscall(SYS_umask, 0);
    syscall(SYS_umask, mask);
    printf("%ld\n", mask);
}

static void after(void)
{
    syscall(SYS_umask, 0123);
}
