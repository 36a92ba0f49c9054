/* SPDX-License-Identifier: MIT
 *
 * bank.c - two threads move money in one account, without a lock.  Run it a thousand times and it works a thousand
 * times: each thread is done before the next one has started.  It still has a bug.
 *
 *     raddle cc bank.c -o bank && raddle run -- ./bank
 */
#include <assert.h>
#include <pthread.h>

static int balance = 100;

static void *withdraw(void *unused)
{
    int before = balance;
    balance = before - 50;
    return unused;
}

static void *deposit(void *unused)
{
    int before = balance;
    balance = before + 100;
    return unused;
}

int main(void)
{
    pthread_t customer, employer;
    pthread_create(&customer, NULL, withdraw, NULL);
    pthread_create(&employer, NULL, deposit, NULL);
    pthread_join(customer, NULL);
    pthread_join(employer, NULL);
    assert(balance == 150);
    return 0;
}
