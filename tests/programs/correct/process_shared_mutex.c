// SPDX-License-Identifier: MIT
// process_shared_mutex.c - a process-shared mutex in shared memory, used by parent and child.
//
// expect: none
// repeats: no (child processes take their own time)
#include "correct.h"

#include <sys/mman.h>
#include <sys/wait.h>

static struct shared {
    pthread_mutex_t lock;
    int counter;
} * shared;

static void count(int times)
{
    for (int i = 0; i < times; i++) {
        pthread_mutex_lock(&shared->lock);
        shared->counter++;
        pthread_mutex_unlock(&shared->lock);
    }
}

static void *work(void *unused)
{
    (void)unused;
    count(3);
    return NULL;
}

int main(void)
{
    pthread_mutexattr_t attributes;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&shared->lock, &attributes);
    pid_t pid = fork();
    if (pid == 0) {
        count(5);
        _exit(0);
    }
    pthread_t thread = start(work, NULL);
    count(2);
    join(thread);
    int status = -1;
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    CHECK(shared->counter == 10);
    return 0;
}
