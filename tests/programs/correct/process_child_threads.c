// SPDX-License-Identifier: MIT
// process_child_threads.c - a child of a single-threaded parent has threads of its own; so has the parent afterwards.
//
// expect: none
// repeats: no (child processes take their own time)
#include "correct.h"

#include <sys/wait.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *work(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    counter++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void two_threads(void)
{
    pthread_t a = start(work, NULL), b = start(work, NULL);
    join(a);
    join(b);
    CHECK(counter == 2);
}

int main(void)
{
    pid_t pid = fork();
    two_threads();
    if (pid == 0)
        _exit(0);
    int status = -1;
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    return 0;
}
