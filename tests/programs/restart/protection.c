// SPDX-License-Identifier: MIT
// protection.c - memory that is made read-only
#include "frame.h"

#include <stdint.h>
#include <sys/mman.h>

enum { PAGE = 4096 };
static char room[3 * PAGE] = {1};

static char *page(void)
{
    return (char *)(((uintptr_t)room + PAGE - 1) & ~(uintptr_t)(PAGE - 1));
}

static void before(void)
{
    *page() += 1;
    printf("%d\n", *page());
}

static void after(void)
{
    if (mprotect(page(), PAGE, PROT_READ) != 0)
        abort();
}
