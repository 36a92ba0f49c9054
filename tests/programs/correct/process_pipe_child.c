// SPDX-License-Identifier: MIT
// process_pipe_child.c - a thread forks and reads what its child writes into a pipe.
//
// expect: none
// repeats: no (child processes take their own time)
#include "correct.h"

#include <sys/wait.h>

static void *talk(void *letter)
{
    int ends[2];
    char text[4] = "";
    CHECK(pipe2(ends, O_CLOEXEC) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        char out[3] = {*(char *)letter, *(char *)letter, *(char *)letter};
        _exit(write(ends[1], out, 3) != 3);
    }
    close(ends[1]);
    size_t got = 0;
    for (ssize_t n; (n = read(ends[0], text + got, 3 - got)) > 0;)
        got += (size_t)n;
    CHECK(got == 3 && text[0] == *(char *)letter && text[2] == text[0]);
    close(ends[0]);
    int status = -1;
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    return NULL;
}

int main(void)
{
    char letters[2] = {'p', 'q'};
    pthread_t a = start(talk, &letters[0]), b = start(talk, &letters[1]);
    join(a);
    join(b);
    return 0;
}
