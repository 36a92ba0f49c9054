// SPDX-License-Identifier: MIT
// longjmp.c - threads jump out of deep calls, with a lock that is taken and given back on both ways.
//
// expect: none
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdint.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int caught, passed;

static void __attribute__((noinline)) descend(int depth, jmp_buf out)
{
    if (depth == 0)
        longjmp(out, 7);
    if (depth > 0)
        descend(depth - 1, out);
    __asm__ volatile("" ::: "memory"); /* keep the frame */
}

static void *work(void *number)
{
    jmp_buf out;
    for (int i = 0; i < 3; i++) {
        if (setjmp(out) == 0) {
            descend(20 + (int)(intptr_t)number, out);
            assert(0);
        } else {
            pthread_mutex_lock(&lock);
            caught++;
            pthread_mutex_unlock(&lock);
            break;
        }
    }
    pthread_mutex_lock(&lock);
    passed++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    for (intptr_t i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(caught == 2 && passed == 2);
    return 0;
}
