// SPDX-License-Identifier: MIT
// io_select_pipes.c - select over two pipes that two threads write to.
//
// expect: none
#include "correct.h"

#include <sys/select.h>

static int pipes[2][2];

static void *work(void *pipe_of_mine)
{
    int *mine = pipe_of_mine;
    for (int i = 0; i < 2; i++)
        CHECK(write(mine[1], "ab", 2) == 2);
    close(mine[1]);
    return NULL;
}

int main(void)
{
    CHECK(pipe(pipes[0]) == 0 && pipe(pipes[1]) == 0);
    pthread_t a = start(work, pipes[0]), b = start(work, pipes[1]);
    int open[2] = {1, 1}, total = 0;
    while (open[0] || open[1]) {
        fd_set ready;
        FD_ZERO(&ready);
        for (int i = 0; i < 2; i++)
            if (open[i])
                FD_SET(pipes[i][0], &ready);
        CHECK(select(pipes[1][0] + pipes[0][0] + 1, &ready, NULL, NULL, NULL) > 0);
        for (int i = 0; i < 2; i++)
            if (open[i] && FD_ISSET(pipes[i][0], &ready)) {
                char buffer[8];
                ssize_t length = read(pipes[i][0], buffer, sizeof buffer);
                CHECK(length >= 0);
                total += (int)length;
                open[i] = length > 0;
            }
    }
    join(a);
    join(b);
    CHECK(total == 8);
    return 0;
}
