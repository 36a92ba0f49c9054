// SPDX-License-Identifier: MIT
// left_open.c - descriptors that a run opens: some are closed, a higher one is left open
//
// reused: yes
#include "frame.h"

#include <fcntl.h>
#include <sys/eventfd.h>

static void before(void)
{
    int ends[2], event = eventfd(3, 0), file = open("/dev/null", O_RDWR);
    if (pipe(ends) != 0 || write(ends[1], "x", 1) != 1)
        abort();
    printf("%d %d %d %d\n", event, file, ends[0], ends[1]);
    close(file);
    close(ends[0]);
}

static void after(void)
{
    int copy = dup(1);
    printf("%d\n", copy);
    if (dup2(copy, 9) != 9 || fcntl(copy, F_DUPFD, 20) < 20)
        abort();
}
