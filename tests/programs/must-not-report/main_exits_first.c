// SPDX-License-Identifier: MIT
// main_exits_first.c - main leaves with pthread_exit; the process ends with its last thread, and with status 0.
//
// expect: none
// tsan: no (ThreadSanitizer hangs when main leaves first)
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int finished;

static void *work(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    finished++;
    assert(finished <= 2);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++) {
        pthread_create(&thread[i], NULL, work, NULL);
        pthread_detach(thread[i]);
    }
    pthread_exit(NULL);
}
