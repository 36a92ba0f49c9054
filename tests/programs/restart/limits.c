// SPDX-License-Identifier: MIT
// limits.c - resource limits
#include "frame.h"

#include <sys/resource.h>

static void before(void)
{
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    printf("%s\n", limit.rlim_cur == 99 ? "few" : "many");
}

static void after(void)
{
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = 99;
    setrlimit(RLIMIT_NOFILE, &limit);
}
