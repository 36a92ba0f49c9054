// SPDX-License-Identifier: MIT
// process_shared_sem.c - semaphores in shared memory hand a token to a child and back.
//
// expect: none
// repeats: no (child processes take their own time)
#include "correct.h"

#include <sys/mman.h>
#include <sys/wait.h>

static struct shared {
    sem_t there, back;
    int value;
} * shared;
static int finished;

static void *work(void *unused)
{
    (void)unused;
    __atomic_fetch_add(&finished, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

int main(void)
{
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    sem_init(&shared->there, 1, 0);
    sem_init(&shared->back, 1, 0);
    pid_t pid = fork();
    if (pid == 0) {
        sem_wait(&shared->there);
        shared->value++;
        sem_post(&shared->back);
        _exit(0);
    }
    pthread_t thread = start(work, NULL);
    shared->value = 1;
    sem_post(&shared->there);
    CHECK(sem_wait(&shared->back) == 0 && shared->value == 2);
    join(thread);
    CHECK(waitpid(pid, NULL, 0) == pid && finished == 1);
    return 0;
}
