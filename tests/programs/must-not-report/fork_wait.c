// SPDX-License-Identifier: MIT
// fork_wait.c - a threaded program forks; the child only does what is async-signal-safe, and is waited for.
//
// expect: none
// repeats: no (child processes take their own time)
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int children;

static void *spawn(void *status)
{
    pid_t pid = fork();
    assert(pid >= 0);
    if (pid == 0)
        _exit(*(int *)status);
    int result;
    assert(waitpid(pid, &result, 0) == pid);
    assert(WIFEXITED(result) && WEXITSTATUS(result) == *(int *)status);
    pthread_mutex_lock(&lock);
    children++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    int status[2] = {3, 4};
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, spawn, &status[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(children == 2);
    return 0;
}
