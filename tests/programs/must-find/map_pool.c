// SPDX-License-Identifier: MIT
// map_pool.c - an object pool checks that there is a free object, and takes it in a second critical section.
//
// Shape: object pools of the MAP-coverage paper: two safe calls, one after the other.
//
// expect: assert
// find: random within 500
// find: maptest within 500
// find: pcr within 10
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int idle = 1, borrowed;

static int pool_idle(void)
{
    pthread_mutex_lock(&lock);
    int count = idle;
    pthread_mutex_unlock(&lock);
    return count;
}

static void pool_borrow(void)
{
    pthread_mutex_lock(&lock);
    idle--;
    borrowed++;
    pthread_mutex_unlock(&lock);
}

static void *borrow(void *unused)
{
    (void)unused;
    if (pool_idle() > 0)
        pool_borrow();
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, borrow, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(idle >= 0 && borrowed <= 1);
    return 0;
}
