// SPDX-License-Identifier: MIT
// main_without_return.c - int main of C89 that ends without return: the exit status is the result of the last call, 0.
//
// Shape: as void_main.c, with a result that is declared and not given.
//
// expect: none
// build: -std=gnu89 -Wno-return-type -O0
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *worker(void *unused)
{
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    worker(NULL);
    pthread_join(thread, NULL);
}
