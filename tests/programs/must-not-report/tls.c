// SPDX-License-Identifier: MIT
// tls.c - thread-local variables are private, errno included.
//
// expect: none
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

enum { THREADS = 3 };

static __thread int mine = 5;
static __thread int *pointer;

static void *work(void *number)
{
    int n = (int)(intptr_t)number;
    assert(mine == 5 && pointer == NULL);
    mine += n;
    pointer = &mine;
    errno = 100 + n;
    assert(close(-1) == -1);
    assert(errno == EBADF);
    errno = 100 + n;
    for (int i = 0; i < 3; i++)
        (*pointer)++;
    assert(mine == 8 + n);
    assert(errno == 100 + n);
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];
    for (intptr_t i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    assert(mine == 5);
    return 0;
}
