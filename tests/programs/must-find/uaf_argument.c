// SPDX-License-Identifier: MIT
// uaf_argument.c - the argument of a thread is freed by its creator.
//
// Shape: order violation, free(argument) before the new thread's R(argument).
// Why:   the creator tidies up what it allocated and forgets that the thread has only a pointer to it.
//
// expect: use-after-free
// find: random within 200
// find: pct within 100
// cause: a:free(job)@uaf_argument.c:42 << b:R(job)@uaf_argument.c:27
// cause: a:free(job)@uaf_argument.c:42 << b:R(job)@uaf_argument.c:28
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct job {
    int first, last;
};

static atomic_int started;
static int sum;

static void *run(void *argument)
{
    struct job *job = argument;
    atomic_store(&started, 1);
    int first = job->first;
    int last = job->last;
    for (int i = first; i <= last; i++)
        sum += i;
    return NULL;
}

int main(void)
{
    pthread_t thread;
    struct job *job = malloc(sizeof *job);
    job->first = 1;
    job->last = 4;
    pthread_create(&thread, NULL, run, job);
    if (atomic_load(&started)) { /* "it has its argument by now" */
        free(job);
        job = NULL;
    }
    pthread_join(thread, NULL);
    free(job);
    return sum == 10 ? 0 : 1;
}
