// SPDX-License-Identifier: MIT
// atfork_handlers.c - handlers of pthread_atfork take the lock over the fork, so the child can use it.
//
// expect: none
// tsan: no (it calls the missing join in the child a leak)
// repeats: no (child processes take their own time)
#include "correct.h"

#include <sys/wait.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void prepare(void)
{
    pthread_mutex_lock(&lock);
}

static void release(void)
{
    pthread_mutex_unlock(&lock);
}

static void *work(void *unused)
{
    (void)unused;
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        counter++;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    CHECK(pthread_atfork(prepare, release, release) == 0);
    pthread_t thread = start(work, NULL);
    pid_t pid = fork();
    if (pid == 0) {
        pthread_mutex_lock(&lock);
        _exit(counter % 2);
    }
    int status = -1;
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    join(thread);
    return 0;
}
