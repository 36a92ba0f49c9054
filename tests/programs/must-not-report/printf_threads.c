// SPDX-License-Identifier: MIT
// printf_threads.c - stdio from several threads: every call is atomic, and flockfile makes several calls one.
//
// expect: none
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 3 };

static void *talk(void *number)
{
    int n = (int)(intptr_t)number;
    char line[32];
    snprintf(line, sizeof line, "thread %d of %d", n, THREADS);
    printf("%s: %zu characters\n", line, strlen(line));
    flockfile(stdout);
    fputs("one ", stdout);
    fputs("line\n", stdout);
    funlockfile(stdout);
    fflush(stdout);
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];
    for (intptr_t i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, talk, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    puts("done");
    return 0;
}
