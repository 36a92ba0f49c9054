/* SPDX-License-Identifier: MIT
 *
 * bank.c - two threads move money in one account, and nobody holds a lock.  Run it a thousand times and it works a thousand
 * times: each thread is done before the next one has started.  It still has a bug.
 *
 *     raddle cc bank.c -o bank && raddle run -- ./bank
 */
#include <assert.h>
#include <pthread.h>

static int balance = 100;

static void *withdraw(void *amount)
{
    int before = balance;
    balance = before - *(int *)amount;
    return NULL;
}

static void *deposit(void *amount)
{
    int before = balance;
    balance = before + *(int *)amount;
    return NULL;
}

int main(void)
{
    int fifty = 50, hundred = 100;
    pthread_t cashier, customer;
    pthread_create(&customer, NULL, withdraw, &fifty);
    pthread_create(&cashier, NULL, deposit, &hundred);
    pthread_join(customer, NULL);
    pthread_join(cashier, NULL);
    assert(balance == 150);
    return 0;
}
