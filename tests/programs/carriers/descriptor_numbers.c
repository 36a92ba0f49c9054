// SPDX-License-Identifier: MIT
// descriptor_numbers.c - new descriptors have the lowest free numbers
#include "../restart/frame.h"

#include <fcntl.h>

static void before(void)
{
    int ends[2], more;
    if (pipe(ends) != 0)
        abort();
    more = open("/dev/null", O_RDONLY);
    printf("%d %d %d\n", ends[0], ends[1], more);
    close(ends[0]);
    printf("%d\n", dup(more));
    close(ends[0]);
    close(ends[1]);
    close(more);
}

static void after(void)
{
    printf("%d\n", open("/dev/null", O_RDONLY));
}
