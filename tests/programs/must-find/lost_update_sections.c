// SPDX-License-Identifier: MIT
// lost_update_sections.c - read and write are each locked, but not together.
//
// Shape: lost update without any data race: lock R unlock … lock W unlock.
// Why:   the lock protects every access and not the operation that the accesses make up.
//
// expect: assert
// find: random within 20
// find: pct within 50
// cause: a:R(balance)@lost_update_sections.c:21 << b:W(balance)@lost_update_sections.c:29 << a:W(balance)@lost_update_sections.c:29
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

static int balance_get(void)
{
    pthread_mutex_lock(&lock);
    int value = balance;
    pthread_mutex_unlock(&lock);
    return value;
}

static void balance_set(int value)
{
    pthread_mutex_lock(&lock);
    balance = value;
    pthread_mutex_unlock(&lock);
}

static void *deposit(void *amount)
{
    balance_set(balance_get() + *(int *)amount);
    return NULL;
}

int main(void)
{
    int amounts[2] = {10, -30};
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, deposit, &amounts[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(balance_get() == 80);
    return 0;
}
