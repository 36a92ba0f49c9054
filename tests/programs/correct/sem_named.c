// SPDX-License-Identifier: MIT
// sem_named.c - a named semaphore, opened twice, is one and the same.
//
// expect: none
#include "correct.h"

#include <sys/syscall.h>

static sem_t *first, *second;
static int data;

static void *produce(void *unused)
{
    (void)unused;
    data = 7;
    CHECK(sem_post(first) == 0);
    return NULL;
}

int main(void)
{
    char name[64];
    snprintf(name, sizeof name, "/correct-sem-%d-%ld", (int)getppid(), (long)syscall(SYS_getpid));
    sem_unlink(name);
    first = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
    CHECK(first != SEM_FAILED);
    second = sem_open(name, 0);
    CHECK(second == first);
    CHECK(sem_unlink(name) == 0);
    pthread_t thread = start(produce, NULL);
    CHECK(sem_wait(second) == 0);
    CHECK(data == 7);
    join(thread);
    CHECK(sem_close(second) == 0 && sem_close(first) == 0);
    return 0;
}
