// SPDX-License-Identifier: MIT
// left_mapped.c - memory that a run maps: unmapped in part, protected, mapped over, or left
//
// reused: yes
#include "frame.h"

#include <sys/mman.h>

static char *map(size_t size, int flags)
{
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        abort();
    return memory;
}

static void before(void)
{
    char *first = map(16384, MAP_PRIVATE), *second = map(8192, MAP_SHARED);
    printf("%d %d\n", first[5000], second[0]);
    first[5000] = second[0] = 1;
    munmap(first + 4096, 4096);
    mprotect(first, 4096, PROT_READ);
    munmap(second, 8192);
}

static void after(void)
{
    char *left = map(65536, MAP_PRIVATE);
    memset(left, 1, 65536);
    if (mmap(left + 4096, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != left + 4096)
        abort();
    printf("%d %d\n", left[4096], left[8192]);
}
