// SPDX-License-Identifier: MIT
// rwlock_upgrade_two.c - two readers upgrade at the same time, each waits until it is the only reader.
//
// Shape: upgrade deadlock between two threads on a home-made lock.
// Why:   one upgrade alone works; two wait for each other, and the condition is never signalled again.
//
// expect: deadlock
// find: random within 50
// find: pct within 50
// cause: a:W(readers)@rwlock_upgrade_two.c:22 << b:R(readers)@rwlock_upgrade_two.c:29
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int readers;
static int version;

static void read_begin(void)
{
    pthread_mutex_lock(&lock);
    readers++;
    pthread_mutex_unlock(&lock);
}

static void upgrade(void)
{
    pthread_mutex_lock(&lock);
    while (readers > 1)
        pthread_cond_wait(&changed, &lock);
}

static void upgraded_end(void)
{
    readers--;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void *refresh(void *unused)
{
    (void)unused;
    read_begin();
    upgrade();
    version++;
    upgraded_end();
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, refresh, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return version == 2 ? 0 : 1;
}
