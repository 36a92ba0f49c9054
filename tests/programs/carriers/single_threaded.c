// SPDX-License-Identifier: MIT
// single_threaded.c - libc's word for a process with one thread
#include "../restart/frame.h"

#include <sys/single_threaded.h>

static void before(void)
{
    printf("%d\n", __libc_single_threaded);
}

static void after(void)
{
    printf("%d\n", __libc_single_threaded);
}
