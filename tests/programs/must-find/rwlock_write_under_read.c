// SPDX-License-Identifier: MIT
// rwlock_write_under_read.c - a use counter is incremented under the read lock.
//
// Shape: lost update between two readers.
// Why:   a read lock keeps writers out, not the other readers; the counter was added to a "read only" path later.
//
// expect: assert
// find: random within 50
// find: pct within 200
// cause: a:R(uses)@rwlock_write_under_read.c:21 << b:W(uses)@rwlock_write_under_read.c:21 << a:W(uses)@rwlock_write_under_read.c:21
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value = 7, uses;

static int lookup(void)
{
    pthread_rwlock_rdlock(&lock);
    uses++;
    int result = value;
    pthread_rwlock_unlock(&lock);
    return result;
}

static void *reader(void *unused)
{
    (void)unused;
    assert(lookup() == 7);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, reader, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(uses == 2);
    return 0;
}
