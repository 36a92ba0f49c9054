// SPDX-License-Identifier: MIT
// set_account.c - an account is copied by two calls that each hold its lock, while interest is credited: the copy mixes two states.
//
// Shape: the example of AssetFuzzer (Account), in C.  Nothing fails.
// expect: serializability
// run: --fail-on serializability
#include "set.h"

struct account {
    pthread_mutex_t lock;
    long checking, savings;
};

LIBRARY long account_checking(struct account *a)
{
    pthread_mutex_lock(&a->lock);
    long amount = a->checking;
    pthread_mutex_unlock(&a->lock);
    return amount;
}

LIBRARY long account_savings(struct account *a)
{
    pthread_mutex_lock(&a->lock);
    long amount = a->savings;
    pthread_mutex_unlock(&a->lock);
    return amount;
}

LIBRARY void account_set_checking(struct account *a, long amount)
{
    pthread_mutex_lock(&a->lock);
    a->checking = amount;
    pthread_mutex_unlock(&a->lock);
}

LIBRARY void account_set_savings(struct account *a, long amount)
{
    pthread_mutex_lock(&a->lock);
    a->savings = amount;
    pthread_mutex_unlock(&a->lock);
}

LIBRARY void account_open(struct account *a, long checking, long savings)
{
    object_lock_init(&a->lock);
    account_set_checking(a, checking);
    account_set_savings(a, savings);
}

LIBRARY bool account_is_legal(struct account *a)
{
    return account_checking(a) >= 0 && account_savings(a) >= 0;
}

LIBRARY void account_credit(struct account *a, long percent)
{
    pthread_mutex_lock(&a->lock);
    account_set_checking(a, account_checking(a) * (100 + percent) / 100);
    account_set_savings(a, account_savings(a) * (100 + percent) / 100);
    pthread_mutex_unlock(&a->lock);
}

// BUG: not a whole.
LIBRARY void account_copy(struct account *to, struct account *from)
{
    object_lock_init(&to->lock);
    whole_begin(&from->lock);
    account_set_checking(to, account_checking(from));
    account_set_savings(to, account_savings(from));
    whole_end(&from->lock);
}

static struct account customer, copy;

static void *credit(void *unused)
{
    (void)unused;
    work(WORK);
    account_credit(&customer, 10);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    account_open(&customer, 100, 200);
    if (!account_is_legal(&customer) || pthread_create(&thread, NULL, credit, NULL) != 0)
        return 1;
    account_copy(&copy, &customer);
    work(WORK);
    pthread_join(thread, NULL);
    return 0;
}
