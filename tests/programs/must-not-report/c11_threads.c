// SPDX-License-Identifier: MIT
// c11_threads.c - threads.h: thrd, mtx, cnd, tss, call_once.
//
// expect: none
// tsan: no (ThreadSanitizer does not know threads.h)
#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <threads.h>

static mtx_t lock;
static cnd_t changed;
static tss_t key;
static once_flag flag = ONCE_FLAG_INIT;
static int ready, initialised;

static void initialise(void)
{
    initialised++;
}

static int work(void *number)
{
    call_once(&flag, initialise);
    assert(initialised == 1);
    assert(tss_set(key, malloc(8)) == thrd_success);
    mtx_lock(&lock);
    ready++;
    cnd_signal(&changed);
    mtx_unlock(&lock);
    thrd_yield();
    return *(int *)number * 2;
}

int main(void)
{
    thrd_t thread[2];
    int number[2] = {3, 4}, result, sum = 0;
    assert(mtx_init(&lock, mtx_plain) == thrd_success);
    assert(cnd_init(&changed) == thrd_success);
    assert(tss_create(&key, free) == thrd_success);
    for (int i = 0; i < 2; i++)
        assert(thrd_create(&thread[i], work, &number[i]) == thrd_success);
    mtx_lock(&lock);
    while (ready < 2)
        cnd_wait(&changed, &lock);
    mtx_unlock(&lock);
    for (int i = 0; i < 2; i++) {
        assert(thrd_join(thread[i], &result) == thrd_success);
        sum += result;
    }
    assert(sum == 14);
    tss_delete(key);
    cnd_destroy(&changed);
    mtx_destroy(&lock);
    return 0;
}
